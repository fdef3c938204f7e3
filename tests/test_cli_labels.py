"""`accucheck labels` as a person uses it: plan, contact sheets, a table marked in a spreadsheet and read back."""

import csv
import fcntl
import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from accucheck.case import Case
from accucheck.marks import Judgement, Mark, Plan, Record, Sample
from accucheck.model import Language
from accucheck.report import sheet
from command_line import Ran, accucheck
from labelled_data import IMAGES, LABELS, write

pytestmark = pytest.mark.part(40)

HEAD = ["number", "sample", "label", "content", "mark (right, wrong or unsure)", "note"]


def project(folder: Path, kind: str = "csv", extra: str = "") -> Path:
    path = write(folder, kind)
    (folder / "accucheck.yaml").write_text(f"data: {{train: {{path: {path}{extra}}}}}\n")
    return folder


def labels(folder: Path, *arguments: str, **environment: str) -> Ran:
    return accucheck("labels", str(folder), *arguments, cwd=folder, **environment)


def table(folder: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO((folder / "out" / "labels-train.csv").read_text("utf-8-sig"))))


def marked(folder: Path, marks: dict[int, str], encoding: str = "utf-8-sig", separator: str = ",") -> None:
    rows = table(folder)
    for number, text in marks.items():
        rows[number][4] = text
    with (folder / "marked.csv").open("w", encoding=encoding, newline="") as stream:
        csv.writer(stream, delimiter=separator).writerows(rows)


def stored(folder: Path) -> dict[int, str | None]:
    record = json.loads((folder / ".accucheck" / "labels.json").read_text())
    samples = record["plans"]["train"]["samples"]
    return {number: one["mark"] and one["mark"]["judgement"] for number, one in enumerate(samples, 1)}


def test_the_plan_is_drawn_stored_and_printed(tmp_path: Path) -> None:
    ran = labels(project(tmp_path))
    assert ran.code == 0 and "50 samples from 10 of 10 labels" in ran.out and "seed 0" in ran.out and not ran.err
    assert labels(tmp_path).out == ran.out, "the same tomorrow"
    found = json.loads(labels(tmp_path, "--json").out)
    assert found["rate"]["left"] == 50 and len(found["plan"]["samples"]) == 50 and found["plan"]["strata"]["0"] == 41
    zh = labels(tmp_path, "--lang", "zh")
    assert "抽取 50 个样本" in zh.out and "未标注：50" in zh.out
    other = labels(tmp_path, "--seed", "5", "--count", "12")
    assert "12 samples" in other.out and "seed 5" in other.out


def test_json_names_the_sheets_and_is_nothing_else(tmp_path: Path) -> None:
    found = json.loads(labels(project(tmp_path), "--sheet", "out", "--json").out)
    assert found["sheets"] and all((tmp_path / path).is_file() for path in found["sheets"])
    assert json.loads(labels(tmp_path, "--json").out)["sheets"] == []


@pytest.mark.parametrize("kind", ["csv", "folders", "npz", "tfrecord", "coco"])
def test_contact_sheets_show_each_sample(kind: str, tmp_path: Path) -> None:
    ran = labels(project(tmp_path, kind), "--sheet", "out")
    assert ran.code == 0 and len([line for line in ran.out.splitlines() if line.endswith(".png")]) == 2
    sheet = np.asarray(Image.open(tmp_path / "out" / "labels-train-1.png").convert("L"))
    for number in range(25):
        left, top = 10 + number % 5 * 240, 40 + number // 5 * 290
        assert sheet[top + 20 : top + 200, left + 20 : left + 200].std() > 20, f"{number + 1} is empty"
    rows = table(tmp_path)
    assert rows[0] == HEAD and len(rows) == 51 and all("picture" in row[3] for row in rows[1:])
    assert (tmp_path / "out" / "labels-train.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_a_sheet_of_texts(tmp_path: Path) -> None:
    texts = [f"film {n} was very good 很好 [red]" for n in range(60)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": one, "label": "正面"}) + "\n" for one in texts))
    (tmp_path / "accucheck.yaml").write_text("data: {train: {path: a.jsonl}}\n")
    ran = labels(tmp_path, "--sheet", "out")
    assert ran.code == 0 and all(
        "was very good 很好 [red]" in row[3] and row[2] == "正面" for row in table(tmp_path)[1:]
    )
    sheet = np.asarray(Image.open(tmp_path / "out" / "labels-train-1.png").convert("L"))
    assert sheet[45:120, 15:200].std() > 10


@pytest.mark.parametrize(
    ("encoding", "separator"), [("utf-8-sig", ","), ("utf-8", ";"), ("gb18030", ","), ("utf-16", "\t")]
)
def test_marks_are_read_back_as_spreadsheets_save_them(encoding: str, separator: str, tmp_path: Path) -> None:
    labels(project(tmp_path), "--sheet", "out")
    words = ["right", "1", "对", "Y", "wrong", "0", "错", "n", "unsure", "不确定", "?", ""]
    marked(tmp_path, dict(enumerate(words, 1)), encoding, separator)
    ran = labels(tmp_path, "--read", "marked.csv", "--as", "王")
    assert ran.code == 1 and "marks read: 11" in ran.err and "4 of 8" in ran.out
    found = stored(tmp_path)
    assert [found[number] for number in range(1, 13)] == [*["right"] * 4, *["wrong"] * 4, *["unsure"] * 3, None]
    record = json.loads((tmp_path / ".accucheck" / "labels.json").read_text())
    first = record["plans"]["train"]["samples"][0]["mark"]
    assert first["who"] == "王" and first["when"].startswith("20")


def test_every_wrong_line_is_named_and_nothing_is_taken(tmp_path: Path) -> None:
    labels(project(tmp_path), "--sheet", "out")
    marked(tmp_path, {1: "right", 2: "perhaps"})
    rows = list(csv.reader((tmp_path / "marked.csv").open(encoding="utf-8-sig")))
    rows[3][0], rows[4][1], rows[5][2], rows[7][0] = "51", "other.csv [1]", "cat", "6"
    with (tmp_path / "marked.csv").open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream).writerows(rows)
    ran = labels(tmp_path, "--read", "marked.csv")
    assert ran.code == 2 and not ran.out
    for line, text in ((3, "perhaps is not a mark"), (4, "51"), (5, "other.csv [1]"), (6, "cat"), (8, "appears twice")):
        assert any(one.startswith(f"  {line}: ") and text in one for one in ran.err.splitlines()), ran.err
    assert set(stored(tmp_path).values()) == {None}
    for content, text in (("", "empty"), ("a,b\n1,2\n", "number, mark")):
        (tmp_path / "marked.csv").write_text(content)
        ran = labels(tmp_path, "--read", "marked.csv")
        assert ran.code == 2 and text in ran.err
    assert labels(tmp_path, "--read", "gone.csv").code == 2


def test_cells_that_a_spreadsheet_would_run_are_quoted_and_read_back(tmp_path: Path) -> None:
    hostile = ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2", "[red]x[/]\x1b[31m"]
    rows = [{"text": "=HYPERLINK(1)", "label": hostile[n % 5]} for n in range(60)]
    (tmp_path / "=a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "accucheck.yaml").write_text("data: {train: {path: '=a.jsonl'}}\n")
    assert labels(tmp_path, "--sheet", "out").code == 0
    found = table(tmp_path)[1:]
    assert not any(cell.startswith(("=", "+", "@")) for row in found for cell in row)
    assert {row[2] for row in found} == {"'=1+1", "'+cmd|' /C calc'!A0", "'@SUM(A1)", "-2", "[red]x[/]\\x1b[31m"}
    marked(tmp_path, dict.fromkeys(range(1, 51), "right"))
    ran = labels(tmp_path, "--read", "marked.csv")
    assert ran.code == 0 and "\x1b" not in ran.out and "no error found among 50" in ran.out


@pytest.mark.parametrize("language", list(Language))
def test_an_untouched_table_changes_nothing(language: Language, tmp_path: Path) -> None:
    labels = ["＝", "＋1", "－", "＠x", "=1+1", "'=1", "-2", "'-2", "-2 ", "a\nb", " x ", "\u3000=x"]
    notes = ["line one\nline two", "=cat, not dog", "＝", "'=a", " \tblank ", "\x1b[31m", "plain", ""]
    when = "2026-01-01T00:00:00+00:00"
    samples = [
        Sample(f"{label}.png", None, label, Mark(Judgement.WRONG, "wang", when, notes[place % len(notes)]))
        for place, label in enumerate(labels)
    ]
    plan = Plan(1, len(samples), "wang", when, None, samples, {}, len(labels), len(labels), 0, {})
    case, record = Case(str(tmp_path)), Record(plans={"train": plan})
    (tmp_path / "t.csv").write_bytes(sheet.table(case, plan, {}, language))
    read, count = sheet.read(case, "train", record, tmp_path / "t.csv", "li", language)
    assert read == record and count == len(samples)
    text = (tmp_path / "t.csv").read_text("utf-8-sig")
    (tmp_path / "t.csv").write_text(text.replace("line one⏎line two", "＝ it is a cat"))
    mark = sheet.read(case, "train", record, tmp_path / "t.csv", "li", language)[0].plans["train"].samples[0].mark
    assert mark is not None and (mark.who, mark.note) == ("li", "＝ it is a cat"), "what was changed is taken"


def test_marks_are_never_lost_to_another_seed(tmp_path: Path) -> None:
    labels(project(tmp_path), "--sheet", "out")
    marked(tmp_path, {1: "right", 2: "wrong"})
    labels(tmp_path, "--read", "marked.csv")
    ran = labels(tmp_path, "--seed", "4")
    assert ran.code == 2 and "--redraw" in ran.err and list(stored(tmp_path).values()).count(None) == 48
    ran = labels(tmp_path, "--redraw", "--count", "400")
    kept = [value for value in stored(tmp_path).values() if value]
    assert sorted(kept) == ["right", "wrong"] and ran.code == 1
    (aside,) = (tmp_path / ".accucheck").glob("labels-*.json")
    assert json.loads(aside.read_text())["plans"]["train"]["count"] == 50


def test_a_damaged_file_is_named_and_kept(tmp_path: Path) -> None:
    labels(project(tmp_path))
    path = tmp_path / ".accucheck" / "labels.json"
    path.write_text("{")
    for arguments in ((), ("--redraw",), ("--sheet", "out")):
        ran = labels(tmp_path, *arguments)
        assert ran.code == 2 and "labels.json" in ran.err and path.read_text() == "{"


def test_while_another_holds_the_session_the_plan_is_only_read(tmp_path: Path) -> None:
    labels(project(tmp_path), "--sheet", "out")
    marked(tmp_path, {1: "right"})
    with (tmp_path / ".accucheck" / "lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert labels(tmp_path).code == 0 and labels(tmp_path, "--sheet", "out").code == 0
        for arguments in (("--read", "marked.csv"), ("--redraw",)):
            ran = labels(tmp_path, *arguments)
            assert ran.code == 2 and "another accucheck" in ran.err
    assert set(stored(tmp_path).values()) == {None}


def test_names_of_classes_and_a_picture_that_cannot_be_shown(tmp_path: Path) -> None:
    project(tmp_path, "folders", ", classes: [zero, one, two, three, four, five, six, seven, eight, nine]")
    labels(tmp_path)
    sample = json.loads((tmp_path / ".accucheck" / "labels.json").read_text())["plans"]["train"]["samples"][3]
    (tmp_path / sample["path"]).write_bytes(b"no picture")
    ran = labels(tmp_path, "--sheet", "out")
    assert ran.code == 3 and "4: " in ran.err and "cannot be shown" in ran.err
    assert table(tmp_path)[4][2] == f"{sample['label']} (zero)"
    ran = labels(tmp_path, "--read", "out/labels-train.csv")
    assert ran.code == 0 and "marks read: 0" in ran.err


def test_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "accucheck.yaml").write_text("name: x\n")
    ran = labels(tmp_path)
    assert ran.code == 2 and "data.train.path" in ran.err
    project(tmp_path)
    assert labels(tmp_path, "--read", "x.csv").code == 2
    assert labels(tmp_path, "--count", "0").code == 2
    ran = labels(tmp_path, "--role", "eval")
    assert ran.code == 2 and "data.eval.path" in ran.err


def test_run_knows_the_marks(tmp_path: Path) -> None:
    labels(project(tmp_path), "--sheet", "out")
    ran = accucheck("run", str(tmp_path), "--only", "ds.02")
    assert "50 of 50 drawn samples are not marked" in ran.out and "undecided" in ran.out
    marked(tmp_path, dict.fromkeys(range(1, 51), "right"))
    assert labels(tmp_path, "--read", "marked.csv").code == 0
    found = json.loads(accucheck("run", str(tmp_path), "--only", "ds.02", "--json").out)
    assert found["items"][0]["suggestion"] == "ok"
    marked(tmp_path, {**dict.fromkeys(range(1, 51), "right"), **dict.fromkeys(range(1, 40, 5), "wrong")})
    labels(tmp_path, "--read", "marked.csv")
    ran = accucheck("run", str(tmp_path), "--only", "ds.02")
    assert ran.code == 1 and "8 of 50 reviewed labels" in ran.out
    assert len(IMAGES) == len(LABELS) == 400


def test_samples_of_a_compressed_table_and_of_a_shard(tmp_path: Path) -> None:
    import gzip

    for name in ("packed", "shard"):
        (tmp_path / name).mkdir()
    packed = project(tmp_path / "packed")
    (train,) = packed.glob("train.csv")
    (packed / "train.csv.gz").write_bytes(gzip.compress(train.read_bytes()))
    train.unlink()
    (packed / "accucheck.yaml").write_text("data: {train: {path: train.csv.gz}}\n")
    for folder in (packed, project(tmp_path / "shard", "tar")):
        sheets = labels(folder, "--sheet", str(folder / "sheets"))
        assert sheets.code == 0, sheets
        assert len(stored(folder)) == 50
        assert list((folder / "sheets").glob("*.png"))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_mark_is_written_as_it_is_read(language: str, tmp_path: Path) -> None:
    project(tmp_path)
    labels(tmp_path, "--sheet", "out")
    marked(tmp_path, {1: "right", 2: "wrong", 3: "unsure"})
    labels(tmp_path, "--read", "marked.csv")
    before = stored(tmp_path)
    assert [before[number] for number in (1, 2, 3)] == ["right", "wrong", "unsure"]
    ran = labels(tmp_path, "--sheet", "out", "--lang", language)
    assert ran.code == 1, ran
    (tmp_path / ".accucheck" / "labels.json").unlink()
    labels(tmp_path)
    again = labels(tmp_path, "--read", "out/labels-train.csv", "--lang", language)
    assert again.code == 1 and stored(tmp_path) == before, again
