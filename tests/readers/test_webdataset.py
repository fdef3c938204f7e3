"""WebDataset shards as the webdataset package and tarfile write them; damage is named, and nothing is unpacked."""

import gzip
import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Language, Level
from accucheck.probes import class_balance, label_conflicts, missing_values
from accucheck.readers import webdataset
from accucheck.readers.detect import detect
from accucheck.readers.webdataset import samples


def picture(pixels: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.asarray(pixels * 15, np.uint8)).save(file, "PNG")
    return file.getvalue()


def digits(count: int = 300) -> list[dict[str, Any]]:
    found = load_digits()
    return [
        {
            "__key__": f"{n:05}",
            "png": picture(found.images[n]),
            "cls": int(found.target[n]),
            "json": {"n": n, "by": "UCI"},
        }
        for n in range(count)
    ]


def write(path: Path, members: list[dict[str, Any]], mode: str = "w", form: int = tarfile.PAX_FORMAT) -> Path:
    with tarfile.open(path, mode, format=form) as archive:
        for sample in members:
            for field, value in sample.items():
                if field != "__key__":
                    text = json.dumps(value) if isinstance(value, dict) else str(value)
                    content = value if isinstance(value, bytes) else text.encode()
                    info = tarfile.TarInfo(f"{sample['__key__']}.{field}")
                    info.size = len(content)
                    archive.addfile(info, io.BytesIO(content))
    return path


def found(module: Any, root: Path, path: str = "train.tar", **train: Any) -> dict[str, Finding]:
    case = Case(str(root), msgspec.convert({"data": {"train": {"path": path, **train}}}, CaseFile))
    events = [event for event in module.run(case, module.Params()) if isinstance(event, Finding)]
    for event in events:
        for language in Language:
            assert "{" not in probe.message(module, event.code, event.data, language)
        msgspec.json.encode(event)
    return {event.code: event for event in events}


def odd(said: dict[str, Finding]) -> set[str]:
    return {code for code, finding in said.items() if finding.level is not Level.INFO}


def test_what_the_package_writes(tmp_path: Path) -> None:
    import webdataset

    with webdataset.ShardWriter(f"{tmp_path}/train-%06d.tar", maxcount=200, verbose=0) as sink:
        for sample in digits():
            sink.write(sample)
    path = tmp_path / "train-000000.tar"
    assert detect(path) == "tar"
    read = list(samples(path))
    assert len(read) == 200 and read[7][0] == "00007" and set(read[7][1]) == {"png", "cls", "json"}
    theirs = list(webdataset.WebDataset(str(path), shardshuffle=False))
    assert [(one["__key__"], one["png"]) for one in theirs] == [(key, fields["png"]) for key, fields, _ in read]
    said = found(missing_values, tmp_path, ".")
    assert set(said) == {"examined"} and said["examined"].data["images"] == 300
    counts = found(class_balance, tmp_path, ".")["classes"].data
    assert (counts["samples"], counts["classes"], counts["where"]) == (300, 10, "cls")
    assert odd(found(label_conflicts, tmp_path, ".")) == set()


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_and_chinese_names_folders_and_links(form: int, tmp_path: Path) -> None:
    long = "train/" + "x" * 90 + "/" + ("数据" if form != tarfile.USTAR_FORMAT else "data") + "/00.a"
    path = write(tmp_path / "a.tar", [{"__key__": long, "seg.png": b"1", "cls": 3}], form=form)
    with tarfile.open(path, "a", format=form) as archive:
        for kind, name in ((tarfile.DIRTYPE, "folder"), (tarfile.SYMTYPE, "link.png"), (tarfile.FIFOTYPE, "pipe.png")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        archive.addfile(tarfile.TarInfo("__meta__.json"))
        archive.addfile(tarfile.TarInfo("../../outside.cls"))
    read = list(samples(path))
    assert [(key, set(fields)) for key, fields, _ in read] == [
        (long.rpartition("/")[0] + "/00", {"a.seg.png", "a.cls"}),
        ("../../outside", {"cls"}),
    ]
    assert not (tmp_path.parent.parent / "outside.cls").exists()


def test_every_gap_is_found_with_its_row(tmp_path: Path) -> None:
    members = digits(600)
    members[3]["png"] = members[3]["png"][:60]
    members[4]["png"] = b""
    del members[5]["cls"]
    members[6]["json"]["by"] = None
    members[7]["json"] = b"{broken"
    members[8]["cls"] = "NA"
    for n, sample in enumerate(members):
        file = io.BytesIO()
        np.save(file, np.array([n, np.nan if n == 9 else 1.5], np.float32))
        sample["npy"] = file.getvalue()
        if n % 3 == 0:
            sample["note.txt"] = b"optional" if n else b""
    write(tmp_path / "train.tar", members)
    said = found(missing_values, tmp_path)
    assert odd(said) == {
        *("images-truncated", "images-empty", "member-missing", "null-values", "members-undecodable"),
        *("words-in-numbers", "nan-values", "empty-text"),
    }
    rows = {code: said[code].evidence[0].rows[0] for code in odd(said) if code.endswith(("missing", "values", "text"))}
    assert rows["member-missing"][1:] == ["cls", "", 1, pytest.approx(1 / 600), "5"]
    assert rows["null-values"][1] == "json.by" and rows["null-values"][5] == "6"
    assert rows["nan-values"][1] == "npy" and rows["nan-values"][5] == "9"
    assert rows["empty-text"][1] == "note.txt" and rows["empty-text"][5] == "0"
    assert said["words-in-numbers"].evidence[0].rows[0][5] == "8"
    assert said["images-truncated"].where.path == "train.tar:00003.png"


def test_labels_in_json_and_conflicts(tmp_path: Path) -> None:
    members = digits(100)
    for sample in members:
        sample["json"]["label"] = f"digit {sample.pop('cls')}"
    members.append({**members[3], "__key__": "00999", "json": {"label": "digit 9"}})
    members.append({**members[4], "__key__": "01000"})
    write(tmp_path / "train.tar", members)
    for label in ("json.label", None):
        said = found(class_balance, tmp_path, **({"label": label} if label else {}))
        assert said["classes"].data["where"] == "json.label" and said["classes"].data["samples"] == 102
    said = found(label_conflicts, tmp_path)
    assert said["conflict"].data["groups"] == 1 and said["repeated"].data["count"] == 1
    assert "json.by" in found(class_balance, tmp_path, label="txt")["no-labels"].data["fields"]


@pytest.mark.parametrize("mode", ["w", "w:gz"])
@pytest.mark.parametrize("cut", [0.5, 0.9])
def test_an_archive_cut_short(mode: str, cut: float, tmp_path: Path) -> None:
    path = write(tmp_path / "train.tar", digits(100), mode)
    assert detect(path) == "tar" and len(list(samples(path))) == 100
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * cut) // 512 * 512 + 100])
    with pytest.raises(ReadError) as caught:
        list(samples(path))
    assert caught.value.code == "truncated"
    said = found(missing_values, tmp_path)
    assert said["unreadable"].level is Level.PROBLEM


def test_a_changed_header_in_the_middle_is_no_end(tmp_path: Path) -> None:
    path = write(tmp_path / "train.tar", digits(100))
    data = bytearray(path.read_bytes())
    place = data.index(b"00050.png")
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(ReadError) as caught:
        list(samples(path))
    assert (caught.value.code, caught.value.data["offset"]) == ("malformed", place)


@pytest.mark.parametrize(("kind", "size"), [(tarfile.REGTYPE, 1 << 40), (tarfile.XHDTYPE, 1 << 33), (b"L", 1 << 30)])
def test_a_size_that_no_member_has_is_refused_before_it_is_read(kind: bytes, size: int, tmp_path: Path) -> None:
    info = tarfile.TarInfo("00000.png")
    info.type, info.size = kind, size
    (tmp_path / "bomb.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    with pytest.raises(ReadError) as caught:
        list(samples(tmp_path / "bomb.tar"))
    assert caught.value.code == "too-large"


def test_archives_that_are_no_shards(tmp_path: Path) -> None:
    path = write(tmp_path / "cifar.tar", [{"__key__": f"cifar/data_batch_{n}", "bin": b"0"} for n in range(2)])
    assert detect(path) == "other"
    source = [{"__key__": f"src/{name}", "py": b"pass"} for name in ("a", "b")] + [
        {"__key__": "src/README", "md": b"x"}
    ]
    assert detect(write(tmp_path / "source.tar", source)) == "other"
    pictures = [{"__key__": f"{'cat' if n % 2 else 'dog'}/{n}", "png": picture(np.eye(8))} for n in range(4)]
    assert detect(write(tmp_path / "pictures.tar", pictures)) == "tar"
    (tmp_path / "empty.tar").write_bytes(b"")
    with pytest.raises(ReadError):
        detect(tmp_path / "empty.tar")
    (tmp_path / "zeros.tar").write_bytes(bytes(10240))
    assert detect(tmp_path / "zeros.tar") in ("other", "")


def test_a_compressed_shard_and_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.tar", digits(20))
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.tgz"))
    path.write_bytes(gzip.compress(plain.read_bytes()))
    assert detect(path) == "tar"
    assert [key for key, *_ in samples(path)] == [key for key, *_ in samples(plain)]


def test_a_small_archive_that_inflates_to_one_endless_sample_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(webdataset, "LONGEST", 10_000)
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for number in range(20):
            member = tarfile.TarInfo(f"one.{number}")
            member.size = 1000
            archive.addfile(member, io.BytesIO(bytes(1000)))
    with pytest.raises(ReadError) as error:
        list(webdataset.samples(path))
    assert error.value.code == "too-large"


@pytest.mark.parametrize("place", [5_000, 20_000, 40_000])
def test_a_compressed_shard_with_a_changed_byte_is_damaged(tmp_path: Path, place: int) -> None:
    raw = io.BytesIO()
    noise = np.random.default_rng(0)
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for number in range(20):
            for name, content in (("cls", str(number % 2).encode()), ("bin", noise.bytes(3000))):
                info = tarfile.TarInfo(f"{number:03}.{name}")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    packed = bytearray(gzip.compress(raw.getvalue()))
    path = tmp_path / "train.tar.gz"
    path.write_bytes(packed)
    assert len(list(samples(path))) == 20
    packed[place] ^= 0x55  # within noise, where no header of the archive is hurt
    path.write_bytes(packed)
    with pytest.raises(ReadError) as damaged:
        list(samples(path))
    assert damaged.value.code in ("checksum", "malformed", "truncated")
