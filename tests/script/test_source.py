"""Reading a script: encodings, line ends, and every file that is no script."""

from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.model import Language
from accucheck.script.source import LIMIT, read

SCRIPT = "# 训练脚本\nx = 'é'\n"


@pytest.mark.parametrize(
    "data",
    [
        SCRIPT.encode(),
        b"\xef\xbb\xbf" + SCRIPT.encode(),
        SCRIPT.replace("\n", "\r\n").encode(),
        SCRIPT.replace("\n", "\r").encode(),
        SCRIPT.encode("utf-16"),
        ("# -*- coding: gbk -*-\n# 训练脚本\nx = 1\n").encode("gbk"),
        ("# vim: set fileencoding=latin-1 :\nx = 'é'\n").encode("latin-1"),
    ],
)
def test_encodings_and_line_ends(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.py").write_bytes(data)
    source = read(tmp_path / "a.py", "a.py")
    assert [type(node).__name__ for node in source.tree.body] == ["Assign"]
    assert source.lines[source.tree.body[0].lineno - 1].startswith("x = ")


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "empty", None),
        (b"  \n\n", "script-empty", None),
        (b"import os\nprint 'two'\n", "script-syntax", 2),
        (b"if x:\n    a = 1\n  b = 2\n", "script-syntax", 3),
        ("x = '训练'\n".encode("gbk"), "script-syntax", 1),
        (b"x = 1\n# ok\n" * 3 + "y = '训练'\n".encode("gbk"), "encoding", None),
        (b"# coding: no-such-codec\nx = 1\n", "script-syntax", 1),
        (b"x = 1\x00\n", "script-syntax", 1),
        (b"(" * 5000, "script-syntax", 1),
        (b"x = " + b"-" * 100_000 + b"1\n", "script-syntax", 1),
        (b"#" * (LIMIT + 1), "too-large", None),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "script-syntax", 1),
    ],
)
def test_what_cannot_be_examined(tmp_path: Path, data: bytes, code: str, line: int | None) -> None:
    (tmp_path / "a.py").write_bytes(data)
    with pytest.raises(ReadError) as caught:
        read(tmp_path / "a.py", "src/a.py")
    assert caught.value.code == code and caught.value.data["path"] == "src/a.py"
    if line:
        assert caught.value.data["line"] == line
    assert caught.value.text(Language.ZH) != caught.value.text(Language.EN)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path, code in ((tmp_path / "no.py", "not-found"), (tmp_path, "is-directory")):
        with pytest.raises(ReadError) as caught:
            read(path, str(path))
        assert caught.value.code == code


def test_code_and_diff(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("".join(f"x{i} = {i}\n" for i in range(1, 41)))
    source = read(tmp_path / "a.py", "a.py")
    code = source.code(10)
    assert (code.line, code.marked, code.text.split("\n")[2]) == (8, [10], "x10 = 10")
    diff = source.diff(10, "x10 = 11")
    assert "--- a/a.py" in diff and "@@ -8,5 +8,5 @@" in diff and "\n-x10 = 10\n+x10 = 11\n" in diff
