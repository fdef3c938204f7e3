"""accucheck lr-range."""

from __future__ import annotations

import click

from ..language import visible, word
from .frame import (
    FOUND,
    OK,
    WRONG_USE,
    command,
    language,
    no_nan,
    option,
    project_argument,
    set_option,
    show,
    speak,
    status_line,
    talk,
)


@command(
    "lr-range",
    lambda: [
        project_argument(),
        option("--live", words="lr-range-live", is_flag=True),
        option("--from", "begin", words="from", type=_rate(), default=1e-7, metavar="RATE", callback=no_nan),
        option("--to", "end", words="to", type=_rate(), default=1.0, metavar="RATE", callback=no_nan),
        option("--steps", words="steps", type=click.IntRange(40, 1_000_000), default=None, metavar="N"),
        option("--scale", words="scale", type=click.Choice(["exponential", "linear"]), default="exponential"),
        option("--output", "-o", words="lr-range-output", default=None, metavar="FILE"),
        option("--force", words="force", is_flag=True),
        set_option(),
    ],
)
def lr_range(
    project: str,
    live: bool,
    begin: float,
    end: float,
    steps: int | None,
    scale: str,
    output: str | None,
    force: bool,
    settings: tuple[str, ...],
) -> None:
    from pathlib import Path

    from .. import consent, range_test
    from ..errors import UserError
    from ..model import Level
    from ..probe import REASONS, Skip
    from ..probes._rate_bounds import SPAN
    from ..project import open_project

    opened = open_project(Path(project), (), settings, session="none")
    speak(opened.case)
    opened.need_project()
    if end < SPAN * begin or (scale == "exponential" and not begin):
        raise UserError("lr-range-rates", factor=SPAN, begin=begin, end=end)
    if not (live or consent.granted(opened.case)):
        raise UserError("lr-range-consent")
    plan = range_test.Plan(begin, end, steps, scale == "exponential")
    with status_line() as line:
        try:
            recording, findings = range_test.command(
                opened.case,
                plan,
                Path(output) if output else None,
                force=force,
                language=language(),
                say=show,
                talk=lambda text: click.echo(visible(text), err=True),
                progress=line,
            )
        except Skip as skip:
            talk(word(REASONS, skip.reason.code, language(), **skip.reason.data))
            raise SystemExit(WRONG_USE) from None
    if recording.ended == "interrupted":
        raise KeyboardInterrupt
    raise SystemExit(FOUND if any(finding.level is Level.PROBLEM for finding in findings) else OK)


def _rate() -> click.FloatRange:
    return click.FloatRange(0, 1e6)
