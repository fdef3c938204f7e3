"""What was examined, with digests that the usual tools give too."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Kind, Language, Level, ProbeResult, Status, Verdict
from accucheck.report import Options, inputs, render
from accucheck.report.build import build
from accucheck.report.results import MAX_ROWS
from accucheck.session import Entry, Record


def collected(root: Path, spec: dict, record: Record | None = None, **options: object) -> dict[str, dict]:
    case = Case(str(root), msgspec.convert(spec, CaseFile))
    return {row["key"]: row for row in inputs.collect(case, record or Record(), **options)}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "data/train/deep").mkdir(parents=True)
    for name, content in {"a.csv": "1,2", "deep/ü b.csv": "3", "deep/c\\d": "", "z.csv": "x" * 70_000}.items():
        (tmp_path / "data/train" / name).write_text(content)
    (tmp_path / "train.py").write_text("import mindspore\n")
    (tmp_path / "settings.yaml").write_text("lr: 0.1\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/x.py").write_text("")
    (tmp_path / "net.ckpt").write_bytes(bytes(range(256)) * 20_000)
    return tmp_path


def test_files_and_folders(project: Path) -> None:
    spec = {"scripts": {"train": ["train.py", "gone.py"]}, "data": {"train": {"path": "data/train"}}}
    found = collected(project, spec | {"checkpoints": {"current": "net.ckpt"}, "runtime": {"python": "train.py"}})
    content = (project / "net.ckpt").read_bytes()
    row = found["checkpoints.current"]
    assert (row["bytes"], row["method"]) == (len(content), "whole")
    assert row["md5"] == hashlib.md5(content).hexdigest()
    script = "find . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 md5sum | md5sum"
    done = subprocess.run(["bash", "-c", script], cwd=project / "data/train", capture_output=True, check=True)
    row = found["data.train.path"]
    assert (row["files"], row["bytes"], row["method"]) == (4, 70_004, "tree")
    assert row["md5"] == done.stdout.decode().split()[0], "the digest of accucheck manifest, and of md5sum"
    assert found["scripts.train"]["method"] == "absent", "the last of the two"
    code = found["code"]
    assert (code["files"], code["method"]) == (2, "tree"), "train.py and settings.yaml, not what git keeps"
    assert "runtime.python" not in found


def test_too_large_gets_a_weaker_digest_that_says_so(project: Path) -> None:
    spec = {"data": {"train": {"path": "data/train"}}, "checkpoints": {"current": "net.ckpt"}}
    first = collected(project, spec, most=1000)
    assert (first["data.train.path"]["method"], first["checkpoints.current"]["method"]) == ("listing", "ends")
    assert first["code"]["method"] == "tree", "what is small is still read whole"
    with (project / "net.ckpt").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"!")
    (project / "data/train/a.csv").write_text("1,2,3")
    second = collected(project, spec, most=1000)
    for key in ("checkpoints.current", "data.train.path"):
        assert first[key]["md5"] != second[key]["md5"]


def test_time_is_bounded(project: Path) -> None:
    spec = {"data": {"train": {"path": "data/train"}}, "checkpoints": {"current": "net.ckpt"}}
    found = collected(project, spec, seconds=0.0)
    assert found["checkpoints.current"]["method"] == "ends" and found["data.train.path"]["method"] == "size"
    assert found["data.train.path"]["files"] is None and inputs.WORDS["size"]["en"] == "too large: not counted"
    with (project / "big.ckpt").open("wb") as file:
        file.truncate(20 << 30)  # 20 GB that take no room
    found = collected(project, {"checkpoints": {"current": "big.ckpt"}})
    assert found["checkpoints.current"]["bytes"] == 20 << 30 and found["checkpoints.current"]["method"] == "ends"


def test_what_cannot_be_read_is_said(project: Path) -> None:
    os.mkfifo(project / "pipe")
    spec = {
        "data": {"train": {"path": "s3://user:secret@bucket/train"}},
        "curves": {"train": "pipe", "eval": "x" * 5000},
        "checkpoints": {"current": "gone.ckpt"},
    }
    found = collected(project, spec)
    assert {key: row["method"] for key, row in found.items() if key != "code"} == {
        "data.train.path": "address",
        "curves.train": "unreadable",
        "curves.eval": "unreadable",
        "checkpoints.current": "absent",
    }
    assert "secret" not in msgspec.json.encode(list(found.values())).decode()


def test_the_digest_of_the_probe_is_taken_while_it_holds(project: Path) -> None:
    finding = Finding("tree", Level.INFO, data={"files": 9, "bytes": 99, "digest": "d" * 32})
    result = ProbeResult("dataset_digest", Kind.FILE, Status.DONE, Verdict.OK, [finding])
    record = Record(entries={"ds.04": Entry(results={"dataset_digest": result})})
    spec = {"data": {"train": {"path": "data/train"}}}
    row = collected(project, spec, record)["data.train.path"]
    assert (row["files"], row["bytes"], row["md5"], row["method"]) == (9, 99, "d" * 32, "probe")
    stale = collected(project, spec, record, stale={("ds.04", "dataset_digest")})["data.train.path"]
    assert (stale["files"], stale["method"]) == (4, "tree")


@pytest.mark.parametrize("language", list(Language))
def test_in_the_report(project: Path, language: Language) -> None:
    case = Case(str(project), msgspec.convert({"checkpoints": {"current": "net.ckpt"}}, CaseFile))
    rows = inputs.collect(case, Record())
    report = build(Record(), [], case, language, inputs=rows)
    assert report.inputs is not None and [row[1] for row in report.inputs.rows] == [".", "net.ckpt"]
    assert report.inputs.rows[1][4] == rows[1]["md5"] and report.result["inputs"] == rows
    assert not {row[5] for row in report.inputs.rows} & set(inputs.WORDS), "words, not keys"


def test_the_commands_of_the_report_take_the_same_digests(project: Path) -> None:
    spec = {"data": {"train": {"path": "data/train"}}, "checkpoints": {"current": "net.ckpt"}}
    case = Case(str(project), msgspec.convert(spec | {"scripts": {"train": "train.py"}}, CaseFile))
    rows = inputs.collect(case, Record())
    steps = build(Record(), [], case, Language.EN, inputs=rows).reproduce
    folder, file = next(step.lines for step in steps if step.title == "The data")
    bin = Path(sys.executable).parent
    told = subprocess.run(
        f"PATH={bin}:$PATH; {folder} && {file}", shell=True, cwd=project, capture_output=True, text=True
    )
    known = {row["key"]: row["md5"] for row in rows}
    assert told.returncode == 0 and f"MD5 of the whole {known['data.train.path']}" in told.stderr
    assert told.stdout.split() == [known["checkpoints.current"], "net.ckpt"], "scripts are part of the code"
    outside = [{**row, "path": f"/srv/{row['path']}"} for row in rows]
    steps = build(Record(), [], case, Language.EN, inputs=outside).reproduce
    assert not next(step.lines for step in steps if step.title == "The data"), "nobody else has what lies outside"


@pytest.mark.parametrize("format", ["md", "html"])
def test_more_inputs_than_a_table_shows_lie_beside_the_report_which_says_where(tmp_path: Path, format: str) -> None:
    spec = {"scripts": {"train": [f"{number}.py" for number in range(MAX_ROWS + 10)]}}
    case = Case(str(tmp_path), msgspec.convert(spec, CaseFile))
    report = build(Record(), [], case, Language.EN, inputs=inputs.collect(case, Record()))
    files = render(report, "x", Options(formats=(format,), languages=(Language.EN,)))
    assert f"{MAX_ROWS + 9}.py" in files["x_files/table-001.csv"].decode()
    assert "table-001.csv" in files[f"x.{format}"].decode()
