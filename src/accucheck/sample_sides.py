"""`accucheck data --pipelines`: the same samples of a project as they lie there, and as training, evaluation and inference see them.

The project's own functions run in a child process, as for the live probes, after consent. What they make comes back as arrays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .browsing import Page
from .case import Case
from .errors import UserError
from .language import Language, Words, word
from .live.child import events
from .probes._live import ROLES, pipeline_of
from .readers.rows import Row
from .store import scratch

WORDS: Words = {
    "source": {"en": "source", "zh": "原始"},
    "steps": {"en": "{role}: {steps}", "zh": "{role}：{steps}"},
    "no-steps": {"en": "{role}: the samples as they are", "zh": "{role}：样本不作处理"},
    "own-rows": {
        "en": "{role} shows its own samples: the others have no column that matches {column}.",
        "zh": "{role}使用自己的样本：其他管道的样本没有与 {column} 相符的列。",
    },
    "not-replayed": {
        "en": "{role} is not shown: its pipeline cannot be run on selected samples ({what}).",
        "zh": "{role}未显示：无法用给定的样本运行其数据管道（{what}）。",
    },
    "no-rows": {
        "en": "{role} is not shown: its pipeline yields no samples.",
        "zh": "{role}未显示：其数据管道没有输出样本。",
    },
}


def page(case: Case, count: int, seconds: float, language: Language) -> Page:
    """Raises Skip without MindSpore, and UserError where there is no pipeline, or the project's own code fails."""
    given = {role: call for role in ("eval", "infer", "train") if (call := pipeline_of(case, role)) is not None}
    if not given:
        raise UserError("no-pipelines")
    notes: list[str] = []
    roles: list[str] = []
    with scratch() as folder:
        target = Path(folder, "rows.npz")
        request = {
            "pipelines": given,
            "samples": count,
            "label": case.get("data.train.label"),
            "target": str(target),
        }
        for event in events(case, "beside", request, seconds):
            if event["event"] == "side":
                roles.append(event["role"])
                notes += _of_side(event, language)
            elif event["event"] == "cannot":
                told = {"role": ROLES[event["role"]][language.value], "what": event["what"]}
                notes.append(word(WORDS, event["reason"], language, **told))
            elif event["event"] == "timeout":
                raise UserError("pipelines-time", seconds=seconds)
        rows = _rows(target, roles, language) if target.exists() else []
    if not rows:
        raise UserError("pipelines-nothing", notes=" ".join(notes))
    return Page(case.root, 0, rows, None, notes=notes)


def _of_side(event: dict[str, Any], language: Language) -> list[str]:
    """The steps of a pipeline in words, and whether it was given samples of its own."""
    role = ROLES[event["role"]][language.value]
    steps = " → ".join(event["steps"])
    found = [word(WORDS, "steps" if steps else "no-steps", language, role=role, steps=steps)]
    if event["column"] is not None:
        found.append(word(WORDS, "own-rows", language, role=role, column=event["column"]))
    return found


def _rows(target: Path, roles: list[str], language: Language) -> list[Row]:
    """The samples, each with what it is at every place, column by column."""
    with np.load(target, allow_pickle=False) as kept:
        names = [name.split("/", 2) for name in kept.files]
        order = ["source", *(role for role in ("train", "eval", "infer") if role in roles)]
        found = []
        for number in sorted({int(place) for _, place, _ in names}):
            columns = dict.fromkeys(key for _, place, key in names if int(place) == number)
            fields = {
                f"{key} ({_said(at, language)})": _plain(kept[f"{at}/{number}/{key}"])
                for key in columns
                for at in order
                if f"{at}/{number}/{key}" in kept
            }
            found.append(Row(target, number, fields))
    return found


def _said(place: str, language: Language) -> str:
    return word(WORDS, "source", language) if place == "source" else ROLES[place][language.value]


def _plain(value: np.ndarray[Any, Any]) -> Any:
    """One number or text; the bytes of a picture; anything else as it is."""
    if value.dtype.kind in "SU":
        return value.ravel()[0] if value.size == 1 else str(value.tolist())
    if value.ndim == 0:
        return value[()]
    return value.tobytes() if value.ndim == 1 and value.dtype == np.uint8 and value.size > 16 else value
