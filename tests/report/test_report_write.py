"""Writing reports: names that stay in their folder, whole files, and errors for people."""

import os
from pathlib import Path

import pytest

from accucheck import report as reports
from accucheck.errors import SaveError
from accucheck.report import file_stem, write
from accucheck.report.build import Report


def test_all_formats(report: Report, tmp_path: Path) -> None:
    folder = tmp_path / "new/reports"
    paths = write(report, ["md", "docx", "json", "md"], folder)
    assert [path.name for path in paths] == [f"resnet50-cifar10-accuracy.{ending}" for ending in ("md", "docx", "json")]
    assert all(path.stat().st_size > 1000 for path in paths)
    names = {path.name for path in folder.iterdir()}
    assert names == {path.name for path in paths} | {"resnet50-cifar10-accuracy_files"}
    assert len(list((folder / "resnet50-cifar10-accuracy_files").iterdir())) == 2
    again = {path: path.read_bytes() for path in paths}
    write(report, ["md", "docx", "json"], folder)
    assert {path: path.read_bytes() for path in paths} == again


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
    paths = write(report, ["json", "md"], folder, "../../../escape/" + "x" * 500)
    assert all(path.parent == folder for path in paths)
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_an_unknown_format_writes_nothing(report: Report, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="pdf"):
        write(report, ["json", "pdf"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way(report: Report, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(SaveError) as error:
        write(report, ["json"], tmp_path / "out")
    assert error.value.code == "not-a-directory"
    with pytest.raises(SaveError) as error:
        write(report, ["json"], tmp_path / "out/below")
    assert error.value.code == "not-a-directory"


def test_a_folder_in_the_place_of_the_report(report: Report, tmp_path: Path) -> None:
    (tmp_path / "x.json").mkdir()
    with pytest.raises(SaveError) as error:
        write(report, ["json"], tmp_path, "x")
    assert error.value.code == "is-directory"
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"], "no temporary file is left"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real ENOSPC of /dev/full, met where the temporary file is flushed; the old report stays whole."""
    write(report, ["json"], tmp_path, "x")
    before = (tmp_path / "x.json").read_bytes()
    real = Path.open

    def full(self: Path, mode: str = "r", *rest: object, **more: object):
        return real(Path("/dev/full") if self.suffix == ".tmp" else self, mode, *rest, **more)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(SaveError) as error:
        write(report, ["json"], tmp_path, "x")
    monkeypatch.undo()
    assert error.value.code == "disk-full"
    assert (tmp_path / "x.json").read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(report: Report, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SaveError) as error:
        write(report, ["json"], tmp_path / "out")
    assert error.value.code == "no-permission"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc")
def test_a_file_system_that_takes_no_files(report: Report) -> None:
    with pytest.raises(SaveError):
        write(report, ["json"], Path("/proc/accucheck"))


def test_formats_are_those_named() -> None:
    assert reports.FORMATS == ("md", "docx", "json")
