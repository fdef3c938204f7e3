"""The same raw samples through the pipelines of training, evaluation and inference; for the probe train_infer_samples."""

from __future__ import annotations

import time
from typing import Any

from .columns import labels_of, layout_of
from .pipeline import Node, NotReplayed, Tell, blamed, called, described, inner_lines, kinds, shown
from .replay import Chain, Row

#: Colours of the pictures of one colour; a network is given each channel of them.
COLOURS = ((40, 90, 160), (200, 120, 60), (128, 128, 128), (250, 10, 90))
#: Steps that are looked at one by one.
STEPS = 40


class Side:
    """One pipeline: its steps, its raw rows, and what becomes of them in two passes with different seeds."""

    def __init__(self, role: str, dataset: Node, count: int, label: str | None) -> None:
        self.role, self.label = role, label
        self.chain = Chain(dataset, batch=1)
        self.own = self.chain.rows(count)
        self.generated = "GeneratorDataset" in kinds(self.chain.source) and "NumpySlicesDataset" not in kinds(
            self.chain.source
        )
        self.total = size_of(self.chain.source)

    def outputs(self, rows: list[Row], upto: int | None = None, seed: int = 1) -> list[Row]:
        found = self.chain.run(rows, upto, seed)
        steps = self.chain.steps if upto is None else self.chain.steps[:upto]
        if any("batch" in step.text.partition("(")[0] for step in steps):
            found = [
                {name: value[0] if value.ndim and len(value) == 1 else value for name, value in row.items()}
                for row in found
            ]
        return found

    def steps(self, rows: list[Row]) -> list[dict[str, Any]]:
        """Each step with what it makes of the rows; `random` where two passes differ, nothing where it cannot be told."""
        found: list[dict[str, Any]] = []
        before = rows
        for number in range(1, min(len(self.chain.steps), STEPS) + 1):
            entry: dict[str, Any] = {"text": self.chain.steps[number - 1].text, "values": None}
            try:
                now, again = (self.outputs(rows, number, seed) for seed in (1, 2))
            except Exception:  # what is between two operations of a map may be no array
                now = again = []
            if now:
                column = changed(before, now) or (inputs(now, self.label) or list(now[0]))[0]
                entry.update(described_values(column, now), values=now, random=not equal(now, again))
                before = now
            found.append(entry)
        return found


def size_of(source: Node) -> int | None:
    try:
        return int(source.get_dataset_size()) if getattr(source, "source_len", 0) != -1 else None
    except Exception:
        return None


def inputs(rows: list[Row], label: str | None) -> list[str]:
    """The columns that are no labels."""
    names = list(rows[0])
    aside = labels_of(names, label)
    return [name for name in names if name not in aside]


def changed(before: list[Row], now: list[Row]) -> str | None:
    """The first column that a step changed or added."""
    for name in now[0]:
        if name not in before[0] or not same(before[0][name], now[0][name]):
            return name
    return None


def same(one: Any, other: Any) -> bool:
    import numpy

    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return bool(numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def equal(one: list[Row], other: list[Row], names: list[str] | None = None) -> bool:
    if len(one) != len(other):
        return False
    return all(same(a[name], b[name]) for a, b in zip(one, other) for name in names or a)  # noqa: B905  (Python 3.9)


def described_values(column: str, rows: list[Row]) -> dict[str, Any]:
    """Shape (None where it varies), type and range of a column."""
    import numpy

    arrays = [row[column] for row in rows]
    shapes = {array.shape for array in arrays}
    told: dict[str, Any] = {"column": column, "dtype": str(arrays[0].dtype), "shape": None}
    if len(shapes) == 1:
        told["shape"] = list(shapes.pop())
    if arrays[0].dtype.kind in "fiub" and any(array.size for array in arrays):
        flat = numpy.concatenate([array.reshape(-1) for array in arrays]).astype(numpy.float64)
        flat = flat[numpy.isfinite(flat)]
        if len(flat):
            told.update(low=float(flat.min()), high=float(flat.max()), mean=float(flat.mean()), std=float(flat.std()))
    return told


def fed(rows: list[Row], side: Side) -> list[Row] | str:
    """The rows of another source with the columns of this one, or the name of a column that does not fit.

    A label that the other source lacks is taken from this one's own rows.
    """
    names = list(side.own[0])
    theirs = [name for name in rows[0] if name not in names]
    missing = [name for name in names if name not in rows[0]]
    aside = labels_of(names, side.label)
    needed = [name for name in missing if name not in aside]
    renamed = dict(zip(needed, theirs)) if len(needed) <= len(theirs) else None  # noqa: B905  (Python 3.9)
    if renamed is None:
        return needed[0]
    made = []
    for place, row in enumerate(rows):
        own = side.own[place % len(side.own)]
        made.append(
            {name: row[name] if name in row else row[renamed[name]] if name in renamed else own[name] for name in names}
        )
    for name in names:
        if made[0][name].dtype.kind != side.own[0][name].dtype.kind or made[0][name].ndim != side.own[0][name].ndim:
            return name
    return made


def compared(one: list[Row], other: list[Row], names: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """For each pair of columns: shapes, types, and the largest difference of a value beside their spread."""
    import numpy

    found = []
    for name, theirs in names:
        entry: dict[str, Any] = {"one": described_values(name, one), "other": described_values(theirs, other)}
        worst, alike, scale = 0.0, True, 0.0
        for a, b in zip(one, other):  # noqa: B905  (Python 3.9)
            x, y = squeezed(a[name]), squeezed(b[theirs])
            if x.shape != y.shape:
                alike = False
            elif x.dtype.kind in "fiub" and y.dtype.kind in "fiub" and x.size:
                x, y = x.astype(numpy.float64), y.astype(numpy.float64)
                difference = numpy.abs(x - y)
                worst = max(worst, float(numpy.nanmax(difference)) if not numpy.isnan(difference).all() else 0.0)
                scale = max(scale, float(numpy.nanstd(y)))
                if (numpy.isnan(x) != numpy.isnan(y)).any():
                    worst = float("inf")
            elif not same(x, y):
                worst = float("inf")
        entry.update(shapes=alike, difference=worst if numpy.isfinite(worst) else None, scale=scale)
        found.append(entry)
    return found


def squeezed(values: Any) -> Any:
    while values.ndim and len(values) == 1:
        values = values[0]
    return values


def coloured(rows: list[Row], name: str) -> list[Row] | None:
    """The rows with pictures of one colour instead: what a step does to positions does not show in them. None: no pictures."""
    import numpy
    from mindspore.dataset import vision

    made = []
    for place, colour in enumerate(COLOURS):
        row = rows[place % len(rows)]
        picture = row[name]
        encoded = picture.dtype == numpy.uint8 and picture.ndim == 1
        if encoded:
            try:
                picture = vision.Decode()(picture)
            except Exception:
                return None
        if (
            picture.dtype != numpy.uint8
            or picture.ndim not in (2, 3)
            or (picture.ndim == 3 and picture.shape[-1] not in (1, 3))
        ):
            return None
        flat = numpy.empty_like(picture)
        flat[...] = colour[: picture.shape[-1]] if picture.ndim == 3 and picture.shape[-1] == 3 else colour[0]
        made.append({**row, name: numpy.asarray(vision.encode_png(flat)).reshape(-1) if encoded else flat})
    return made


def channels(values: Any) -> Any:
    """The median of each channel of a picture, None of anything else. Borders and erased parts do not move it."""
    import numpy

    layout = layout_of(values.shape)
    if layout not in ("chw", "hwc") or values.dtype.kind not in "fiu":
        return None
    axis = -3 if layout == "chw" else -1
    return numpy.median(numpy.moveaxis(values, axis, 0).reshape(values.shape[axis], -1).astype(numpy.float64), axis=1)


def colour_test(one: Side, other: Side, rows: list[Row], names: list[tuple[str, str]]) -> dict[str, Any] | None:
    """What both make of pictures of one colour, by channel; None where that says nothing."""
    import numpy

    raw = next((name for name in rows[0] if coloured(rows, name) is not None), None)
    if raw is None:
        return None
    flat = coloured(rows, raw)
    assert flat is not None
    mine = fed(flat, one)
    theirs = fed(flat, other)
    if isinstance(mine, str) or isinstance(theirs, str):
        return None
    passes = [one.outputs(mine, seed=seed) for seed in (1, 2, 3)]
    base = other.outputs(theirs)
    for name, their in names:
        told = [[channels(row[name]) for row in rows] for rows in passes]
        wanted = [channels(row[their]) for row in base]
        if any(part is None for rows in (*told, wanted) for part in rows) or told[0][0].shape != wanted[0].shape:
            continue
        each, target = numpy.array(told), numpy.array(wanted)
        spread = float(target.max() - target.min())
        steady = float(numpy.abs(each - each[0]).max())
        return {
            "column": name,
            "spread": spread,
            "steady": steady,
            "difference": float(numpy.abs(each[0] - target).max()),
            "one": each[0].round(6).tolist(),
            "other": target.round(6).tolist(),
            "colours": [list(colour) for colour in COLOURS],
        }
    return None


def paired(one: list[Row], other: list[Row], label: str | None) -> list[tuple[str, str]]:
    """The columns that are compared: those of one name, else in order; labels are left out."""
    mine, theirs = inputs(one, label), inputs(other, label)
    both = [(name, name) for name in mine if name in theirs]
    return both or list(zip(mine, theirs))  # noqa: B905  (Python 3.9)


def aligned(one: Side, other: Side) -> bool:
    """Whether two sources of the user's own hold the same samples in the same order: as many, and the same labels."""
    if one.total is None or one.total != other.total:
        return False
    labels = [
        name for name in labels_of(list(one.own[0]), one.label) if name in labels_of(list(other.own[0]), other.label)
    ]
    found = [[row[name].tobytes() for row in one.own] for name in labels]
    return bool(labels) and equal(one.own, other.own, labels) and all(len(set(values)) > 1 for values in found)


def examine(request: dict[str, Any], tell: Tell) -> None:
    root, label = request["root"], request["label"]
    sides: dict[str, Side] = {}
    datasets = {}
    for role, pipeline in request["pipelines"].items():
        datasets[role] = called(pipeline, root, tell)
    tell(event="built")
    deadline = time.monotonic() + request["seconds"]
    for role, dataset in datasets.items():
        call = request["pipelines"][role]["call"]
        try:
            with blamed(call, root):
                side = Side(role, dataset, request["samples"], label)
                if not side.own:
                    tell(event="cannot", role=role, reason="no-rows", what="")
                    continue
                steps, ends = side.steps(side.own), side.outputs(side.own)
                chance = not equal(ends, side.outputs(side.own, seed=2), inputs(ends, label))
        except NotReplayed as cause:
            tell(event="cannot", role=role, reason="not-replayed", what=str(cause))
            continue
        sides[role] = side
        tell(
            event="side",
            role=role,
            nodes=described(dataset),
            random=chance,
            steps=[{key: value for key, value in step.items() if key != "values"} for step in steps],
            outputs=[described_values(name, ends) for name in ends[0]],
            labels=sorted(labels_of(list(ends[0]), label)),
        )
    for one, other in (("eval", "infer"), ("train", "eval"), ("train", "infer")):
        if one in sides and other in sides and not (other == "infer" and one == "train" and "eval" in sides):
            if time.monotonic() > deadline:
                tell(event="cannot", role=one, other=other, reason="time", what="")
                continue
            try:
                tell(event="pair", **pair(sides[one], sides[other], label))
            except Exception as error:  # rows that one pipeline never sees may not suit it
                what = (inner_lines(error) or [shown(error)])[-1]
                tell(event="cannot", role=one, other=other, reason="raised", what=what.strip()[:300])


def pair(one: Side, other: Side, label: str | None) -> dict[str, Any]:
    told: dict[str, Any] = {"one": one.role, "other": other.role}
    mine, rows = one.own, other.own
    if one.generated and other.generated and aligned(one, other):
        told["how"] = "own"
    elif isinstance(given := fed(rows, one), str):
        told.update(how="differs", column=given)
    else:
        mine = given
        told["how"] = "apart" if one.generated or other.generated else "same"
    first, again = (one.outputs(mine, seed=seed) for seed in (1, 2))
    base, based = (other.outputs(rows, seed=seed) for seed in (1, 2))
    names = paired(first, base, label)
    if told["how"] == "differs":
        names = [(name, other) for name, other in names if name == other]
    told["random"] = [not equal(first, again, inputs(first, label)), not equal(base, based, inputs(base, label))]
    told["columns"] = compared(first, base, names)
    told["samples"] = len(first)
    if told["how"] != "differs" and any(told["random"]):
        told["colours"] = colour_test(one, other, rows, names)
    if told["how"] != "differs" and not any(told["random"]):
        told["first"] = first_difference(one.steps(mine), other.steps(rows))
    return told


def first_difference(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The first step whose result differs; both texts are empty-handed where one pipeline has ended."""
    for place in range(max(len(one), len(other))):
        mine = one[place] if place < len(one) else None
        theirs = other[place] if place < len(other) else None
        if mine is None or theirs is None:
            return {"step": place + 1, "one": (mine or {}).get("text", "-"), "other": (theirs or {}).get("text", "-")}
        if mine["values"] is None or theirs["values"] is None:
            if mine["text"] != theirs["text"]:
                return {"step": place + 1, "one": mine["text"], "other": theirs["text"]}
            continue
        names = [name for name in mine["values"][0] if name in theirs["values"][0]]
        if not equal(mine["values"], theirs["values"], names):
            return {"step": place + 1, "one": mine["text"], "other": theirs["text"]}
    return None
