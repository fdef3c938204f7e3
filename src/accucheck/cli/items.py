"""accucheck list and explain."""

from __future__ import annotations

from typing import Any

import click

from .frame import Argument, checklists_option, command, json_option, language, say, show, show_json


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
        checklists_option(),
    ],
)
def explain(item: str, checklists: tuple[str, ...]) -> None:
    from ..checklist import find, load_all, shipped
    from ..report.machine import snippet_text, ways_text

    loaded = load_all(checklists or shipped())
    found = find(loaded, item)
    owner = next(checklist for checklist in loaded if found in checklist.items)
    parts = [(None, f"{found.id}  {found.title[language()]}"), ("method", found.method[language()])]
    meanings = found.conclusions
    rows = [(key, getattr(meanings, key)[language()]) for key in ("problem", "ok", "not_applicable")]
    parts.append(("conclusions", "\n".join(say(key) + say("colon") + text for key, text in rows)))
    parts += [("remedy", found.remedy[language()]), ("applies", found.applies[language()])]
    parts.append(("probes", "\n".join(_probe_lines(found)) or say("no-probe")))
    collected = [(key, owner.snippets.get(key)) for key in found.collect]
    lines = [
        [key, *("  " + line for line in snippet_text(code, language()))] if code else [key] for key, code in collected
    ]
    parts.append(("collect", "\n".join(line for block in lines for line in block)))
    parts.append(("ways", "\n".join(line.strip() for line in ways_text(owner, found, language())[1:])))
    parts.append(
        ("references", "\n".join(link.title[language()] + say("colon") + link.url for link in found.references))
    )
    for title, text in parts:
        if text and title is not None:
            click.echo(f"\n{say(title)}")
        for line in text.splitlines():
            show(line if title is None else f"  {line}")


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
                    default=getattr(values, field.name),
                    description=extra.get("description", ""),
                )
            )
    return lines
