"""How sure static probes are of what they found: one rule for all of them, by what lies on the road to it (script/grading.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any

from ..case import Case
from ..language import Words
from ..model import Code, Finding, Level, Note, Progress, Sure
from ..probe import DECIDED

if TYPE_CHECKING:
    from ..script.analysis import Scripts
    from ..script.grading import CertaintyPath
    from ..script.setting_origins import Setting

#: Part of the WORDS of every probe that asks here.
WORDS: Words = {"depends-on": {"en": "Depends on", "zh": "取决于"}}
#: Conditions that are shown; further ones say little.
SHOWN = 6


_Run = Callable[[Case, Any], Iterator[Finding | Progress]]


def by_road(run: _Run) -> _Run:
    """For the run() of a static probe: no problem is surer than the road from its causes to its place allows. Its causes are the
    lines that it shows beside its place."""
    return by_road_asking()(run)


def by_road_asking(*asked: str) -> Callable[[_Run], _Run]:
    """The same, with the codes of what an option asks for and does not get: a fault of the option, and no less than likely where the
    option is off by default."""

    def decorated(run: _Run) -> _Run:
        @wraps(run)
        def graded(case: Case, params: Any) -> Iterator[Finding | Progress]:
            from ..script.analysis import read_scripts

            for one in run(case, params):
                told = one
                if isinstance(told, Finding) and told.level is Level.PROBLEM and told.sure is not None:
                    told = _graded(read_scripts(case), told, told.code in asked)
                if isinstance(told, Finding) and told.level in (Level.PROBLEM, Level.SUSPECT):
                    told = _with_settings(read_scripts(case), told, run.__globals__["MESSAGES"])
                yield told

        return graded

    return decorated


def _graded(scripts: Scripts, finding: Finding, asked: bool) -> Finding:
    from msgspec.structs import replace

    from ..script import grading

    where = finding.where
    if where.path is None or where.line is None:
        return finding
    spots = [(part.path, line) for part in finding.evidence if isinstance(part, Code) for line in part.marked[:1]]
    road = grading.road(scripts, (where.path, where.line), spots)
    if road.link is grading.Link.CLEAR:
        return _of_description(scripts, finding)
    evidence = [*finding.evidence, _note(road)]
    if road.link is grading.Link.ELSEWHERE and not asked:
        return replace(finding, level=Level.SUSPECT, sure=Sure.POSSIBLE, evidence=evidence)
    return replace(finding, sure=Sure.LIKELY, evidence=evidence)


def _of_description(scripts: Scripts, finding: Finding) -> Finding:
    """A finding about what a package does that is known by its description alone: no surer than likely."""
    from msgspec.structs import replace

    where = finding.where
    for described in scripts.described:
        if (described.path, described.line) == (where.path, where.line):
            said = f"{where.path}:{where.line}: {described.lines[described.line - 1].strip()[:200]}"
            return replace(finding, sure=Sure.LIKELY, evidence=[*finding.evidence, Note("depends-on", said)])
    return finding


def _with_settings(scripts: Scripts, finding: Finding, messages: Words) -> Finding:
    """A finding with what sets the values at its place that it tells of."""
    from msgspec.structs import replace

    from ..script import setting_origins

    where = finding.where
    if where.path is None or where.line is None or DECIDED in finding.data:
        return finding
    shown = [*_leaves(finding.data)]
    texts = [one for one in shown if isinstance(one, str)]
    words = re.findall(r"\w+", " ".join([messages[finding.code]["en"], *texts]))
    quoted = [
        inner for _, inner in re.findall(r"""(["'])(.+?)\1""", "\n".join(texts))
    ]  # of code that is shown: cast(net, "O3")
    told = setting_origins.Told(frozenset(words), frozenset((*map(str, shown), *quoted)))
    found = setting_origins.at(scripts, where.path, where.line, where.column, told)
    return replace(finding, data=finding.data | settings(found))


def _leaves(shown: Any) -> Iterator[Any]:
    """The values that the data of a finding hold, however deep."""
    if isinstance(shown, (dict, list, tuple)):
        for one in shown.values() if isinstance(shown, dict) else shown:
            yield from _leaves(one)
    else:
        yield shown


def settings(found: Iterable[Setting]) -> dict[str, Any]:
    """Settings as a part of the data of a finding; nothing where there are none."""
    shown = [*found]
    if not shown:
        return {}
    told = {
        language: between.join(_told(setting, language) for setting in shown)
        for language, between in {"en": "; ", "zh": "；"}.items()
    }
    return {DECIDED: {"en": f" Set for this run: {told['en']}.", "zh": f"本次运行的取值：{told['zh']}。"}}


def _told(setting: Setting, language: str) -> str:
    how = f"{setting.how}-unplaced" if setting.how == "default" and not setting.place else setting.how
    how = "word" if how == "command" and not setting.name else how
    return _SET[how][language].format(**setting._asdict())


#: How a setting is set, in words.
_SET: Words = {
    "configuration": {
        "en": "{name} = {value} from {place} (key {key})",
        "zh": "{name} = {value}，来自 {place}（键 {key}）",
    },
    "command": {
        "en": "option {name} = {value} on the command line",
        "zh": "命令行选项 {name} = {value}",
    },
    "word": {"en": "{value} on the command line", "zh": "命令行给出的 {value}"},
    "default": {
        "en": "{name} = {value}, the default of an option of the command line, {place}",
        "zh": "{name} = {value}，为命令行选项的默认值，{place}",
    },
    "default-unplaced": {
        "en": "{name} = {value}, the default of an option of the command line",
        "zh": "{name} = {value}，为命令行选项的默认值",
    },
}


def _note(road: CertaintyPath) -> Note:
    """The conditions, one a line, with the way that leads to the finding."""
    lines = dict.fromkeys(
        f"{path}:{getattr(test.node, 'lineno', 1)}: {test.text} -> {test.taken}" for test, path in road.tests
    )
    return Note("depends-on", "\n".join([*lines][:SHOWN]))
