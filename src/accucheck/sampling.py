"""Draws the sample plan of ds.02 from the files of a case."""

from __future__ import annotations

from collections.abc import Callable, Generator
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from . import marks
from .case import Case, require_utf8
from .errors import ReadError, UserError
from .manifest import finish
from .marks import File, Plan, Sample
from .model import Finding, Progress, now
from .probes import _declared_padding, _labelled

if TYPE_CHECKING:
    from .readers.drawing import Drawing
    from .readers.places import File as Place

#: How many samples are drawn, and with which seed, when nobody says otherwise.
COUNT, SEED = 50, 0


def draw(
    case: Case, role: str, seed: int = SEED, count: int = COUNT, who: str = ""
) -> Generator[Progress, None, tuple[Plan, list[Finding]]]:
    """Draw a plan for "train" or "eval". Returns it with what could not be read, as findings of _labelled.MESSAGES.

    Raises UserError: without-data where the case names none, no-samples where nothing with a label was found, ReadError.
    """
    from .readers.drawing import Drawing, labels_of
    from .readers.labels import NoLabelField
    from .readers.places import plain

    if case.get(f"data.{role}.path") is None:
        raise UserError("without-data", key=f"data.{role}.path")
    files = _labelled.files_of(case, role)
    nothing = _declared_padding.of_case(case, role).no_classes()
    drawing = Drawing(seed, count)
    sources: list[tuple[Place, str]] = []
    done = 0
    for path, kind, size in files.todo:
        sources.append((path, kind))
        try:
            name = _name(case, path)
            first = 0
            with plain(path, kind) as local:
                for codes, labels in labels_of(local, kind, files.label):
                    labels = [None if label in nothing else label for label in labels]
                    drawing.add(len(sources) - 1, name, first, (codes, labels))
                    first += len(codes)
                    yield Progress(min(done + size, done + first), files.size, "bytes")
        except NoLabelField as error:
            if kind == "json" and not error.fields:
                files.others.append((case.relative(path), "json"))
            files.without(error.fields)
        except UserError as error:  # what was read of it until then may have been drawn
            files.errors.append(_read_error(error))
        done += size
        yield Progress(done, files.size, "bytes")
    if not drawing.counts:
        yield from _pictures(case, files, drawing, sources)
    drawn = drawing.drawn()
    gaps = list(files.gaps(bool(drawn.samples)))
    if not drawn.samples:
        raise _nothing(role, files)
    samples = [
        Sample(case.relative(sources[file][0]), None if row < 0 else row, label) for file, row, label in drawn.samples
    ]
    known: dict[str, File] = {}
    for file, _, _ in drawn.samples:
        path, kind = sources[file]
        if (name := case.relative(path)) not in known:
            known[name] = File(kind, *marks.stamp(path))
    plan = Plan(
        seed, count, who, now(), files.label, samples, drawn.strata, drawn.labels, drawn.labelled, drawn.missing, known
    )
    return msgspec.structs.replace(plan, gaps=len(files.errors)), gaps


def without_labels(
    case: Case, role: str, seed: int = SEED, count: int = COUNT
) -> Generator[Progress, None, tuple[Plan, list[Finding]]]:
    """As draw(), of data without labels, to be looked at: the samples have the label "", and nobody marks them."""
    import numpy as np

    from .readers.drawing import Drawing, rows_of
    from .readers.labels import NONE
    from .readers.places import plain

    files, drawing = _labelled.files_of(case, role), Drawing(seed, count)
    sources: list[tuple[Place, str]] = []
    done = 0
    for path, kind, size in files.todo:
        sources.append((path, kind))
        first = 0
        try:
            name = _name(case, path)
            with plain(path, kind) as local:
                for rows in rows_of(local, kind):
                    drawing.add(len(sources) - 1, name, first, (np.zeros(rows, np.int64), [NONE]))
                    first += rows
        except UserError as error:
            files.errors.append(_read_error(error))
        done += size
        yield Progress(done, files.size, "bytes")
    for _, paths in files.images:
        part = list(paths)
        drawing.add_files([_name(case, path) for path in part], len(sources), [NONE] * len(part))
        sources += [(path, "image") for path in part]
    drawn = drawing.drawn()
    if not drawn.samples:
        raise _nothing(role, files)
    samples = [
        Sample(case.relative(sources[file][0]), None if row < 0 else row, NONE) for file, row, _ in drawn.samples
    ]
    known = {case.relative(sources[file][0]): sources[file] for file, _, _ in drawn.samples}
    stamped = {name: File(kind, *marks.stamp(path)) for name, (path, kind) in known.items()}
    plan = Plan(seed, count, "", now(), NONE, samples, {}, 0, 0, drawn.labelled, stamped, len(files.errors))
    return plan, list(files.gaps(True))


def _pictures(
    case: Case, files: _labelled.Files, drawing: Drawing, sources: list[tuple[Place, str]]
) -> Generator[Progress, None, None]:
    """Pictures in folders by class."""
    from .readers.labels import class_folders

    for root, paths in files.images:
        found = class_folders(root, paths)
        if found is None:
            continue
        for start in range(0, len(paths), 10_000):
            part, names, labels = [], [], []
            for path in paths[start : start + 10_000]:
                try:
                    names.append(_name(case, path))
                except UserError as error:
                    files.errors.append(_read_error(error))
                else:
                    part.append(path)
                    labels.append(found[1](path))
            if part:
                drawing.add_files(names, len(sources), labels)
            sources += [(path, "image") for path in part]
            yield Progress(start + len(part), len(paths), "files")


def _name(case: Case, path: Place) -> str:
    """A file's name as it is kept. Raises UserError for one that no JSON can carry."""
    name = case.relative(path)
    require_utf8(name)
    return name


def _read_error(error: UserError) -> ReadError:
    return error if isinstance(error, ReadError) else ReadError(error.code, **{"path": None, **error.data})


def _nothing(role: str, files: _labelled.Files) -> UserError:
    """Why nothing could be drawn: the first error, or that there are no labels."""
    if files.errors:
        return files.errors[0]
    fields = ", ".join(files.fields[:20]) or ", ".join(sorted({kind for _, kind in files.others})[:5]) or "-"
    return UserError("no-samples", path=", ".join(files.addresses), key=f"data.{role}.label", fields=fields)


def adopt(record: marks.Record, role: str, plan: Plan) -> Plan:
    """A new plan with the marks of the old one for each sample that is in both under the same label."""
    old = record.plans.get(role)
    known = {(one.path, one.row, one.label): one.mark for one in old.samples} if old is not None else {}
    samples = [msgspec.structs.replace(one, mark=known.get((one.path, one.row, one.label))) for one in plan.samples]
    return msgspec.structs.replace(plan, samples=samples)


def keep_aside(case: Case) -> Path | None:
    """Copy the marks beside themselves before a plan with marks is replaced; None where there are none. Raises SaveError."""
    from .store import write_atomically

    path = marks.path_of(case)
    if not path.exists():
        return None
    aside = path.with_name(f"labels-{datetime.now(timezone.utc):%Y%m%dT%H%M%S}.json")
    write_atomically(aside, path.read_bytes())
    return aside


def drawn_now(
    case: Case,
    role: str,
    seed: int,
    count: int,
    who: str,
    progress: Callable[[Progress], object] | None = None,
) -> tuple[Plan, list[Finding]]:
    """draw(), for those who have no use for a generator."""
    return finish(draw(case, role, seed, count, who), progress)
