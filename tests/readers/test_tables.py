import json

import polars as pl
import pytest

from accucheck.errors import ReadError
from accucheck.readers import tables
from accucheck.readers.detect import detect


def rows(path, kind="csv"):
    """All rows, read as a probe reads: in the first mode that copes."""
    for mode in tables.MODES:
        try:
            found = [row for batch in tables.batches(path, kind, mode) for row in batch.rows()]
            return mode, found
        except tables.RereadNeeded:
            continue
    raise AssertionError("the last mode never asks for another look")


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path, kind="csv"):
    with pytest.raises(ReadError) as error:
        rows(path, kind)
    assert str(path.name) in str(error.value)
    return error.value


def test_numbers_come_as_numbers_and_empty_cells_as_none(tmp_path):
    path = write(tmp_path / "a.csv", "x,name\n1,a\n,\n2.5,c\n")
    assert rows(path) == ("fast", [(1.0, "a"), (None, None), (2.5, "c")])


def test_a_word_among_numbers_beyond_the_head_is_not_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_ROWS", 1000)
    path = write(tmp_path / "a.csv", "x,y\n" + "1,2\n" * 5000 + "NA,2\n")
    mode, found = rows(path)
    assert mode == "text"
    assert len(found) == 5001
    assert found[-1] == ("NA", "2")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16", "utf-16-le", "latin-1"])
def test_consistent_encodings_are_read(tmp_path, encoding):
    word = "café" if encoding == "latin-1" else "中文"
    content = f"city,x\n{word},1\n{word},\n".encode(encoding)
    if encoding == "utf-16-le":
        content = b"\xff\xfe" + content
    _, found = rows(write(tmp_path / "a.csv", content))
    assert found[0] == (word, "1") or found[0] == (word, 1.0)
    assert found[1] == (word, None)


def test_a_mix_of_encodings_names_the_byte(tmp_path):
    good = "city,x\n上海,1\n".encode()
    error = refused(write(tmp_path / "a.csv", good + "深圳,2\n".encode("gbk")))
    assert error.code == "encoding"
    assert error.data["offset"] == len(good)


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [("a,b,c\n1,2,3\n4,5\n6,7,8\n", 3, 2), ("a,b,c\n1,2,3\n4,5,6,7\n", 3, 4), ('a,b,c\n"x\ny",2,3\n"p",5\n', 4, 2)],
)
def test_ragged_rows_are_named(tmp_path, content, line, found):
    path = write(tmp_path / "a.csv", content)
    if '"' in content:  # the fast look leaves quoted rows to the careful one
        with pytest.raises(ReadError) as error:
            list(tables.batches(path, "csv"))
        problem = error.value
    else:
        problem = refused(path)
    assert problem.code == "ragged"
    assert (problem.data["line"], problem.data["found"], problem.data["expected"]) == (line, found, 3)


def test_blank_lines_are_no_missing_values_but_rows_of_separators_are(tmp_path):
    assert rows(write(tmp_path / "a.csv", "a,b\n1,2\n\n3,4\n\n\n"))[1] == [(1.0, 2.0), (3.0, 4.0)]
    assert rows(write(tmp_path / "b.csv", "a,b\n1,2\n,\n3,4\n"))[1] == [(1.0, 2.0), (None, None), (3.0, 4.0)]


def test_a_single_column_keeps_its_gaps_but_not_its_tail(tmp_path):
    assert rows(write(tmp_path / "a.csv", "x\n1\n\n2\n\n\n"))[1] == [(1.0,), (None,), (2.0,)]


@pytest.mark.parametrize(
    ("name", "content", "separator", "header"),
    [
        ("a.csv", "a,b\n1,2\n", ",", ["a", "b"]),
        ("a.tsv", "a\tb\n1\t2\n", "\t", ["a", "b"]),
        ("a.csv", "a;b\n1,5;2\n2,5;3\n", ";", ["a", "b"]),
        ("a.csv", "5.1,3.5,setosa\n4.9,3.0,setosa\n", ",", None),
        ("a.csv", "0,1,2\n9.5,8,7\n", ",", ["0", "1", "2"]),
        ("a.csv", ",a,b\n0,1,2\n", ",", ["", "a", "b"]),
        ("a.csv", ",0,1,2\n0,1.5,2.5,3\n", ",", ["", "0", "1", "2"]),
        ("a.csv", "label,0,1,2\n7,1,2,3\n", ",", ["label", "0", "1", "2"]),
        ("a.csv", "1,2,3,label\n9,1,2,3\n", ",", ["1", "2", "3", "label"]),
        ("a.csv", "cat,0,1\ndog,1,0\n", ",", None),
        ("a.csv", "1,,2\n3,4,5\n", ",", None),
        ("a.csv", "5,0,0,0\n3,0,0,1\n", ",", None),
    ],
)
def test_layout(tmp_path, name, content, separator, header):
    layout = tables.sniff(write(tmp_path / name, content))
    assert (layout.separator, layout.header) == (separator, header)


def test_quotes_hold_separators_and_line_feeds(tmp_path):
    path = write(tmp_path / "a.csv", 'a,b\n"x,1","two\nlines"\n"he said ""no""",\n')
    assert rows(path)[1] == [("x,1", "two\nlines"), ('he said "no"', None)]


def test_a_tab_file_with_loose_quotes(tmp_path):
    path = write(tmp_path / "a.tsv", 'text\tlabel\n"so it began\t1\n5" wide\t0\n')
    assert rows(path)[1] == [('"so it began', 1.0), ('5" wide', 0.0)]


def test_carriage_returns_alone(tmp_path):
    assert rows(write(tmp_path / "a.csv", "a,b\r1,2\r3,\r"))[1] == [("1", "2"), ("3", None)]


def test_empty_file(tmp_path):
    assert refused(write(tmp_path / "a.csv", "")).code == "empty"


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": [1, None], "y": ["a", ""]}).write_parquet(path)
    assert detect(path) == "parquet"
    assert rows(path, "parquet")[1] == [(1, "a"), (None, "")]
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert refused(path, "parquet").code == "truncated"
    path.write_bytes(b"PAR1" + b"\xff" * 200 + b"PAR1")
    assert refused(path, "parquet").code == "malformed"
    path.write_bytes(b"no such thing at all")
    assert refused(path, "parquet").code == "malformed"


def test_ndjson_as_python_writes_it(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"x": x, "y": "a"}) + "\n" for x in (1.0, float("nan"), None)))
    mode, found = rows(path, "ndjson")
    assert mode == "careful"
    assert found[0] == (1.0, "a")
    assert found[1][0] != found[1][0]
    assert found[2] == (None, "a")


def test_ndjson_cut_short_and_broken(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 1}\n{"x": 2}\n{"x": ')
    assert refused(path, "ndjson").code == "truncated"
    path.write_text('{"x": 1}\n{"x": oops}\n{"x": 3}\n')
    problem = refused(path, "ndjson")
    assert problem.code == "malformed"
    assert 9 <= problem.data["offset"] < 20


def test_missing_file_and_folder(tmp_path):
    assert refused(tmp_path / "none.csv").code == "not-found"
    (tmp_path / "folder.csv").mkdir()
    assert refused(tmp_path / "folder.csv").code == "is-directory"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.csv", "just one column\n", "csv"),
        ("a.txt", "a\tb\nc\td\ne\tf\n", "csv"),
        ("a.txt", "It rained, and it\nrained, then,\nit did not.\n", "text"),
        ("a.json", '{"a": 1}\n{"a": 2}\n', "ndjson"),
        ("a.json", '{"images": []}', "other"),
        ("README.md", "# data", ""),
        ("LICENSE", "x", ""),
        ("a.mindrecord.db", "SQLite format 3", ""),
        ("list.md5", "x  y", ""),
        ("a.tfrecord", b"\x10\0\0\0\0\0\0\0abc\0", "tfrecord"),
        ("photo.jpg", "", "image"),
    ],
)
def test_detect(tmp_path, name, content, kind):
    assert detect(write(tmp_path / name, content)) == kind


@pytest.mark.parametrize(
    ("late", "fast"),
    [
        ('{"a": 3, "b": "x"}', True),
        ('{"a": null, "b": "x"}', True),
        ('{"b": "x"}', True),
        ('{"a": 3, "b": "x", "c": 1}', False),
        ('{"b": "x", "c": 1}', False),  # one key too many and one too few
        ('{"a": 3, "b": "text with \\": null in it"}', True),
        ('{"a": 3, "b": "text with \\": in it"}', False),
        ('{"a": 3.5, "b": "x"}', False),
    ],
)
def test_keys_that_come_late_in_ndjson_are_not_passed_over(tmp_path, late, fast):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1, "b": "y"}\n' * 20_000 + late + "\n")
    if not fast:
        with pytest.raises(tables.RereadNeeded):
            list(tables.batches(path, "ndjson", "fast"))
    for mode in ("fast",) * fast + ("text",):
        last = pl.concat(list(tables.batches(path, "ndjson", mode)), how="diagonal").row(-1, named=True)
        assert {key: value for key, value in last.items() if value is not None} == {
            key: value for key, value in json.loads(late).items() if value is not None
        }
