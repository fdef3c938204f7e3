"""The pages of the probes, one for each, with the messages of both languages side by side; their index; parts for the items."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import msgspec

from accucheck import checklist as checklists
from accucheck import probe as probes
from accucheck.checklist import ProbeUse
from accucheck.language import Language, word
from accucheck.report.words import KINDS

from .markdown import cell, code, page, table
from .words import say


def built_in() -> list[str]:
    """The probes of this package, whatever other packages are installed."""
    folder = Path(probes.__file__).parent / "probes"
    return [name for name in probes.names() if (folder / f"{name}.py").is_file()]


def index() -> str:
    """All probes with what they are: kind, items, and the first sentence of what they catch."""
    rows = []
    for name, users in _users().items():
        module = probes.load(name)
        catches = inspect.cleandoc(module.__doc__).split("\n")[0]
        rows.append([f"[{name}](../probes/{name}.md)", module.KIND.value, _links(users), cell(catches)])
    return page("The probes", Language.EN, table(["Probe", "Kind", "Items", "What it catches"], rows))


def probe_pages() -> dict[str, str]:
    """{name of the file: text} of the pages of all probes."""
    return {f"{name}.md": page(name, Language.EN, _probe(name, users)) for name, users in _users().items()}


def _users() -> dict[str, list[str]]:
    """The items of the shipped checklists that name each probe."""
    users: dict[str, list[str]] = {name: [] for name in built_in()}
    for checklist in (checklists.load(name) for name in checklists.shipped()):
        for item in checklist.items:
            for use in item.uses:
                users[use.name].append(item.id)
    return users


def _links(users: list[str]) -> str:
    return ", ".join(f"[{item}](../items/{item}.en.md) ([中文](../items/{item}.zh.md))" for item in users) or "-"


def _needs(name: str, language: Language) -> str:
    needs: tuple[Any, ...] = probes.load(name).NEEDS
    either = say("or", language)
    return say("semicolon", language).join(
        either.join(code(key) for key in ([need] if isinstance(need, str) else need)) for need in needs
    )


def facts(name: str, language: Language) -> list[str]:
    """What a probe catches (in English, which is what it is written in), its kind, and what it needs of the case."""
    module = probes.load(name)
    lines = [inspect.cleandoc(module.__doc__), ""] if language is Language.EN else []
    lines.append(f"- {say('kind', language)}{say('colon', language)}{word(KINDS, module.KIND.value, language)}")
    needs = _needs(name, language) or say("needs-nothing", language)
    lines.append(f"- {say('needs', language)}{say('colon', language)}{needs}")
    if uses := getattr(module, "USES", ()):
        lines.append(f"- {say('uses', language)}{say('colon', language)}{say('comma', language).join(map(code, uses))}")
    return [*lines, ""]


def parameters(use: ProbeUse, language: Language) -> list[str]:
    """The parameters of a probe with their defaults, and the values that an item gives them."""
    rows = []
    info: Any = msgspec.inspect.type_info(probes.load(use.name).Params)
    for field in info.fields:
        extra, schema = getattr(field.type, "extra", None) or {}, getattr(field.type, "extra_json_schema", None) or {}
        default = field.default
        if default is msgspec.NODEFAULT and field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        value = code(msgspec.json.encode(default).decode())
        if field.name in use.params:
            value = say(
                "here", language, value=code(msgspec.json.encode(use.params[field.name]).decode()), default=value
            )
        texts = [cell(schema.get("description", "")), value, cell(extra.get("unit", "")), cell(extra.get("source", ""))]
        rows.append([code(field.name), *texts])
    if not rows:
        return []
    columns = ("name", "parameter-meaning", "value", "unit", "source")
    return [f"**{say('parameters', language)}**", "", *table([say(key, language) for key in columns], rows)]


def _probe(name: str, users: list[str]) -> list[str]:
    module = probes.load(name)
    lines = [
        f"- kind: {module.KIND.value}",
        f"- items: {_links(users)}",
        f"- needs: {_needs(name, Language.EN) or '-'}",
        "",
    ]
    lines += [inspect.cleandoc(module.__doc__), "", *parameters(ProbeUse(name), Language.EN)]
    messages = [[code(key), cell(text["en"]), cell(text["zh"])] for key, text in module.MESSAGES.items()]
    lines += ["## Findings, reasons and fixes", "", *table(["Code", "English", "中文"], messages)]
    if why := getattr(module, "WHY", {}):
        rows = [
            [
                code(key),
                *("<br>".join(cell(words[key][tongue]) for words in (why, module.PROOF)) for tongue in ("en", "zh")),
            ]
            for key in why
        ]
        lines += ["## Why it hurts accuracy, and what would prove it", "", *table(["Code", "English", "中文"], rows)]
    examples = [[cell(e.name), e.verdict.value, ", ".join(map(code, e.codes)) or "-"] for e in module.EXAMPLES]
    return [*lines, "## Examples, run by the tests", "", *table(["Example", "Suggestion", "Findings"], examples)]
