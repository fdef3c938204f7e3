"""What the marks of a person say: rates, intervals, labels that are wrong throughout, data that changed since."""

import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from accucheck import engine, marks, sampling
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError, UserError
from accucheck.marks import Judgement
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import label_sample
from accucheck.probes.label_sample import Params
from labelled_data import write

RIGHT, WRONG, UNSURE = Judgement


def case_of(root: Path, **data: Any) -> Case:
    return Case(str(root), msgspec.convert({"data": data}, CaseFile))


def drawn(root: Path, kind: str = "csv", **options: Any) -> Case:
    """The digits in a format, with a plan drawn and stored."""
    case = case_of(root, train={"path": write(root, kind)})
    plan, gaps = sampling.drawn_now(case, "train", options.get("seed", 0), options.get("count", 50), "li")
    assert not gaps
    (root / ".accucheck").mkdir(exist_ok=True)
    marks.save(case, marks.with_plan(marks.Record(), "train", plan))
    return case


def mark(case: Case, *places: int, judgement: Judgement, role: str = "train") -> None:
    record = marks.load(case)
    for place in places:
        record = marks.marked(record, role, place, judgement, who="wang")
    marks.save(case, record)


def examined(case: Case, **params: float) -> tuple[Verdict, dict[str, Finding]]:
    found = [event for event in label_sample.run(case, Params(**params)) if isinstance(event, Finding)]
    return suggest(found), {finding.code: finding for finding in found}


@pytest.mark.parametrize(
    ("wrong", "looked", "low", "high"),
    [
        (0, 50, 0, 0.071),
        (1, 50, 0.0035, 0.105),
        (2, 50, 0.011, 0.135),
        (5, 50, 0.043, 0.214),
        (50, 50, 0.929, 1),
        (0, 0, 0, 1),
    ],
)
def test_the_interval_of_wilson(wrong: int, looked: int, low: float, high: float) -> None:
    assert marks.wilson(wrong, looked) == pytest.approx((low, high), abs=5e-4)


def test_nothing_wrong_is_ok_and_never_says_that_labels_are_right(tmp_path: Path) -> None:
    case = drawn(tmp_path)
    mark(case, *range(50), judgement=RIGHT)
    verdict, said = examined(case)
    assert verdict is Verdict.OK and said["no-error-found"].data["high"] == pytest.approx(0.0713, abs=1e-4)
    assert said["plan"].data["who"] == ["wang"] and said["plan"].data["seed"] == 0


@pytest.mark.parametrize(("wrong", "level"), [(1, Level.SUSPECT), (4, Level.SUSPECT), (5, Level.PROBLEM)])
def test_how_many_wrong_labels_are_a_problem(wrong: int, level: Level, tmp_path: Path) -> None:
    case = drawn(tmp_path)
    mark(case, *range(50), judgement=RIGHT)
    mark(case, *range(0, wrong * 5, 5), judgement=WRONG)  # one of each of several labels
    verdict, said = examined(case)
    finding = said["wrong-labels"]
    assert finding.level is level and verdict is (Verdict.PROBLEM if level is Level.PROBLEM else Verdict.UNDECIDED)
    listed, labels = finding.evidence
    assert len(listed.rows) == wrong and {row[0] for row in listed.rows} == {
        one.id for one in marks.load(case).plans["train"].samples if one.judgement is WRONG
    }
    assert sum(row[2] for row in labels.rows) == wrong and sum(row[3] for row in labels.rows) == 400
    assert examined(case, usual=0.5)[1]["wrong-labels"].level is Level.SUSPECT


def test_the_rate_weighted_by_label(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n" + "1,many\n" * 990 + "2,few\n" * 10)
    case = case_of(tmp_path, train={"path": "a.csv"})
    plan, _ = sampling.drawn_now(case, "train", 0, 20, "li")
    (tmp_path / ".accucheck").mkdir()
    marks.save(case, marks.with_plan(marks.Record(), "train", plan))
    few = [place for place, one in enumerate(plan.samples) if one.label == "few"]
    mark(case, *range(20), judgement=RIGHT)
    mark(case, *few, judgement=WRONG)
    rate = marks.rate(marks.load(case).plans["train"])
    assert rate.share == len(few) / 20 and rate.weighted == pytest.approx(0.01)


def test_a_plan_marked_in_part_or_unsure_is_undecided(tmp_path: Path) -> None:
    case = drawn(tmp_path)
    mark(case, *range(49), judgement=RIGHT)
    verdict, said = examined(case)
    assert verdict is Verdict.UNDECIDED and said["not-marked"].data["left"] == 1
    mark(case, 49, judgement=UNSURE)
    verdict, said = examined(case)
    assert verdict is Verdict.UNDECIDED and said["unsure"].data["count"] == 1 and "not-marked" not in said


def test_all_samples_of_a_small_set_are_enough(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n" + "1,a\n" * 6 + "2,b\n" * 6)
    case = case_of(tmp_path, train={"path": "a.csv"})
    plan, _ = sampling.drawn_now(case, "train", 0, 50, "li")
    assert len(plan.samples) == 12
    (tmp_path / ".accucheck").mkdir()
    marks.save(case, marks.with_plan(marks.Record(), "train", plan))
    mark(case, *range(12), judgement=RIGHT)
    assert examined(case)[0] is Verdict.OK


@pytest.mark.parametrize("kind", ["folders", "npz", "csv"])
def test_data_that_changed_since(kind: str, tmp_path: Path) -> None:
    case = drawn(tmp_path, kind)
    mark(case, *range(50), judgement=RIGHT)
    plan = marks.load(case).plans["train"]
    path = case.path(plan.samples[0].path)
    old = path.stat()
    os.utime(path, ns=(0, 0))  # another time, the same content: as on another machine
    assert examined(case)[0] is Verdict.OK
    os.utime(path, ns=(old.st_mtime_ns, old.st_mtime_ns))
    path.unlink()
    verdict, said = examined(case)
    gone = said["sample-gone"]
    assert verdict is Verdict.UNDECIDED and gone.data["count"] == (1 if kind == "folders" else 50)
    assert path.name in gone.data["why"]["en"]


def test_a_label_that_changed_does_not_count_as_right(tmp_path: Path) -> None:
    case = drawn(tmp_path)
    mark(case, *range(50), judgement=RIGHT)
    sample = marks.load(case).plans["train"].samples[7]
    lines = (tmp_path / "train.csv").read_text().split("\n")
    lines[sample.row + 1] = lines[sample.row + 1].rpartition(",")[0] + ",77"
    (tmp_path / "train.csv").write_text("\n".join(lines))
    verdict, said = examined(case)
    assert verdict is Verdict.UNDECIDED and said["relabelled"].data["first"] == sample.id
    assert (said["relabelled"].data["old"], said["relabelled"].data["new"]) == (sample.label, "77")
    assert said["no-error-found"].data["looked"] == 49


def test_a_damaged_file_of_marks_fails_and_is_left_as_it_is(tmp_path: Path) -> None:
    case = drawn(tmp_path)
    path = marks.path_of(case)
    for content, code in (
        (b"{", "marks-damaged"),
        (b'{"version": 9, "plans": {}}', "marks-newer"),
        (b"\xff\xfe", "marks-damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(ReadError) as caught:
            examined(case)
        assert caught.value.code == code and path.read_bytes() == content


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"kind": "csv"', '"kind": "pickle"'),
        ('"row": ', '"row": -'),
        ('"strata": {', '"strata": {"x": 0,'),
        ('"samples": [', '"samples": [{"path": "gone", "row": 1, "label": "1"},'),
        ('"train": {', '"other": {'),
        ('"seed": 0', '"seed": "a"'),
    ],
)
def test_a_file_of_marks_that_contradicts_itself(old: str, new: str, tmp_path: Path) -> None:
    case = drawn(tmp_path)
    path = marks.path_of(case)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ReadError) as caught:
        marks.load(case)
    assert caught.value.code == "marks-damaged"


def test_a_mark_makes_a_stored_result_stale(tmp_path: Path) -> None:
    case = drawn(tmp_path)
    job = engine.Job("ds.02", "label_sample")
    before = engine.fingerprint(case, job)
    assert engine.fingerprint(case, job) == before
    other = engine.fingerprint(case, engine.Job("ds.02", "label_conflicts"))
    mark(case, 3, judgement=RIGHT)
    assert engine.fingerprint(case, job) != before
    assert engine.fingerprint(case, engine.Job("ds.02", "label_conflicts")) == other
    marks.path_of(case).unlink()
    assert engine.fingerprint(case, job) != before


def test_a_plan_is_the_same_wherever_the_project_lies(tmp_path: Path) -> None:
    plans = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        plans.append(marks.load(drawn(tmp_path / name, "folders")).plans["train"].samples)
    assert plans[0] == plans[1] and all(one.path.startswith("train/") for one in plans[0])


def test_a_new_plan_keeps_the_marks_of_samples_that_stay(tmp_path: Path) -> None:
    case = drawn(tmp_path)
    mark(case, *range(50), judgement=RIGHT)
    record = marks.load(case)
    more, _ = sampling.drawn_now(case, "train", 0, 80, "li")
    adopted = sampling.adopt(record, "train", more)
    assert adopted.marked == 50 and len(adopted.samples) == 80
    other, _ = sampling.drawn_now(case, "train", 1, 50, "li")
    assert sampling.adopt(record, "train", other).marked < 25


def test_files_that_cannot_be_read_are_told_and_the_rest_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    write(tmp_path / "train", "csv")
    write(tmp_path / "train", "parquet")
    broken = tmp_path / "train" / "train.parquet"
    broken.write_bytes(broken.read_bytes()[:-100])
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/train/\xff.csv"))
    odd.write_text("x,label\n1,2\n")
    case = case_of(tmp_path, train={"path": "train"})
    plan, gaps = sampling.drawn_now(case, "train", 0, 50, "li")
    assert len(plan.samples) == 50 and plan.gaps == 2 and {gap.code for gap in gaps} == {"unreadable"}
    (tmp_path / ".accucheck").mkdir()
    marks.save(case, marks.with_plan(marks.Record(), "train", plan))
    mark(case, *range(50), judgement=RIGHT)
    verdict, said = examined(case)
    assert verdict is Verdict.UNDECIDED and said["partial"].data["count"] == 2


def test_nothing_to_draw_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y1\n1,2\n")
    (tmp_path / "b.csv").write_text("x,label\n")
    (tmp_path / "c.csv").write_text("")
    for name, code in (("a.csv", "no-samples"), ("b.csv", "no-samples"), ("c.csv", "empty"), ("gone", "not-found")):
        with pytest.raises(UserError) as caught:
            sampling.drawn_now(case_of(tmp_path, train={"path": name}), "train", 0, 50, "li")
        assert caught.value.code == code
    with pytest.raises(UserError) as caught:
        sampling.drawn_now(case_of(tmp_path), "eval", 0, 50, "li")
    assert caught.value.code == "without-data"


def test_samples_at_an_address_are_drawn_looked_at_and_checked_again(tmp_path: Path) -> None:
    import fsspec

    for kind in ("folders", "parquet"):
        write(tmp_path, kind)
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path / "train"), "/looked/train", recursive=True)
    memory.put(str(tmp_path / "train.parquet"), "/looked/table/train.parquet")
    for place in ("memory://looked/train", "memory://looked/table"):
        case = case_of(tmp_path, train={"path": place})
        plan, gaps = sampling.drawn_now(case, "train", 0, 50, "li")
        assert not gaps and len(plan.samples) == 50 and all(one.path.startswith(place) for one in plan.samples)
        found = dict(marks.contents(case, plan))
        assert len(found) == 50 and all(one.picture is not None for one in found.values())
        (tmp_path / ".accucheck").mkdir(exist_ok=True)
        marks.save(case, marks.with_plan(marks.Record(), "train", plan))
        mark(case, *range(50), judgement=RIGHT)
        assert examined(case)[0] is Verdict.OK
        memory.rm(plan.samples[0].path)
        verdict, said = examined(case)
        assert verdict is Verdict.UNDECIDED and said["sample-gone"].data["first"] == plan.samples[0].id


def test_labels_without_samples_are_said_to_be_alone(tmp_path: Path) -> None:
    np.save(tmp_path / "labels.npy", np.arange(60) % 3)
    case = case_of(tmp_path, train={"path": "labels.npy"})
    plan, _ = sampling.drawn_now(case, "train", 0, 50, "li")
    assert {content.problem.code for _, content in marks.contents(case, plan)} == {"sample-alone"}


def test_a_note_beside_the_data_is_no_gap(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    write(tmp_path / "train", "parquet")
    (tmp_path / "train" / "notes.bin").write_bytes(b"\0\1\2\3" * 100)
    plan, gaps = sampling.drawn_now(case_of(tmp_path, train={"path": "train"}), "train", 0, 50, "li")
    assert not gaps and plan.gaps == 0
