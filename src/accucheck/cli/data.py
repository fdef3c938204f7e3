"""accucheck data."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ..language import word
from .frame import (
    FOUND,
    OK,
    WRONG_USE,
    Argument,
    columns_of,
    command,
    echo,
    json_option,
    language,
    option,
    say,
    show_json,
    speak,
    talk,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ..browsing import Page


@command(
    "data",
    lambda: [
        Argument("path", words="data-path", metavar="PATH"),
        option("--from", "start", words="data-from", type=click.IntRange(0), default=0, metavar="N"),
        option("--count", words="data-count", type=click.IntRange(1, 1000), default=20, metavar="N"),
        option("--pipelines", words="data-pipelines", is_flag=True),
        option("--live", words="data-live", is_flag=True),
        option("--vocabulary", words="data-vocabulary", default=None, metavar="FILE"),
        option("--draw", words="data-draw", is_flag=True),
        option("--html", "page", words="data-html", default=None, metavar="FILE"),
        option("--png", "sheet", words="data-png", default=None, metavar="FILE"),
        option("--force", words="convert-force", is_flag=True),
        json_option(),
    ],
)
def data(
    path: str,
    start: int,
    count: int,
    pipelines: bool,
    live: bool,
    vocabulary: str | None,
    draw: bool,
    page: str | None,
    sheet: str | None,
    force: bool,
    as_json: bool,
) -> None:
    import io
    from pathlib import Path

    from .. import browsing, browsing_pages
    from ..errors import UserError
    from ..readers import vocabulary as vocabularies
    from ..store import require_outside_links, write_atomically

    targets = [Path(one) for one in (page, sheet) if one is not None]
    for target in targets:
        require_outside_links(target)
        if target.exists() and not force:
            raise UserError("convert-exists", path=str(target))
    words = None if vocabulary is None else vocabularies.read(Path(vocabulary))
    found = _seen(Path(path), count, live) if pipelines else browsing.page(Path(path), start, count)
    if as_json:
        show_json(browsing.as_json(found, words, language()))
    elif not targets:
        for line in browsing.lines(found, words, draw, language(), columns_of(sys.stdout)):
            echo(line)
    if page is not None:
        write_atomically(
            Path(page), browsing_pages.web_page(found, words, language()).encode("utf-8", "backslashreplace")
        )
    if sheet is not None:
        from ..report import data_sheet

        kept = io.BytesIO()
        data_sheet.sheet(found, words, language()).save(kept, "PNG")
        write_atomically(Path(sheet), kept.getvalue())
    if not as_json:
        for target in targets:
            echo(say("data-written", path=str(target)))
    raise SystemExit(FOUND if found.problems or browsing.misfits(found, words, language()) else OK)


#: Seconds for the pipelines of a project, which begin to count when they are built.
_SECONDS = 120.0


def _seen(project: Path, count: int, live: bool) -> Page:
    """The samples of a project as its pipelines see them. Raises UserError without consent."""
    from .. import consent, sample_sides
    from ..errors import UserError
    from ..probe import REASONS, Skip
    from ..project import open_project

    opened = open_project(project, (), (), session="none")
    speak(opened.case)
    opened.need_project()
    if not (live or consent.granted(opened.case)):
        raise UserError("data-consent")
    try:
        return sample_sides.page(opened.case, min(count, 100), _SECONDS, language())
    except Skip as skip:
        talk(word(REASONS, skip.reason.code, language(), **skip.reason.data))
        raise SystemExit(WRONG_USE) from None
