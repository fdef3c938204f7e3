"""What the curves of a case look like, and what its task is: by these guidance puts first what fits.

A curve alone proves nothing: it only orders what is proposed, and takes away what makes no sense for the task.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .case import Case
from .errors import ReadError
from .knowledge import api, names
from .language import Language, Words, word

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from .model import Finding
    from .probes._curves import Series

    Array = np.ndarray[Any, Any]

#: Bytes of curves that are read to see what they look like: guidance must not keep anybody waiting.
_BYTES = 16 << 20
#: Points without which a curve has no shape, and the parts of it that are set against each other (own choice).
_FEWEST, _PARTS = 5, 5
#: A mean loss as near to that of guessing counts as it, and a change as small as none (own choice; shares).
_AT_GUESS, _STILL = 0.05, 0.02
#: A loss rises when it ends so much above where it began, and an evaluation lags by so much (own choice).
_RISES, _LAGS_LOSS, _LAGS_ACCURACY = 1.1, 1.5, 0.15

#: An accuracy of at most so many times that of guessing is no better, among at least so many classes (own choice).
_NO_BETTER, _FEWEST_CLASSES = 1.5, 3
_ACCURACY = re.compile(r"(?i)acc|top.?1|精度|准确")

#: What goes with each symptom, the likeliest first: items of the checklists accuracy and sanity.
FITTING: dict[str, tuple[str, ...]] = {
    "not-finite": ("mp.01", "hp.01", "mp.02", "mp.03", "ds.01", "dp.01", "san.09", "wi.01"),
    "at-guess": ("san.03", "cg.02", "san.06", "cg.04", "hp.01", "wi.01", "ds.02", "san.05", "san.09", "cg.03"),
    "chance": ("san.03", "cg.02", "san.06", "cg.04", "hp.01", "wi.01", "ds.02", "san.05", "san.09", "cg.03"),
    "flat": ("san.03", "cg.02", "hp.01", "san.08", "cg.04", "san.06", "wi.01", "cg.03", "san.09"),
    "rises": ("hp.01", "cg.04", "san.08", "mp.03", "mp.02", "san.09", "hp.03"),
    "lags": ("api.02", "dp.02", "san.10", "hp.02", "san.07", "ds.03", "ds.04", "api.01", "cg.01"),
}
#: Probes that only make sense where the network tells classes apart.
OF_CLASSES = frozenset({"label_issues", "first_loss", "first_loss_live", "class_balance", "class_balance_live"})


#: What mending a fault may be expected to give, the most first.
EFFECTS = ("learning", "evaluation", "points", "noise")
#: What faults of an item do, where it is not some points of accuracy.
_OF_ITEMS = {
    **dict.fromkeys(("wi.01", "cg.02", "mp.01", "san.03", "san.06", "san.09"), "learning"),
    **dict.fromkeys(("dp.02", "api.02", "san.07", "san.10"), "evaluation"),
    **dict.fromkeys(("hp.03", "san.02"), "noise"),
}
#: Faults that do something else than others of their item: effect -> probe -> codes.
_OF_CODES = {
    "learning": {
        "loss_function": "loss-negated gradients-negated likelihood-minimised overlap-minimised no-bottom same-direction value-as-loss "
        "never-called arguments-exchanged labels-not-shifted labels-behind target-random",
        "training_settings": "schedule-by-epochs rate-over rate-not-positive rate-huge rate-huge-step clip-tiny decay-huge momentum-whole",
        "shuffle_settings": "shuffled-apart",
        "watched_loss": "constant-loss negated against-labels",
        "watched_targets": "negated all-with-all",
    },
    "evaluation": {"pretrained_weights_script": "evaluated-unfilled evaluated-in-part evaluated-before"},
}
BY_CODE = {
    (probe, code): effect
    for effect, probes in _OF_CODES.items()
    for probe, codes in probes.items()
    for code in codes.split()
}

WORDS: Words = {
    "learning": {
        "en": "expected effect: very large, it keeps the network from learning",
        "zh": "预期影响：很大，会使网络无法学习",
    },
    "evaluation": {
        "en": "expected effect: large, it makes the evaluation wrong",
        "zh": "预期影响：大，会使评估结果失真",
    },
    "points": {"en": "expected effect: a few points", "zh": "预期影响：几个百分点"},
    "noise": {"en": "expected effect: small, within the spread of runs", "zh": "预期影响：小，与多次运行的波动相当"},
    "reached-expected": {
        "en": "{metric}: {reached} reached, {expected} expected",
        "zh": "{metric}：已达到 {reached}，期望 {expected}",
    },
    "reached": {"en": "{metric}: {reached} reached", "zh": "{metric}：已达到 {reached}"},
    "expected": {"en": "{metric}: {expected} expected", "zh": "{metric}：期望 {expected}"},
    "metric": {"en": "Accuracy", "zh": "精度"},
    "with-source": {"en": "{goal} ({source})", "zh": "{goal}（依据：{source}）"},
    "with-curve": {"en": "{goal}; {curve}", "zh": "{goal}；{curve}"},
    "curve": {"en": "Symptom: {curve}", "zh": "现象：{curve}"},
    "not-finite": {
        "en": "the loss is NaN or Inf from {unit} {at:,} on",
        "zh": "loss 自第 {at:,} 个 {unit} 起为 NaN 或 Inf",
    },
    "at-guess": {
        "en": "the loss stays at {loss:.4g}, as with random guesses among {classes:,} classes",
        "zh": "loss 停在 {loss:.4g}，即在 {classes:,} 个类别中随机猜测的水平",
    },
    "chance": {
        "en": "{reached:.4g} is what random guesses among {classes:,} classes reach",
        "zh": "{reached:.4g} 即在 {classes:,} 个类别中随机猜测的水平",
    },
    "flat": {"en": "the loss stays at {loss:.4g}", "zh": "loss 停在 {loss:.4g} 不变"},
    "rises": {"en": "the loss rises from {first:.4g} to {last:.4g}", "zh": "loss 由 {first:.4g} 升至 {last:.4g}"},
    "lags": {
        "en": "training ends at {train:.4g}, evaluation at {eval:.4g}",
        "zh": "训练最终为 {train:.4g}，评估为 {eval:.4g}",
    },
}


class Symptom(NamedTuple):
    """What a curve looks like: `kind` is a key of FITTING; `data` fills the words that tell it."""

    kind: str
    data: dict[str, Any]


def told(symptom: Symptom, language: Language) -> str:
    """What a curve looks like, in words."""
    return word(WORDS, symptom.kind, language, **symptom.data)


def of_goal(case: Case, language: Language) -> str:
    """What was reached and what is expected, with what says so; empty where the case gives neither."""
    goal = case.spec.goal
    given = [name for name in ("reached", "expected") if getattr(goal, name) is not None]
    if not given:
        return ""
    data = {name: f"{getattr(goal, name):.4g}" for name in given}
    metric = " ".join((goal.metric or "").split()) or word(WORDS, "metric", language)
    text = word(WORDS, "-".join(given), language, metric=metric, **data)
    source = " ".join((goal.source or "").split())
    return word(WORDS, "with-source", language, goal=text, source=source) if source else text


def headline(case: Case, symptom: Symptom | None, language: Language) -> str:
    """What is wrong with the training as its user sees it: the goal, and what the curves look like; empty where neither is known."""
    goal, curve = of_goal(case, language), told(symptom, language) if symptom is not None else ""
    if goal and curve:
        return word(WORDS, "with-curve", language, goal=goal, curve=curve)
    return goal or (word(WORDS, "curve", language, curve=curve) if curve else "")


def effect(item: str, probe: str = "", code: str = "") -> str:
    """What mending a fault may be expected to give: one of EFFECTS."""
    return BY_CODE.get((probe, code)) or _OF_ITEMS.get(item, "points")


def of_case(case: Case) -> Symptom | None:
    """What is wrong as far as the curves show it, else as far as what was reached does; None where neither tells."""
    return of_curves(case) or _of_reached(case)


def _of_reached(case: Case) -> Symptom | None:
    """An accuracy that is no better than guessing."""
    goal, listed = case.spec.goal, case.get("data.train.classes")
    classes = len(listed) if isinstance(listed, list) else 0
    if goal.reached is None or classes < _FEWEST_CLASSES or not _ACCURACY.search(goal.metric or "accuracy"):
        return None
    share = goal.reached / 100 if max(goal.reached, goal.expected or 0.0) > 1 else goal.reached
    if 0 <= share <= _NO_BETTER / classes:
        return Symptom("chance", {"reached": goal.reached, "classes": classes})
    return None


def of_curves(case: Case) -> Symptom | None:
    """What the curves of the training and its evaluation look like; None where they look sound, or there are none to be read."""
    paths = [path for key in ("curves.train", "curves.eval") for path in case.paths(key)]
    try:
        stamps = tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in paths if path.is_file())
    except OSError:
        return None
    if case.alone or not stamps or len(stamps) < len(paths) or sum(size for *_, size in stamps) > _BYTES:
        return None
    listed = case.get("data.train.classes")
    keys = tuple(str(case.get(key) or "") for key in ("curves.train", "curves.eval"))
    return _read(case.root, keys, len(listed) if isinstance(listed, list) else 0, stamps)


@lru_cache(maxsize=8)
def _read(root: str, keys: tuple[str, str], classes: int, _stamps: tuple[object, ...]) -> Symptom | None:
    """As of_curves; remembered while the files stay as they are."""
    from .case import CaseFile, Curves
    from .probes import _curves

    case = Case(root, CaseFile(curves=Curves(train=keys[0] or None, eval=keys[1] or None)))
    try:
        logs = _curves.Logs(case, "curves.train", "curves.eval")
    except ReadError:
        return None
    loss = logs.series("loss")
    if loss is not None and (found := _of_loss(loss, classes)) is not None:
        return found
    return _lag(logs, loss)


def _of_loss(loss: Series, classes: int) -> Symptom | None:
    """What a training loss shows by itself."""
    import numpy as np

    finite = np.isfinite(loss.values)
    if not finite.all():
        return Symptom("not-finite", {"unit": loss.unit, "at": int(loss.x[~finite][0])})
    if len(loss.values) < _FEWEST:
        return None
    means = [float(part.mean()) for part in np.array_split(loss.values, _PARTS)]
    first, last, middle = means[0], means[-1], float(loss.values.mean())
    still = max(means) - min(means) <= _STILL * abs(middle)
    if still and classes > 1 and abs(middle / math.log(classes) - 1) <= _AT_GUESS:
        return Symptom("at-guess", {"loss": middle, "classes": classes})
    if still:
        return Symptom("flat", {"loss": middle})
    if last > max(first, 0) * _RISES and last == max(means):
        return Symptom("rises", {"first": first, "last": last})
    return None


def _lag(logs: Any, loss: Series | None) -> Symptom | None:
    """An evaluation that ends far behind the training."""
    import numpy as np

    def end(series: Series | None) -> float | None:
        values = series.finite().values if series is not None else np.empty(0)
        return float(values[-max(1, len(values) // _PARTS) :].mean()) if len(values) else None

    trained, evaluated = (end(logs.series("accuracy", evaluated=side)) for side in (False, True))
    if trained is not None and evaluated is not None:
        whole = 100.0 if max(trained, evaluated) > 1 else 1.0
        if (trained - evaluated) / whole > _LAGS_ACCURACY:
            return Symptom("lags", {"train": trained, "eval": evaluated})
    own, other = end(loss), end(logs.series("loss", evaluated=True))
    if own is not None and other is not None and other > max(own, 0) * _LAGS_LOSS:
        return Symptom("lags", {"train": own, "eval": other})
    return None


def tells_classes(case: Case, findings: Iterable[tuple[str, Finding]]) -> bool | None:
    """Whether the network tells classes apart, True, or gives numbers (a regression), False; None where nothing says.

    By the case, else by what the probes found, each with its name: the loss of the scripts, and labels that are hardly classes.
    """
    if case.get("data.train.classes"):
        return True
    said = _by_loss(str(case.get("design.loss") or case.get("loss.call") or ""))
    if said is not None:
        return said
    votes = set()
    for name, finding in findings:
        if name == "loss_function":
            votes.add(_by_loss(str(finding.data.get("loss", ""))))
        elif name == "class_balance" and finding.code == "not-classes":
            votes.add(False)
    votes.discard(None)
    return votes.pop() if len(votes) == 1 else None


def _by_loss(name: str) -> bool | None:
    """What a loss is for: one on raw outputs of the labels' own shape is a regression's, any other known one tells classes."""
    from .live.inside.references import NAMES

    dotted = re.sub(r":", ".", name)
    known = api.find(names.canonical(dotted)) or api.find(dotted)
    if known is not None and known.kind == "loss":
        return None if known.labels is None else not (known.labels == "same-shape" and known.expects == "raw")
    return name not in ("mse", "l1", "smooth_l1", "huber") if name in NAMES else None
