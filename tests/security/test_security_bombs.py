"""Small input that wants to become large, deep or endless."""

import gzip
import json
import os
import resource
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from accucheck.document import MAX_ALIASES, parse
from accucheck.errors import ReadError, UserError
from accucheck.readers import places, tables
from accucheck.readers.checkpoints import open_checkpoint
from command_line import accucheck


def refused(text: str) -> str:
    with pytest.raises(UserError) as caught:
        parse(text.encode(), "a.yaml")
    return caught.value.code


def test_aliases_do_not_multiply() -> None:
    laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n"
    laughs += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
    assert refused(laughs) == "yaml-nesting"
    most = "a: &a [x]\n" + "".join(f"b{n}: *a\n" for n in range(MAX_ALIASES))
    assert parse(most.encode(), "a.yaml")["b0"] == ["x"]


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "- " * 100_000, "{a: " * 100_000, "? " * 100_000, "a: " + "[" * 41 + "]" * 41],
    ids=lambda text: text[:20],
)
def test_nesting_is_bounded(text: str) -> None:
    assert refused(text) == "yaml-nesting"


@pytest.mark.parametrize(
    "number",
    ["1" + ":1" * 500_000, "1" + ":1" * 500_000 + ".5", "9" * 100_000, "0x" + "f" * 100_000, "0b" + "1" * 500],
    ids=lambda text: text[:20],
)
def test_numbers_are_bounded(number: str) -> None:
    """To the base of 60 a number of a megabyte would take hours."""
    assert refused(f"name: {number}\n") == "yaml-syntax"


@pytest.mark.parametrize(
    "number", ["1:30", "190:20:30.15", "-1e308", "0x7f", "1" + "0" * 300], ids=lambda text: text[:20]
)
def test_usual_numbers_are_numbers(number: str) -> None:
    assert isinstance(parse(f"a: {number}\n".encode(), "a.yaml")["a"], (int, float)) or number in (
        "-1e308",
        "190:20:30.15",
    )


@pytest.mark.part(2)
@pytest.mark.parametrize("name", ["settings.yaml", "settings.json"])
def test_a_configuration_that_scripts_load_crashes_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "train.py").write_text(
        f"import yaml, json\nc = (yaml.safe_load if {name!r}.endswith('l') else json.load)(open({name!r}))\n"
    )
    for content in ("[" * 200_000, "a: 1" + ":1" * 200_000, '{"a":' * 200_000):
        (tmp_path / name).write_text(content)
        ran = accucheck(
            "run", str(tmp_path), "--kind", "static", "--set", "scripts.train=train.py", "--json", timeout=300
        )
        results = [one for item in json.loads(ran.stdout)["items"] for one in item["results"]]
        assert results and not [one for one in results if one["status"] == "failed"], ran


@pytest.mark.part(3)
@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 100_000,
        "x = " + "-" * 100_000 + "1",
        "x = a" + ".b" * 100_000,
        "x = " + "[" * 150 + "]" * 150,
        "x = 1" + "+1" * 50_000,
    ],
    ids=lambda text: text[:20],
)
def test_a_deep_script_is_told_and_nothing_crashes(tmp_path: Path, source: str) -> None:
    (tmp_path / "train.py").write_text(f"import mindspore\n{source}\n")
    for call in (["init", str(tmp_path)], ["run", str(tmp_path), "--only", "dp.03", "--set", "scripts.train=train.py"]):
        ran = accucheck(*call, timeout=300)
        assert ran.code in (0, 1, 2, 3) and "Traceback" not in ran.err and "SIGSEGV" not in ran.out + ran.err, ran


@pytest.mark.parametrize("where", ["entries", "version", "list"])
def test_a_deep_session_is_refused(tmp_path: Path, where: str) -> None:
    deep = "[" * 100_000
    text = {"entries": f'{{"version": 2, "entries": {deep}', "version": f'{{"version": {deep}', "list": deep}[where]
    (tmp_path / "sent.json").write_text(text)
    ran = accucheck("status", str(tmp_path / "sent.json"))
    assert ran.code == 2 and "Traceback" not in ran.err


@pytest.mark.parametrize("number", ["1e999", "9" * 5000, "-" + "9" * 400, "NaN"], ids=lambda text: text[:20])
def test_a_session_of_absurd_numbers(tmp_path: Path, number: str) -> None:
    finding = f'{{"code": "x", "level": "problem", "where": {{"line": 1}}, "data": {{"n": {number}}}}}'
    result = f'{{"probe": "p", "kind": "static", "status": "done", "suggestion": "problem", "findings": [{finding}]}}'
    entry = f'{{"conclusion": "problem", "results": {{"p": {result}}}}}'
    (tmp_path / "sent.json").write_text(
        f'{{"version": 2, "checklists": {{"accuracy": 1}}, "entries": {{"ds.01": {entry}}}}}'
    )
    for call in (
        ["status", str(tmp_path / "sent.json")],
        ["report", str(tmp_path / "sent.json"), "--output", str(tmp_path / "out"), "--format", "html"],
    ):
        ran = accucheck(*call, timeout=120)
        assert ran.code in (0, 1, 2) and "an error inside" not in ran.err, ran


def test_what_inflates_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_LARGE", 1 << 20)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * (4 << 20)))
    with pytest.raises(UserError) as caught, places.plain(tmp_path / "a.csv.gz", "csv"):
        pass
    assert caught.value.code == "inflates"


@pytest.mark.parametrize(
    ("content", "code"), [("wide", "wide"), ("header", "wide"), ("line", "long-line"), ("later", "long-line")]
)
def test_tables_out_of_all_measure_are_refused(tmp_path: Path, content: str, code: str) -> None:
    """At once, and in little memory: a table of 100,000 columns took 1.3 GB, a line of 1 GB eight times its length."""
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        if content in ("wide", "header"):
            names = b",".join(b"c%d" % at for at in range(100_000))
            file.write((names if content == "header" else b"1," * 100_000 + b"1") + b"\n" + b"1," * 100_000 + b"1\n")
        else:
            file.write(b"a,b\n" + b"1,2\n" * (30_000_000 if content == "later" else 0))
            file.seek(300 << 20, os.SEEK_CUR)  # a hole: NUL bytes behind the first 64 kB
            file.write(b"\n1,2\n")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for mode in tables.MODES:
        with pytest.raises(ReadError) as caught:
            list(tables.batches(path, "csv", mode))
        assert caught.value.code == code
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < peak + 200_000


def test_wide_tables_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(",".join(f"column{at}" for at in range(9000)) + "\n" + ("1," * 8999 + "2\n") * 20)
    (batch,) = tables.batches(path, "csv")
    assert batch.shape == (20, 9000) and batch["column8999"].to_list() == ["2"] * 20


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(1 << 20), 9))
        + chunk(b"IEND", b"")
    )


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def test_bombs_of_every_kind_in_one_data_set(tmp_path: Path) -> None:
    """With 6 GiB at most, of which libraries take the most: what unfolds does not fit."""
    data = tmp_path / "data"
    (data / "a").mkdir(parents=True)
    (data / "a" / "bomb.png").write_bytes(png(60_000, 60_000))
    (data / "a" / "good.png").write_bytes(png(8, 8))
    with zipfile.ZipFile(data / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }"
        archive.writestr(
            "x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head) + 1) + head + b"\n" + bytes(64 << 20)
        )
    with tarfile.open(data / "bomb.tar", "w") as shard:
        for name in ("../../escaped.cls", "/tmp/escaped.cls", "a" * 5000 + ".cls"):
            member = tarfile.TarInfo(name)
            member.size = 1
            shard.addfile(member, BytesIO(b"1"))
        link = tarfile.TarInfo("link.cls")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        shard.addfile(link)
    (data / "bomb.jsonl").write_text('{"a":' * 100_000 + "\n")
    (data / "bomb.json").write_text("[" * 1_000_000)
    words = ["run", str(tmp_path), "--kind", "file", "--set", "data.train.path=data", "--json", "--no-session"]
    done = subprocess.run(
        [sys.executable, "-m", "accucheck", *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=400, preexec_fn=limited,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "2"},
    )  # fmt: skip
    results = [one for item in json.loads(done.stdout)["items"] for one in item["results"]]
    assert b"Traceback" not in done.stderr
    for one in results:
        assert one["reason"] is None or one["reason"]["code"] != "crashed", one
    assert {path.name for path in tmp_path.iterdir()} <= {"data", ".accucheck"} and not Path(
        "/tmp/escaped.cls"
    ).exists()


def pickled_dict(*keys: bytes) -> bytes:
    """A pickle of a dictionary with these keys, each the opcodes that push one, and 0 for each value."""
    return b"\x80\x02}(" + b"".join(key + b"K\x00" for key in keys) + b"u."


def as_pth(folder: Path, name: str, pickle: bytes) -> Path:
    with zipfile.ZipFile(folder / name, "w") as archive:
        archive.writestr("archive/data.pkl", pickle)
    return folder / name


def long(number: int) -> bytes:
    data = number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def test_keys_of_weights_take_no_time(tmp_path: Path) -> None:
    """A tuple of a tuple of ..., twice each, is hashed 2^60 times as a key; numbers of one hash are compared each with each."""
    nested = b"K\x01" + b"".join(b"q%ch%c\x86" % (at, at) for at in range(60))
    files = [
        as_pth(tmp_path, "nested.pth", pickled_dict(nested)),
        as_pth(tmp_path, "alike.pth", pickled_dict(*(long(at * (2**61 - 1)) for at in range(150_000)))),
        as_pth(tmp_path, "tuples.pth", pickled_dict(*(long(at) * 2 + b"\x86" for at in range(2000)))),
    ]
    nested_file, alike, tuples = map(str, files)
    for call in (["compare", nested_file, alike], ["convert", tuples, str(tmp_path / "out.ckpt")]):
        ran = accucheck(*call, timeout=60)
        assert ran.code == 2 and "2^63" in ran.err and "Traceback" not in ran.err, (call, ran)
    for file in files:
        with pytest.raises(UserError):
            open_checkpoint(file)


def test_small_keys_of_weights_are_read(tmp_path: Path) -> None:
    plain = pickled_dict(b"X\x01\x00\x00\x00a", b"K\x07", b"J\xff\xff\xff\xff", b"K\x01K\x02\x86", b"N")
    assert open_checkpoint(as_pth(tmp_path, "plain.pth", plain)).tensors == []


def test_many_scripts_are_one_or_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("from mindspore import nn\nnet = nn.Dense(3, 4)\n" * 50)
    spelt = [f"{'./' * (at % 50)}train.py" if at % 2 else f"a{at}/../train.py" for at in range(5000)]
    for listed, code in (("train.py " * 5000).split(), 0), (spelt, 0), ([f"{at}.py" for at in range(5000)], 2):
        (tmp_path / "accucheck.yaml").write_text(json.dumps({"name": "x", "scripts": {"train": listed}}))
        ran = accucheck("run", str(tmp_path), "--only", "hp.01", "--kind", "static", timeout=60)
        assert ran.code == code and ("5,000 scripts" in ran.err) == (code == 2), ran
