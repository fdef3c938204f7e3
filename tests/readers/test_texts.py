"""Lines of text of every layout and encoding, as they are written in the wild."""

from pathlib import Path

import polars as pl
import pytest

from accucheck.errors import ReadError
from accucheck.readers import labels, texts
from accucheck.readers.detect import detect


def rows(path: Path) -> pl.DataFrame:
    return pl.concat(list(texts.batches(path)))


def write(folder: Path, text: str | bytes, name: str = "train.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def counted(path: Path, label: str | None = None) -> labels.Counts:
    *_, counts = labels.count(path, detect(path), label)
    assert isinstance(counts, labels.Counts)
    return counts


def test_a_sample_a_line_with_blank_ones_within_and_none_at_the_end(tmp_path: Path) -> None:
    path = write(tmp_path, "one\r\n\n \u3000\nfour\n\n\n")
    assert detect(path) == "text"
    assert rows(path)["text"].to_list() == ["one", None, None, "four"]
    with pytest.raises(labels.NoLabelField):
        counted(path)


def test_blank_lines_at_the_end_of_a_block_are_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_BLOCK", 16)
    lines = ["a" * 7, "", "", "", "", "", "", "", "", "", "b" * 40, "", "c"]
    path = write(tmp_path, "\n".join(lines) + "\n\n")
    found = rows(path)["text"].to_list()
    assert "".join(found[-4:-2]) + "".join(one or "" for one in found[-2:]) == "b" * 40 + "c"
    assert sum(one is None for one in found) == 10


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_usual_encodings(encoding: str, tmp_path: Path) -> None:
    lines = ["今天天气不错", "plain ASCII", "价格是一百二十元"]
    assert rows(write(tmp_path, "\n".join(lines).encode(encoding)))["text"].to_list() == lines


def test_damage_in_utf8_is_kept_as_replacement_characters(tmp_path: Path) -> None:
    lines = [f"第{n}句话".encode() for n in range(50)]
    lines[7] = lines[7][:-1]
    found = rows(write(tmp_path, b"\n".join(lines)))["text"].to_list()
    assert [place for place, line in enumerate(found) if "\ufffd" in line] == [7]


def test_the_labels_of_fasttext(tmp_path: Path) -> None:
    text = "__label__cat a small animal\n__label__dog __label__big barks\n" * 20 + "__label__cat\n"
    path = write(tmp_path, text, "cooking.train")
    found = rows(path)
    assert found["label"][1].to_list() == ["dog", "big"] and found["text"][:2].to_list() == ["a small animal", "barks"]
    assert found["text"][-1] is None
    counts = counted(path)
    assert counts.classes == {"cat": 21, "dog": 20, "big": 20} and counts.many and counts.samples == 41


@pytest.mark.parametrize("first", [True, False])
def test_a_label_on_one_side_of_a_tab(first: bool, tmp_path: Path) -> None:
    pairs = [(("体育", "财经", "娱乐")[n % 3], f"第{n}条新闻的标题") for n in range(60)]
    lines = ["\t".join(pair if first else pair[::-1]) for pair in pairs]
    lines[5] = lines[5].replace(pairs[5][0], "")
    path = write(tmp_path, "\n".join(lines))
    assert detect(path) == "text"
    counts = counted(path)
    assert counts.classes == {"体育": 20, "财经": 20, "娱乐": 19} and counts.missing == 1


@pytest.mark.parametrize(
    "text",
    [
        "label\ttext_a\n" + "".join(f"{n % 2}\tsentence {n}\n" for n in range(40)),  # a table, with a header
        "".join(f"word{n}\tB-ORG\n" + "\n" * (n % 9 == 8) for n in range(90)),  # tagged tokens of sentences
        "".join(f"source {n}\ttarget {n}\n" for n in range(40)),  # a translation
    ],
)
def test_what_only_looks_like_labels_on_one_side_of_a_tab(text: str, tmp_path: Path) -> None:
    assert detect(write(tmp_path, text)) == "csv"


@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_a_list_of_pictures(separator: str, tmp_path: Path) -> None:
    path = write(tmp_path, "".join(f"img/{n}.jpg{separator}{n % 2}\n" for n in range(20)), "list.csv")
    assert detect(path) == "text"
    assert counted(path).classes == {"0": 10, "1": 10}
    assert rows(path)["file"][3] == "img/3.jpg"


def test_a_line_as_long_as_the_file_is_read_in_bounded_pieces(tmp_path: Path) -> None:
    path = write(tmp_path, "word " * 3_000_000)
    pieces = rows(path)["text"]
    assert 1 < len(pieces) < 6 and pieces.str.len_chars().sum() == 15_000_000


def test_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError):
        rows(write(tmp_path, ""))
    assert list(texts.batches(write(tmp_path, "\n\n\n"))) == []
