"""accucheck fix."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..language import visible
from .frame import (
    FOUND,
    OK,
    PROBE_FAILED,
    checklists_option,
    command,
    heard,
    language,
    listed,
    option,
    project_argument,
    run_with_progress,
    say,
    script_settings,
    set_option,
    show,
    speak,
    talk,
    talk_of,
    talk_of_taken,
)


@command(
    "fix",
    lambda: [
        project_argument(),
        option("--script", "scripts", words="script", multiple=True, metavar="PATH"),
        checklists_option(),
        option("--item", "--only", "items", words="only", multiple=True, metavar="ITEM"),
        set_option(),
    ],
)
def fix(
    project: str,
    scripts: tuple[str, ...],
    checklists: tuple[str, ...],
    items: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    from pathlib import Path

    from ..fixes import collect, weighed
    from ..model import Kind, Level, Status
    from ..project import open_project

    given = settings
    settings = (*settings, *script_settings(Path(project), scripts))
    opened = open_project(Path(project), checklists, settings, session="read", take=True)
    speak(opened.case)
    talk_of_taken(opened)
    session = opened.session
    assert session is not None
    talk_of(session)
    results: list[tuple[str, Any]] = []
    run_with_progress(opened, opened.jobs(items, {Kind.STATIC}), results)
    results = [(item, weighed(session.entry(item), result)) for item, result in results]
    found = [(item, result) for item, result in results if any(f.level is not Level.INFO for f in result.findings)]
    settled = sorted(({item for item, _ in found} & opened.settled()) - {*items})
    patch = collect(Path(opened.case.root), [result for item, result in results if item not in settled])
    with heard():
        _write_patch(patch.text)
    if patch.text:
        command = _applying(opened.case.root, scripts, checklists, items, given)
        talk(say("fix-made", mended=patch.mended, files=patch.files, command=command))
    _talk_of_unmended(patch.left)
    if settled:
        talk(say("fix-settled", items=", ".join(settled)))
    done = [result for _, result in results if result.status is Status.DONE]
    if not results:
        talk(say("fix-no-probe"))
    elif done and not found:
        talk(say("fix-nothing"))
    _talk_of_unexamined([result for _, result in results])
    if any(left.finding.level is Level.PROBLEM for left in patch.left):
        raise SystemExit(FOUND)
    raise SystemExit(PROBE_FAILED if any(result.status is Status.FAILED for _, result in results) else OK)


def _applying(
    root: str, scripts: tuple[str, ...], checklists: tuple[str, ...], items: tuple[str, ...], settings: tuple[str, ...]
) -> str:
    """A command that makes this patch again and applies it. Below the top of a repository git would pass over its files."""
    import shlex
    from pathlib import Path

    folder = Path(root)
    here = folder.resolve() == Path.cwd()
    given = {"--script": scripts, "--checklist": checklists, "--only": items, "--set": settings}
    options = [word for name, values in given.items() for value in values for word in (name, value)]
    if (folder / ".git").exists():
        tool = ["git", "apply"] if here else ["git", "-C", root, "apply"]
    else:
        tool = ["patch", "-p1"] if here else ["patch", "-p1", "-d", root]
    return f"{shlex.join(['accucheck', 'fix', *([] if here else [root]), *options])} | {shlex.join(tool)}"


def _write_patch(text: bytes) -> None:
    """The patch to stdout: the very bytes for a program, nothing that a terminal would obey for a person."""
    if sys.stdout.isatty():
        for line in text.decode("utf-8", "backslashreplace").split("\n")[:-1]:
            show(line.removesuffix("\r"))
    else:
        sys.stdout.buffer.write(text)


def _talk_of_unmended(left: list[Any]) -> None:
    """Each finding that the patch leaves as it is, with its place and its advice."""
    from ..report.machine import Speech
    from ..report.words import LEVELS

    speech = Speech(language())
    for why in ("by-hand", "meant", "overlap", "misfit"):
        listed = [(name, finding) for name, finding, reason in left if reason == why]
        if listed:
            talk(say(f"fix-{why}"))
        for name, finding in listed:
            where = finding.where
            place = where.path or name
            place += f":{where.line}" if where.path and where.line is not None else ""
            text = f"{place}: {speech.message(name, finding.code, finding.data)}"
            if finding.fix is not None:
                text += f" → {speech.message(name, finding.fix.message, finding.data)}"
            click.echo(visible(f"  {LEVELS[finding.level.value][language().value]}  {text}"), err=True)


def _talk_of_unexamined(results: list[Any]) -> None:
    """What keeps a patch from being the whole truth: undecided places, and probes that did not finish, with the reason."""
    from ..report.machine import Speech

    speech = Speech(language())
    if count := sum(finding.incomplete for result in results for finding in result.findings):
        talk(say("fix-undecided", count=count))
    unexamined: dict[str, list[str]] = {}
    for result in results:
        if result.reason is not None:
            unexamined.setdefault(speech.reason(result.probe, result.reason), []).append(result.probe)
    for reason, names in unexamined.items():
        talk(say("fix-not-run", reason=reason, probes=listed(list(dict.fromkeys(names)))))
