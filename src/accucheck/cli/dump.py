"""accucheck dump."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .frame import (
    OK,
    PROBE_FAILED,
    Argument,
    columns_of,
    command,
    option,
    project_option,
    say,
    show,
    status_line,
    talk,
)
from .watch import shown_code

if TYPE_CHECKING:
    from pathlib import Path

    from ..dumping import DumpRequest, DumpSummary, Row

#: Operations that are shown.
_SHOWN = 20
#: Larger whole numbers are shown with an exponent.
_WHOLE = 1e9


@command(
    "dump",
    lambda: [
        project_option(),
        option("--steps", words="dump-steps", default="1-2", metavar="STEPS"),
        option("--rank", "ranks", words="dump-ranks", type=click.IntRange(0, 1 << 20), multiple=True, metavar="N"),
        option("--layer", "layers", words="dump-layers", multiple=True, metavar="TEXT"),
        option("--operator", "operators", words="dump-operators", multiple=True, metavar="TYPE"),
        option("--only-part", "part", words="dump-part", type=click.Choice(["all", "input", "output"]), default="all"),
        option("--statistics", words="dump-statistics", is_flag=True),
        option("--overflow", words="dump-overflow", is_flag=True),
        option("--all", "every", words="dump-all", is_flag=True),
        option("--output", "-o", words="dump-output", default=None, metavar="FOLDER"),
        Argument(
            "command", words="dump-command", nargs=-1, required=True, metavar="-- COMMAND", type=click.UNPROCESSED
        ),
    ],
)
def dump(**given: Any) -> None:
    import tempfile
    from pathlib import Path

    from .. import case as cases
    from .. import dumping
    from ..watching import Plan, watch

    case = cases.load(Path(given["project"]), [])
    steps = dumping.steps_of(given["steps"])
    flags = {name: given[name] for name in ("part", "statistics", "overflow")}
    wish = dumping.DumpRequest(steps, given["ranks"] or (0,), given["operators"], **flags)
    output = given["output"]
    folder, variables = dumping.write(Path(output or case.path("dump")), wish, below=not output)
    talk(say("dump-begins", file=folder / dumping.FILE))
    with tempfile.TemporaryDirectory(
        prefix="accucheck-"
    ) as aside:  # a few dumped steps are not the project's last watch
        plan = Plan(
            given["command"],
            Path(case.root),
            steps[-1],
            mode="user",
            again=False,
            variables=variables,
            folder=Path(aside),
        )
        code = watch(plan).code
    if code and not dumping.holds_any(folder):
        talk(say("dump-failed", code=shown_code(code)))
        raise SystemExit(shown_code(code))
    if given["layers"]:
        _keep_only(folder, given["layers"])
    found = _opened(folder, wish)
    _show(found, folder, every=given["every"])
    raise SystemExit(shown_code(code) if code else OK if found.rows else PROBE_FAILED)


def _keep_only(folder: Path, layers: tuple[str, ...]) -> None:
    from .. import dumping
    from ..errors import ReadError

    try:
        dumping.keep_only(folder, layers)
    except ReadError as error:
        raise _nothing(error, folder) from None


def _opened(folder: Path, wish: DumpRequest) -> DumpSummary:
    from .. import dumping
    from ..errors import ReadError

    with status_line() as line:
        try:
            return dumping.opened(folder, lambda done, of: line(say("dump-reading", done=done, of=of)))
        except ReadError as error:
            raise _nothing(error, folder) from None


def _nothing(error: Any, folder: Path) -> Any:
    """That nothing was dumped, with the reasons that there may be; anything else as it is."""
    from ..errors import UserError

    return UserError("dump-nothing", path=str(folder)) if error.code == "no-dump" else error


def _show(found: DumpSummary, folder: Path, *, every: bool) -> None:
    from ..language import aligned

    ranks, steps = {row.rank for row in found.rows}, {row.step for row in found.rows}
    counts = {"operations": len(found.rows), "steps": len(steps), "ranks": len(ranks), "files": found.files}
    show(say("dump-holds", path=folder, **counts))
    if found.first is not None:
        show(say("dump-first", step=(found.first.step or 0) + 1, name=found.first.name, kind=found.first.kind))
    else:
        show(say("dump-finite"))
    rows = found.rows if every else found.rows[:_SHOWN]
    head = [say(f"dump-{key}") for key in ("step", "range", "bad", "shape", "operation")]
    # In a terminal the ends of long names are kept, which tell operations of a layer apart.
    for line in aligned([head, *map(_cells, rows)], columns_of(sys.stdout), gives=[len(head) - 1]):
        show(line)
    if len(found.rows) > len(rows):
        show(say("dump-more", count=len(found.rows) - len(rows)))
    talk(say("dump-next", path=folder))


def _cells(row: Row) -> list[str]:
    values = row.values
    if values is None:
        return [_step(row), "", "", "", row.name]
    low, high = values.minimum, values.maximum
    span = "" if low is None or high is None else f"{_number(low)} .. {_number(high)}"
    bad = values.nan + values.positive + values.negative
    shape = "" if values.shape is None else "x".join(map(str, values.shape)) or "1"
    return [_step(row), span, str(bad) if bad else "", f"{values.dtype} {shape}".strip(), row.name]


def _number(value: float) -> str:
    """Whole numbers, such as those of classes, without an exponent."""
    return str(int(value)) if value.is_integer() and abs(value) < _WHOLE else f"{value:.4g}"


def _step(row: Row) -> str:
    """The step counted from 1, with its rank where that is not the first."""
    step = "" if row.step is None else str(row.step + 1)
    return f"{step} (rank {row.rank})" if row.rank else step
