"""All scripts of a case together: what could not be read is named, and the rest is examined all the same."""

import gc
import json
import os
import weakref
from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import shuffle_settings
from accucheck.script.analysis import read_scripts

HEAD = "import mindspore as ms\nimport mindspore.dataset as ds\n"
FAULT = HEAD + "data = ds.ImageFolderDataset('train', shuffle=False).batch(32)\nms.Model(net).train(10, data)\n"
GOOD = FAULT.replace("shuffle=False", "shuffle=True")


def case_of(root: Path, scripts: dict[str, Any], **files: str | bytes) -> Case:
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py").replace("_ipynb", ".ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Case(root=str(root), spec=msgspec.convert({"scripts": scripts}, CaseFile))


def findings(case: Case) -> list[Finding]:
    found = shuffle_settings.run(case, shuffle_settings.Params())
    return [finding for finding in found if isinstance(finding, Finding)]


def problem(found: list[Finding]) -> Finding:
    places = {finding.where: finding for finding in found if finding.level is Level.PROBLEM}
    (one,) = places.values()
    return one


def test_a_notebook_is_examined_and_its_place_is_that_of_the_file(tmp_path: Path) -> None:
    lines = ["%matplotlib inline\n", *FAULT.splitlines(keepends=True)]
    book = {"cells": [{"cell_type": "markdown", "source": ["# x"]}, {"cell_type": "code", "source": lines}]}
    case = case_of(tmp_path, {"train": "train.ipynb"}, train_ipynb=json.dumps(book, indent=1))
    found = problem(findings(case))
    line = (tmp_path / "train.ipynb").read_text().split("\n")[(found.where.line or 0) - 1]
    assert found.where.path == "train.ipynb" and "shuffle=False" in line
    (code,) = found.evidence
    assert code.path == "train.ipynb [1]" and code.text.startswith("import mindspore as ms\n")  # type: ignore[union-attr]
    assert found.fix is not None and found.fix.diff is None


def test_a_notebook_imports_modules_beside_it(tmp_path: Path) -> None:
    module = HEAD + "def create(path):\n    return ds.ImageFolderDataset(path, shuffle=False).batch(32)\n"
    cell = {"cell_type": "code", "source": "from data import create\nmodel.train(1, create('train'))"}
    case = case_of(tmp_path, {"train": "a.ipynb"}, a_ipynb=json.dumps({"cells": [cell]}), data_py=module)
    assert problem(findings(case)).where.path == "data.py"


def test_a_local_mindspore_leaves_all_open(tmp_path: Path) -> None:
    case = case_of(tmp_path, {"train": "train.py", "eval": "sub/eval.py"}, train_py=FAULT, mindspore_py="dataset = 1\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/eval.py").write_text(GOOD)
    scripts = read_scripts(case)
    assert [reading.source.path for reading in scripts.readings] == ["sub/eval.py"], "its folder holds no such file"
    assert [(gap.code, gap.path) for gap in scripts.gaps] == [("unreadable", "train.py")]
    found = findings(case)
    assert suggest(found) is Verdict.UNDECIDED
    assert found[0].where.path == "train.py" and "mindspore.py" in found[0].data["problem"]["en"]


def test_a_project_with_a_folder_for_each_framework_is_examined(tmp_path: Path) -> None:
    case = case_of(
        tmp_path, {"train": "mindspore/train.py"}, mindspore__train_py=FAULT, mindspore__dataset_py="x = 1\n"
    )
    assert problem(findings(case)).where.path == "mindspore/train.py"


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"print 'two'\n",
        b"x = (\n",
        b"if x:\n\ty = 1\n        z = 2\n",
        b"x = '\0'\n",
        b"\xff\xd8\xff\xe0" + bytes(range(1, 256)),
        b"x = " + b"(" * 50_000,
        b"import a" + b".a" * 200_000,
        b"#" * (5 << 20),
        "# 训练\nx = '混洗'\n".encode("gbk"),
        "# coding: latin-1\nx = 'é'\n".encode("latin-1"),
    ],
    ids=range(11),
)
def test_a_bad_file_does_not_keep_the_others_from_being_examined(tmp_path: Path, bad: bytes) -> None:
    train = "import bad\nfrom bad import x\n" + FAULT
    case = case_of(tmp_path, {"train": ["bad.py", "train.py"]}, bad_py=bad, train_py=train)
    found = findings(case)
    assert problem(found).where.path == "train.py"
    good = case_of(tmp_path, {"train": ["bad.py", "train.py"]}, train_py="import bad\n" + GOOD)
    os.utime(tmp_path / "train.py", ns=(1, 1))
    found = findings(good)
    unread = any(finding.incomplete and finding.where.path == "bad.py" for finding in found)
    assert unread is not (bad.decode("latin-1").startswith("#") and len(bad) < 100)
    expected = Verdict.UNDECIDED if unread else Verdict.OK
    assert suggest(found) is expected, "what cannot be read may train; what is read and makes nothing does not"


def test_what_two_scripts_share_is_named_once(tmp_path: Path) -> None:
    scripts = {"train": "train.py", "eval": "eval.py"}
    case = case_of(
        tmp_path, scripts, train_py="import bad\nbad.x()\n", eval_py="import bad\nbad.y()\n", bad_py="print 'two'\n"
    )
    gaps = read_scripts(case).gaps
    assert [(gap.code, gap.path, gap.line) for gap in gaps] == [("unreadable", "bad.py", 1)]


def test_cycles_of_imports_and_links_end(tmp_path: Path) -> None:
    case = case_of(
        tmp_path,
        {"train": "train.py"},
        train_py="from a import make\nmodel.train(1, make())\n",
        a_py="import b\nfrom b import *\ndef make():\n    return b.made()\n",
        b_py=HEAD + "import a\nfrom a import *\ndef made():\n    return ds.ImageFolderDataset('t', shuffle=False)\n",
    )
    (tmp_path / "loop").symlink_to(".")
    assert problem(findings(case)).where.path == "b.py"


def test_the_scripts_of_a_case_are_read_once_and_again_when_they_change(tmp_path: Path) -> None:
    case = case_of(tmp_path, {"train": "train.py"}, train_py=FAULT)
    first = read_scripts(case)
    assert read_scripts(case) is first and first.mentions("imagefolder") and not first.mentions("mnist")
    (tmp_path / "train.py").write_text(FAULT.replace("ImageFolder", "Mnist"))
    assert read_scripts(case).mentions("mnist")
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None


@pytest.mark.usefixtures("usual_recursion")
def test_what_is_not_there_and_what_is_too_much_is_told(tmp_path: Path) -> None:
    text = "import yaml\nconfig = yaml.safe_load(open('a.yaml'))\n"
    case = case_of(
        tmp_path, {"train": ["train.py", "long.py"]}, train_py=text, long_py="x = 1\ny = " + "+".join(["x"] * 900)
    )
    assert [(gap.code, gap.path, gap.line, gap.data.get("name")) for gap in read_scripts(case).gaps] == [
        ("no-config", "train.py", 2, "a.yaml"),
        ("too-complex", "long.py", None, None),
    ]


def test_a_configuration_that_two_scripts_lack_is_named_once(tmp_path: Path) -> None:
    loading = "import yaml\nwith open('settings.yaml') as stream:\n    settings = yaml.safe_load(stream)\nrate = settings['lr']\n"
    case = case_of(
        tmp_path,
        {"train": "train.py", "eval": "eval.py"},
        load_py=loading,
        train_py="from load import rate\nprint(rate)\n" + GOOD,
        eval_py="from load import rate\nprint(rate)\n" + GOOD,
    )
    assert [(gap.code, gap.data["name"]) for gap in read_scripts(case).gaps] == [("no-config", "settings.yaml")]


def test_a_configuration_whose_syntax_is_broken_is_told_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("lr: 0.1\nsizes: [1, 2\nx: : y\n")
    text = "import yaml\nsettings = yaml.safe_load(open('settings.yaml'))\nprint(settings['lr'])\n" + GOOD
    case = case_of(tmp_path, {"train": "train.py"}, train_py=text)
    ((code, path, line, problem),) = [
        (gap.code, gap.path, gap.line, gap.data.get("problem")) for gap in read_scripts(case).gaps
    ]
    assert (code, path, line) == ("broken-config", "settings.yaml", 3) and problem


def test_a_configuration_of_fifty_thousand_lines_is_read(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("shuffle: false\n" + "".join(f"key{n}: {n}\n" for n in range(50_000)))
    text = (
        HEAD
        + "import yaml\nsettings = yaml.safe_load(open('settings.yaml'))\n"
        + "data = ds.ImageFolderDataset('t', shuffle=settings['shuffle'])\nmodel.train(1, data)\n"
    )
    case = case_of(tmp_path, {"train": "train.py"}, train_py=text)
    assert [(each.level, each.where.line) for each in findings(case) if each.level is not Level.INFO] == [
        (Level.SUSPECT, 5)
    ]
    assert not read_scripts(case).gaps
