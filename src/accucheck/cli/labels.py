"""accucheck labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..language import visible
from .frame import (
    FOUND,
    OK,
    PROBE_FAILED,
    WRONG_USE,
    amount,
    command,
    echo,
    json_option,
    language,
    option,
    project_argument,
    say,
    set_option,
    show,
    show_json,
    speak,
    status_line,
    talk,
)

if TYPE_CHECKING:
    from pathlib import Path


@command(
    "labels",
    lambda: [
        project_argument(),
        option("--role", words="role", type=click.Choice(["train", "eval"]), default="train"),
        option("--sheet", words="sheet", default=None, metavar="DIR"),
        option("--read", words="read", default=None, metavar="CSV"),
        option("--seed", words="seed", type=click.IntRange(0, 2**31 - 1), default=None, metavar="N"),
        option("--count", words="count", type=click.IntRange(1, 2000), default=None, metavar="N"),
        option("--redraw", words="redraw", is_flag=True),
        option("--as", "who", words="marked-by", default=None),
        option("--remote", words="remote", is_flag=True),
        set_option(),
        json_option(),
    ],
)
def labels(
    project: str,
    role: str,
    sheet: str | None,
    read: str | None,
    seed: int | None,
    count: int | None,
    redraw: bool,
    who: str | None,
    remote: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    from pathlib import Path

    from .. import marks
    from ..case import require_utf8
    from ..errors import UserError
    from ..project import open_project
    from ..session import user

    opened = open_project(Path(project), (), settings, session="try")
    speak(opened.case)
    opened.need_project()
    if remote:
        opened.agree()
    case, session = opened.case, opened.session
    assert session is not None
    require_utf8(who or "")
    name, partial = who or user(), False
    with session:
        record = marks.load(case)
        plan = record.plans.get(role)
        fresh = redraw or plan is None or not _as_drawn(plan, seed, count)
        if plan is None and read is not None:
            raise UserError("no-plan")
        if (fresh or read is not None) and session.read_only:
            raise session.refusal
        if fresh:
            if plan is not None and plan.marked and not redraw:
                raise UserError("plan-marked", seed=plan.seed, samples=len(plan.samples), marked=plan.marked)
            try:
                record, partial = _draw(case, record, role, seed, count, name)
            except UserError as error:
                if error.code != "no-samples" or read is not None:
                    raise
                talk(error.text(language()))
                raise SystemExit(_show_without_labels(case, role, seed, count, sheet, as_json)) from None
        if read is not None:
            record = _read_marks(case, role, record, Path(read), name)
    plan = record.plans[role]
    sheets: list[str] = []
    if sheet is not None:
        sheets, unread = _write_sheet(case, role, plan, Path(sheet))
        partial |= unread
    rate = marks.rate(plan)
    if as_json:
        show_json({"version": 1, "case": case.name, "role": role, "plan": plan, "rate": rate, "sheets": sheets})
    else:
        for path in sheets:
            show(path)
        _show_plan(case, role, plan, rate, briefly=sheet is not None or read is not None)
    raise SystemExit(FOUND if rate.wrong else PROBE_FAILED if partial else OK)


def _show_without_labels(
    case: Any, role: str, seed: int | None, count: int | None, sheet: str | None, as_json: bool
) -> int:
    """Show some samples of data that have no labels, field by field; nothing is stored. Returns the exit code."""
    from pathlib import Path

    from .. import marks, sampling
    from ..errors import UserError
    from ..manifest import finish

    with status_line() as line:
        drawing = sampling.without_labels(case, role, sampling.SEED if seed is None else seed, count or sampling.COUNT)
        plan, gaps = finish(drawing, lambda progress: line(amount(progress)))
    sheets, unread = _write_sheet(case, role, plan, Path(sheet)) if sheet is not None else ([], False)
    rows: list[dict[str, Any]] = []
    for place, content in sorted(marks.contents(case, plan), key=lambda each: each[0]):
        row: dict[str, Any] = {"sample": plan.samples[place].id}
        if isinstance(content, UserError):
            unread, row["problem"] = True, content.text(language())
        else:
            row |= {"fields": dict(content.fields), "picture": list(content.size) if content.size else None}
        rows.append(row)
    if as_json:
        show_json({"version": 1, "case": case.name, "role": role, "samples": rows, "sheets": sheets})
        return PROBE_FAILED if gaps or unread else OK
    for path in sheets:
        show(path)
    echo(say("labels-without", role=say(role), samples=len(rows), count=plan.missing, seed=plan.seed))
    for number, row in enumerate(rows, 1):
        show(f"{number:>4}  {row['sample']}  {row.get('problem', '')}".rstrip())
        if row.get("picture"):
            show(f"      {say('labels-picture', width=row['picture'][0], height=row['picture'][1])}")
        for field, text in row.get("fields", {}).items():
            show(f"      {field}: {text[:300]}")
    return PROBE_FAILED if gaps or unread else OK


def _as_drawn(plan: Any, seed: int | None, count: int | None) -> bool:
    """Whether a plan is what these options ask for."""
    return seed in (None, plan.seed) and count in (None, plan.count)


def _draw(case: Any, record: Any, role: str, seed: int | None, count: int | None, who: str) -> tuple[Any, bool]:
    """Draw and store a plan, the marks of the old one kept aside; also whether something could not be read."""
    from .. import marks, sampling
    from ..probe import load, message

    old = record.plans.get(role)
    seed = seed if seed is not None else old.seed if old is not None else sampling.SEED
    count = count if count is not None else old.count if old is not None else sampling.COUNT
    with status_line() as line:
        plan, gaps = sampling.drawn_now(case, role, seed, count, who, lambda progress: line(amount(progress)))
    for gap in gaps:
        talk(message(load("label_conflicts"), gap.code, gap.data, language()))
    if old is not None and old.marked and (aside := sampling.keep_aside(case)) is not None:
        talk(say("labels-aside", path=aside))
    record = marks.with_plan(record, role, sampling.adopt(record, role, plan))
    marks.save(case, record)
    return record, bool(gaps)


def _read_marks(case: Any, role: str, record: Any, path: Path, who: str) -> Any:
    """Take the marks of a table and store them; every line that is wrong is named, and then nothing is taken."""
    from .. import marks
    from ..report import sheet

    try:
        record, taken = sheet.read(case, role, record, path, who, language())
    except sheet.SheetErrors as error:
        talk(error.text(language()))
        for line in error.lines[:100]:
            click.echo(visible(f"  {line}"), err=True)
        raise SystemExit(WRONG_USE) from None
    marks.save(case, record)
    talk(say("labels-read", count=taken))
    return record


def _write_sheet(case: Any, role: str, plan: Any, folder: Path) -> tuple[list[str], bool]:
    """Write the sheets and the table; their paths, and whether a sample could not be read."""
    from ..report.sheet import write

    written = write(case, role, plan, folder, language())
    for place, problem in sorted(written.problems.items())[:20]:
        talk(f"{place + 1}: {problem.text(language())}")
    if written.no_font:
        talk(say("labels-font"))
    return [str(path) for path in written.paths], bool(written.problems)


def _show_plan(case: Any, role: str, plan: Any, rate: Any, *, briefly: bool) -> None:
    """The samples with their marks, and the rate."""
    from .. import marks

    facts = {name: getattr(plan, name) for name in ("labels", "labelled", "missing", "seed")}
    strata = len(plan.strata) or plan.labels
    echo(say("labels-plan", role=say(role), samples=len(plan.samples), strata=strata, **facts))
    for number, sample in enumerate(plan.samples, 1):
        if not briefly or (sample.judgement is not None and sample.judgement is not marks.Judgement.RIGHT):
            note = sample.mark.note if sample.mark is not None else ""
            said = marks.said(sample.judgement, language())
            show(f"{number:>4}  {marks.class_name(case, sample.label)}  {sample.id}  {said}  {note}".rstrip())
    if rate.left:
        echo(say("labels-left", left=rate.left))
    if rate.looked:
        weighted = "-" if rate.weighted is None else f"{rate.weighted:.1%}"
        facts = {name: getattr(rate, name) for name in ("wrong", "looked", "share", "low", "high", "unsure")}
        echo(say("labels-rate" if rate.wrong else "labels-none", weighted=weighted, **facts))
