"""Vocabularies: the token of each number, from vocab.txt, a .vocab of SentencePiece, vocab.json, or a tokenizer.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ReadError, from_os_error

#: A larger file is no vocabulary.
LARGEST = 256 << 20
#: What the token is called that sequences are filled up with.
_PADDING = ("[PAD]", "<pad>", "<PAD>", "<|pad|>", "<unk_pad>", "PAD", "_PAD_")


@dataclass(frozen=True)
class Vocabulary:
    """`tokens` by number."""

    path: Path
    tokens: dict[int, str]

    @property
    def padding(self) -> int | None:
        """The number that sequences are filled up with, where a token says so."""
        return next((number for number, token in self.tokens.items() if token in _PADDING), None)


def read(path: Path) -> Vocabulary:
    """Raises ReadError for what is no vocabulary."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise ReadError("too-large", path=str(path), size=size, limit=LARGEST)
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise from_os_error(error, path) from None
    except UnicodeDecodeError as error:
        raise _wrong(path, error.start) from None
    tokens = _of_json(path, text) if text.lstrip()[:1] in ("{", "[") and path.suffix == ".json" else _of_lines(text)
    if not tokens:
        raise _wrong(path, 0)
    return Vocabulary(path, tokens)


def _wrong(path: Path, offset: int) -> ReadError:
    return ReadError(
        "malformed", path=str(path), format="vocabulary", offset=offset, expected="a token a line, or JSON"
    )


def _of_lines(text: str) -> dict[int, str]:
    """A token a line, with a score or count behind it in files of SentencePiece and others."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return {number: line.rstrip("\r").split("\t")[0] for number, line in enumerate(lines)}


def _of_json(path: Path, text: str) -> dict[int, str]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong(path, getattr(error, "pos", 0)) from None
    if isinstance(content, dict) and isinstance(content.get("model"), dict):
        tokens = _tokens(content["model"].get("vocab"))
        for one in content.get("added_tokens") or []:
            if isinstance(one, dict) and isinstance(one.get("id"), int):
                tokens[one["id"]] = str(one.get("content"))
        return tokens
    # A project's own tokenizer keeps its tables beside other settings, which are no tokens: the largest table counts.
    tables = [*(content.values() if isinstance(content, dict) else ()), content]
    return max(map(_tokens, tables), key=len)


def _tokens(found: Any) -> dict[int, str]:
    """From {token: number}, {"number": token}, [token, ...] or [[token, score], ...]."""
    if isinstance(found, dict):
        turned = {
            int(number): token for number, token in found.items() if number.isdecimal() and isinstance(token, str)
        }
        return turned or {number: str(token) for token, number in found.items() if type(number) is int}
    if isinstance(found, list):
        firsts = (one[0] if isinstance(one, list) and one else one for one in found)
        return {number: str(token) for number, token in enumerate(firsts) if isinstance(token, str)}
    return {}
