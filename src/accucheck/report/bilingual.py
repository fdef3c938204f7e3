"""A report in two languages at once: what differs between the two stands beside each other, what is equal stands once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from ..model import Language

#: A text longer than this, in either language, has a line of its own; so has a sentence.
SHORT = 40

T = TypeVar("T")


class BilingualText(str):
    """A text in two languages. As plain text `中文 / English`, or each on its own line where one is long."""

    zh: str
    en: str

    def __new__(cls, zh: str, en: str) -> BilingualText:
        long = max(len(zh), len(en)) > SHORT or "\n" in zh + en or zh.endswith("。")
        text = super().__new__(cls, zh + ("\n" if long else " / ") + en)
        text.zh, text.en = zh, en
        return text

    @property
    def long(self) -> bool:
        return "\n" in self


def beside(zh: str, en: str) -> str:
    """Both texts, or the one where they are equal or one says nothing."""
    return zh or en if zh == en or not (zh and en) else BilingualText(zh, en)


def plain(text: str) -> str:
    """The text on one line, for where nothing else can stand."""
    return f"{text.zh} / {text.en}".replace("\n", " ") if isinstance(text, BilingualText) else text


def one(text: str, language: Language) -> str:
    """Of a text that may be in two languages that of one."""
    return getattr(text, language.value) if isinstance(text, BilingualText) else text


def said(
    languages: tuple[Language, ...], say: Callable[[Language, dict[str, Any]], str], data: Mapping[str, Any]
) -> str:
    """What `say` makes of `data` in each of the languages, of texts in two languages the one that fits."""

    def in_one(language: Language) -> str:
        return say(language, {key: one(value, language) for key, value in data.items()})

    if len(languages) == 1:
        return in_one(languages[0])
    return beside(in_one(Language.ZH), in_one(Language.EN))


def joined(separator: str, texts: list[str]) -> str:
    """str.join, in each language for itself."""
    return beside(*(separator.join(one(text, language) for text in texts) for language in (Language.ZH, Language.EN)))


def both(zh: T, en: T) -> T:
    """One report (or any part of it) of two that were built from the same data, the first in Chinese, the second in English."""
    whole: T = _both(zh, en)
    return whole


def _both(zh: Any, en: Any) -> Any:
    if zh is en or (zh == en and not isinstance(zh, msgspec.Struct)):
        return zh
    if isinstance(zh, str):
        return beside(zh, en)
    if isinstance(zh, msgspec.Struct):
        pairs = {name: (getattr(zh, name), getattr(en, name)) for name in zh.__struct_fields__}
        if "languages" in pairs:
            pairs["languages"] = (languages := (Language.ZH, Language.EN), languages)
        return type(zh)(**{name: _both(*pair) for name, pair in pairs.items()})
    if isinstance(zh, dict):  # the names of a chart's series are words too
        entries = zip(zh.items(), en.items(), strict=True)
        return {_both(key, other): _both(value, its) for (key, value), (other, its) in entries}
    if isinstance(zh, (list, tuple)):
        if len(zh) != len(en) and all(isinstance(text, str) for text in (*zh, *en)):  # paragraphs of prose
            return [beside("\n".join(zh), "\n".join(en))]
        return type(zh)(_both(*pair) for pair in zip(zh, en, strict=True))
    return zh
