"""Damage, emptiness and odd names in data of every format: each is told, the rest is examined, and nothing is called sound."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import google_crc32c
import msgspec
import numpy as np
import polars as pl
import pytest
from PIL import Image

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Language, Verdict, suggest
from accucheck.probes import class_balance, label_conflicts, missing_values

PROBES = (missing_values, class_balance, label_conflicts)
ROWS = 400
FRAME = pl.DataFrame(
    {
        "x": [n / 7 for n in range(ROWS)],
        "name": [f"name {n}" for n in range(ROWS)],
        "label": [n % 2 for n in range(ROWS)],
    }
)
KINDS = ["csv", "csv.gz", "parquet", "jsonl", "json", "txt", "npz", "npy", "idx", "tfrecord", "tar"]
MINDRECORD = pytest.param("mindrecord", marks=pytest.mark.mindspore)


def framed(record: bytes) -> bytes:
    def masked(data: bytes) -> bytes:
        crc = google_crc32c.value(data)
        return (((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")

    head = len(record).to_bytes(8, "little")
    return head + masked(head) + record + masked(record)


def example(label: int, name: bytes) -> bytes:
    def message(field: int, content: bytes) -> bytes:
        return bytes([field << 3 | 2, len(content)]) + content

    kinds = {b"label": message(3, message(1, bytes([label]))), b"name": message(1, message(1, name))}
    return message(1, b"".join(message(1, message(1, key) + message(2, kind)) for key, kind in kinds.items()))


def write(path: Path, rows: int = ROWS) -> Path:
    """A file of the format that its name says, with so many rows, half of each of two classes."""
    frame, kind = FRAME.head(rows), path.name.partition(".")[2]
    labels = np.arange(rows) % 2
    if kind in ("csv", "csv.gz"):
        content = frame.write_csv().encode()
        path.write_bytes(gzip.compress(content) if kind == "csv.gz" else content)
    elif kind == "parquet":
        frame.write_parquet(path)
    elif kind == "jsonl":
        frame.write_ndjson(path)
    elif kind == "json":
        path.write_text(json.dumps(frame.to_dicts()))
    elif kind == "txt":
        path.write_text("".join(f"__label__{label} number {n}\n" for n, label in enumerate(labels)))
    elif kind == "npz":
        np.savez_compressed(path, x=np.random.default_rng(0).random((rows, 4)), label=labels)
    elif kind == "npy":
        with path.open("wb") as file:
            np.save(file, labels)
    elif kind == "idx":
        path.write_bytes(b"\0\0\x08\x01" + rows.to_bytes(4, "big") + labels.astype(np.uint8).tobytes())
    elif kind == "tfrecord":
        path.write_bytes(b"".join(framed(example(n % 2, b"name %d" % n)) for n in range(rows)))
    elif kind == "tar":
        import io
        import tarfile

        with tarfile.open(path, "w") as archive:
            for n in range(rows):
                for field, content in (("cls", str(n % 2)), ("txt", f"name {n}")):
                    info = tarfile.TarInfo(f"{n:05}.{field}")
                    info.size = len(content)
                    archive.addfile(info, io.BytesIO(content.encode()))
    else:
        from mindspore.mindrecord import FileWriter

        writer = FileWriter(str(path), 1)
        writer.add_schema({"label": {"type": "int32"}, "name": {"type": "string"}})
        writer.write_raw_data([{"label": n % 2, "name": f"name {n}"} for n in range(rows)])
        writer.commit()
    return path


def run(module: Any, root: Path, **train: Any) -> tuple[Verdict, dict[str, Finding]]:
    case = Case(str(root), msgspec.convert({"data": {"train": {"path": "data", **train}}}, CaseFile))
    found = [event for event in module.run(case, module.Params()) if isinstance(event, Finding)]
    for finding in found:
        msgspec.json.encode(finding.data)
        for language in Language:
            assert probe.message(module, finding.code, finding.data, language)
    return getattr(module, "suggest", suggest)(found), {finding.code: finding for finding in found}


@pytest.mark.parametrize("kind", [*KINDS, MINDRECORD])
def test_a_file_cut_short_beside_a_whole_one(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    named = (
        {"label": "labels"}
        if kind == "npy"
        else {"label": "label"}
        if kind in ("npz", "tfrecord", "mindrecord")
        else {}
    )
    whole = write(folder / ("labels.npy" if kind == "npy" else f"a.{kind}"))
    (folder / "b").mkdir()
    cut = write(folder / "b" / whole.name)
    data = cut.read_bytes()
    cut.write_bytes(data[: len(data) - max(13, len(data) // 5)])
    verdict, said = run(missing_values, tmp_path)
    if kind not in ("csv", "txt"):  # whose last line may have been meant so
        assert verdict is not Verdict.OK and "unreadable" in said, said
        assert str(said["unreadable"].where.path).startswith(f"data/b/{cut.name}")
    assert said["examined"].data["cells"] >= (0 if kind == "idx" else ROWS)
    verdict, said = run(class_balance, tmp_path, **named)
    assert ROWS <= said["classes"].data["samples"] < 2 * ROWS + (kind == "mindrecord")
    if kind not in ("csv", "txt", "mindrecord"):  # whose labels stand in the index
        assert verdict is not Verdict.OK and said["unreadable"].incomplete
    if kind not in ("csv", "txt"):
        assert run(label_conflicts, tmp_path, **named)[0] is not Verdict.OK


def test_what_comes_before_damage_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    cut = write(folder / "a.tfrecord", 3000)
    cut.write_bytes(cut.read_bytes()[:-5])
    assert run(class_balance, tmp_path, label="label")[1]["classes"].data["samples"] == 2999
    assert run(missing_values, tmp_path)[1]["unreadable"]
    cut.unlink()
    shard = write(folder / "a.tar", 900)
    shard.write_bytes(shard.read_bytes()[: 512 * 4 * 800 + 100])
    verdict, said = run(class_balance, tmp_path)
    assert verdict is Verdict.UNDECIDED and said["classes"].data["samples"] >= 799


@pytest.mark.parametrize("kind", [*KINDS, "folder"])
def test_no_rows_are_never_sound(kind: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    if kind != "folder":
        write(tmp_path / "data" / f"a.{kind}", 0)
    for module in PROBES:
        verdict, said = run(module, tmp_path)
        assert verdict is not Verdict.OK, (module.__name__, said)


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_is_no_utf8(kind: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    path = write(tmp_path / "data" / f"label.{kind}")
    path.rename(os.fsdecode(os.fsencode(path.parent) + b"/label\xff." + kind.encode()))
    label = "label\udcff" if kind == "npy" else "label" if kind in ("npz", "tfrecord") else None
    assert "unreadable" not in run(missing_values, tmp_path)[1]
    if kind not in ("idx", "npy"):
        case = {"label": label} if label else {}
        assert run(class_balance, tmp_path, **case)[1]["classes"].data["samples"] == ROWS


def test_a_hundred_thousand_classes_and_one(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    pl.DataFrame({"label": [n % 100_000 for n in range(400_000)]}).write_parquet(folder / "a.parquet")
    verdict, said = run(class_balance, tmp_path)
    assert verdict is Verdict.OK and said["classes"].data["classes"] == 100_000
    assert len(msgspec.json.encode(said["classes"])) < 1 << 18, "the evidence is bounded"
    (folder / "a.parquet").unlink()
    (folder / "a.txt").write_text("__label__same a text\n" * 50)
    verdict, said = run(class_balance, tmp_path)
    assert verdict is Verdict.UNDECIDED and "one-class" in said


def test_a_picture_that_is_a_bomb_is_told_and_the_others_are_examined(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    Image.new("1", (30_000, 30_000)).save(folder / "bomb.png")
    Image.radial_gradient("L").save(folder / "sound.png")
    verdict, said = run(missing_values, tmp_path)
    assert verdict is Verdict.UNDECIDED and said["not-examined"].data["worst"] == "data/bomb.png"
    assert said["examined"].data["images"] == 2


def test_links_that_lead_nowhere_or_in_circles(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    write(folder / "a.csv")
    (folder / "gone.csv").symlink_to("nowhere")
    (folder / "loop.csv").symlink_to("loop.csv")
    (folder / "again").symlink_to(folder)
    for module in PROBES:
        verdict, said = run(module, tmp_path)
        assert verdict is not Verdict.OK and said["unreadable"].incomplete
    assert run(missing_values, tmp_path)[1]["examined"].data["files"] == 1
