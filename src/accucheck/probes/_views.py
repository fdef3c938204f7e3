"""Runs a static probe for each configuration that the scripts may load, where no command says which one it is.

What holds under all of them is told once. What holds under some says so, and is no more than suspected, as the run may be another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..case import Case
from ..model import Finding, Kind, Level, Progress, Sure
from ..probe import DECIDED

if TYPE_CHECKING:
    from ..script.views import View


def run(module: Any, case: Case, params: Any) -> Iterator[Finding | Progress]:
    """What `module.run` yields, whatever kind of probe it is."""
    views = _views(module, case)
    if not views:
        yield from module.run(case, params)
        return
    found: list[list[Finding]] = []
    for view in views:
        events = list(module.run(view.case, params))
        yield from (event for event in events if isinstance(event, Progress))
        found.append([event for event in events if isinstance(event, Finding)])
    yield from _merged([view.file for view in views], found)


def _views(module: Any, case: Case) -> list[View]:
    needed = {key for need in module.NEEDS for key in ((need,) if isinstance(need, str) else need)}
    if module.KIND is not Kind.STATIC or "scripts.train" not in needed or not case.get("scripts.train"):
        return []
    from ..script import views

    return views.of(case)


def _merged(files: list[str], found: list[list[Finding]]) -> Iterator[Finding]:
    """The findings of all views in the order of the first that has each."""
    under: dict[Any, list[tuple[str, Finding]]] = {}
    for file, findings in zip(files, found, strict=True):
        for finding in findings:
            under.setdefault(_key(finding), []).append((file, finding))
    for told in under.values():
        first, names = told[0][1], list(dict.fromkeys(file for file, _ in told))
        yield first if len(names) == len(files) else _under(first, names)


def _key(finding: Finding) -> tuple[Any, ...]:
    data = {name: value for name, value in finding.data.items() if name != DECIDED}
    return finding.code, finding.level, finding.where, repr(data)


def _under(finding: Finding, files: list[str]) -> Finding:
    """A finding that holds under some configurations only."""
    from msgspec.structs import replace

    names = ", ".join(files)
    before = finding.data.get(DECIDED, {"en": "", "zh": ""})
    data = {
        **finding.data,
        DECIDED: {"en": f"{before['en']} This holds with {names}.", "zh": f"{before['zh']}使用 {names} 时如此。"},
    }
    problem = finding.level is Level.PROBLEM
    return replace(
        finding,
        data=data,
        level=Level.SUSPECT if problem else finding.level,
        sure=Sure.POSSIBLE if problem else finding.sure,
    )
