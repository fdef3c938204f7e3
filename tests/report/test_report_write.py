"""Writing reports: names that stay in their folder, whole files, and errors for people."""

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import docx
import pytest
from report_sample import MOMENT, result

from accucheck import report as reports
from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.errors import SaveError
from accucheck.model import Finding, Kind, Language, Level, Table
from accucheck.report import Options, file_stem, write
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.session import Entry, Record

pytestmark = pytest.mark.part(5)

ALL = tuple(reports.FORMATS)


def test_all_formats(report: Report, tmp_path: Path) -> None:
    folder = tmp_path / "new/reports"
    written = write(report, folder, Options(formats=(*ALL, "md")))
    assert [path.name for path in written.paths] == [
        f"resnet50-cifar10-accuracy.{form.ending}" for form in reports.FORMATS.values()
    ]
    assert all(path.stat().st_size > 1000 for path in written.paths)
    assert sorted(written.files) == sorted(path for path in folder.rglob("*") if path.is_file())
    assert {path.name for path in folder.iterdir()} == {path.name for path in written.paths} | {
        "resnet50-cifar10-accuracy_files"
    }
    assert len(list((folder / "resnet50-cifar10-accuracy_files").iterdir())) == 3
    before = {path: path.read_bytes() for path in written.files}
    again = write(report, folder, Options(formats=ALL, force=True))
    assert sorted(again.files) == sorted(before)
    assert {path: path.read_bytes() for path in before} == before


def test_a_report_is_never_overwritten(report: Report, tmp_path: Path) -> None:
    """All files of one report share a number, also where only one format is in the way."""
    first = write(report, tmp_path, Options(formats=("md", "json"), stem="x"))
    kept = {path: path.read_bytes() for path in first.files}
    second = write(report, tmp_path, Options(formats=("docx", "md"), stem="x"))
    assert [path.name for path in second.paths] == ["x-2.docx", "x-2.md"]
    assert "(x-2_files/chart-001.png)" in (tmp_path / "x-2.md").read_text()
    (tmp_path / "X-3.txt").write_text("another file, on a file system that may not tell x from X")
    assert [path.name for path in write(report, tmp_path, Options(formats=("json",), stem="x")).paths] == ["x-4.json"]
    assert {path: path.read_bytes() for path in first.files} == kept


def test_force_leaves_no_picture_of_the_report_before(report: Report, tmp_path: Path) -> None:
    folder = tmp_path / "x_files"
    folder.mkdir()
    for name in ("chart-009.png", "attachment-012.log", "table-003.csv", "mine.txt", "chart-1"):
        (folder / name).write_text("old")
    write(report, tmp_path, Options(formats=("md",), stem="x", force=True))
    assert {path.name for path in folder.iterdir()} == {
        "chart-001.png",
        "chart-002.png",
        "chart-003.png",
        "mine.txt",
        "chart-1",
    }


def test_a_name_that_is_taken_meanwhile(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    render = reports.render

    def slow(report: Report, stem: str, options: Options) -> dict[str, bytes]:
        if stem == "x":
            (tmp_path / "x_files").mkdir()
            (tmp_path / "x_files/chart-002.png").write_text("another process was faster")
        return render(report, stem, options)

    monkeypatch.setattr(reports, "render", slow)
    assert [path.name for path in write(report, tmp_path, Options(formats=("md",), stem="x")).paths] == ["x-2.md"]
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == {
        "x_files/chart-002.png",
        "x-2.md",
        "x-2_files/chart-001.png",
        "x-2_files/chart-002.png",
        "x-2_files/chart-003.png",
    }


def test_where_there_are_no_hard_links(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    for name in ("x.json", "x-2.json"):
        assert [path.name for path in write(report, tmp_path, Options(formats=("json",), stem="x")).paths] == [name]
    assert {path.name for path in tmp_path.iterdir()} == {"x.json", "x-2.json"}


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("resnet50-cifar10", "resnet50-cifar10"),
        ("../../etc/passwd", "etc-passwd"),
        ("/abs", "abs"),
        ("..", "report"),
        ("", "report"),
        (".hidden", "hidden"),
        ("a\0b\nc:d*e", "a-b-c-d-e"),
        ("模型 v1", "模型-v1"),
        ("-rf", "rf"),
        ("训" * 300, "训" * 40),
        ("\udcff\u202e", "report"),
    ],
)
def test_stems(name: str, stem: str) -> None:
    assert file_stem(name) == stem
    assert len(file_stem(name).encode()) <= 120


def test_a_hostile_name_stays_in_the_folder(report: Report, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    options = Options(formats=("json", "md"), stem="../../../escape/" + "x" * 500)
    assert all(path.parent == folder for path in write(report, folder, options).paths)
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_an_unknown_format_writes_nothing(report: Report, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="pdf"):
        write(report, tmp_path / "out", Options(formats=("json", "pdf")))
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way(report: Report, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(SaveError) as error:
        write(report, tmp_path / "out", Options(formats=("json",)))
    assert error.value.code == "not-a-directory"
    with pytest.raises(SaveError) as error:
        write(report, tmp_path / "out/below", Options(formats=("json",)))
    assert error.value.code == "not-a-directory"


def test_a_folder_in_the_place_of_the_report(report: Report, tmp_path: Path) -> None:
    (tmp_path / "x.json").mkdir()
    with pytest.raises(SaveError) as error:
        write(report, tmp_path, Options(formats=("json",), stem="x", force=True))
    assert error.value.code == "is-directory"
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"], "no temporary file is left"


def test_a_file_that_cannot_be_written_whole(report: Report, tmp_path: Path) -> None:
    """The system's limit of a file's size lets the pictures through and cuts the report: nothing is left of either."""
    script = f"""
import resource
from pathlib import Path
from accucheck.store import write_together
from accucheck.errors import SaveError
from accucheck.model import Language
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
files = {{"x_files/chart-001.png": b"p" * 4000, "x.md": b"m" * 6000}}
try:
    write_together(Path({str(tmp_path / "new/out")!r}), files, replace=True)
except SaveError as error:
    print(error.code, error.text(Language.EN))
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (
        ran.stdout
        == f"file-limit {tmp_path}/new/out/x.md could not be written whole: the system allows no file of that size "
        "(ulimit -f).\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(report: Report, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SaveError) as error:
        write(report, tmp_path / "out", Options(formats=("json",)))
    assert error.value.code == "no-permission"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc")
def test_a_file_system_that_takes_no_files(report: Report) -> None:
    with pytest.raises(SaveError):
        write(report, Path("/proc/accucheck"), Options(formats=("json",)))


def test_formats_have_files_of_their_own() -> None:
    assert {"md", "docx", "json", "sarif", "junit"} <= set(reports.FORMATS)
    assert len({form.ending for form in reports.FORMATS.values()}) == len(reports.FORMATS)


ROWS = 100_000
NAMES = [
    "=cmd|' /C calc'!A0",
    "-1.5e3",
    "+86 123",
    "@SUM(A1)",
    "＝1+1",
    "文件\n名.csv",
    '"quoted", comma',
    "\ufeffx",
    None,
    True,
]


@pytest.fixture
def long_table(checklists: list[Checklist], case: Case) -> Report:
    rows = [[n, -n / 7, NAMES[n % len(NAMES)], f"{case.root}/data/part-{n}.csv"] for n in range(ROWS)]
    table = Table("top", ["index", "value", "=label", "file", *map(str, range(9))], rows, total=ROWS * 2)
    found = Finding("odd-name", Level.SUSPECT, data={"name": "x"}, evidence=[table, table])
    entry = Entry(results={"fake_order": result("fake_order", Kind.FILE, [found])})
    return build(Record(entries={"dp.03": entry}), checklists, case, Language.ZH, None, frozenset(), MOMENT)


@pytest.mark.part(40)
def test_a_long_table_lies_whole_beside_the_report(long_table: Report, tmp_path: Path) -> None:
    written = write(long_table, tmp_path, Options(formats=ALL, stem="x"))
    assert {path.name for path in written.files} >= {"table-001.csv", "table-002.csv"}
    text = (tmp_path / "x.md").read_text()
    assert text.count("| 49 |") == 2 and "| 50 |" not in text
    assert "共 200,000 行，此处为前 50 行" in text
    assert "已记录的全部 100,000 行见 [table-001.csv](x_files/table-001.csv)" in text
    page = (tmp_path / "x.html").read_text()
    assert (
        '<a href="x_files/table-001.csv" download="table-001.csv">已记录的全部 100,000 行见 table-001.csv</a>' in page
    )
    paragraphs = [paragraph.text for paragraph in docx.Document(str(tmp_path / "x.docx")).paragraphs]
    assert "已记录的全部 100,000 行见 x_files/table-002.csv" in paragraphs
    content = (tmp_path / "x_files/table-001.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert len(rows) == ROWS + 1 and rows[0][:4] == ["index", "value", "'=label", "file"]
    assert [row[2] for row in rows[1:11]] == [
        "'=cmd|' /C calc'!A0",
        "-1.5e3",
        "'+86 123",
        "'@SUM(A1)",
        "'＝1+1",
        "文件⏎名.csv",
        '"quoted", comma',
        "\\ufeffx",
        "",
        "true",
    ]
    assert rows[8][:2] == ["7", "-1.0"] and float(rows[9][1]) == -8 / 7, "numbers in full"
    assert rows[-1][3] == "data/part-99999.csv", "what is hidden in the report is hidden here"
    assert not (tmp_path / "x_files/table-003.csv").exists()


@pytest.mark.part(40)
def test_programs_need_no_table_beside(long_table: Report, tmp_path: Path) -> None:
    written = write(long_table, tmp_path, Options(formats=("json",), stem="x"))
    assert written.files == written.paths
