"""The signs of states: a shape, a word and a colour for each. Nothing else decides how a state looks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from textual.content import Content

from ..language import Language, visible, word
from ..model import Level, ProbeResult, Status, Verdict
from .words import WORDS

#: state -> (shape, ASCII shape, colour of the theme). States: verdicts, open, failed, running; of a review accepted, returned, outdated.
SIGNS: dict[str, tuple[str, str, str]] = {
    "ok": ("✓", "v", "$text-success"),
    "problem": ("✗", "x", "$text-error"),
    "not_applicable": ("–", "-", "$text-muted"),
    "undecided": ("?", "?", "$text-warning"),
    "open": ("○", "o", "$text-muted"),
    "failed": ("!", "!", "$text-warning"),
    "running": ("…", "~", "$text-accent"),
    "accepted": ("✓", "v", "$text-muted"),
    "returned": ("◂", "<", "$text-error"),
    "outdated": ("◦", ".", "$text-warning"),
}
LEVEL_STATES = {Level.PROBLEM: "problem", Level.SUSPECT: "undecided", Level.INFO: "open"}


#: What stands for arrows where only ASCII is drawn.
_LETTERS = {"↑↓": "Up/Down", "←→": "Left/Right", "→": "->"}


class Speech:
    """Words, signs and bars in one language and one character set."""

    def __init__(self, language: Language, *, only_ascii: bool = False, keys: Mapping[str, str] | None = None) -> None:
        """`keys` are those of a person's own, by "@" and the id of their verb: what is said names them."""
        self.language = language
        self.only_ascii = only_ascii
        self.keys = keys or {}

    def say(self, key: str, /, **data: object) -> str:
        text = word(WORDS, key, self.language, **self.keys, **data)
        if self.only_ascii:
            for sign, letters in _LETTERS.items():
                text = text.replace(sign, letters)
        return text

    def shape(self, state: str) -> str:
        return SIGNS[state][self.only_ascii]

    def sign(self, state: str, *, faint: bool = False) -> Content:
        """The coloured shape; `faint` for what is only suggested."""
        return Content.styled(self.shape(state), SIGNS[state][2] + (" dim" if faint else ""))

    def level(self, level: Level) -> Content:
        if level is Level.INFO:
            return Content.styled("-" if self.only_ascii else "·", "$text-muted")
        return self.sign(LEVEL_STATES[level])

    def bar(self, share: float, width: int) -> str:
        """A bar of `width` cells, filled to `share` (0 to 1)."""
        full, empty = ("#", ".") if self.only_ascii else ("█", "░")
        filled = max(0, min(width, round(share * width)))
        return full * filled + empty * (width - filled)

    def pointer(self) -> str:
        return "> " if self.only_ascii else "▸ "

    def order(self, *, down: bool) -> str:
        """Behind the name of a column that a table is sorted by."""
        return (" v" if down else " ^") if self.only_ascii else (" ▼" if down else " ▲")

    def outcome(self, result: ProbeResult) -> Content:
        """How a probe ended, as sign and words."""
        if result.status is Status.FAILED and result.suggestion is not Verdict.PROBLEM:
            return Content.assemble(self.sign("failed"), " ", self.say("failed"))
        if result.status in (Status.SKIPPED, Status.CANCELLED):
            return Content.styled(self.say(result.status.value), "$text-muted")
        state = result.suggestion.value
        text = self.say("suggests", verdict=self.say(state))
        return Content.assemble(self.sign(state, faint=True), " ", (text, "$text-muted"))


#: A line must not begin with these, nor end with those.
_CLOSING = frozenset("，。、；：！？）」』】》”’…,.;:!?)]}%")
_OPENING = frozenset("（「『【《“‘([{")


@lru_cache(maxsize=256)
def wrap(text: str, width: int, indent: int = 0) -> str:
    """Text broken into lines of at most `width` cells; further lines are indented.

    The terminal library breaks at spaces only, which tears Chinese apart: here a line may break beside any wide
    character, but not before closing or after opening punctuation.
    """
    from rich.cells import cell_len

    lines: list[str] = []
    for paragraph in text.split("\n"):
        units: list[str] = []
        for character in paragraph:
            wide = cell_len(character) == 2
            if units and character in _CLOSING and units[-1] != " ":
                units[-1] += character
            elif not units or wide or character == " " or units[-1][-1] in " " or cell_len(units[-1][-1]) == 2:
                if units and units[-1][-1] in _OPENING:
                    units[-1] += character
                else:
                    units.append(character)
            else:
                units[-1] += character
        line, used, room = "", 0, max(8, width)
        for unit in units:
            cells = cell_len(unit)
            if used + cells > room and line.strip():
                lines.append(line.rstrip())
                line, used = " " * indent, indent
                if unit == " ":
                    continue
            line, used = line + unit, used + cells
        lines.append(line.rstrip())
    return "\n".join(lines)


def cut_to(text: str, lines: int, *, only_ascii: bool) -> str:
    """The first lines of a wrapped text, with an ellipsis at the end if lines were left out."""
    shown = text.split("\n")
    if len(shown) <= lines:
        return text
    last = shown[lines - 1]
    return "\n".join([*shown[: lines - 1], last[: max(0, len(last) - 3)] + ("..." if only_ascii else "…")])


def plain(text: str, style: str = "") -> Content:
    """Untrusted text: never markup, control characters visible, lines kept."""
    shown = "\n".join(visible(line) for line in text.split("\n"))
    return Content.styled(shown, style) if style else Content(shown)


def prose(text: str, width: int = 0, indent: int = 0) -> Content:
    """Text of a checklist, broken into lines where there is a width. What it has between backticks is shown as code instead."""
    parts = "\n".join(visible(line) for line in text.split("\n")).split("`")
    if len(parts) % 2 == 0:  # a backtick by itself is one
        parts = ["`".join(parts)]
    whole = "".join(parts)
    shown = wrap(whole, width, indent) if width else whole
    code = [n % 2 == 1 for n, part in enumerate(parts) for letter in part if not letter.isspace()]
    content, at, begin = Content(shown), 0, -1  # lines and indents add and take blanks only
    for place, letter in enumerate(shown):
        inside = begin >= 0 if letter.isspace() and letter != "\n" else letter != "\n" and code[at]
        at += not letter.isspace()
        if inside and begin < 0:
            begin = place
        elif not inside and begin >= 0:
            content, begin = content.stylize("$text-secondary", begin, place), -1
    return content.stylize("$text-secondary", begin) if begin >= 0 else content
