"""accucheck data: what lies in files of every kind is shown as it is, tokens and masks with it; what cannot be read is told."""

import io
import json
import sqlite3
import subprocess
import sys
import tarfile
import wave
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from accucheck import browsing, browsing_pages, mindrecord_writer
from accucheck.errors import ReadError, UserError
from accucheck.language import Language, cell_width
from accucheck.mindrecord_writer import Schema, packed
from accucheck.readers import rows, vocabulary
from accucheck.report import data_sheet
from command_line import accucheck
from tfrecord_files import example, write

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "我", "爱", "北", "京"]


def png(side: int = 12, shade: int = 0) -> bytes:
    kept = io.BytesIO()
    Image.fromarray(np.full((side, side, 3), shade, np.uint8)).save(kept, "PNG")
    return kept.getvalue()


def sound(seconds: float = 0.5) -> bytes:
    kept = io.BytesIO()
    with wave.open(kept, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(8000)
        made.writeframes((np.sin(np.arange(int(8000 * seconds)) / 9) * 9000).astype("<i2").tobytes())
    return kept.getvalue()


def text(path: Path, start: int = 0, count: int = 20, words: Path | None = None, draw: bool = False) -> str:
    known = vocabulary.read(words) if words else None
    return "\n".join(browsing.lines(browsing.page(path, start, count), known, draw, Language.EN))


def mindrecord(path: Path, rows: int) -> Path:
    schema = Schema({"label": "int64"}, {"ids": "int64", "box": "float32"}, ("image",))
    with mindrecord_writer.writing(path, schema) as writer:
        for at in range(rows):
            box = np.array([1, 2, 6, 7], np.float32).tobytes()
            writer.add({"label": at}, [box, packed([2, 4, 5, at % 3]), png()])
    return path


def kinds(folder: Path) -> dict[str, tuple[Path, list[str]]]:
    """A file of each kind, with what must be said of it."""
    numbers = np.arange(24, dtype=np.float32).reshape(6, 4)
    np.save(folder / "a.npy", numbers)
    np.savez(folder / "b.npz", x=numbers, y=np.arange(6))
    pl.DataFrame({"name": ["x", "y"], "value": [1.5, None]}).write_csv(folder / "c.csv")
    pl.DataFrame({"k": [1, 2, 3], "ids": [[1, 2], [3, 4], [5, 6]]}).write_parquet(folder / "d.parquet")
    (folder / "e.jsonl").write_text('{"a": 1, "text": "好"}\n{"a": 2, "text": "no"}\n', encoding="utf-8")
    write(folder / "f.tfrecord", [example(image=png(), label=at, ids=[1, 2, at]) for at in range(3)])
    with tarfile.open(folder / "g.tar", "w") as made:
        for name, content in (("0.png", png()), ("0.cls", b"7"), ("1.png", png()), ("1.cls", b"8")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    pictures = folder / "pictures" / "cat"
    pictures.mkdir(parents=True)
    (pictures / "1.png").write_bytes(png())
    return {
        "npy": (folder / "a.npy", ["rows 0 to 5 of 6", "float32 [4] 0 1 2 3"]),
        "npz": (folder / "b.npz", ["float32 [4] 4 5 6 7", "y"]),
        "csv": (folder / "c.csv", ["name", "1.5", "-"]),
        "parquet": (folder / "d.parquet", ["rows 0 to 2 of 3", "int64 [2] 5 6"]),
        "ndjson": (folder / "e.jsonl", ["好", "row 1"]),
        "tfrecord": (folder / "f.tfrecord", ["PNG 12 x 12 RGB", "int64 [3] 1 2 2"]),
        "tar": (folder / "g.tar", ["PNG 12 x 12 RGB", "__key__"]),
        "mindrecord": (
            mindrecord(folder / "h.mindrecord", 3),
            ["rows 0 to 2 of 3", "float32 [4] 1 2 6 7", "PNG 12 x 12"],
        ),
        "image": (folder / "pictures", ["PNG 12 x 12 RGB", "cat"]),
    }


@pytest.mark.parametrize("kind", ["npy", "npz", "csv", "parquet", "ndjson", "tfrecord", "tar", "mindrecord", "image"])
def test_every_kind_is_shown(tmp_path: Path, kind: str) -> None:
    path, wanted = kinds(tmp_path)[kind]
    told = text(path)
    assert all(one in told for one in wanted), told


def test_columns_of_a_text_file_that_hold_numbers_alone_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,rate,code,mixed\n7,1e-3,007,1\n,2,010,x\n40,3,5,2\n")
    ages, rates, codes, mixed = zip(
        *(row.fields.values() for row in rows.rows(tmp_path / "a.csv", "csv", 0, 9)), strict=True
    )
    assert (ages, rates) == ((7, None, 40), (0.001, 2.0, 3.0))
    assert (codes, mixed) == (("007", "010", "5"), ("1", "x", "2"))


@pytest.mark.parametrize(("count", "one"), [(64, True), (12, False)])
def test_many_columns_of_numbers_are_one_sequence(tmp_path: Path, count: int, one: bool) -> None:
    """A row of 65 columns took three screens."""
    path = tmp_path / "digits.csv"
    names = [*(f"pixel_{at}" for at in range(count)), "label", "x_1", "x_3"]
    path.write_text(f"{','.join(names)}\n{','.join(map(str, range(count + 3)))}\n")
    told = text(path)
    if one:
        assert "pixel_0 … pixel_63  int64 [64] 0 1 2 3" in told and "pixel_1 " not in told and "[64]   0 … 63" in told
        assert "label" in told and "x_1" in told and "x_3" in told and len(told.splitlines()) < 14
    else:
        assert "pixel_1 " in told
    page = browsing_pages.web_page(browsing.page(path, 0, 1), None, Language.EN)
    assert ("pixel_0 … pixel_63" in page) is one
    assert len(browsing.as_json(browsing.page(path, 0, 1), None, Language.EN)["fields"]) == count + 3


def test_columns_that_are_the_cells_of_a_table_are_one_picture(tmp_path: Path) -> None:
    """1x1 to 16x14: a line for each row of a picture said nothing of it. Rows of other lengths stay sequences."""
    path = tmp_path / "cells.csv"
    cells = [f"{row}x{column}" for row in range(1, 17) for column in range(1, 15)]
    path.write_text(f"label,{','.join(cells)}\n7,{','.join(str(at) for at in range(224))}\n")
    told = text(path)
    assert "1x1 … 16x14  int64 [16, 14]" in told and "2x1" not in told and len(told.splitlines()) < 10
    assert "<img" in browsing_pages.web_page(browsing.page(path, 0, 1), None, Language.EN)
    path.write_text(f"{','.join(cells[:-1])}\n{','.join(str(at) for at in range(223))}\n")
    told = " ".join(text(path).split())
    assert "1x1 … 15x14 int64 [15, 14]" in told and "16x1 … 16x13 int64 [13]" in told


def test_rows_from_the_middle_over_several_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        mindrecord(tmp_path / f"{name}.mindrecord", 30)
    found = browsing.page(tmp_path, 25, 10)
    assert [(row.path.name, row.number) for row in found.rows] == [
        *(("a.mindrecord", at) for at in range(25, 30)),
        *(("b.mindrecord", at) for at in range(5)),
    ]
    assert found.total == 60
    write(tmp_path / "c.tfrecord", [example(a=at) for at in range(5)])
    write(tmp_path / "d.tfrecord", [example(a=at) for at in range(5)])
    later = browsing.page(tmp_path, 64, 3)
    assert [(row.path.name, row.fields["a"]) for row in later.rows] == [
        ("c.tfrecord", 4),
        ("d.tfrecord", 0),
        ("d.tfrecord", 1),
    ]
    assert later.total is None
    with pytest.raises(UserError) as caught:
        browsing.page(tmp_path, 100, 3)
    assert caught.value.code == "no-rows"


@pytest.mark.parametrize("name", ["vocab.txt", "spm.vocab", "vocab.json", "tokenizer.json"])
def test_tokens_padding_and_masks(tmp_path: Path, name: str) -> None:
    numbers = {token: at for at, token in enumerate(TOKENS)}
    content = {
        "vocab.txt": "\n".join(TOKENS) + "\n",
        "spm.vocab": "\n".join(f"{token}\t-{at}" for token, at in numbers.items()),
        "vocab.json": json.dumps(numbers),
        "tokenizer.json": json.dumps({"model": {"vocab": numbers}, "added_tokens": []}),
    }[name]
    (tmp_path / name).write_text(content, encoding="utf-8")
    data = write(tmp_path / "a.tfrecord", [example(ids=[2, 4, 5, 6, 7, 3, 0, 0, 0, 0], mask=[1] * 6 + [0] * 4)])
    told = text(data, words=tmp_path / name)
    assert "[CLS] 我 爱 北 京 [SEP] [PAD] x 4" in told
    assert "██████░░░░ 6 of 10" in told


@pytest.mark.parametrize(
    "kept",
    [
        {"vocab_size": 8000, "char_to_id": {"我": 4, "爱": 5}, "n_words": 2},
        {"vocab_size": 8000, "id_to_char": {"4": "我", "5": "爱"}, "unk": 1},
        {"itos": ["a", "b", "c", "d", "我", "爱"], "max_len": 128},
    ],
)
def test_tokens_of_a_project_s_own_tokenizer(tmp_path: Path, kept: dict[str, Any]) -> None:
    """Its tables lie beside settings: "vocab_size" was taken for the token 8000, and no token was known."""
    (tmp_path / "tokenizer.json").write_text(json.dumps(kept), encoding="utf-8")
    tokens = vocabulary.read(tmp_path / "tokenizer.json").tokens
    assert tokens[4] == "我" and tokens[5] == "爱" and 8000 not in tokens and 128 not in tokens


def test_a_vocabulary_that_does_not_fit_is_told(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("a\nb\n")
    data = write(tmp_path / "a.tfrecord", [example(ids=[0, 1, 30522])])
    ran = accucheck("data", data, "--vocabulary", tmp_path / "vocab.txt", "--lang", "en")
    assert ran.code == 1 and "⟨30522⟩" in ran.out
    assert "no token for 1 of 3 numbers, such as 30522: it has 2 tokens" in ran.out
    (tmp_path / "vocab.json").write_text("[1, 2")
    broken = accucheck("data", data, "--vocabulary", tmp_path / "vocab.json", "--lang", "zh")
    assert broken.code == 2 and "vocab.json" in broken.err


def test_sounds_and_long_sequences_are_curves(tmp_path: Path) -> None:
    data = write(tmp_path / "a.tfrecord", [example(sound=sound(), ecg=np.sin(np.arange(500) / 7).astype(np.float32))])
    told = text(data, draw=True)
    assert "sound: 0.50 s, 8,000 Hz, 1 channel" in told and "▇" in told
    page = browsing_pages.web_page(browsing.page(data, 0, 1), None, Language.ZH)
    assert page.count("<svg") == 2 and "音频：0.50 秒" in page


def test_the_page_is_whole_and_safe(tmp_path: Path) -> None:
    data = write(tmp_path / "a.tfrecord", [example(image=png(), text=b"<script>alert(1)</script>")])
    ran = accucheck("data", data, "--html", tmp_path / "a.html", "--png", tmp_path / "a.png", "--lang", "en")
    assert ran.code == 0, ran.err
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<script" not in page and "&lt;script&gt;" in page and "data:image/png;base64," in page
    assert "http" not in page.replace("http-equiv", "")
    assert Image.open(tmp_path / "a.png").size[0] > 1000
    again = accucheck("data", data, "--html", tmp_path / "a.html")
    assert again.code == 2 and (tmp_path / "a.html").read_text(encoding="utf-8") == page


def test_a_sheet_of_rows_without_pictures_has_no_room_for_them(tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,4\n")
    assert accucheck("data", tmp_path / "a.csv", "--png", tmp_path / "a.png").code == 0
    with Image.open(tmp_path / "a.png") as sheet:
        assert sheet.height < 200


@pytest.mark.parametrize(
    "box", [[5, 6, 8, 9], [0.5, 0.6, 0.8, 0.9], [5, 6, 3, 3]], ids=["corners", "shares", "corner and size"]
)
def test_boxes_are_drawn_where_they_lie(tmp_path: Path, box: list[float]) -> None:
    data = write(tmp_path / "a.tfrecord", [example(image=png(10, 255), box=np.array(box, np.float32))])
    (row,) = browsing.page(data, 0, 1).rows
    picture = browsing.shown(row.fields["image"], row.fields, None, Language.EN).picture
    assert picture is not None
    drawn = np.asarray(browsing_pages.with_boxes(picture, row))
    red = np.argwhere((drawn[:, :, 0] > 200) & (drawn[:, :, 1] < 100))
    assert red.min(axis=0).tolist() == [6, 5] and red.max(axis=0).tolist() == [9, 8]


@pytest.mark.parametrize("shape", [(8, 8, 1), (1, 6, 6), (6, 6)])
def test_small_pictures_are_no_boxes(shape: tuple[int, ...]) -> None:
    row = rows.Row(Path("a.npy"), 0, {"image": np.resize(np.array([0.1, 0.1, 0.6, 0.6], np.float32), shape)})
    assert not np.asarray(browsing_pages.with_boxes(Image.new("RGB", (40, 40)), row)).any()


def test_damage_is_told_and_the_rest_shown(tmp_path: Path) -> None:
    mindrecord(tmp_path / "a.mindrecord", 3)
    broken = write(tmp_path / "b.tfrecord", [example(a=1)] * 3)
    broken.write_bytes(broken.read_bytes()[:-5])
    ran = accucheck("data", tmp_path, "--lang", "en")
    assert ran.code == 1 and "row 2" in ran.out and "not shown:" in ran.out and "b.tfrecord" in ran.out
    found = browsing.page(broken, 0, 20)
    assert len(found.rows) == 2 and [one.code for one in found.problems] == ["truncated"]
    with pytest.raises(ReadError):
        browsing.page(broken, 2, 20)
    none = accucheck("data", tmp_path / "none", "--lang", "en")
    assert none.code == 2 and "none" in none.err
    told = json.loads(accucheck("data", tmp_path / "a.mindrecord", "--json", "--count", "2").out)
    assert told["total"] == 3 and len(told["rows"]) == 2
    assert told["fields"][0]["name"] == "label"


def sparse(path: Path, size: int, rows: int) -> Path:
    """A MindRecord of this size whose first rows alone hold anything."""
    mindrecord(path, 20)
    with sqlite3.connect(f"{path}.db") as database:
        more: list[tuple[Any, ...]] = [(at, 1, 0, 0, 0, 0, 0, 0, 0, at) for at in range(20, rows)]
        database.executemany("INSERT INTO INDEXES VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", more)
    with path.open("r+b") as file:
        file.truncate(size)
    return path


def test_ten_gigabytes_take_little_memory(tmp_path: Path) -> None:
    path = sparse(tmp_path / "large.mindrecord", 10 << 30, 200_000)
    script = (
        "import re, sys\nfrom pathlib import Path\nfrom accucheck import browsing\nfrom accucheck.language import Language\n"
        "print(*browsing.lines(browsing.page(Path(sys.argv[1]), 0, 20), None, False, Language.EN), sep='\\n')\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])"
    )
    ran = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert "rows 0 to 19 of 200,000" in ran.stdout
    assert int(ran.stdout.split()[-1]) < 200_000, "kilobytes at most"


PIPES = """
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import transforms, vision

IMAGES = np.arange(8 * 10 * 10 * 3, dtype=np.uint8).reshape(8, 10, 10, 3)
LABELS = np.arange(8, dtype=np.int32)


def train(mean=0.0):
    data = ds.NumpySlicesDataset({"image": IMAGES, "label": LABELS}, shuffle=True)
    steps = [vision.Resize((16, 16)), vision.Normalize([mean] * 3, [255.0] * 3), vision.HWC2CHW()]
    return data.map(steps, "image").batch(4)


def evaluated():
    data = ds.NumpySlicesDataset({"image": IMAGES, "label": LABELS}, shuffle=False)
    return data.map([vision.Resize((8, 8)), vision.HWC2CHW()], "image").batch(4)


def broken():
    raise RuntimeError("no data here")
"""


def project(root: Path, **pipelines: str) -> Path:
    root.mkdir()
    (root / "pipe.py").write_text(PIPES)
    calls = "".join(f"  {role}: {{call: 'pipe:{name}'}}\n" for role, name in pipelines.items())
    (root / "accucheck.yaml").write_text(f"pipelines:\n{calls}" if calls else "name: nothing\n")
    return root


@pytest.mark.parametrize("count", [1, 3])
def test_pictures_of_one_row_stand_side_by_side_on_a_sheet(tmp_path: Path, count: int) -> None:
    """Of the sides of a sample, the sheet showed the first alone."""
    pictures = {f"side{at}": png(shade=60 + 60 * at) for at in range(count)}
    path = write(tmp_path / "a.tfrecord", [example(**pictures, label=at) for at in range(2)])
    made = data_sheet.sheet(browsing.page(path, 0, 2), None, Language.EN)
    shades = [made.getpixel((8 + at * 264 + 100, 100)) for at in range(4)]
    expected = [60, 120, 180, 255] if count > 1 else [60, 60, 255, 255]  # of several pictures a row takes a line
    assert shades == [(shade,) * 3 for shade in expected]


def test_lines_fit_into_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "word " * 60 + "\n")
    page = browsing.page(path, 0, 1)
    rows = [[*browsing.lines(page, None, False, Language.EN, columns)][1:] for columns in (80, 0)]
    assert max(map(len, rows[0])) <= 80 < max(map(len, rows[1]))


@pytest.mark.mindspore
def test_samples_as_training_and_evaluation_see_them(tmp_path: Path) -> None:
    root = project(tmp_path / "p", train="train", eval="evaluated")
    refused = accucheck("data", root, "--pipelines", "--lang", "en")
    assert refused.code == 2 and "--live" in refused.err
    ran = accucheck(
        "data", root, "--pipelines", "--live", "--count", "2", "--json", "--html", root / "a.html", "--lang", "en"
    )
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    shapes = {one["name"]: one["shape"] for one in told["fields"]}
    assert shapes["image (source)"] == "[10, 10, 3]"
    assert shapes["image (training)"] == "[3, 16, 16]" and shapes["image (evaluation)"] == "[3, 8, 8]"
    assert len(told["rows"]) == 2
    assert [note.partition(":")[0] for note in told["notes"]] == ["evaluation", "training"]
    assert "Normalize" in told["notes"][1] and "Normalize" not in told["notes"][0]
    assert (root / "a.html").read_text(encoding="utf-8").count("<img") == 6


@pytest.mark.mindspore
def test_pipelines_that_give_nothing_are_told(tmp_path: Path) -> None:
    broken = accucheck("data", project(tmp_path / "a", train="broken"), "--pipelines", "--live", "--lang", "en")
    assert broken.code != 0 and "no data here" in broken.err
    none = accucheck("data", project(tmp_path / "b"), "--pipelines", "--live", "--lang", "zh")
    assert none.code == 2 and "pipelines.train" in none.err


def test_rows_that_do_not_fit_in_memory_are_refused_or_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LARGEST", 1000)
    path = tmp_path / "rows.npy"
    np.save(path, np.ones((9, 100), np.float32))
    found = browsing.page(path, 0, 20)
    assert [row.number for row in found.rows] == [0, 1] and [one.code for one in found.problems] == ["rows-bytes"]
    assert [row.number for row in browsing.page(path, 8, 20).rows] == [8]
    np.save(path, np.ones((9, 300), np.float32))
    with pytest.raises(ReadError) as error:
        browsing.page(path, 3, 1)
    assert error.value.code == "row-bytes" and error.value.data["row"] == 3 and error.value.data["size"] == 1200
    records = tmp_path / "rows.tfrecord"
    write(records, [example(text=[b"a" * size]) for size in (400, 400, 400, 1001)])
    found = browsing.page(records, 0, 20)
    assert [row.number for row in found.rows] == [0, 1] and [one.code for one in found.problems] == ["rows-bytes"]
    with pytest.raises(ReadError) as error:
        browsing.page(records, 3, 1)
    assert error.value.code == "row-bytes"
    np.save(path, np.asfortranarray(np.ones((9, 20), np.float32)))
    monkeypatch.setattr(rows, "WHOLE", 100)
    with pytest.raises(ReadError) as error:
        browsing.page(path, 0, 1)
    assert error.value.code == "too-large"


def test_of_a_long_text_the_beginning_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsing, "LOOKED", 7)  # within the third character
    for data, told in (("京京京京".encode(), "京京"), ("京京".encode(), "京京"), (b"abc\xff" * 9, "36 bytes")):
        assert told in browsing.shown(data, {}, None, Language.EN).text
    values = np.array([np.nan] * 9 + [4.0, -2.0] + [np.inf] * 9)
    assert "-2 … 4" in browsing.shown(np.repeat(values, 30), {}, None, Language.EN).text


def test_class_vectors_are_no_tokens_and_frames_of_a_sound_no_picture(tmp_path: Path) -> None:
    words = tmp_path / "vocab.txt"
    words.write_text("\n".join(TOKENS))
    known = vocabulary.read(words)
    beside = {"label": np.array([0, 0, 1]), "ids": np.array([2, 4, 3, 0, 0])}
    assert browsing.shown(beside["label"], beside, known, Language.EN).text == "int64 [3] 0 0 1"
    assert "[CLS] 我 [SEP] [PAD] x 2" in browsing.shown(beside["ids"], beside, known, Language.EN).text
    frames = browsing.shown(np.ones((400, 20), np.float32), {}, None, Language.EN)
    assert frames.picture is None and frames.curve is not None and frames.curve.shape == (8000,)
    tall = browsing.shown(np.ones((300, 20), np.float32), {}, None, Language.EN)
    assert tall.picture is not None and len(browsing.picture_lines(tall.picture)) == 24


def test_columns_stand_below_each_other_in_chinese(tmp_path: Path) -> None:
    row = rows.Row(tmp_path, 0, {"image (训练)": np.full((16, 16), 3.0), "y": 1})
    lines = list(browsing.lines(browsing.Page("x", 0, [row], 1), None, True, Language.ZH))
    image = next(line for line in lines if "image (训练)" in line and "float64 [16, 16]" in line)
    drawn = lines[lines.index(image) + 1]
    assert cell_width(image[: image.index("float64")]) == len(drawn) - 16 and len(drawn.split()) <= 1


def test_a_sheet_says_what_it_has_no_room_for(tmp_path: Path) -> None:
    pictures = {f"picture {at}": np.full((16, 16), 9.0 * at) for at in range(6)}
    row = rows.Row(tmp_path, 0, {**pictures, "label": 3})
    made = data_sheet.sheet(browsing.Page("x", 0, [row], 1), None, Language.ZH)
    assert made.width == 6 * 264 + 8
    values = {name: browsing.shown(value, row.fields, None, Language.EN) for name, value in row.fields.items()}
    assert (
        data_sheet._texts(values, Language.EN)[-1] == "… 2 more fields"
        and len(data_sheet._texts(values, Language.EN)) == 6
    )


def grey(levels: np.ndarray[Any, Any], path: Path, colours: list[int] | None = None) -> bytes:
    picture = Image.fromarray(levels.astype(np.uint8))
    if colours is not None:
        picture = picture.convert("P")
        picture.putpalette(colours)
    picture.save(path)
    return path.read_bytes()


@pytest.mark.parametrize(("high", "stretched"), [(1, True), (18, True), (200, False)])
@pytest.mark.parametrize("palette", [False, True])
def test_numbers_of_classes_can_be_seen(tmp_path: Path, high: int, stretched: bool, palette: bool) -> None:
    """A mask holds 0, 1, 2: as greys all of it would be black. A picture stays as it is."""
    levels = np.zeros((16, 16))
    levels[4:8] = high
    data = grey(levels, tmp_path / "mask.png", [level for level in range(256) for _ in range(3)] if palette else None)
    one = browsing.shown(data, {}, None, Language.EN)
    assert one.picture is not None and np.asarray(one.picture).max() == (255 if stretched else high)
    assert (f"0 … {high}, " in one.text) is stretched


def test_a_palette_of_colours_stays(tmp_path: Path) -> None:
    data = grey(np.ones((16, 16)), tmp_path / "mask.png", [0, 0, 0, 128, 0, 0] + [7] * 762)
    one = browsing.shown(data, {}, None, Language.EN)
    assert one.picture is not None and one.picture.getpixel((3, 3)) == (128, 0, 0)


def test_files_of_one_sample_are_called_by_their_name(tmp_path: Path) -> None:
    """A folder of pictures, or of sounds: each is row 0 of its file, so its name tells it from the others."""
    for name in ("high", "low"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.wav").write_bytes(sound())
    (tmp_path / "low" / "two.png").write_bytes(png())
    (tmp_path / "broken.wav").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    found = browsing.page(tmp_path, 0, 20)
    assert [row.path.name for row in found.rows] == ["broken.wav", "one.wav", "one.wav", "two.png"]
    told = text(tmp_path)
    assert "row 0" not in told and str(Path("low", "one.wav")) in told and "0.50 s, 8,000 Hz" in told
    page = browsing_pages.web_page(found, None, Language.EN)
    assert "<td>two.png</td>" in page and page.count("<svg") == 2


@pytest.mark.parametrize("shared", [True, False])
def test_boxes_that_are_kept_side_by_side(tmp_path: Path, shared: bool) -> None:
    """xmin, ymin, xmax and ymax of detection data, in shares of the picture's sides, and numbers that lie outside of it."""
    sides = {"box/xmin": [0.25], "box/ymin": [0.25], "box/xmax": [0.75], "box/ymax": [0.75]}
    fields = sides if shared else {**sides, "box/ymax": [300.0]}
    file = write(tmp_path / "a.tfrecord", [example(picture=png(64), **fields)])
    assert ("┼" in text(file, draw=True)) is shared
    assert ("│" in text(file, draw=True)) is shared
    row = next(iter(rows.rows(file, "tfrecord", 0, 1)))
    picture = browsing.shown(row.fields["picture"], row.fields, None, Language.EN).picture
    assert picture is not None
    assert (np.asarray(browsing_pages.with_boxes(picture, row)) == (255, 40, 40)).all(axis=2).any() == shared


def test_lengths_have_a_unit_and_one_value_is_no_range(tmp_path: Path) -> None:
    file = write(
        tmp_path / "a.tfrecord", [example(a=b"abc\xff\0\xfe", b=2, c=1.5), example(a=b"\xff\0\xfe\xfe\xff", b=2, c=1.5)]
    )
    table = browsing.fields(browsing.page(file, 0, 5).rows, Language.EN)
    assert [one["range"] for one in table] == ["5 … 6 bytes", "2", "1.5"]
    assert text(file, count=1).startswith(f"{file}: row 0")


def test_what_holds_no_data_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# nothing\n")
    with pytest.raises(UserError) as caught:
        browsing.page(tmp_path, 0, 3)
    assert caught.value.code == "no-data-files" and "WAV" in caught.value.text(Language.EN)


def pictured(folder: Path, name: str, levels: np.ndarray[Any, Any]) -> Path:
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(levels.astype(np.uint8)).save(folder / name)
    return folder / name


def noise(seed: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, 255, (24, 32, 3))


def spot(level: int) -> np.ndarray[Any, Any]:
    levels = np.zeros((24, 32))
    levels[8:16, 8:24] = level
    return levels


@pytest.mark.parametrize("ending", ["", "_mask"])
def test_masks_of_the_same_names_stand_beside_their_pictures(tmp_path: Path, ending: str) -> None:
    for number in range(3):
        pictured(tmp_path / "images" / "train", f"{number}.png", noise(number))
        pictured(tmp_path / "masks" / "train", f"{number}{ending}.png", spot(number + 1))
    found = browsing.page(tmp_path, 0, 10)
    assert found.total == 3 and [row.path.parent.parent.name for row in found.rows] == ["images"] * 3
    told = text(tmp_path, draw=True)
    assert told.count("L 0 … ") == 3 and "@" in told, "the mask is drawn so that it can be seen"


def test_pictures_of_classes_with_the_same_names_are_no_masks(tmp_path: Path) -> None:
    for kind, seed in (("cat", 1), ("dog", 2)):
        for number in range(2):
            pictured(tmp_path / "photo" / kind, f"{number}.png", noise(seed + number))
            pictured(tmp_path / "drawn" / kind, f"{number + 5}.png", spot(seed))
    assert browsing.page(tmp_path, 0, 20).total == 8


@pytest.mark.parametrize("given", ["", "annotations/instances.json"])
def test_boxes_of_coco_are_drawn_on_their_pictures(tmp_path: Path, given: str) -> None:
    for number in range(2):
        pictured(tmp_path / "val", f"{number}.png", noise(number))
    content = {
        "images": [
            {"id": 7, "file_name": "0.png"},
            {"id": 8, "file_name": "1.png"},
            {"id": 9, "file_name": "gone.png"},
        ],
        "annotations": [
            {"image_id": 8, "category_id": 3, "bbox": [2, 3, 8, 8]},
            {"image_id": 8, "category_id": 4, "bbox": [4, 4, 20, 16]},
        ],
        "categories": [{"id": 3, "name": "cat"}, {"id": 4, "name": "[red]dog"}],
    }
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "instances.json").write_text(json.dumps(content))
    (tmp_path / "annotations" / "other.json").write_text("{")
    first, second = browsing.page(tmp_path / given, 0, 10).rows
    assert "boxes" not in first.fields
    assert second.fields["boxes"].tolist() == [[2, 3, 10, 11], [4, 4, 24, 20]], "two corners"
    told = text(tmp_path / given, draw=True)
    assert "cat, [red]dog" in told and told.count("┼") >= 4
