"""The page of what a template of a report may use."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import msgspec

from accucheck.language import Language, word
from accucheck.report import parts

from .markdown import cell, code, page, table
from .template_fields import FIELDS, FUNCTIONS
from .words import say


def template_page(language: Language) -> str:
    sections = [[say("template-text", language), ""]]
    unused = set(FIELDS)
    for record in _records(msgspec.inspect.type_info(parts.Report), {}).values():
        name = record.cls.__name__
        rows = []
        for field in record.fields:
            pattern = next((pattern for pattern in FIELDS if fnmatchcase(f"{name}.{field.name}", pattern)), None)
            if pattern is None:
                raise SystemExit(f"docs/generator/template_fields.py: FIELDS lacks {name}.{field.name}")
            shown = word(FIELDS, pattern, language)
            unused.discard(pattern)
            rows.append([code(field.name), cell(_shape(field.type, language)), cell(shown)])
        head = [say("field", language), say("type", language), say("meaning", language)]
        sections.append([f"## {name}", "", *table(head, rows)])
    if unused:
        raise SystemExit(f"docs/generator/template_fields.py: no field is called {', '.join(sorted(unused))}")
    rows = [[code(call), formats.replace(" ", ", "), cell(words[language.value])] for call, formats, words in FUNCTIONS]
    head = [say("name", language), say("formats", language), say("meaning", language)]
    sections.append([f"## {say('functions', language)}", "", *table(head, rows)])
    return page(say("template", language), language, *sections)


def _records(kind: Any, known: dict[type, Any]) -> dict[type, Any]:
    """The records that a type is made of, each once, as they are met."""
    if isinstance(kind, msgspec.inspect.StructType):
        if kind.cls in known:
            return known
        known[kind.cls] = kind
        below = [field.type for field in kind.fields]
    else:
        found = [getattr(kind, name, ()) for name in ("types", "item_types", "item_type", "key_type", "value_type")]
        below = [one for each in found for one in (each if isinstance(each, (tuple, list)) else [each])]
    for each in below:
        _records(each, known)
    return known


def _shape(kind: Any, language: Language) -> str:
    """A type as a reader of a template needs it."""
    if isinstance(kind, msgspec.inspect.UnionType):
        return say("or", language).join(_shape(each, language) for each in kind.types)
    if isinstance(kind, msgspec.inspect.StructType):
        return f"[{kind.cls.__name__}](#{kind.cls.__name__.lower()})"
    if isinstance(kind, msgspec.inspect.EnumType):
        return say("comma", language).join(code(each.value) for each in kind.cls)
    if isinstance(kind, msgspec.inspect.NoneType):
        return say("none-type", language)
    key = type(kind).__name__.removesuffix("Type").lower()
    below = getattr(kind, "item_types", None) or (
        getattr(kind, "item_type", None) or getattr(kind, "value_type", None),
    )
    return say(
        key, language, of=say("comma", language).join(_shape(each, language) for each in below if each is not None)
    )
