"""Recordings as the Recorder writes them, and everything else that such a file can be."""

from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.readers import recordings
from accucheck.readers.recordings import read
from accucheck.recorder import Recorder

HEAD = b'{"recording": 1, "accucheck": "0.1.0", "time": "", "mindspore": null, "rank": 0}\n'


def write(folder: Path, content: bytes) -> Path:
    path = folder / "run.jsonl"
    path.write_bytes(content)
    return path


def test_cut_off_at_every_byte(tmp_path: Path) -> None:
    """What lies before the cut is there, and nothing else."""
    whole = tmp_path / "whole.jsonl"
    with Recorder(whole) as recorder:
        for step in range(3):
            recorder.step(loss=step, samples=["a", step])
        recorder.metrics(accuracy=0.5)
    content = whole.read_bytes()
    head = content.index(b"\n")
    for size in range(len(content)):
        path = write(tmp_path, content[:size])
        if size < head:
            with pytest.raises(ReadError) as caught:
                read(path)
            assert caught.value.code == ("empty" if size == 0 else "unknown-format")
            continue
        recording = read(path, samples=True)
        (run,) = recording.runs
        # A record that lacks its line feed alone is whole.
        records = content[: size + 1].count(b"\n") - 1
        assert len(run.series["loss"].steps if "loss" in run.series else ()) == min(records, 3)
        assert len(run.samples) == min(records, 3)
        between = content[size - 1 : size] == b"\n" or content[size : size + 1] == b"\n"
        assert recording.torn is not between
        assert recording.passed_over == int(not between)


def test_runs_are_told_apart_and_steps_may_go_back(tmp_path: Path) -> None:
    path = write(
        tmp_path, HEAD + b'{"step": 5, "loss": 1}\n{"step": 3, "loss": 2}\n' + HEAD + b'{"step": 1, "lr": 0.1}\n'
    )
    first, second = read(path).runs
    assert first.series["loss"].steps.tolist() == [5, 3]
    assert first.series["loss"].values.tolist() == [1, 2]
    assert list(second.series) == ["lr"]


@pytest.mark.parametrize(
    "line",
    [
        b"[1]",
        b"7",
        b"{",
        b"\xff\xfe",
        b'{"loss": 1}',
        b'{"step": -1, "loss": 1}',
        b'{"step": 1.5, "loss": 1}',
        b'{"step": true, "loss": 1}',
        b'{"step": 99999999999999999999, "loss": 1}',
        b'{"step": 1, "loss": "high"}',
        b'{"step": 1, "loss": null}',
        b'{"step": 1, "loss": 1e999}',
        b'{"step": 1, "loss": [1]}',
        b'{"step": 1, "loss": ' + b"9" * 400 + b"}",
        b'{"step": 1, "metrics": 5}',
        b'{"step": 1, "samples": 5}',
        b'{"step": 1, "samples": [[1]]}',
        b'{"opened": 5}',
        b'{"opened": [5]}',
        b'{"recording": "x"}',
        b"[" * 100_000,
        b'{"a": ' * 100_000,
    ],
    ids=lambda line: repr(line[:40]),
)
def test_a_line_that_is_no_record_is_passed_over_and_counted(line: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + b'{"step": 1, "loss": 1}\n' + line + b'\n\n{"step": 2, "loss": 2}\n')
    recording = read(path, samples=True)
    assert (recording.passed_over, recording.first, recording.torn) == (1, 3, False)
    (run,) = recording.runs
    assert run.series["loss"].steps.tolist() == [1, 2]
    assert not run.samples and not run.opened


def test_an_absurd_line_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "_LINE", 100)
    long = b'{"step": 1, "loss": 1}' + b" " * 1000 + b'{"step": 9, "loss": 9}\n'
    recording = read(write(tmp_path, HEAD + long + b'{"step": 2, "loss": 2}\n'))
    assert recording.runs[0].series["loss"].steps.tolist() == [2]
    assert (recording.passed_over, recording.first) == (1, 2)


def test_what_cannot_be_read_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def code(path: Path) -> str:
        with pytest.raises(ReadError) as caught:
            read(path)
        assert str(path) in str(caught.value)
        return caught.value.code

    assert code(tmp_path) == "is-directory"
    assert code(tmp_path / "none") == "not-found"
    assert code(Path("/dev/zero")) == "not-regular"
    assert code(write(tmp_path, b"epoch: 1 step: 1, loss is 2.3\n")) == "unknown-format"
    assert code(write(tmp_path, b'{"step": 1, "loss": 1}\n' + HEAD)) == "unknown-format"
    assert code(write(tmp_path, b"\0" * 1000)) == "unknown-format"
    assert code(write(tmp_path, HEAD.replace(b"1", b"2", 1))) == "recording-newer"
    monkeypatch.setattr(recordings, "_NAMES", 100)
    names = b"".join(b'{"step": 1, "n%d": 1}\n' % number for number in range(101))
    assert code(write(tmp_path, HEAD + names)) == "malformed"
    monkeypatch.setattr(recordings, "_BYTES", 100)
    assert code(write(tmp_path, HEAD + b" " * 100)) == "too-large"


def test_names_of_files_that_are_not_utf8(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    name = b"\xff[bold]\x1b\n.jpg"
    with open(bytes(data) + b"/" + name, "wb"):
        pass
    with Recorder(tmp_path / "run.jsonl", opened=data):
        open(bytes(data) + b"/" + name, "rb").close()
    (run,) = read(tmp_path / "run.jsonl").runs
    assert [one.encode("utf-8", "surrogateescape") for one in run.opened] == [name]
