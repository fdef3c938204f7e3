"""What the probes of training steps share: each remark about a step as a finding, with its level, its fix and how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..language import Words
from ..model import Finding, Fix, Level, Progress, Sure, Verdict, Where, suggest
from . import _gaps, _seen

if TYPE_CHECKING:
    from ..case import Case
    from ..script.remarks import Remark
    from ..script.training_steps import TrainingSteps

#: Words for what all these probes may have to say.
MESSAGES: Words = {
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "precision-mode": {
        "en": "The precision mode of the context lets Ascend compute in half precision here, whatever the network asks for: that is not "
        "judged.",
        "zh": "此处 context 的精度模式会让 Ascend 以半精度计算，与网络自身的设置无关：本探针未对其作出判断。",
    },
}
#: What a script that trains cannot do without.
_SUBJECT = (
    *("optim", "opt(", "model(", "trainonestep", "build_train_network", "value_and_grad", "gradoperation"),
    *("momentum", "adam", "sgd"),
)
_SOMETIMES = {
    "en": " This code runs only with non-default options, or another path through the script is correct.",
    "zh": "（仅在改变默认选项后才会执行到这里，或者脚本的另一条路径没有问题。）",
}


def sometimes(words: Words, codes: Iterable[str]) -> Words:
    """The words, and those of the same findings on one way through the script."""
    more = {f"{code}-sometimes": {key: text + _SOMETIMES[key] for key, text in words[code].items()} for code in codes}
    return {**words, **more}


def also(words: Words, codes: Iterable[str]) -> Words:
    """Reasons and proofs, the same for the findings on one way through the script."""
    return {**words, **{f"{code}-sometimes": words[code] for code in codes}}


def findings(
    case: Case,
    examine: Callable[[TrainingSteps], Iterable[Remark]],
    levels: Mapping[str, Level],
    open_: Iterable[str],
    fixes: Mapping[str, str],
    network: bool = False,
    inside: bool = False,
) -> Iterator[Finding | Progress]:
    """What `examine` says about the training scripts. What `levels` does not name is info; `open_` leave the probe undecided.
    With `network` it is undecided also where the trained network was not followed; `inside`: for what that computes itself."""
    from ..script.analysis import read_scripts
    from ..script.training_steps import training

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    said = set()
    readings = scripts.training
    if not scripts.mentions(*_SUBJECT):  # no need to follow anything
        for path in dict.fromkeys(reading.source.path for reading in readings):
            yield Finding("no-step", Level.INFO, Where(path=path, line=1), {"path": path}, incomplete=True)
        return
    for done, reading in enumerate(readings, start=1):
        for remark in examine(training(reading)):
            made = _finding(remark, levels, {*open_, "no-step", "precision-mode"}, fixes)
            place = made.code, made.where.path, made.where.line
            if place not in said:
                said.add(place)
                yield made
        yield Progress(done, len(readings), "files")
    if network:
        yield from (finding for finding in _seen.networks(scripts, inside) if finding.code != "no-step")


def _finding(remark: Remark, levels: Mapping[str, Level], open_: set[str], fixes: Mapping[str, str]) -> Finding:
    level = levels.get(remark.code, Level.INFO)
    code = remark.code
    if remark.possible and level is Level.PROBLEM:
        code, level = f"{code}-sometimes", Level.SUSPECT
    fix = fixes.get(remark.code)
    evidence = [remark.source.code(remark.line, remark.last)]
    evidence += [source.code(first, last, 1) for source, first, last in remark.also[:2]]
    return Finding(
        code,
        level,
        Where(path=remark.source.path, line=remark.line),
        remark.data,
        [*evidence],
        Fix(fix, remark.source.patch(remark.edits) if remark.edits else None) if fix else None,
        incomplete=level is Level.INFO and remark.code in open_,
        sure=_sure(level, remark),
    )


def _sure(level: Level, remark: Remark) -> Sure | None:
    if level is Level.INFO:
        return None
    if level is Level.SUSPECT:
        return Sure.POSSIBLE
    return Sure.LIKELY if remark.likely else Sure.CERTAIN


def suggested(findings: Iterable[Finding], beside: Iterable[str]) -> Verdict:
    """The usual rule, but not applicable where nothing but `beside` was said."""
    found = list(findings)
    verdict = suggest(found)
    if (
        verdict is Verdict.OK
        and found
        and {finding.code for finding in found} <= {*beside, *_gaps.UNKNOWN, *_seen.SEEN}
    ):
        return Verdict.NOT_APPLICABLE
    return verdict
