"""What every part of one report needs to know, and how untrusted text gets into it: hidden, visible, and cut."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ..case import Case
from ..language import visible, word
from ..model import Finding, Language, ProbeResult, Status, Verdict, Where
from ..session import Record
from . import machine
from .redact import Redactor
from .words import VERDICTS, WORDS

MAX_LINES = 200  # of an excerpt or a diff
MAX_CHARACTERS = 2000  # of one value on one line
#: Characters of a line that are looked at, and twice the lines: what is hidden may be shorter then, or go on behind what is shown.
MAX_SEEN = 20 * MAX_CHARACTERS
MAX_CELL = 200
MAX_NOTE, MAX_NOTE_LINES = 120_000, 1000  # characters and lines of an item's note
#: In all of a report, which a stranger's session could make endless; what is over is counted like the rest.
MAX_FINDINGS_IN_ALL = 1000
MAX_CHARTS_IN_ALL = 60
MAX_EVIDENCE_IN_ALL = 500_000  # characters of tables and excerpts
MAX_ATTACHMENTS_IN_ALL = 50  # that are copied


class Context:
    """The session, the case and the language of a report; and how much may still go into it."""

    def __init__(
        self, record: Record, case: Case, language: Language, stale: Collection[tuple[str, str]], hide: Redactor
    ) -> None:
        self.record, self.case, self.language, self.stale = record, case, language, stale
        self.speech = machine.Speech(language)
        self.english = machine.Speech(Language.EN)
        self.facts = case.facts()
        self.hide = hide
        self.origins: dict[str, str] = {}
        self.tables = 0  # that have a file of their own
        self.room_for_findings, self.room_for_charts = MAX_FINDINGS_IN_ALL, MAX_CHARTS_IN_ALL
        self.room_for_evidence, self.room_for_attachments = MAX_EVIDENCE_IN_ALL, MAX_ATTACHMENTS_IN_ALL

    def say(self, key: str, /, **data: Any) -> str:
        return word(WORDS, key, self.language, **data)

    def pick(self, words: Mapping[str, str]) -> str:
        """Of a text in both languages, {"zh": ..., "en": ...}, that of the report."""
        return words[self.language.value]

    def verdict(self, verdict: Verdict) -> str:
        return VERDICTS[verdict.value][self.language.value]

    def line(self, text: str, limit: int = MAX_CHARACTERS) -> str:
        """Untrusted text as one visible line of bounded length."""
        return cut(visible(self.hide(text[:MAX_SEEN].strip())), limit)

    def lines(self, text: str, limit: int = MAX_LINES) -> tuple[list[str], str]:
        """Untrusted text as visible lines, and what was left out."""
        whole = text.replace("\r\n", "\n").strip("\n").split("\n") if text.strip() else []
        seen = "\n".join(line[:MAX_SEEN] for line in whole[: 2 * limit])
        hidden = self.hide(seen, whole_path=False).split("\n")
        shown = [cut(visible(line.expandtabs(4)), MAX_CHARACTERS) for line in hidden[:limit]] if whole else []
        return shown, self.say("lines", shown=limit, total=len(whole)) if len(whole) > limit else ""

    def prose(self, text: str) -> list[str]:
        """Paragraphs that a person wrote: line breaks kept, wide and unbreakable spaces are just spaces."""
        plain = text.replace("\u3000", " ").replace("\xa0", " ").replace("\r\n", "\n").strip()
        return [visible(line.expandtabs(4)).rstrip() for line in self.hide(plain).split("\n") if line.strip()]

    def who(self, name: str, limit: int) -> str:
        """A person, whose account is hidden."""
        return self.line(self.hide.person(name), limit)

    def note(self, text: str) -> list[str]:
        """A person's note, and what of it was left out."""
        said = self.prose(text[:MAX_NOTE])
        shown = said[:MAX_NOTE_LINES]
        if len(text) > MAX_NOTE or len(said) > len(shown):
            shown.append(f"({self.say('note-cut', shown=sum(map(len, shown)), total=len(text))})")
        return shown

    def commands(self, lines: list[str]) -> list[str]:
        """Lines to be run or written elsewhere: indentation stays, paths of the project become relative."""
        text = self.hide("\n".join(lines))
        return [cut(visible(line), MAX_CHARACTERS) for line in text.split("\n")[:MAX_LINES]] if text else []

    def message(self, name: str, finding: Finding) -> str:
        return self.line(self.speech.message(name, finding.code, finding.data))

    def title(self, name: str, key: str, speech: machine.Speech | None = None) -> str:
        return self.line((speech or self.speech).word(name, key), MAX_CELL)

    def where(self, where: Where) -> str:
        place = [f"{where.path}:{where.line}" if where.line is not None else where.path] if where.path else []
        place += [text for text in (where.name, where.field) if text]
        if where.step is not None:
            place.append(f"step {where.step}")
        return self.line(" · ".join(place), 300)

    def is_stale(self, item_id: str, result: ProbeResult) -> bool:
        """Only what was found can be out of date; a probe that did not finish says so itself."""
        return result.status is Status.DONE and (item_id, result.probe) in self.stale


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def moment_text(text: str) -> str:
    """An ISO 8601 moment as people write it; anything else as it is."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d)?(?:\.\d+)?(Z|\+00:00)?", text)
    return f"{match[1]} {match[2]}{' UTC' if match[3] else ''}" if match else visible(text)[:40]
