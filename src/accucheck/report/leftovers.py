"""The second pass over finished files: what the rules of redaction still find in them, by file and place.

Each format is read as its reader shows it: Markdown and HTML without their escapes, Word and archives by what is in them, pictures by what
they tell of themselves. Bounded: what is too large is told as not looked into.
"""

from __future__ import annotations

import html
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import PurePosixPath
from xml.etree import ElementTree

import msgspec

from ..language import Language, Words, word
from . import forms
from .redact import Redactor, ident, masked

MAX_BYTES = 64 << 20  # of one file or member, unpacked
MAX_DEPTH = 3  # of archives in archives
MAX_LEFT = 200  # in all
#: What is written as Markdown: reports, and the fields of an issue.
MARKDOWN = (".md", ".fields.txt")

WORDS: Words = {
    "line": {"en": "line {number}", "zh": "第 {number} 行"},
    "paragraph": {"en": "{part}, paragraph {number}", "zh": "{part} 第 {number} 段"},
    "metadata": {"en": "its metadata", "zh": "元数据"},
    "name": {"en": "its name", "zh": "文件名"},
    "entry": {"en": "{part}", "zh": "{part}"},
}

#: Where something stands: a key of WORDS and what fills it.
Place = tuple[str, dict[str, str | int]]


class Leftover(msgspec.Struct, frozen=True):
    """What is left in a file: its kind, or "unread" for what could not be looked into; masked, with the id that --allow takes."""

    file: str
    place: Place
    kind: str
    shown: str
    id: str

    def text(self, language: Language) -> str:
        key, data = self.place
        kind = forms.KINDS[self.kind][language.value] if self.kind in forms.KINDS else ""
        place = word(WORDS, key, language, **data)
        form = "left" if kind else "left-unread"
        return word(forms.WORDS, form, language, file=self.file, place=place, kind=kind, shown=self.shown, id=self.id)


def unfinished(left: list[Leftover], language: Language) -> list[str]:
    """What a person is told of a report in which something is left."""
    return [*(one.text(language) for one in left), word(forms.WORDS, "unfinished", language, count=len(left))]


def leftovers(name: str, content: bytes, hide: Redactor) -> list[Leftover]:
    """What the rules still find in a finished file of this name. `hide` is the redactor that made it."""
    again = hide.again()
    found: dict[tuple[str, str], Leftover] = {}
    for file, place, text in texts(name, content):
        if text is None:
            mark = ident(PurePosixPath(file).name)  # whatever the number of the report that it is in
            if not hide.allows(mark):
                found[file, str(place)] = Leftover(file, place, "unread", "", mark)
            continue
        again.found.clear()
        again(text)
        for kind, original in again.found:
            mark = ident(original)
            found.setdefault((file, mark), Leftover(file, place, kind, masked(original), mark))
        if len(found) >= MAX_LEFT:
            break
    return list(found.values())


def texts(name: str, content: bytes, depth: int = MAX_DEPTH) -> Iterator[tuple[str, Place, str | None]]:
    """Each text of a file with its place; None where it cannot be read. Its name is the first."""
    yield name, ("name", {}), PurePosixPath(name).name
    ending = PurePosixPath(name).suffix.lower()
    if content.startswith(b"\x89PNG"):
        try:
            for text in _told_by_png(content):
                yield name, ("metadata", {}), text
        except (struct.error, zlib.error):
            yield name, ("metadata", {}), None
    elif content.startswith(b"PK\x03\x04"):
        yield from _archive(name, content, depth)
    elif len(content) > MAX_BYTES:
        yield name, ("entry", {"part": name}), None
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return  # no text: what is copied as it is was named by a person
        if ending in (".json", ".sarif"):
            yield from ((name, place, said) for place, said in _json(text))
        elif ending in (".html", ".htm", ".svg", ".xml"):
            parser = _Page()
            parser.feed(text)
            parser.close()
            for number, said in parser.said:
                yield name, ("line", {"number": number}), said
        else:
            fence = ""
            for number, line in enumerate(text.split("\n"), 1):
                mark = re.match(r"\s*(`{3,})", line) if name.endswith(MARKDOWN) else None
                if mark and not fence:
                    fence = mark[1]
                elif mark and line.strip() == fence:
                    fence = ""
                elif name.endswith(MARKDOWN) and not fence:
                    line = html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", line))
                yield name, ("line", {"number": number}), line


class _Page(HTMLParser):
    """What a page says, in text, attributes, comments and declarations, with its line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[tuple[int, str]] = []

    def handle_data(self, data: str) -> None:
        line = self.getpos()[0]
        self.said += [(line + number, part) for number, part in enumerate(data.split("\n")) if part.strip()]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            data = bool(value) and str(value).startswith("data:")
            if value and key not in ("style", "d", "class", "points", "transform") and not data:
                self.handle_data(value)

    def handle_comment(self, data: str) -> None:
        self.handle_data(data)

    def handle_decl(self, decl: str) -> None:
        self.handle_data(decl)

    def handle_pi(self, data: str) -> None:
        self.handle_data(data)

    def unknown_decl(self, data: str) -> None:
        self.handle_data(data)


def _json(text: str) -> Iterator[tuple[Place, str]]:
    try:
        left: list[tuple[str, object]] = [("", json.loads(text))]
    except (ValueError, RecursionError):
        left = [("", text)]
    while left:
        path, value = left.pop()
        place: Place = ("entry", {"part": path or "/"})
        if isinstance(value, str):
            yield place, value
        elif isinstance(value, dict):
            for key, below in value.items():
                yield place, str(key)
                if isinstance(below, str):
                    yield place, f"{key}: {below}" if len(key) < 60 else below
                left.append((f"{path}/{key}"[:200], below))
        elif isinstance(value, list):
            left += [(f"{path}/{number}", below) for number, below in enumerate(value)]


def _archive(name: str, content: bytes, depth: int) -> Iterator[tuple[str, Place, str | None]]:
    """The members of an archive, Word documents among them, by `name!member`."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError):
        yield name, ("entry", {"part": name}), None
        return
    word = "word/document.xml" in archive.namelist()
    if archive.comment:
        yield name, ("metadata", {}), archive.comment.decode("utf-8", "replace")
    for info in archive.infolist():
        inner = f"{name}!{info.filename}"
        if info.is_dir():
            yield inner, ("name", {}), info.filename
            continue
        if info.comment:
            yield inner, ("metadata", {}), info.comment.decode("utf-8", "replace")
        try:
            with archive.open(info) as stream:
                member = stream.read(MAX_BYTES + 1)
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, zlib.error):
            member = None
        if member is None or len(member) > MAX_BYTES or depth == 0:
            yield inner, ("entry", {"part": info.filename}), None
        elif word and info.filename.endswith((".xml", ".rels")):
            yield from ((name, place, text) for place, text in _word_part(info.filename, member))
        else:
            yield inner, ("name", {}), info.filename
            yield from texts(inner, member, depth - 1)


#: Namespaces that Word gives to its parts are addresses of standards.
_STANDARD = re.compile(r"https?://schemas\.|urn:")


def _word_part(part: str, content: bytes) -> Iterator[tuple[Place, str | None]]:
    """The paragraphs of a part of a Word document, each as a reader sees it, and what its attributes say."""
    if b"<!ENTITY" in content[:10_000]:
        yield ("entry", {"part": part}), None
        return
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - without entities
    except ElementTree.ParseError:
        yield ("entry", {"part": part}), None
        return
    number = 0
    texts: list[str] = []
    for event, element in _walked(root):
        tag = element.tag.rpartition("}")[2]
        if event == "start":
            number += tag == "p"
            place: Place = ("paragraph", {"part": part, "number": number})
            for key, value in element.attrib.items():
                if key.rpartition("}")[2] in (
                    "descr",
                    "title",
                    "name",
                    "Target",
                    "author",
                    "alias",
                ) and not _STANDARD.match(value):
                    yield place, value
            if tag in ("br", "tab", "cr"):
                texts.append("\n" if tag != "tab" else "\t")
            texts.append(element.text or "")
        elif tag in ("p", root.tag.rpartition("}")[2]) or not part.startswith("word/"):
            for line in "".join(texts).split("\n"):
                if line.strip():
                    yield ("paragraph", {"part": part, "number": number}), line
            texts.clear()


def _walked(root: ElementTree.Element) -> Iterator[tuple[str, ElementTree.Element]]:
    stack: list[tuple[str, ElementTree.Element]] = [("start", root)]
    while stack:
        event, element = stack.pop()
        yield event, element
        if event == "start":
            stack.append(("end", element))
            stack += [("start", below) for below in reversed(element)]


def _told_by_png(content: bytes) -> Iterator[str]:
    """The texts that a PNG holds beside its pixels."""
    at = 8
    while at + 8 <= len(content):
        length, kind = struct.unpack(">I4s", content[at : at + 8])
        data = content[at + 8 : at + 8 + length]
        if kind == b"tEXt":
            yield data.replace(b"\0", b": ").decode("latin-1")
        elif kind in (b"zTXt", b"iTXt"):
            key, _, rest = data.partition(b"\0")
            packed = rest[1:] if kind == b"zTXt" else rest[2:].split(b"\0", 2)[-1] if rest[:1] == b"\1" else b""
            plain = zlib.decompressobj().decompress(packed, MAX_BYTES) if packed else rest.split(b"\0")[-1]
            yield f"{key.decode('latin-1')}: {plain.decode('utf-8', 'replace')}"
        elif kind == b"eXIf":
            yield data.decode("latin-1")
        at += 12 + length
