"""accucheck in a notebook: accucheck.report() shows findings and charts in the cell, %accucheck runs a command.

import accucheck
accucheck.report()              # runs static and file probes where nothing is recorded, or what is out of date

%load_ext accucheck
%accucheck run --only hp
"""

from __future__ import annotations

import html
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .imports import environment
from .language import detect
from .model import Kind
from .project import Project, open_project

#: Pixels of the frame that a report is shown in.
HEIGHT = 640


class NotebookReport:
    """A report as notebooks show it: as a page in a frame, or as Markdown where they show no HTML. Both are redacted as every report is."""

    def __init__(self, page: str, text: str) -> None:
        self._page, self._text = page, text

    def _repr_html_(self) -> str:
        """The page, apart from the notebook: its styles change nothing there, and nothing in it is run."""
        source = html.escape(self._page, quote=True)
        return f'<iframe sandbox srcdoc="{source}" style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'

    def _repr_markdown_(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text


def report(
    project: str | Path = ".",
    *,
    run: bool | None = None,
    checklists: Sequence[str] = (),
    settings: Sequence[str] = (),
    language: str | None = None,
    full: bool = False,
) -> NotebookReport:
    """The report of a project's results, for the end of a cell.

    run: True runs static and file probes first, False never; by default they are run where nothing is recorded, and those that are out
    of date. Nothing of the project is run. Raises UserError.
    """
    from .report import Options, compose, redactor, render

    opened = open_project(Path(project), checklists, settings, session="try", take=True)
    assert opened.session is not None
    spoken = detect(language, opened.case.spec.language)
    with opened.session:
        _look(opened, run)
        options = Options(formats=("html", "md"), languages=(spoken,), full=full)
        files = render(compose(opened, options, redactor(opened, options)), "report", options)
    return NotebookReport(files["report.html"].decode(), files["report.md"].decode())


def _look(opened: Project, run: bool | None) -> None:
    """Run what is asked for; where another holds the session, only show what is recorded."""
    if run is False or opened.session is None or opened.session.read_only:
        return
    kinds = {Kind.STATIC, Kind.FILE}
    known = any(entry.results for entry in opened.session.record.entries.values())
    for _ in opened.run(opened.jobs(kinds=kinds, again=opened.stale() if known and run is None else None)):
        pass


def load_ipython_extension(shell: Any) -> None:
    """%load_ext accucheck."""

    def accucheck(line: str) -> NotebookReport | None:
        """Run a command of accucheck and print what it says; without one, show the report."""
        words = shlex.split(line)
        if not words:
            return report()
        done = subprocess.run([sys.executable, "-m", "accucheck", *words], capture_output=True, env=environment())
        for stream, text in ((sys.stdout, done.stdout), (sys.stderr, done.stderr)):
            stream.write(text.decode("utf-8", "replace"))
        return None

    shell.register_magic_function(accucheck, "line", "accucheck")
