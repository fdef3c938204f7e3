"""What the probes of watched runs share: the recordings that accucheck watch made, by mode and rank, and what their facts say.

The facts are those that live/inside/watch writes; each is a dict with the key "fact", and "step" where it belongs to one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Where

if TYPE_CHECKING:
    from ..readers.recordings import Run


#: Losses that a watched step is compared with, by their names in its recording.
LOSSES: Words = {
    "cross-entropy": {"en": "the cross entropy", "zh": "交叉熵"},
    "square": {"en": "the mean squared error", "zh": "均方误差"},
    "difference": {"en": "the mean absolute error", "zh": "平均绝对误差"},
    "huber": {"en": "the Huber loss", "zh": "Huber 损失"},
    "of-probabilities": {"en": "the binary cross entropy of probabilities", "zh": "概率的二元交叉熵"},
    "of-logits": {"en": "the binary cross entropy of logits", "zh": "logits 的二元交叉熵"},
}
#: How near a loss and what was computed are, relatively: recorded with four digits, computed in float32.
_NEAR = 2e-3
#: The passes that train as the user does.
_MODES = ("user", "pynative")


@dataclass(frozen=True)
class Watch:
    """One process of a watched run. `path` is relative to the project; `run` is what it recorded."""

    path: str
    mode: str
    rank: int
    run: Run

    def facts(self, kind: str) -> list[dict[str, Any]]:
        return self.run.facts.get(kind, [])

    def first(self, kind: str) -> dict[str, Any]:
        """The first fact of a kind, empty where there is none."""
        return next(iter(self.facts(kind)), {})

    @cached_property
    def owners(self) -> dict[int, int]:
        """Of each network by its number the first one with the same cell: one that is wrapped anew for evaluation is still the same."""
        first: dict[Any, int] = {}
        found = {}
        for fact in self.facts("network"):
            number, ids = fact.get("number", -1), fact.get("ids") or [None]
            found[number] = number if ids[0] is None else first.setdefault(ids[0], number)
        return found

    @property
    def steps(self) -> int:
        """How many training steps were seen."""
        from ..readers.recordings import trained

        return trained(self.run)[0]

    def network(self, number: Any = None) -> dict[str, Any]:
        """The network of that number, without one the first; empty where there is none."""
        networks = self.facts("network")
        return next((one for one in networks if number is None or one.get("number") == number), {})

    def network_place(self, number: Any = None) -> Any:
        """Where the class of a network is defined; of one of MindSpore's own classes, where the script makes it."""
        network = self.network(number)
        cells = network.get("cells")
        made = (
            cells[0][2]
            if isinstance(cells, list) and cells and isinstance(cells[0], list) and len(cells[0]) > 2
            else None
        )
        return network.get("defined") or made

    def is_only_loss(self, told: list[dict[str, Any]]) -> bool:
        """Whether no other loss was trained with: one optimizer, and each pass of training that was looked at is among these steps."""
        steps = [one.get("step") for one in self.facts("pass") if one.get("training") is True]
        return len(self.facts("optimizer")) == 1 and steps == [one.get("step") for one in told]

    def where(self, place: Any = None, **named: Any) -> Where:
        """A place of the user's code as a fact gives it, [file, line]; without one, the recording."""
        if isinstance(place, list) and len(place) == 2 and isinstance(place[0], str) and isinstance(place[1], int):
            return Where(place[0], line=place[1], **named)
        return Where(self.path, **named)


def of_case(case: Case, *, samples: bool = False, again: bool = False) -> list[Watch]:
    """The recordings of all passes and ranks, PyNative first, by rank; `again`: also of those that looked for what is not finite.

    Raises ReadError where there is none, or one cannot be read.
    """
    found = [one for folder in case.paths("watched") for one in of_folder(case, folder, samples=samples, again=again)]
    if not found:
        raise ReadError("no-recordings", path=", ".join(case.relative(path) for path in case.paths("watched")))
    return _sorted(found)


def of_folder(case: Case, folder: Path, *, samples: bool = False, again: bool = False) -> list[Watch]:
    """The recordings of one watch, as of_case; empty where it has none. Raises ReadError for one that cannot be read."""
    from ..readers import recordings

    found = []
    for mode, rank, path in recordings.watched(folder):
        runs = recordings.read(path, samples=samples).runs if again or mode in _MODES else []
        if runs:
            found.append(Watch(case.relative(path), mode, rank, runs[-1]))
    return _sorted(found)


def _sorted(found: list[Watch]) -> list[Watch]:
    return sorted(found, key=lambda one: (one.mode != "pynative", one.rank))


def loss_form(watch: Watch) -> Mapping[str, str] | None:
    """What the loss is in all of the looked-at steps, in words: the mean of a usual loss of outputs and labels; None otherwise."""
    told = watch.facts("outputs")
    alike = [{name for name, value in _losses(one).items() if _is(one, value)} for one in told]
    both = set.intersection(*alike) if alike else set()
    return next((words for name, words in LOSSES.items() if name in both), None)


def _losses(one: dict[str, Any]) -> dict[str, Any]:
    """The usual losses of a step, each as a mean."""
    pairs = one.get("pairs") or {}
    found = {name: values[0] for name, values in (pairs.get("losses") or {}).items()}
    return found | ({"cross-entropy": one["own"]} if "own" in one else {})


def _is(one: dict[str, Any], value: Any) -> bool:
    loss = one.get("loss", (one.get("pairs") or {}).get("loss"))
    numbers = isinstance(loss, (int, float)) and isinstance(value, (int, float))
    return numbers and abs(loss - value) <= _NEAR * abs(value)


def begun(case: Case) -> dict[str, Any]:
    """The fact of the first operator whose result was not finite, for whom it blocks; empty where none is known.

    Raises ReadError where there is no recording, or one cannot be read.
    """
    facts = [fact for watch in of_case(case, again=True) for fact in watch.facts("not-finite")]
    return min(facts, key=lambda fact: int(fact.get("step") or 0), default={})


def begun_at(fact: dict[str, Any]) -> dict[str, str]:
    """That operator and its line, to be put behind a sentence: " It begins at Sqrt (net.py:9): see mp.01."; "" where it is not known."""
    if not fact:
        return {"en": "", "zh": ""}
    place = fact.get("place")
    line = f" ({place[0]}:{place[1]})" if isinstance(place, list) and len(place) == 2 else ""
    operator = f"{fact.get('operator')}{line}"
    return {"en": f" It begins at {operator}: see mp.01.", "zh": f"起点是 {operator}，见 mp.01。"}


def paths(case: Case) -> list[Path]:
    """The files of the recordings of rank 0: that of PyNative first. Raises ReadError where there is none."""
    from ..readers import recordings

    found = [told for folder in case.paths("watched") for told in recordings.watched(folder)]
    first = [path for mode, rank, path in found if mode in _MODES and rank == 0]
    if not first:
        raise ReadError("no-recordings", path=", ".join(case.relative(path) for path in case.paths("watched")))
    return first
