"""accucheck plan."""

from __future__ import annotations

import click

from .frame import command, language, option, project_argument, readable, set_option, speak, talk


@command(
    "plan",
    lambda: [
        project_argument(),
        option("--step", words="plan-step", type=click.IntRange(1, 10**12), default=None, metavar="D"),
        option("--output", "-o", words="plan-output", default=None, metavar="FILE"),
        set_option(),
    ],
)
def plan(project: str, step: int | None, output: str | None, settings: tuple[str, ...]) -> None:
    from pathlib import Path

    from .. import experiments
    from ..project import open_project
    from ..store import require_inside, write_new

    opened = open_project(Path(project), (), settings, session="read")
    speak(opened.case)
    session = readable(opened)
    found_by = None
    if step is None:
        results = (result for entry in session.record.entries.values() for result in entry.results.values())
        step, found_by = experiments.step_of(results) or (None, None)
    text = experiments.markdown(opened.case, language(), step, found_by)
    if output is None:
        click.echo(text, nl=False)
        return
    require_inside(Path(output), Path(opened.case.root))
    write_new(Path(output), text.encode())
    talk(output)
