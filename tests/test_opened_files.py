"""The files that a command opens: by any process, in any language, under any name; with real MindSpore pipelines too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from accucheck import opened_files
from accucheck.errors import UserError
from command_line import Ran, accucheck


def record(folder: Path, *words: str, timeout: float = 60) -> tuple[Ran, list[str]]:
    """What the command line says, and the names in the list."""
    target = folder.parent / "opened.txt"
    ran = accucheck("manifest", folder, "--opened", target, "--", *words, timeout=timeout)
    return ran, os.fsdecode(target.read_bytes()).splitlines() if target.exists() else []


@pytest.fixture
def data(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    for name in ("a/1", "a/2", "b/deep/3", "top"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return root


def test_only_what_is_opened_is_listed(data):
    ran, names = record(
        data, "sh", "-c", f"cat {data}/a/2 {data}/b/deep/3 >/dev/null; ls -R {data} >/dev/null; stat {data}/a/1"
    )
    assert (ran.code, names) == (0, ["a/2", "b/deep/3"])
    assert "2 of the files" in ran.err


def test_links_are_named_as_they_stand_in_the_folder(data, tmp_path):
    store = tmp_path / "store"
    (store / "far").mkdir(parents=True)
    (store / "file").write_text("x")
    (store / "other").write_text("x")
    (store / "far/4").write_text("x")
    (data / "link").symlink_to(store / "file")
    (data / "folder").symlink_to(store / "far")
    (data / "a/up").symlink_to("..")
    _, names = record(data, "cat", f"{data}/link", f"{data}/folder/4", f"{store}/other", f"{data}/a/up/top")
    assert {"link", "folder/4", "top"} <= set(names) and not any("other" in name for name in names)


def test_folders_and_files_that_are_new_count(data):
    script = f"import pathlib, time; p = pathlib.Path({str(data)!r}, 'new'); p.mkdir(); time.sleep(0.5); (p / 'x').write_text('')"
    ran, names = record(data, sys.executable, "-c", script)
    assert (ran.code, names) == (0, ["new/x"])


@pytest.mark.parametrize("name", ["中文".encode("gbk"), b"back\\slash", b"\x1b[31m", b" lead"])
def test_any_name(data, name):
    path = os.fsencode(data) + b"/" + name
    with open(path, "wb") as stream:
        stream.write(b"x")
    ran, names = record(data, sys.executable, "-c", "import os, sys; open(os.fsencode(sys.argv[1]))", os.fsdecode(path))
    assert names == [os.fsdecode(name)] and "\x1b" not in ran.err


def test_a_name_with_a_line_break_is_told(data):
    (data / "a\nb").write_text("x")
    ran, names = record(data, "cat", f"{data}/a\nb", f"{data}/top")
    assert (ran.code, names) == (3, ["top"]) and r"a\nb" in ran.err


def test_a_command_that_fails_leaves_what_was_opened_until_then(data):
    ran, names = record(data, "sh", "-c", f"cat {data}/top; exit 7")
    assert (ran.code, ran.out, names) == (3, "top", ["top"]) and "exit code 7" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{data}", "--opened", "{out}"], "no command to watch"),
        (["{data}/none", "--opened", "{out}", "--", "true"], "does not exist"),
        (["{data}/top", "--opened", "{out}", "--", "true"], "is not a folder"),
        (["{data}", "--opened", "{out}", "--", "no-such-command"], "no-such-command does not exist"),
        (["{data}", "--opened", "{data}/none/x", "--", "true"], "does not exist"),
        (["{data}", "--opened", "{data}", "--", "true"], "is a folder"),
        (["{data}", "--opened", "{out}", "--full", "--", "true"], "without other options"),
    ],
)
def test_wrong_uses(data, tmp_path, arguments, words):
    ran = accucheck("manifest", *(text.format(data=data, out=tmp_path / "out") for text in arguments))
    assert (ran.code, ran.out) == (2, "") and words in ran.err, ran
    assert "Traceback" not in ran.err and not (tmp_path / "out").exists()


def test_events_that_the_kernel_dropped_are_told(data):
    recorder = opened_files.Recorder(data)
    recorder._take(opened_files._EVENT.pack(-1, opened_files._OVERFLOW, 0, 0))
    recorder.close()
    assert recorder.lost


def test_no_more_watches_is_an_error_that_says_what_to_do(data, monkeypatch):
    def none_left(self: object, path: str) -> int:
        raise UserError("inotify-watches")

    monkeypatch.setattr(opened_files.Recorder, "_add", none_left)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(UserError, match="max_user_watches"):
        opened_files.Recorder(data)
    assert len(os.listdir("/proc/self/fd")) == before


PIPELINES = """
import sys
import mindspore.dataset as ds

def count(dataset):
    return sum(1 for _ in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))

folder = sys.argv[1]
assert count(ds.ImageFolderDataset(folder + "/images", class_indexing={"cat": 0, "dog": 1})) == 6
assert count(ds.MindDataset(folder + "/used.mindrecord")) == 5
assert count(ds.TFRecordDataset(folder + "/used.tfrecord")) == 5
assert count(ds.Cifar10Dataset(folder + "/cifar", usage="train", num_samples=50)) == 50
"""


@pytest.mark.mindspore
def test_what_real_pipelines_of_mindspore_read(tmp_path):
    """Its readers open files in C++, where no hook of Python sees them."""
    from mindspore.mindrecord import FileWriter

    data = tmp_path / "data"
    for name in ("cat/0", "cat/1", "cat/2", "dog/0", "dog/1", "dog/2", "unused/0"):
        path = data / f"images/{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), 7).save(path)
    for name in ("used", "unused"):
        writer = FileWriter(str(data / f"{name}.mindrecord"), overwrite=True)
        writer.add_schema({"label": {"type": "int32"}}, "labels")
        writer.write_raw_data([{"label": number} for number in range(5)])
        writer.commit()
        tfrecord(data / f"{name}.tfrecord", 5)
    (data / "cifar").mkdir()
    for name in (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"):
        with (data / f"cifar/{name}.bin").open("wb") as stream:
            stream.truncate(10_000 * 3073)
    ran, names = record(data, sys.executable, "-c", PIPELINES, str(data), timeout=180)
    assert ran.code == 0, ran
    images = [f"images/{kind}/{number}.png" for kind in ("cat", "dog") for number in range(3)]
    batches = [f"cifar/data_batch_{number}.bin" for number in range(1, 6)]
    assert set(names) == {*images, *batches, "used.mindrecord", "used.mindrecord.db", "used.tfrecord"}


def tfrecord(path: Path, count: int) -> None:
    """Records of one integer each, framed as TensorFlow frames them."""
    import struct

    import google_crc32c

    def masked(data: bytes) -> bytes:
        crc = google_crc32c.value(data)
        return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)

    with path.open("wb") as stream:
        for number in range(count):
            ints = bytes([0x0A, 1, number])
            value = bytes([0x1A, len(ints)]) + ints
            entry = b"\x0a\x01x" + bytes([0x12, len(value)]) + value
            features = bytes([0x0A, len(entry)]) + entry
            example = bytes([0x0A, len(features)]) + features
            length = struct.pack("<Q", len(example))
            stream.write(length + masked(length) + example + masked(example))


@pytest.mark.part(40)
def test_the_digest_takes_the_recorded_list(data, tmp_path):
    subprocess.run(["cp", "-r", data, tmp_path / "good"], check=True)
    (data / "a/1").write_text("not opened, so this does not count")
    record(data, "cat", f"{data}/top", f"{data}/a/2")
    sets = ["data.train.path=data", "data.reference.path=good", "data.reference.files=opened.txt"]
    words = [word for text in sets for word in ("--set", text)]
    ran = accucheck("run", tmp_path, "--only", "ds.04", "--no-session", *words)
    assert ran.code == 0 and "All 2 files" in ran.out, ran
    (tmp_path / "opened.txt").write_text("top\nnowhere\n")
    ran = accucheck("run", tmp_path, "--only", "ds.04", "--no-session", *words)
    assert "belong to no file, the first is nowhere" in ran.out, ran
