"""The same raw samples as they lie in their source and as training, evaluation and inference make them; for accucheck data --pipelines."""

from __future__ import annotations

from typing import Any

from .pipeline import NotReplayed, Tell, blamed, called
from .samples import Side, fed


def examine(request: dict[str, Any], tell: Tell) -> None:
    """Writes the arrays to request["target"]: "source/3/image" is a column of row 3 as it lies there, "train/3/image" behind training."""
    import numpy

    root, label = request["root"], request["label"]
    datasets = {role: called(pipeline, root, tell) for role, pipeline in request["pipelines"].items()}
    tell(event="built")
    arrays: dict[str, Any] = {}
    rows: list[dict[str, Any]] | None = None
    for role, dataset in datasets.items():
        call = request["pipelines"][role]["call"]
        try:
            with blamed(call, root):
                side = Side(role, dataset, request["samples"], label)
                own = side.own
                given = own if rows is None else fed(rows, side)
                other = given if isinstance(given, str) else None
                made = side.outputs(own if isinstance(given, str) else given)
        except NotReplayed as cause:
            tell(event="cannot", role=role, reason="not-replayed", what=str(cause))
            continue
        if not own:
            tell(event="cannot", role=role, reason="no-rows", what="")
            continue
        if rows is None:
            rows = own
            _keep(arrays, "source", own)
        _keep(arrays, role, made)
        tell(event="side", role=role, column=other, steps=[step.text for step in side.chain.steps])
    numpy.savez(request["target"], **arrays)


def _keep(arrays: dict[str, Any], name: str, rows: list[dict[str, Any]]) -> None:
    """The columns of rows that are numbers, bytes or texts."""
    for place, row in enumerate(rows):
        arrays.update({f"{name}/{place}/{key}": one for key, one in row.items() if one.dtype.kind in "biufSU"})
