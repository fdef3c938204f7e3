"""Data that are hard on ds.01, ds.03 and ds.04: huge, sparse, unreadable, changing, looping, oddly named, or none.

Each is told, the rest is still examined, and the result says that it is not whole.
"""

import json
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from command_line import Ran, accucheck

pytestmark = pytest.mark.part(40)

PROBES = {"ds.01": "missing_values", "ds.03": "class_balance", "ds.04": "dataset_digest"}
GOOD = "x,label\n" + "".join(f"{n / 7},{n % 3}\n" for n in range(300))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one sound table."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/good.csv").write_text(GOOD)
    return tmp_path


def examine(project: Path, item: str, *settings: str) -> tuple[Ran, dict]:
    """The result of the item's probe of files, and how the command ended."""
    words = [word for text in ("data.train.path=data", *settings) for word in ("--set", text)]
    ran = accucheck("run", project, "--only", item, "--no-session", "--json", "--exit-zero", *words, timeout=180)
    assert "Traceback" not in ran.err + ran.out and ran.code == 0, ran
    outcome = json.loads(ran.stdout)["items"][0]
    result = next(one for one in outcome["results"] if one["probe"] == PROBES[item])
    assert result["status"] == "done", result
    return ran, {**result, "suggestion": outcome["suggestion"]}


def said(result: dict) -> str:
    return "\n".join(finding["message"] for finding in result["findings"])


def rest_is_done(item: str, result: dict) -> bool:
    """Whether the sound table was examined all the same."""
    figures = {finding["code"]: finding["data"] for finding in result["findings"]}
    if item == "ds.01":
        return figures["examined"]["cells"] >= 600
    if item == "ds.03":
        return figures["classes"]["samples"] == 300
    return figures["tree"]["files"] >= 1


@pytest.mark.parametrize("item", PROBES)
def test_a_huge_sparse_file(project, item):
    """10 GB of nothing, of which no more is read than has to be."""
    size = 10 << 30 if item != "ds.04" else 1 << 30  # a digest has to read every byte of it
    with (project / "data/huge.csv").open("wb") as stream:
        stream.write(b"x,label\n")
        stream.truncate(size)
    _, result = examine(project, item)
    if item == "ds.04":
        assert "2 files" in said(result) and f"{size + len(GOOD):,} bytes" in said(result)
    else:
        assert "huge.csv has a line of more than 67,108,864 bytes" in said(result), said(result)
        assert result["suggestion"] != "ok"
    assert rest_is_done(item, result)


@pytest.mark.parametrize("item", PROBES)
def test_an_unreadable_file(project, item):
    (project / "data/bad.csv").symlink_to("/proc/self/mem")  # a regular file, of which nothing can be read
    _, result = examine(project, item)
    assert result["suggestion"] != "ok" and "bad.csv" in json.dumps(result), said(result)
    assert rest_is_done(item, result)


@pytest.mark.parametrize("item", PROBES)
def test_a_name_that_is_not_utf8(project, item):
    name = os.fsdecode(os.fsencode(project) + b"/data/\xff\xfe.csv")
    with open(name, "w") as stream:
        stream.write(GOOD)
    _, result = examine(project, item)
    figures = {finding["code"]: finding["data"] for finding in result["findings"]}
    assert {
        "ds.01": lambda: figures["examined"]["cells"] == 1200,
        "ds.03": lambda: figures["classes"]["samples"] == 600,
        "ds.04": lambda: figures["tree"]["files"] == 2,
    }[item]()


@pytest.mark.parametrize("item", PROBES)
def test_loops_of_links(project, item):
    (project / "data/a").mkdir()
    (project / "data/a/up").symlink_to("..")
    (project / "data/itself").symlink_to("itself")
    (project / "data/b").symlink_to("a")
    _, result = examine(project, item)
    assert rest_is_done(item, result)
    assert item != "ds.04" or "links in a circle" in said(result)


@pytest.mark.parametrize("item", PROBES)
def test_a_folder_that_cannot_be_listed(project, item):
    """Its path is longer than the system takes, which holds for root too."""
    here = os.getcwd()
    try:
        os.chdir(project / "data")
        for _ in range(18):
            os.mkdir("d" * 250)
            os.chdir("d" * 250)
    finally:
        os.chdir(here)
    _, result = examine(project, item)
    assert result["suggestion"] != "ok" and "d" * 250 in said(result)
    assert rest_is_done(item, result)


@pytest.mark.parametrize("item", PROBES)
def test_zero_rows(project, item):
    (project / "data/good.csv").write_text("x,label\n")
    _, result = examine(project, item)
    assert result["suggestion"] == "undecided" and said(result)


@pytest.mark.parametrize("item", PROBES)
def test_a_hundred_thousand_classes(project, item):
    labels = np.repeat(np.arange(100_000), 4)
    np.savez(project / "data/many.npz", label=labels, x=np.zeros((400_000, 1), np.float32))
    (project / "data/good.csv").unlink()
    _, result = examine(project, item, "data.train.label=label")
    figures = {finding["code"]: finding["data"] for finding in result["findings"]}
    assert len(json.dumps(result)) < 1 << 20
    if item == "ds.03":
        assert figures["classes"]["classes"] == 100_000 and figures["classes"]["samples"] == 400_000


@pytest.mark.parametrize("item", PROBES)
def test_a_folder_that_changes_while_it_is_examined(project, item):
    """Files come, go and grow throughout: the probe ends, and never fails."""
    stop = threading.Event()

    def stir() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            path = project / f"data/{number % 50}.csv"
            if number % 3:
                path.write_text(GOOD[: number % len(GOOD)])
            else:
                path.unlink(missing_ok=True)
            time.sleep(0.001)

    thread = threading.Thread(target=stir)
    thread.start()
    try:
        for _ in range(3):
            _, result = examine(project, item)
            figures = {finding["code"] for finding in result["findings"]}
            assert figures & {"examined", "classes", "tree"}
    finally:
        stop.set()
        thread.join()
