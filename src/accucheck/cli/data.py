"""accucheck data."""

from __future__ import annotations

import click

from .frame import FOUND, OK, Argument, command, echo, json_option, language, option, say, show_json


@command(
    "data",
    lambda: [
        Argument("path", words="data-path", metavar="PATH"),
        option("--from", "start", words="data-from", type=click.IntRange(0), default=0, metavar="N"),
        option("--count", words="data-count", type=click.IntRange(1, 1000), default=20, metavar="N"),
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
    found = browsing.page(Path(path), start, count)
    if as_json:
        show_json(browsing.as_json(found, words, language()))
    elif not targets:
        for line in browsing.lines(found, words, draw, language()):
            echo(line)
    if page is not None:
        write_atomically(
            Path(page), browsing_pages.web_page(found, words, language()).encode("utf-8", "backslashreplace")
        )
    if sheet is not None:
        kept = io.BytesIO()
        browsing_pages.sheet(found, words, language()).save(kept, "PNG")
        write_atomically(Path(sheet), kept.getvalue())
    if not as_json:
        for target in targets:
            echo(say("data-written", path=str(target)))
    raise SystemExit(FOUND if found.problems or browsing.misfits(found, words, language()) else OK)
