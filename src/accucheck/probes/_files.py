"""The files of a data set, for the probes that read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..case import Case, redacted
from ..errors import ReadError
from ..store import scratch

if TYPE_CHECKING:
    from ..readers.places import File


def addresses(case: Case, key: str) -> list[str]:
    """What a key names: one address, several or none."""
    named = case.get(key)
    return [named] if isinstance(named, str) else list(named or [])


def found(case: Case, address: str) -> Iterator[tuple[File, File, str | ReadError, int]]:
    """Every file of a data set: where its address leads, the file, its kind, and its bytes.

    The kind is one of detect.FORMATS, "json" for an object of JSON, which may be annotations, or "other"; or why it cannot be
    told, as for an address that cannot be reached or a folder that cannot be listed. Raises ReadError when a path is not there.
    """
    from ..readers.detect import detect, files
    from ..readers.places import RemotePath, at, size_of

    refused: list[ReadError] = []
    try:
        root = at(address, case.agreed) if "://" in address else case.path(address)
        paths = list(files(root, refused.append)) if "://" in address else files(root, refused.append)
    except ReadError as error:
        if "://" not in address:
            raise
        root = RemotePath(None, "", redacted(address))
        yield root, root, error, 0
        return
    for path in paths:
        try:
            kind = detect(path)
            if kind:
                yield root, path, "json" if kind == "other" and path.suffix.lower() == ".json" else kind, size_of(path)
        except ReadError as error:
            yield root, path, error, 0
    for problem in refused:
        yield root, Path(problem.data["path"]), problem, 0


@contextmanager
def readable(path: File, kind: str) -> Iterator[tuple[Path, str]]:
    """A plain local file with what a file holds, and its kind: that of JSON Lines for MindRecord that only MindSpore reads.

    Raises ReadError, also for what is wrong within.
    """
    from ..readers import mindrecord, places

    with places.plain(path, kind) as copy:
        if kind != "mindrecord" or (version := mindrecord.version_of(copy)) == mindrecord.VERSION:
            yield copy, kind
            return
        from ..live.mindrecord import as_lines

        with scratch() as folder:
            lines = Path(folder, "rows.jsonl")
            as_lines(copy, version, lines)
            try:
                yield lines, "ndjson"
            except ReadError as error:
                error.data["path"] = str(path)
                raise
