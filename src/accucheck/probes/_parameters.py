"""What the probes share that set the parameters of two frameworks against each other: both files, and the map between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..case import Case
from ..language import Words
from ..model import Finding, Language, Level, Where

if TYPE_CHECKING:
    from ..parameter_map import ParameterMap
    from ..readers.checkpoints import Checkpoint

#: Part of the MESSAGES of each of them.
MESSAGES: Words = {
    "map-wrong": {
        "en": "An entry of the mapping file was passed over. {problem}",
        "zh": "映射文件中有一项未采用。{problem}",
    },
    "fix-map": {
        "en": "Settle these pairs in a YAML file, `parameters:` and below it `our name: name in the benchmark`, "
        "and name it as checkpoints.map. accucheck convert --write-map begins such a file.",
        "zh": "在 YAML 文件中写明这些参数的对应关系：`parameters:` 之下每行一个 `本网络的名称: 标杆中的名称`，"
        "再把该文件填到 checkpoints.map。accucheck convert --write-map 可生成该文件的初稿。",
    },
}

WORDS: Words = {
    "reference-name": {"en": "In the benchmark", "zh": "标杆中的名称"},
    "reference-shape": {"en": "Shape there", "zh": "标杆中的形状"},
}

#: Wrong entries of a mapping file that are told one by one.
MAX_WRONG = 20


class Sides(NamedTuple):
    """Our checkpoint, that of the benchmark, which parameter is which, and entries of the mapping file that hold for nothing."""

    ours: Checkpoint
    theirs: Checkpoint
    map: ParameterMap
    wrong: list[Finding]


def sides(case: Case, role: str) -> Sides:
    """checkpoints.ROLE against checkpoints.reference. Raises ReadError, and UserError for a file that is not a mapping file."""
    from ..parameter_map import pair_parameters, read_map
    from ..readers.checkpoints import open_checkpoint

    ours, theirs = (open_checkpoint(case.paths(f"checkpoints.{one}")[0]) for one in (role, "reference"))
    given = [read_map(path, ours.tensors, theirs.tensors) for path in case.paths("checkpoints.map")]
    wrong = [
        Finding(
            "map-wrong",
            Level.INFO,
            Where(case.relative(path)),
            {"problem": {language.value: error.text(language) for language in Language}},
            incomplete=True,
        )
        for path, one in zip(case.paths("checkpoints.map"), given, strict=True)
        for error in one.wrong[:MAX_WRONG]
    ]
    return Sides(ours, theirs, pair_parameters(ours.tensors, theirs.tensors, *given), wrong)
