"""accucheck list and explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .frame import (
    Argument,
    checklists_option,
    command,
    json_option,
    language,
    project_option,
    readable,
    say,
    show,
    show_json,
    speak,
)

if TYPE_CHECKING:
    from ..checklist import Checklist, Item

#: Values of a parameter that are shown.
_FEW = 4


@command(
    "list",
    lambda: [
        json_option(),
        checklists_option(),
    ],
)
def list_(as_json: bool, checklists: tuple[str, ...]) -> None:
    from ..checklist import load_all, shipped

    loaded = load_all(checklists or shipped())
    if as_json:
        show_json(loaded)
        return
    for checklist in loaded:
        show(f"{checklist.name}  {checklist.title[language()]}")
        for section in checklist.sections:
            show(f"  {section.title[language()]}")
            for item in section.items:
                names = ", ".join(use.name for use in item.uses) or say("no-probe")
                show(f"    {item.id}  {item.title[language()]}  [{names}]")


@command(
    "explain",
    lambda: [
        Argument("item", words="item", metavar="ITEM"),
        project_option(),
        checklists_option(),
    ],
)
def explain(item: str, project: str, checklists: tuple[str, ...]) -> None:
    from ..checklist import find, load_all, shipped

    loaded = load_all(checklists or shipped())
    found = find(loaded, item)
    owner = next(checklist for checklist in loaded if found in checklist.items)
    here = _found_here(project, found, checklists or (owner.name,))  # the case may name a language
    show(f"{found.id}  {found.title[language()]}")
    for title, lines in [("found-here", here), *_method(owner, found)]:
        if lines:
            click.echo(f"\n{say(title)}")
        for line in lines:
            show(f"  {line}".rstrip())


def _found_here(project: str, item: Item, checklists: tuple[str, ...]) -> list[str]:
    """What the session of the project says of an item; nothing where there is no session. Raises UserError."""
    from pathlib import Path

    from ..session import FILE_NAME
    from ..store import FOLDER

    path = Path(project)
    folder = path.parent if path.suffix in (".yaml", ".yml") and path.is_file() else path
    if folder.is_dir() and not (folder / FOLDER / FILE_NAME).exists():
        return []
    from ..project import open_project
    from ..report.telling import explained

    opened = open_project(path, checklists, session="read")
    speak(opened.case)
    return explained(readable(opened).record, item, opened.case, language(), opened.stale())


def _method(checklist: Checklist, item: Item) -> list[tuple[str, list[str]]]:
    """How an item is checked, apart from any project: titles, keys of WORDS, with their lines."""
    from ..report.machine import snippet_text, ways_text

    rows = [(key, getattr(item.conclusions, key)[language()]) for key in ("problem", "ok", "not_applicable")]
    collected: list[str] = []
    for key in item.collect:
        code = checklist.snippets.get(key)
        collected += [key] if code is None else [key, *("  " + line for line in snippet_text(code, language()))]
    return [
        ("method", item.method[language()].splitlines()),
        ("conclusions", [say(key) + say("colon") + text for key, text in rows]),
        ("remedy", item.remedy[language()].splitlines()),
        ("applies", item.applies[language()].splitlines()),
        ("probes", _probe_lines(item) or [say("no-probe")]),
        ("collect", collected),
        ("ways", [line.strip() for line in ways_text(checklist, item, language())[1:]]),
        ("references", [link.title[language()] + say("colon") + link.url for link in item.references]),
    ]


def _probe_lines(item: Any) -> list[str]:
    """Each probe with its parameters, their values for this item, and what they mean."""
    import msgspec

    from ..engine import reason_of
    from ..probe import load, params, reason_text

    lines = []
    for use in item.uses:
        try:
            probe = load(use.name)
        except Exception as error:  # a probe of another package may fail in any way when imported
            lines.append(use.name + say("colon") + reason_text(use.name, reason_of(error), language()))
            continue
        lines.append(f"{use.name} ({probe.KIND.value})")
        values = params(probe, use.params)
        fields: Any = msgspec.inspect.type_info(probe.Params)
        for field in fields.fields:
            extra = getattr(field.type, "extra_json_schema", None) or {}
            lines.append(
                "  "
                + say(
                    "parameter",
                    name=field.name,
                    default=_brief(getattr(values, field.name)),
                    description=extra.get("description", ""),
                )
            )
    return lines


def _brief(value: Any) -> str:
    """The value of a parameter on one line; of a long list the first."""
    if isinstance(value, (list, tuple, set, frozenset)) and len(value) > _FEW:
        first = ", ".join(map(repr, list(value)[:_FEW]))
        return say("and-more-values", values=first, count=len(value) - _FEW)
    return str(value)
