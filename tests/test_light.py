"""What the light install leaves out is taken away here: the same is found, and what needs it says so in one sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import copy_example

ROOT = Path(__file__).parents[1]

#: A site of one's own reaches the processes of the probes too.
WITHOUT = """
import sys
for name in ("textual", "textual_image", "rich", "polars", "matplotlib", "docx", "lxml", "PIL"):
    sys.modules[name] = None
"""

#: Batches of a table as polars or its stand-in gives them, in each way to read it.
READ = """
import json, sys
from pathlib import Path
from accucheck.errors import ReadError
from accucheck.readers import frames, tables
path, kind = Path(sys.argv[1]), sys.argv[2]
found = []
for mode in tables.MODES[1:]:
    try:
        found.append([row for batch in tables.batches(path, kind, mode) for row in batch.to_dicts()])
    except tables.RereadNeeded:
        continue
    except ReadError as error:
        found.append(error.code)
    break
print(json.dumps([frames.pl.__name__, found]))
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(WITHOUT)
    return folder


def python(site: Path | None, *words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*([str(site)] if site else []), str(ROOT / "src")])
    environment = {**os.environ, "PYTHONPATH": path, "ACCUCHECK_LANG": "en"}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, env=environment)


def results(ran: subprocess.CompletedProcess[str]) -> dict[tuple[str, str], Any]:
    found = {}
    for item in json.loads(ran.stdout)["items"]:
        for result in item["results"]:
            del result["seconds"]
            found[item["id"], result["probe"]] = result
    return found


@pytest.mark.slow
def test_a_run_finds_the_same_and_reports_are_written(site: Path, tmp_path: Path) -> None:
    projects = [copy_example("digits_faulty", tmp_path / name) for name in ("light", "whole")]
    words = ["-m", "accucheck", "run", ".", "--json"]
    light, whole = (python(way, *words, cwd=one) for way, one in zip((site, None), projects, strict=True))
    assert light.returncode == whole.returncode == 1, light.stderr
    assert results(light) == results(whole) and not json.loads(light.stdout)["summary"]["probes"]["failed"]
    also = [word for name in ("sarif", "junit") for word in ("--also", f"{name}=found.{name}")]
    lines = python(site, "-m", "accucheck", "run", ".", "--format", "lines", *also, cwd=projects[0])
    assert "network.py:14:" in lines.stdout and "wi.01" in (projects[0] / "found.sarif").read_text()
    chosen = [word for name in ("md", "html") for word in ("--format", name)]
    report = python(site, "-m", "accucheck", "report", ".", "--full", "-o", "out", *chosen, cwd=projects[0])
    assert report.returncode == 0, report.stderr
    for written in (projects[0] / "out").glob("*.*"):
        assert "A drawing of it takes matplotlib: pip install" in written.read_text(), written


@pytest.mark.parametrize(
    ("words", "library"),
    [
        (["report", ".", "--format", "docx"], "python-docx"),
        (["demo", "--folder", "demo", "--ascii"], "Textual"),
        (["labels", ".", "--sheet", "sheet.png"], "Pillow"),
    ],
    ids=["docx", "walkthrough", "pictures"],
)
def test_a_command_says_what_it_lacks(site: Path, tmp_path: Path, words: list[str], library: str) -> None:
    project = copy_example("digits_faulty", tmp_path)
    if words[0] == "demo":  # as in a terminal, which a test has none of
        code = (
            "from accucheck.cli import demo, main; demo.no_terminal = lambda: None; main(['demo', '--folder', 'demo'])"
        )
        ran = python(site, "-c", code, cwd=project)
    else:
        ran = python(site, "-m", "accucheck", *words, cwd=project)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr, ran
    assert f"This takes {library}, which is not installed here: pip install " in ran.stderr


def test_a_probe_of_pictures_is_skipped_with_that_sentence_and_parquet_is_not_read(site: Path, tmp_path: Path) -> None:
    from PIL import Image

    project = tmp_path / "project"  # the site lies outside of it: what lies within is kept off the import path
    (project / "pictures/a").mkdir(parents=True)
    Image.new("L", (8, 8)).save(project / "pictures/a/1.png")
    words = ["-m", "accucheck", "run", ".", "--only", "ds.01", "--json", "--no-session"]
    skipped = results(python(site, *words, "--set", "data.train.path=pictures", cwd=project))["ds.01", "missing_values"]
    assert (
        skipped["status"] == "skipped"
        and "This takes Pillow, which is not installed here" in skipped["reason"]["message"]
    )
    (project / "train.parquet").write_bytes(b"PAR1" + bytes(20) + b"PAR1")
    said = results(python(site, *words, "--set", "data.train.path=train.parquet", cwd=project))[
        "ds.01", "missing_values"
    ]
    assert said["status"] == "done" and all(one["level"] == "info" for one in said["findings"])
    assert any("is Parquet, which takes polars to read: pip install" in one["message"] for one in said["findings"])


TABLES = {
    "quoted cells, and empty ones": ("csv", 'name,x,label\n"a,b",1,2\n"",,3\n"say ""so""","l1\nl2",\n\n,"a,"",b",0\n'),
    "one column with blank lines": ("csv", "x\n1\n\n3\n\n"),
    "a column that has its name twice": ("csv", "x,x,y\n1,2,3\n"),
    "no header": ("csv", "1,2\n3,4\n5,\n"),
    "a row that is too long": ("csv", "a,b\n1,2\n3,4,5\n"),
    "Chinese in GBK": ("csv", "名称,标签\n猫,1\n狗,2\n".encode("gb18030")),
    "lines of JSON": (
        "ndjson",
        '{"a": 1, "b": "x", "c": [1.5, null]}\n{"a": null, "b": "y", "d": {"e": 2}}\n{"a": NaN}\n',
    ),
    "an array of JSON": ("jsonarray", '[{"a": 1, "b": true}, {"a": 2.5, "b": null}]'),
    "labels in front": ("text", "__label__x __label__y some words\nno label\n\n__label__z more\n" * 4),
    "lines of text": ("text", "one\n\n two\n"),
}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_tables_are_read_as_by_polars(site: Path, tmp_path: Path, name: str) -> None:
    kind, content = TABLES[name]
    path = tmp_path / "table"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    light, whole = (python(way, "-c", READ, path, kind) for way in (site, None))
    (by, found), (by_polars, meant) = json.loads(light.stdout or light.stderr), json.loads(whole.stdout or whole.stderr)
    assert (by, by_polars) == ("accucheck.readers.plain_frames", "polars")
    assert str(found[-1]) == str(meant[-1])  # NaN is not equal to itself
