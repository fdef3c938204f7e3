"""Notebooks as scripts: places in the file, what only IPython runs, and files that are no notebook."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from accucheck.errors import ReadError
from accucheck.model import Language
from accucheck.script import notebook
from accucheck.script.notebook import plain
from accucheck.script.source import Source, read


def cell(*lines: str, kind: str = "code", **more: Any) -> dict[str, Any]:
    source = [line + "\n" for line in lines[:-1]] + list(lines[-1:])
    outputs = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **outputs, **more}


def book(*cells: dict[str, Any], **more: Any) -> dict[str, Any]:
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5, **more}


def of(folder: Path, made: Any, **how: Any) -> Source:
    path = folder / "train.ipynb"
    path.write_text(json.dumps(made, **{"indent": 1, "ensure_ascii": False, **how}) + "\n", encoding="utf-8")
    return read(path, "train.ipynb")


EXAMPLE = book(
    cell("# Training", "some words", kind="markdown"),
    cell("%matplotlib inline", "import mindspore.dataset as ds", outputs=[{"text": ["data = 1\n"], "source": ["x\n"]}]),
    cell(),
    cell("%%bash", "ls data"),
    cell(
        'data = ds.ImageFolderDataset("训练", shuffle=False)',
        "files = !ls data",
        "for batch in data:",
        "    %timeit batch",
        "text = '''",
        "%no magic",
        "'''",
        "data.batch?",
    ),
)


@pytest.mark.parametrize("how", [{}, {"indent": 2}, {"indent": "\t"}, {"ensure_ascii": True}])
def test_a_place_is_that_of_the_file(tmp_path: Path, how: dict[str, Any]) -> None:
    source = of(tmp_path, EXAMPLE, **how)
    file = (tmp_path / "train.ipynb").read_text(encoding="utf-8").split("\n")
    names = [type(node).__name__ for node in source.tree.body]
    assert names == ["Pass", "Import", "Assign", "Assign", "For", "Assign", "Pass"]
    for node in source.tree.body:
        line = source.lines[node.lineno - 1]
        assert line and json.dumps(line, ensure_ascii=how.get("ensure_ascii", False))[1:-1] in file[node.lineno - 1]
    assert source.tree.body[5].value.value == "\n%no magic\n"
    data = source.tree.body[2].lineno
    code = source.code(data)
    assert (code.path, code.line, code.marked) == ("train.ipynb [4]", data, [data])
    assert code.text.split("\n")[:2] == ['data = ds.ImageFolderDataset("训练", shuffle=False)', "files = !ls data"]
    assert source.path == "train.ipynb" and source.diff(data, "data = 1") is None


def test_without_lines_of_its_own_the_cells_follow_one_another(tmp_path: Path) -> None:
    whole = [{**one, "source": "".join(one["source"])} for one in EXAMPLE["cells"]]
    for made, how in ((EXAMPLE, {"indent": None}), (book(*whole), {})):
        source = of(tmp_path, made, **how)
        assert [node.lineno for node in source.tree.body] == [1, 2, 3, 4, 5, 7, 10]
        assert source.lines[2].startswith("data = ") and source.code(3).path == "train.ipynb [4]"
        assert source.code(3).line == 3, "the cell before it is not shown"


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        (["a = 1\n", "b = 2"], 2),
        (["a = ", "1\n", "b = 2"], 2),
        (["a = 1\nb = 2"], 2),
        (["a = 1\r\n", "b = 2\r\n"], 2),
        (["a = 1\r", "b = 2"], 2),
        (["a = 1\n", "b = 2\n", "\n", "\n"], 2),
        (["a = '\\u2028\x0b\x0c'\n", "b = 2"], 2),
        (["a = 1; b = 2"], 2),
    ],
)
def test_lines_however_a_tool_cut_them(tmp_path: Path, parts: list[str], lines: int) -> None:
    source = of(tmp_path, book({"cell_type": "code", "source": parts}))
    assert [node.targets[0].id for node in source.tree.body] == ["a", "b"]
    last = source.lines[source.tree.body[-1].lineno - 1]
    assert "b = 2" in last


def test_a_short_list_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(
        '{\n "cells": [\n  {"cell_type": "code",\n   "source": ["x = 1"]\n  },\n  {"cell_type": "code",\n "source": "y = 2"\n}]}'
    )
    assert [node.lineno for node in read(path, "a.ipynb").tree.body] == [4, 7]


def test_notebooks_of_the_third_version(tmp_path: Path) -> None:
    old = {"cell_type": "code", "language": "python", "input": ["import os\n", "x = 1"], "outputs": []}
    made = {
        "metadata": {"name": ""},
        "nbformat": 3,
        "worksheets": [{"cells": [{"cell_type": "heading", "source": ["t"]}, old]}],
    }
    source = of(tmp_path, made)
    file = (tmp_path / "train.ipynb").read_text().split("\n")
    assert ["x = 1" in file[node.lineno - 1] for node in source.tree.body] == [False, True]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1", "x = 1"),
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("x = 10 % 3\ny = x != 1", "x = 10 % 3\ny = x != 1"),
        ("x = (10\n% 3)", "x = (10\n% 3)"),
        ("x = 10 \\\n% 3", "x = 10 \\\n% 3"),
        ("x = [\n  '%s',  # (\n  !a]", "x = [\n  '%s',  # (\n  !a]"),
        ("!pip install a \\\n  b\nx = 1", "pass\n\nx = 1"),
        ("if x:\n    !ls\nelse:\n\t%cd ..", "if x:\n    pass\nelse:\n\tpass"),
        ("files = !ls *.py\nx = 1", "files = get_ipython()\nx = 1"),
        ("a, b = %sx ls", "a, b = get_ipython()"),
        ("out[0] = !ls", "out[0] = get_ipython()"),
        ("x?\n??net.a\n?print\nnet.a??", "pass\npass\npass\npass"),
        ("'''\n%a\n!b\n'''\n%c", "'''\n%a\n!b\n'''\npass"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out\nx = 1\n%ls", "\n\nx = 1\npass"),
        ("%%bash\nrm -rf x\nls", "\n\n"),
        ("%%writefile train.py\nx = 1", "\n"),
        ("%%html\n<b>", "\n"),
        ("%% time\nx = 1", "\nx = 1"),
        ("%time x = f()", "pass"),
        ("x = 1 # what?\n'a?'", "x = 1 # what?\n'a?'"),
        ("x = 'open\n%magic", "x = 'open\npass"),
        ("x = (\n%magic", "x = (\n%magic"),
        ("!", "pass"),
        ("%", "pass"),
        ("\\", "\\"),
        ("!\\", "pass"),
    ],
)
def test_what_only_ipython_runs(code: str, expected: str) -> None:
    assert plain(code) == expected
    assert plain(code).count("\n") == code.count("\n")


def test_a_cell_that_does_not_parse_is_named_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(ReadError) as caught:
        of(tmp_path, book(cell("x = 1"), cell("y = 2", "print 'two'")))
    assert caught.value.code == "script-syntax" and "Python 2" in caught.value.text(Language.EN)
    file = (tmp_path / "train.ipynb").read_text().split("\n")
    assert "print 'two'" in file[caught.value.data["line"] - 1]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("\n", "script-empty"),
        ("not json", "notebook"),
        ("[]", "notebook"),
        ("null", "notebook"),
        ("{}", "script-empty"),
        ('{"cells": 1}', "notebook"),
        ('{"cells": [1]}', "notebook"),
        ('{"cells": [{"cell_type": "code", "source": 1}]}', "notebook"),
        ('{"cells": [{"cell_type": "code", "source": [1]}]}', "notebook"),
        ('{"cells": [{"cell_type": "code", "source": ["x = 1"]}', "notebook"),
        ('{"cells": [{"cell_type": "code", "source": ["\\ud800 = 1"]}]}', "notebook"),
        ('{"cells": [{"cell_type": "code", "source": ["x = \\u0000"]}]}', "script-nul"),
        ('{"cells": [], "other": ' + "[" * 100_000, "notebook"),
        ('{"cells": [], "other": ' + "[" * 100_000 + "]" * 100_000 + "}", "notebook"),
        ('{"cells": [' + '{"cells": [' * 5000, "notebook"),
        (json.dumps(book(cell("x = 1"), metadata={"kernelspec": {"language": "R"}})), "notebook-language"),
        (json.dumps(book(cell("x = 1"), metadata={"language_info": {"name": "julia"}})), "notebook-language"),
        (json.dumps(book(cell("words", kind="markdown"))), "script-empty"),
        (json.dumps(book(cell("%%bash", "ls"))), "script-empty"),
        (json.dumps(book(cell("#" * (notebook.CODE + 1)))), "too-large"),
    ],
    ids=range(21),
)
def test_what_is_no_notebook_of_python(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    with pytest.raises(ReadError) as caught:
        read(tmp_path / "a.ipynb", "a.ipynb")
    assert caught.value.code == code, caught.value
    assert caught.value.text(Language.ZH) != caught.value.text(Language.EN)


def test_outputs_cost_little(tmp_path: Path) -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "iVBOR" * 2_000_000}}
    numbers = {"output_type": "display_data", "data": {"application/json": list(range(500_000))}}
    made = book(cell("x = 1", outputs=[picture, numbers]), *[cell(f"y = {n}") for n in range(2000)])
    text = json.dumps(made, indent=1)
    start = time.process_time()
    (tmp_path / "a.ipynb").write_text(text)
    source = read(tmp_path / "a.ipynb", "a.ipynb")
    assert len(source.tree.body) == 2001 and time.process_time() - start < 5
    last = source.tree.body[-1].lineno
    assert "y = 1999" in text.split("\n")[last - 1]


def test_marks_encodings_and_line_ends(tmp_path: Path) -> None:
    text = json.dumps(EXAMPLE, indent=1, ensure_ascii=False)
    for data in (b"\xef\xbb\xbf" + text.encode(), text.replace("\n", "\r\n").encode(), text.encode("gbk")):
        (tmp_path / "a.ipynb").write_bytes(data)
        source = read(tmp_path / "a.ipynb", "a.ipynb")
        assert "训练" in source.lines[source.tree.body[2].lineno - 1]
