"""accucheck compare and convert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from .frame import Argument, command, echo, json_option, language, no_nan, option, say, show_json, status_line

if TYPE_CHECKING:
    from pathlib import Path


@command(
    "compare",
    lambda: [
        Argument("left", words="compare-left", metavar="A"),
        Argument("right", words="compare-right", metavar="B"),
        option("--rtol", words="rtol", type=click.FloatRange(min=0), default=None, callback=no_nan, metavar="R"),
        option("--atol", words="atol", type=click.FloatRange(min=0), default=None, callback=no_nan, metavar="A"),
        option("--map", "names", words="map", default=None, metavar="FILE"),
        option("--all", "everything", words="show-all", is_flag=True),
        json_option(),
    ],
)
def compare(
    left: str, right: str, rtol: float | None, atol: float | None, names: str | None, everything: bool, as_json: bool
) -> None:
    from .. import comparing

    lines: list[str] = []
    code, whole = comparing.command(
        left, right, rtol=rtol, atol=atol, names=names, everything=everything, language=language(), echo=lines.append
    )
    if as_json:
        show_json(whole)
    else:
        for line in lines:
            echo(line)
    raise SystemExit(code)


@command(
    "convert",
    lambda: [
        Argument("reference", words="convert-reference", metavar="REF"),
        Argument("output", words="convert-output", metavar="OUT"),
        option("--to", words="convert-to", type=click.Choice(["mindspore", "pytorch"]), default=None),
        option("--like", words="like", default=None, metavar="FILE"),
        option("--map", "given", words="convert-map", default=None, metavar="FILE"),
        option("--write-map", words="write-map", default=None, metavar="FILE"),
        option("--force", words="convert-force", is_flag=True),
        option("--all", "everything", words="convert-rows", is_flag=True),
        json_option(),
    ],
)
def convert(
    reference: str,
    output: str,
    to: Any,
    like: str | None,
    given: str | None,
    write_map: str | None,
    force: bool,
    everything: bool,
    as_json: bool,
) -> None:
    from pathlib import Path

    if output.lower().endswith(".mindrecord"):
        _convert_data(Path(reference), Path(output), force, as_json, like or to or given or write_map)
    from .. import converting

    for name, value in (("--map", given), ("--write-map", write_map)):
        if value is not None and like is None:
            raise click.UsageError(say("needs-like", name=name))
    if to is not None and like is not None:
        raise click.UsageError(say("to-or-like"))
    lines: list[str] = []
    with status_line() as line:
        code, whole = converting.command(
            Path(reference),
            Path(output),
            to=to,
            like=Path(like) if like else None,
            given=Path(given) if given else None,
            write_map=Path(write_map) if write_map else None,
            force=force,
            everything=everything,
            language=language(),
            echo=lines.append,
            progress=lambda done, total: line(f"{done / 1e6:,.0f}/{total / 1e6:,.0f} MB"),
        )
    if as_json:
        show_json(whole)
    else:
        for text in lines:
            echo(text)
    raise SystemExit(code)


def _convert_data(source: Path, output: Path, force: bool, as_json: bool, of_weights: str | None) -> NoReturn:
    """TFRecord files as a MindRecord file."""
    from .. import data_conversion

    if of_weights is not None:
        raise click.UsageError(say("convert-of-weights"))
    lines: list[str] = []
    with status_line() as line:
        code, whole = data_conversion.command(
            source,
            output,
            force=force,
            language=language(),
            echo=lines.append,
            progress=lambda done, total: line(f"{done / 1e6:,.0f}/{total / 1e6:,.0f} MB"),
        )
    if as_json:
        show_json(whole)
    else:
        for text in lines:
            echo(text)
    raise SystemExit(code)
