"""Whether padding, or the words that are to be told, reach what a network computes: a pass of training once more, with other vectors at
padding, then at words; and with other ids behind a place, where labels are the next ids.

What changes are the vectors that a layer gives for the ids of a batch, so that masks stay as they are, whether they come with the batch or
are made of the ids; and labels at padding, then at words. Nothing is left behind: parameters, generators of random numbers, modes and
attributes are as before.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
import random
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from ..measures import Array, array, short, tensors
from ..padding import inferred
from ..processes import is_one_of_several
from .passes import Pass, Passes, loss_of

#: The largest batch of ids that is looked at, in elements; bytes of values that no gradient changes and that are put back.
LARGEST, KEPT = 1 << 20, 64 << 20
#: Outputs of rows that changed by more than this share of the largest output have moved.
MOVED = 1e-3
#: Labels are the next ids where this share of them is; places in a row, and different ids, without which that is not told.
FOLLOWS, LEAST = 0.9, 4
#: So many times as many outputs as ids are looked at; classes without which labels are none.
ENTRIES, LEAST_CLASSES = 4, 2

Cell = Any  # a mindspore.nn.Cell


class Ids:
    """A tensor of the batch with padding: `real` tells its places (rows, length) that are none."""

    def __init__(self, place: int, values: Array, found: Any) -> None:
        self.place, self.values, self.value, self.side = place, values, found.value, found.side
        lengths = np.array([values.shape[1] if one is None else one for one in found.lengths])[:, None]
        at = np.arange(values.shape[1])[None, :]
        self.lengths = lengths[:, 0]
        self.real: Array = at < lengths if found.side == "right" else at >= values.shape[1] - lengths

    def edge(self) -> Array:
        """The places of words next to padding, in rows that have both."""
        beside = np.roll(~self.real, -1 if self.side == "right" else 1, axis=1)
        beside[:, -1 if self.side == "right" else 0] = False
        return self.real & beside

    def has_mask(self, batch: list[Any]) -> bool:
        """Whether a mask of this padding, or the lengths without it, come with the batch."""
        for one in batch:
            if tuple(one.shape) == self.real.shape:
                values = array(one)
                truth = values.astype(bool)
                if np.isin(values, (0, 1)).all() and ((truth == self.real).all() or (truth != self.real).all()):
                    return True
            if tuple(one.shape) == self.lengths.shape and (array(one) == self.lengths).all():
                return True
        return False


def padded(batch: list[Any]) -> list[Ids]:
    """The ids of a batch whose rows end, or begin, in runs of one value."""
    found = []
    for place, one in enumerate(batch):
        if len(one.shape) != 2 or one.size > LARGEST:
            continue
        values = array(one)
        if values.dtype.kind not in "iu":
            continue
        told = inferred([{"ids": row} for row in values], "ids")
        if told is not None:
            found.append(Ids(place, values, told))
    return found


def examine(passes: Passes, ended: Pass) -> dict[str, Any] | None:
    """What moves when padding is changed, and when words are; None where the pass has no padding, `reason` where it is not told."""
    ids = padded(ended.batch)
    if not ids or not passes.tops(ended):
        return None
    with room(passes, ended) as found:
        return found if "reason" in found else {"network": found["network"], **found["trial"].of(ids)}


def followed(batch: list[Any]) -> tuple[int, int] | None:
    """The places of ids, and of labels that are the ids one place on, as of a network that tells the next word."""
    held = [array(one) if len(one.shape) == 2 and one.size <= LARGEST else None for one in batch]
    whole = [at for at, one in enumerate(held) if one is not None and one.dtype.kind in "iu" and one.shape[1] >= LEAST]
    for ids in whole:
        for labels in whole:
            one, other = held[ids], held[labels]
            if one is None or other is None or one.shape != other.shape or len(np.unique(one)) < LEAST:
                continue
            if (one[:, 1:] == other[:, :-1]).mean() > FOLLOWS > (one == other).mean():
                return ids, labels
    return None


def of_next(passes: Passes, ended: Pass) -> dict[str, Any] | None:
    """Whether what the network gives for a place moves with ids behind it, which are its labels; None where labels are not the next ids."""
    pair = followed(ended.batch)
    if pair is None:
        return None
    with room(passes, ended) as found:
        if "reason" in found:
            return found
        trial, ids = found["trial"], ended.batch[pair[0]]
        base, again = trial.run(None, None), trial.run(None, None)
        if differs(base.outputs, again.outputs):
            return {"reason": "random"}
        values = array(ids)
        half = values.shape[1] // 2
        changed = values.copy()
        changed[:, half:] = np.roll(values[:, half:], 1, axis=0)
        moved = trial.run(None, None, {id(ids): like(changed, ids)})
        before = np.broadcast_to(np.arange(values.shape[1]) < half, values.shape)
        told = compared(base.outputs, moved.outputs, moved.outputs, before)
        rest = compared(base.outputs, moved.outputs, moved.outputs, ~before)
        if told is None or rest is None or not told["each"]:
            return {"reason": "no-places"}
        network = {"network": found["network"], "column": pair[0], "labels": pair[1], "length": values.shape[1]}
        return {**network, "before": told["padding"], "behind": rest["padding"], "place": half}


def of_beyond(passes: Passes, ended: Pass) -> dict[str, Any] | None:
    """Whether the loss moves with outputs at places whose label is no class; None where there are none."""
    call = passes.network_call(ended)
    output = None if call is None else next(tensors(call.output), None)
    labels = [] if call is None else [one for one in ended.batch if id(one) not in call.given]
    if output is None or len(labels) != 1 or output.size > LARGEST * ENTRIES:
        return None
    values, truth = array(output), array(labels[0])
    axis = next(
        (at for at in (1, -1) if values.ndim > 1 and np.delete(values.shape, at).tolist() == [*truth.shape]), None
    )
    if axis is None or truth.dtype.kind not in "iu" or values.dtype.kind != "f":
        return None
    outside = (truth < 0) | (truth >= values.shape[axis])
    if not outside.any() or outside.all() or values.shape[axis] < LEAST_CLASSES:
        return None
    with room(passes, ended) as found:
        if "reason" in found:
            return found
        trial = found["trial"]
        base, again = trial.run(None, None), trial.run(None, None)
        if base.loss is None or differs([base.loss], [again.loss]):
            return {"reason": "random"}
        size = max(abs(base.loss), 1e-12)
        there, elsewhere = (trial.run(None, None, turned=(places, axis)).loss for places in (outside, ~outside))
        told = {"values": np.unique(truth[outside])[:8].tolist(), "places": int(outside.sum())}
        return {
            **told,
            "there": short(abs(there - base.loss) / size),
            "elsewhere": short(abs(elsewhere - base.loss) / size),
        }


@contextlib.contextmanager
def room(passes: Passes, ended: Pass) -> Iterator[dict[str, Any]]:
    """A trial of a pass, within which nothing stays changed, and the number of its network; or a reason why there can be none."""
    tops = passes.tops(ended)
    if is_one_of_several():
        yield {"reason": "ranks"}
        return
    inside = list({id(cell): cell for top in tops for _, cell in top.cells_and_names()}.values())
    kept = [one for top in tops for one in top.get_parameters() if not one.requires_grad]
    if not tops or sum(one.size * one.itemsize for one in kept) > KEPT:
        yield {"reason": "large"}
        return
    network = passes.network(tops[0])
    with unchanged(inside, kept, ended.top):
        yield {"network": network.number, "trial": Trial(network.cell, inside, ended)}


class Trial:
    """Runs a pass again and again, each time with something else changed."""

    def __init__(self, network: Cell, inside: list[Cell], ended: Pass) -> None:
        self.network, self.ended = network, ended
        skipped = {id(network), id(ended.top)}
        self.layers = [
            cell
            for cell in inside
            if id(cell) not in skipped and not cell._cells and any(one is not None for one in cell._params.values())
        ]
        self.state = generators()

    def of(self, ids: list[Ids]) -> dict[str, Any]:
        base, again, looked = self.run(None, None), self.run(None, None), None
        for one in ids:
            looked = looked or (one if self.run(one, None).hits else None)
        if looked is None:
            return {"reason": "no-embedding"}
        if differs(base.outputs, again.outputs) or differs([base.loss], [again.loss]):
            return {"reason": "random"}
        padding, words = self.run(looked, ~looked.real), self.run(looked, looked.real)
        found: dict[str, Any] = {
            "column": looked.place,
            "value": int(looked.value),
            "side": looked.side,
            "rows": len(looked.real),
            "length": looked.real.shape[1],
            "padding": int((~looked.real).sum()),
            "mask": looked.has_mask(self.ended.batch),
            "output": compared(base.outputs, padding.outputs, words.outputs, looked.real),
        }
        if base.loss is not None and padding.loss is not None and words.loss is not None:
            size = max(abs(base.loss), 1e-12)
            changes = [short(abs(one - base.loss) / size) for one in (padding.loss, words.loss)]
            found["loss"] = {"padding": changes[0], "words": changes[1]}
            found["labels"] = list(self.of_labels(looked, base.loss))
        return found

    def of_labels(self, ids: Ids, base: float) -> Iterator[dict[str, Any]]:
        """How the loss moves when labels at padding are changed, those at words, and the last one of each row's words alone (`edge`): of
        labels whose padding is a class too."""
        for place, one in enumerate(self.ended.batch):
            if place == ids.place or tuple(one.shape) != ids.real.shape:
                continue
            values = array(one)
            classes = np.unique(values)
            at_padding = np.unique(values[~ids.real])
            if values.dtype.kind not in "iu" or len(at_padding) != 1 or set(classes.tolist()) <= {0, 1}:
                continue
            tail = np.cumprod((values == at_padding[0])[:, :: -1 if ids.side == "right" else 1], axis=1).sum()
            if (values == at_padding[0]).sum() == tail:
                continue  # a value of its own, which the loss may leave out
            changes = []
            for chosen in (~ids.real, ids.real, ids.edge()):
                changed = values.copy()
                changed[chosen] = classes[(np.searchsorted(classes, values[chosen]) + 1) % len(classes)]
                loss = self.run(None, None, {id(one): like(changed, one)}).loss
                if loss is None:
                    return
                changes.append(short(abs(loss - base) / max(abs(base), 1e-12)))
            yield {"column": place, "padding": changes[0], "words": changes[1], "edge": changes[2]}

    def run(
        self,
        ids: Ids | None,
        chosen: Array | None,
        instead: dict[int, Any] | None = None,
        turned: tuple[Array, int] | None = None,
    ) -> PassOutputs:
        """One pass, in which the vectors that a layer gives for these ids are changed at the chosen places; or what the network gives is
        turned: moved on along an axis at some places of the others."""
        put_back(self.state)
        ran = PassOutputs()

        def layer(original: Callable[..., Any]) -> Callable[..., Any]:
            def called(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                if ids is None or not gets(ids.values, [*args, *kwargs.values()]):
                    return result
                changed, hits = other_vectors(result, ids.real, chosen)
                ran.hits += hits
                return changed

            return called

        def whole(original: Callable[..., Any]) -> Callable[..., Any]:
            def called(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                ran.outputs = [thinned(array(one)) for one in tensors(result) if one.size > 1]
                return result if turned is None else rolled(result, *turned)

            return called

        patched = [(cell, layer) for cell in self.layers] if ids is not None else []
        patched.append((self.network, whole))
        try:
            for cell, made in patched:
                cell.__dict__["construct"] = made(cell.construct)
            top, given = self.ended.top, [swapped(one, instead or {}) for one in self.ended.given]
            ran.loss = loss_of(top(*given))
        finally:
            for cell, _ in patched:
                cell.__dict__.pop("construct", None)
        return ran


class PassOutputs:
    """What a pass gave: outputs of the network and the loss; `hits` are the tensors whose vectors were looked at."""

    def __init__(self) -> None:
        self.outputs: list[Array] = []
        self.loss: float | None = None
        self.hits = 0


def thinned(values: Array) -> Array:
    """Of a large output some of the numbers of each place, evenly drawn, so that several runs can be kept beside each other."""
    every = -(-values.size // LARGEST)
    return values[..., ::every].copy() if every > 1 and values.ndim > 1 and values.shape[-1] >= every else values


def rolled(result: Any, places: Array, axis: int) -> Any:
    """What a network gave, with the numbers along an axis of the first tensor moved on by one at some places of the others."""
    if isinstance(result, (tuple, list)):
        return type(result)([rolled(result[0], places, axis), *result[1:]])
    values = array(result)
    return like(np.where(np.expand_dims(places, axis), np.roll(values, 1, axis), values), result)


def gets(values: Array, given: list[Any]) -> bool:
    """Whether a layer is given these ids."""
    for one in tensors(given):
        if tuple(one.shape) == values.shape:
            held = array(one)
            if held.dtype.kind in "iu" and (held == values).all():
                return True
    return False


def other_vectors(result: Any, real: Array, chosen: Array | None) -> tuple[Any, int]:
    """What a layer gave, with vectors of other words at the chosen places, and how many tensors have vectors there."""
    if isinstance(result, (tuple, list)):
        parts = [other_vectors(one, real, chosen) for one in result]
        return type(result)(part for part, _ in parts), sum(hits for _, hits in parts)
    if not hasattr(result, "asnumpy") or len(result.shape) != 3 or tuple(result.shape[:2]) != real.shape:
        return result, 0
    if chosen is None:
        return result, 1
    vectors = array(result).copy()
    donors = vectors[real]
    count = int(chosen.sum())
    # Words take the vectors of words half the batch away, so that each gets another one.
    at = (np.arange(count) + len(donors) // 2) % len(donors)
    vectors[chosen] = donors[at]
    return like(vectors, result), 1


def compared(base: list[Array], padding: list[Array], words: list[Array], real: Array) -> dict[str, Any] | None:
    """How far the first output of the network with a row for each sample moves, against its largest value; at words alone where it has
    a place for each."""
    for number, before in enumerate(base):
        if before.dtype.kind != "f" or number >= len(padding) or number >= len(words):
            continue
        shape = before.shape
        each = (shape[:2] == real.shape and len(shape) > 2) or shape[:1] == (real.size,)
        if not each and shape[:1] != real.shape[:1]:
            continue
        held = [one.reshape((*real.shape, -1)) if each else one for one in (before, padding[number], words[number])]
        held = [one.astype(np.float64) for one in held]
        size = max(float(np.abs(held[0][real] if each else held[0]).max(initial=0.0)), 1e-12)
        changes = [
            np.where(real[..., None], np.abs(one - held[0]), 0.0) if each else np.abs(one - held[0]) for one in held[1:]
        ]
        rows = [one.reshape(len(real), -1).max(axis=1) / size for one in changes]
        return {
            "each": bool(each),
            "padding": short(float(rows[0].max())),
            "words": short(float(rows[1].max())),
            "moved": int((rows[0] > MOVED).sum()),
        }
    return None


def differs(one: list[Any], other: list[Any]) -> bool:
    """Whether two runs that should be equal are not."""
    for a, b in zip(one, other):  # noqa: B905  # Python 3.9
        if a is None or b is None:
            continue
        if not np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True):
            return True
    return len(one) != len(other)


def like(values: Array, tensor: Any) -> Any:
    return sys.modules["mindspore"].Tensor(values, dtype=tensor.dtype)


def swapped(value: Any, instead: dict[int, Any]) -> Any:
    """An argument with other tensors in place of some."""
    if isinstance(value, dict):
        return {key: swapped(one, instead) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(swapped(one, instead) for one in value)
    return instead.get(id(value), value)


# --- leaving everything as it was -----------------------------------------------------------------------------------------


def generators() -> dict[str, Any]:
    """The state of each generator of random numbers that a forward pass may use."""
    mindspore = sys.modules["mindspore"]
    seeds = sys.modules.get("mindspore.common.seed")
    read = getattr(mindspore, "get_rng_state", None)
    return {
        "numpy": np.random.get_state(),
        "python": random.getstate(),
        "mindspore": read() if read is not None else None,
        "seeds": dict(getattr(seeds, "_KERNEL_SEED", {})),
    }


def put_back(state: dict[str, Any]) -> None:
    np.random.set_state(state["numpy"])
    random.setstate(state["python"])
    if state["mindspore"] is not None:
        sys.modules["mindspore"].set_rng_state(state["mindspore"])
    held = getattr(sys.modules.get("mindspore.common.seed"), "_KERNEL_SEED", None)
    if held is not None:
        held.clear()
        held.update(state["seeds"])


@contextlib.contextmanager
def unchanged(inside: list[Cell], kept: list[Any], top: Any) -> Iterator[None]:
    """Nothing that a pass changes stays changed, and what it prints is not shown; cells are in inference mode meanwhile."""
    state = generators()
    before = [(one, array(one).copy()) for one in kept]
    held = [*(cell.__dict__ for cell in inside), *around(top)]
    attributes = [(names, {key: _copy(value) for key, value in names.items()}) for names in held]
    variables = [(one, _copy(one.cell_contents)) for one in closure(top)]
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for cell in inside:
                cell.set_train(False)
            yield
    finally:
        logging.disable(disabled)
        for names, values in attributes:
            for key in [key for key in names if key not in values]:
                del names[key]
            for key, (value, copied) in values.items():
                names[key] = value
                _restore(value, copied)
        for variable, (value, copied) in variables:
            variable.cell_contents = value
            _restore(value, copied)
        for one, old in before:
            if not np.array_equal(array(one), old, equal_nan=old.dtype.kind == "f"):
                one.set_data(like(old, one))
        put_back(state)


def closure(top: Any) -> list[Any]:
    """The variables that a function closes over."""
    held = getattr(inspect.unwrap(top), "__closure__", None) or ()
    found = []
    for one in held:
        with contextlib.suppress(ValueError):  # not set yet
            one.cell_contents  # noqa: B018
            found.append(one)
    return found


def around(top: Any) -> list[dict[str, Any]]:
    """The attributes of the objects that a function knows from outside, and the variables of its module."""
    function = inspect.unwrap(top)
    outside = getattr(function, "__globals__", {})
    named = [outside[name] for name in getattr(getattr(function, "__code__", None), "co_names", ()) if name in outside]
    held = [getattr(top, "__self__", None), *(one.cell_contents for one in closure(top)), *named]
    plain = [one for one in held if not isinstance(one, ModuleType) and not hasattr(one, "asnumpy")]
    return [
        *([outside] if outside else []),
        *(vars(one) for one in plain if type(getattr(one, "__dict__", None)) is dict),
    ]


def _copy(value: Any) -> tuple[Any, Any]:
    return value, (value.copy() if type(value) in (list, dict, set) else None)


def _restore(value: Any, copied: Any) -> None:
    if type(value) is list:
        value[:] = copied
    elif copied is not None:
        value.clear()
        value.update(copied)
