"""What the probes of profiles share: reading profiler.path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case
from ..language import Words
from ..model import Finding, Language, Level, Where

if TYPE_CHECKING:
    from ..readers.profiles import Profile

MESSAGES: Words = {"unreadable": {"en": "This could not be examined. {problem}", "zh": "此项未能检查。{problem}"}}


def read(case: Case) -> tuple[list[Profile], list[Finding]]:
    """The runs of profiler.path, and what of them could not be read. Raises ReadError where there is none."""
    from ..readers import profiles

    found = profiles.read(case.paths("profiler.path")[0])
    problems = []
    for problem in (problem for profile in found for problem in profile.problems):
        words = {language.value: problem.text(language) for language in Language}
        where = Where(case.relative(str(problem.data["path"])))
        problems.append(Finding("unreadable", Level.INFO, where, {"problem": words}, incomplete=True))
    return found, problems
