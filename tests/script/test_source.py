"""Reading a script: encodings, line ends, and every file that is no script."""

import os
import socket
import time
from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.model import Language
from accucheck.script import partial_parse
from accucheck.script.source import LIMIT, Source, read

SCRIPT = "# 训练脚本\nx = 'é'\n"


def of(folder: Path, data: bytes, name: str = "a.py") -> Source:
    (folder / name).write_bytes(data)
    return read(folder / name, name)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (SCRIPT.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + SCRIPT.encode(), "utf-8-sig"),
        (SCRIPT.replace("\n", "\r\n").encode(), "utf-8"),
        (SCRIPT.replace("\n", "\r").encode(), "utf-8"),
        (SCRIPT.encode("utf-16"), "utf-16"),
        (SCRIPT.encode("utf-32"), "utf-32"),
        ("# -*- coding: gbk -*-\n# 训练脚本\nx = 1\n".encode("gbk"), "gbk"),
        ("#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx = 'é'\n".encode("latin-1"), "iso8859-1"),
        ("# coding=gb2312\r\n# 训练脚本\r\nx = 1\r\n".encode("gb2312"), "gb2312"),
        ("# coding: cp1252\nx = '“”'\n".encode("cp1252"), "cp1252"),
    ],
)
def test_encodings_and_line_ends(tmp_path: Path, data: bytes, encoding: str) -> None:
    source = of(tmp_path, data)
    assert [type(node).__name__ for node in source.tree.body] == ["Assign"]
    assert source.lines[source.tree.body[0].lineno - 1].startswith("x = ")
    assert source.encoding == encoding
    text = "\n".join(source.lines)
    assert "训练" in text or "é" in text or "“" in text


@pytest.mark.parametrize(
    ("data", "encoding", "line"),
    [
        ("# 训练脚本\nx = '混洗'\n".encode("gbk"), "gb18030", "x = '混洗'"),
        ("x = '训练'\n".encode("gbk"), "gb18030", "x = '训练'"),
        ("# 㐀 is not in GBK\nx = '𠀀'\n".encode("gb18030"), "gb18030", "x = '𠀀'"),
        ("# café\nx = 'à'\n".encode("latin-1"), "latin-1", "x = 'à'"),
        # "é\" would be one Chinese character, and the text would end too early
        (b"x = 'caf\xe9\\'s'\n", "latin-1", "x = 'café\\'s'"),
        ("# -*- coding: utf-8 -*-\nx = '混洗'\n".encode("gbk"), "gb18030", "x = '混洗'"),
        ("# -*- coding: ascii -*-\nx = '混洗'\n".encode(), "utf-8", "x = '混洗'"),
        # Chinese of both kinds in one file, which no encoding fits
        ("# 训练脚本".encode() + "\nx = '混洗'\n".encode("gbk"), "gb18030", "x = '混洗'"),
    ],
)
def test_an_encoding_that_the_file_does_not_say_is_guessed(
    tmp_path: Path, data: bytes, encoding: str, line: str
) -> None:
    source = of(tmp_path, data)
    assert source.encoding == encoding
    assert source.lines[source.tree.body[0].lineno - 1] == line


def test_a_diff_of_a_guessed_encoding_is_offered_only_where_it_is_ascii(tmp_path: Path) -> None:
    source = of(tmp_path, "# 训练\nx = '混洗'\ny = 1\nz = 2\nlast = 3\n".encode("gbk"))
    assert source.diff(2, "x = 2") is None
    assert source.diff(3, "y = 2") is None, "the lines around it are Chinese"
    assert "-last = 3\n+last = 4\n" in (source.diff(5, "last = 4") or "")


@pytest.mark.parametrize(
    "codec", ["unicode_escape", "rot13", "punycode", "idna", "zlib", "utf-7", "no-such-codec", "undefined"]
)
def test_a_codec_that_is_no_character_set_is_not_asked(tmp_path: Path, codec: str) -> None:
    data = f"# coding: {codec}\n".encode() + b"x = '" + b"a-" * 500_000 + b"'\n"
    start = time.process_time()
    assert of(tmp_path, data).encoding == "utf-8"
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "empty", None),
        (b"  \n\n", "script-empty", None),
        (b"import os\nprint 'two'\n", "script-syntax", 2),
        (b"if x:\n    a = 1\n  b = 2\n", "script-syntax", 3),
        (b"if x:\n\ta = 1\n        b = 2\n", "script-syntax", 3),
        (b"x = 1\ny = (\n", "script-syntax", 2),
        (b"x = 1\ny = \x00\n", "script-nul", 2),
        (b"(" * 5000, "script-syntax", 1),
        (b"x = " + b"-" * 100_000 + b"1\n", "script-complex", 1),
        (b"#" * (LIMIT + 1), "too-large", None),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "script-nul", 3),
        (b"\x7fELF" + bytes(range(128, 192)) + b"\0", "script-nul", None),
        (b"\xff\xfe\x00", "script-nul", None),
        (b"\xff\xd8\xff\xe0JFIF" + bytes(range(1, 256)), "script-syntax", None),
        ("x = 训练(\n".encode("gbk"), "script-syntax", 1),
    ],
    ids=lambda value: None if isinstance(value, bytes) else str(value),
)
def test_what_cannot_be_examined(tmp_path: Path, data: bytes, code: str, line: int | None) -> None:
    (tmp_path / "a.py").write_bytes(data)
    with pytest.raises(ReadError) as caught:
        read(tmp_path / "a.py", "src/a.py")
    assert caught.value.code == code and caught.value.data["path"] == "src/a.py"
    if line:
        assert caught.value.data["line"] == line
    assert caught.value.text(Language.ZH) != caught.value.text(Language.EN)


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "one.py").symlink_to("two.py")
    (tmp_path / "two.py").symlink_to("one.py")
    (tmp_path / "dead.py").symlink_to("gone.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "device.py").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.py")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(os.path.relpath(tmp_path / "socket.py"))
    expected = {
        "no": "not-found",
        "dead": "not-found",
        "loop": "link-loop",
        "one": "link-loop",
        "folder": "is-directory",
        "device": "not-regular",
        "pipe": "not-regular",
        "socket": "not-regular",
        "a" * 300: "io",
    }
    for name, code in expected.items():
        with pytest.raises(ReadError) as caught:
            read(tmp_path / f"{name}.py", f"{name}.py")
        assert caught.value.code == code, name


def test_a_link_to_a_script_is_read(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("x = 1\n")
    (tmp_path / "link.py").symlink_to("real.py")
    assert read(tmp_path / "link.py", "link.py").lines[0] == "x = 1"


def test_what_is_left_of_a_broken_script_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes("x = '混洗'\nprint 'two'\ny = 2\n".encode("gbk"))
    source = partial_parse.rest(tmp_path / "a.py", "a.py")
    assert source is not None and source.encoding == "gb18030"
    assert [type(node).__name__ for node in source.tree.body] == ["Assign", "Pass", "Assign"]


def test_code_and_diff(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("".join(f"x{i} = {i}\n" for i in range(1, 41)))
    source = read(tmp_path / "a.py", "a.py")
    code = source.code(10)
    assert (code.line, code.marked, code.text.split("\n")[2]) == (8, [10], "x10 = 10")
    diff = source.diff(10, "x10 = 11")
    assert "--- a/a.py" in diff and "@@ -8,5 +8,5 @@" in diff and "\n-x10 = 10\n+x10 = 11\n" in diff


@pytest.mark.usefixtures("usual_recursion")
def test_an_expression_too_deep_to_be_written_out(tmp_path: Path) -> None:
    source = of(tmp_path, b"x = a" + b".b" * 2000 + b"\n")
    assert source.segment(source.tree.body[0].value) == "…"
