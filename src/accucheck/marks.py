"""The sample plan of ds.02 and what a person said of each sample, in .accucheck/labels.json: saved whole after each change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from .case import Case, networked
from .errors import ReadError, UserError, from_os_error
from .language import Words, word
from .model import Language, now
from .store import FOLDER, write_atomically

if TYPE_CHECKING:
    from .readers.contents import Content
    from .readers.places import File as Place

VERSION = 1
FILE_NAME = "labels.json"
#: A larger file is none of ours.
_LARGEST = 64 << 20


class Judgement(str, Enum):
    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


WORDS: Words = {
    "right": {"en": "right", "zh": "对"},
    "wrong": {"en": "wrong", "zh": "错"},
    "unsure": {"en": "unsure", "zh": "不确定"},
}


def said(judgement: Judgement | None, language: Language) -> str:
    """A judgement in words; nothing for none."""
    return "" if judgement is None else word(WORDS, judgement.value, language)


class Mark(msgspec.Struct, frozen=True):
    """What a person said of a sample; `judgement` is None where there is a note only."""

    judgement: Judgement | None
    who: str
    when: str
    note: str = ""


class Sample(msgspec.Struct, frozen=True):
    """A sample by its file (relative to the project where it lies inside) and its row from 0; None where the file is the sample."""

    path: str
    row: int | None
    label: str
    mark: Mark | None = None

    @property
    def id(self) -> str:
        return self.path if self.row is None else f"{self.path} [{self.row}]"

    @property
    def judgement(self) -> Judgement | None:
        return self.mark.judgement if self.mark is not None else None


class File(msgspec.Struct, frozen=True):
    """A file that samples were drawn from: its kind, its size in bytes, and its time of change in ns."""

    kind: str
    size: int
    time: int


class Plan(msgspec.Struct, frozen=True):
    """`strata` maps each label that was drawn from to its samples, or is empty where labels are no classes; `labels` is how many
    different labels there are, `missing` how many samples have none, `gaps` how many files could not be read."""

    seed: int
    count: int
    who: str
    when: str
    field: str | None
    samples: list[Sample]
    strata: dict[str, int]
    labels: int
    labelled: int
    missing: int
    files: dict[str, File]
    gaps: int = 0

    @property
    def marked(self) -> int:
        return sum(sample.judgement is not None for sample in self.samples)


class Record(msgspec.Struct, frozen=True):
    """The file: a plan for "train", "eval" or both."""

    version: int = VERSION
    plans: dict[str, Plan] = {}


def path_of(case: Case) -> Path:
    return Path(case.root, FOLDER, FILE_NAME)


def load(case: Case) -> Record:
    """The plans of a project; none where there is no file. Raises ReadError for a damaged one, which is left as it is."""
    path = path_of(case)
    try:
        size = path.stat().st_size
        if not path.is_file():  # a pipe would be waited for
            raise ReadError("is-directory" if path.is_dir() else "not-regular", path=str(path))
        if size > _LARGEST:
            raise ReadError("too-large", path=str(path), size=size, limit=_LARGEST)
        content = path.read_bytes()
    except FileNotFoundError:
        return Record()
    except OSError as error:
        raise from_os_error(error, path) from None
    try:
        record = msgspec.json.decode(content, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError("marks-damaged", path=str(path), problem=str(error)[:200]) from None
    if record.version != VERSION:
        raise ReadError("marks-newer", path=str(path), found=record.version, limit=VERSION)
    if problem := _contradiction(record):
        raise ReadError("marks-damaged", path=str(path), problem=problem)
    return record


def _contradiction(record: Record) -> str:
    """What no plan of ours holds; it would be met again far from here. Empty when there is nothing."""
    from .readers.detect import FORMATS

    for role, plan in record.plans.items():
        if not plan.samples or role not in ("train", "eval"):
            return f"plans.{role}"
        if any(file.kind not in (*FORMATS, "json") for file in plan.files.values()):
            return f"plans.{role}.files"
        if any(size < 1 for size in plan.strata.values()):
            return f"plans.{role}.strata"
        for sample in plan.samples:
            if (
                sample.path not in plan.files
                or (plan.strata and sample.label not in plan.strata)
                or (sample.row or 0) < 0
            ):
                return f"plans.{role}.samples: {sample.id[:100]}"
    return ""


def save(case: Case, record: Record) -> None:
    """Store the plans, whole or not at all. Raises SaveError."""
    write_atomically(path_of(case), msgspec.json.format(msgspec.json.encode(record), indent=1))


def marked(
    record: Record, role: str, place: int, judgement: Judgement | None, note: str | None = None, who: str = ""
) -> Record:
    """The record with a judgement of one sample; `note` None keeps the note that stands."""
    plan = record.plans[role]
    sample = plan.samples[place]
    text = note if note is not None else sample.mark.note if sample.mark is not None else ""
    mark = Mark(judgement, who, now(), text) if judgement is not None or text else None
    samples = list(plan.samples)
    samples[place] = msgspec.structs.replace(sample, mark=mark)
    return with_plan(record, role, msgspec.structs.replace(plan, samples=samples))


def with_plan(record: Record, role: str, plan: Plan) -> Record:
    return msgspec.structs.replace(record, plans={**record.plans, role: plan})


def class_name(case: Case, label: str) -> str:
    """A label as people read it: with the name of its class where the case declares names and the label is a number."""
    classes = [str(one) for one in case.spec.data.train.classes]
    if label.isdecimal() and label not in classes and len(label) < 10 and int(label) < len(classes):
        return f"{label} ({classes[int(label)]})"
    return label


# --- reading back -----------------------------------------------------------------------------------------------------


def contents(
    case: Case, plan: Plan, places: list[int] | None = None, pictures: bool = True
) -> Iterator[tuple[int, Content | UserError]]:
    """The samples of a plan (all, or those at these places), file by file, as they are now; an error for what cannot be read."""
    from .readers.contents import read
    from .readers.labels import NoLabelField
    from .readers.places import plain

    by_file: dict[str, dict[int, int]] = {}
    for place in range(len(plan.samples)) if places is None else places:
        sample = plan.samples[place]
        by_file.setdefault(sample.path, {})[-1 if sample.row is None else sample.row] = place
    for name, rows in by_file.items():
        kind = plan.files[name].kind if name in plan.files else "image"
        left = dict(rows)
        problem: UserError
        try:
            with plain(located(case, name), kind) as file:
                for row, content in read(file, kind, plan.field, rows, pictures):
                    yield left.pop(row), content
        except NoLabelField as error:
            problem = ReadError("sample-label", path=name, fields=", ".join(error.fields[:20]) or "-")
        except UserError as error:
            problem = error
        except OSError as error:
            problem = from_os_error(error, name)
        else:
            problem = ReadError("sample-gone", path=name)
        for place in left.values():
            yield place, problem


def located(case: Case, name: str) -> Place:
    """The file that a sample names: below the data of the case, for the list may be a stranger's and must not show other files. Addresses
    of the case also know how to get there. Raises ReadError."""
    from .readers.places import at, under

    for role in ("train", "eval"):
        named = case.get(f"data.{role}.path")
        for address in [named] if isinstance(named, str) else named or []:
            if networked(address) and "://" not in name:
                continue
            root = at(address, case.agreed) if "://" in address else case.path(address)
            if isinstance(root, Path):  # lexically: links within a data set may lead anywhere
                if "://" not in name and Path(os.path.normpath(case.path(name))).is_relative_to(os.path.normpath(root)):
                    return case.path(name)
            elif (found := under(root, name)) is not None:
                return found
    raise ReadError("sample-gone", path=name)


class Changes(msgspec.Struct):
    """How the data differ from the plan: `files` of another size, samples at a place that cannot be read any more, and those
    with another label, which is given."""

    files: list[str] = []
    gone: dict[int, UserError] = {}
    relabelled: dict[int, str] = {}


def changes(case: Case, plan: Plan) -> Changes:
    """Compare a plan with its data. Labels are read again only from files whose size or time has changed."""
    found = Changes([], {}, {})
    look: list[int] = []
    touched: dict[str, bool] = {}
    for place, sample in enumerate(plan.samples):
        if sample.path not in touched:
            touched[sample.path] = _touched(case, plan, sample.path, found)
        if touched[sample.path]:
            look.append(place)
    for place, content in contents(case, plan, look, pictures=False):
        sample = plan.samples[place]
        if isinstance(content, UserError):
            found.gone[place] = content
        elif sample.row is not None and content.label != sample.label:
            found.relabelled[place] = content.label or ""
    return found


def _touched(case: Case, plan: Plan, name: str, found: Changes) -> bool:
    known = plan.files.get(name)
    try:
        size, time = stamp(located(case, name))
    except (UserError, OSError, ValueError):
        return True
    if known is None:
        return False
    if size != known.size:
        found.files.append(name)
    return (size, time) != (known.size, known.time)


def stamp(file: Place) -> tuple[int, int]:
    """Size in bytes and time of change in ns, 0 for a file at an address. Raises ReadError and OSError."""
    from .readers.places import RemotePath, listed

    if isinstance(file, RemotePath):
        return next(iter(listed(file))).size, 0
    status = file.stat()
    return status.st_size, status.st_mtime_ns


# --- rates ------------------------------------------------------------------------------------------------------------


class Rate(msgspec.Struct, frozen=True):
    """Of `looked` samples with a clear judgement `wrong` are wrong: the share, its interval, and the share weighted by the size of
    each stratum (None while a stratum has no clear judgement)."""

    right: int
    wrong: int
    unsure: int
    left: int
    share: float
    low: float
    high: float
    weighted: float | None

    @property
    def looked(self) -> int:
        return self.right + self.wrong


def wilson(wrong: int, looked: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson score interval of a share (Wilson, 1927), for 95 % unless told; (0, 1) of nothing."""
    if not looked:
        return 0.0, 1.0
    share = wrong / looked
    middle = (share + z * z / (2 * looked)) / (1 + z * z / looked)
    half = z / (1 + z * z / looked) * (share * (1 - share) / looked + z * z / (4 * looked * looked)) ** 0.5
    low = 0.0 if wrong == 0 else max(0.0, middle - half)
    high = 1.0 if wrong == looked else min(1.0, middle + half)
    return low, high


def rate(plan: Plan) -> Rate:
    counts = {judgement: sum(sample.judgement is judgement for sample in plan.samples) for judgement in Judgement}
    right, wrong, unsure = (counts[one] for one in (Judgement.RIGHT, Judgement.WRONG, Judgement.UNSURE))
    low, high = wilson(wrong, right + wrong)
    share = wrong / (right + wrong) if right + wrong else 0.0
    strata = by_label(plan)
    total = sum(plan.strata.values())
    weighted = None
    if plan.strata and all(looked for looked, _ in strata.values()):
        weighted = sum(plan.strata[label] / total * bad / looked for label, (looked, bad) in strata.items())
    return Rate(right, wrong, unsure, len(plan.samples) - right - wrong - unsure, share, low, high, weighted)


def by_label(plan: Plan) -> dict[str, tuple[int, int]]:
    """For each stratum: samples with a clear judgement, and the wrong ones among them."""
    found = dict.fromkeys(plan.strata, (0, 0))
    for sample in plan.samples:
        if sample.label in found and sample.judgement in (Judgement.RIGHT, Judgement.WRONG):
            looked, wrong = found[sample.label]
            found[sample.label] = looked + 1, wrong + (sample.judgement is Judgement.WRONG)
    return found
