"""Data at addresses: a file system in memory, an archive and a web server; nothing of a password is ever shown."""

import functools
import hashlib
import http.server
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import msgspec
import numpy as np
import polars as pl
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from accucheck.case import Case, CaseFile, redacted
from accucheck.engine import reason_of
from accucheck.errors import ReadError
from accucheck.model import Finding, Verdict, suggest
from accucheck.probes import class_balance, dataset_digest, label_conflicts, missing_values
from accucheck.readers import places
from accucheck.readers.detect import detect, files
from command_line import accucheck

DIGITS = load_digits()
SECRET = "hunter2"


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def png(pixels: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.asarray(pixels * 15, np.uint8)).save(file, "PNG")
    return file.getvalue()


def table(rows: int = 600) -> bytes:
    columns = {f"p{n}": DIGITS.data[:rows, n] for n in range(8)}
    return pl.DataFrame({**columns, "label": DIGITS.target[:rows]}).write_csv().encode()


def run(module: Any, address: str | list[str], root: str = "/", **train: Any) -> tuple[Verdict, dict[str, Finding]]:
    case = Case(root, msgspec.convert({"data": {"train": {"path": address, **train}}}, CaseFile))
    found = [event for event in module.run(case, module.Params()) if isinstance(event, Finding)]
    assert SECRET.encode() not in msgspec.json.encode(found)
    return suggest(found), {finding.code: finding for finding in found}


def test_every_reader_at_an_address(memory: Any, tmp_path: Path) -> None:
    frame = pl.read_csv(table())
    frame.write_parquet(tmp_path / "a.parquet")
    np.savez(tmp_path / "b.npz", x=DIGITS.images, label=DIGITS.target)
    contents = {
        "a.parquet": (tmp_path / "a.parquet").read_bytes(),
        "b.npz": (tmp_path / "b.npz").read_bytes(),
        "c.csv": table(),
        "d.jsonl": frame.write_ndjson().encode(),
        "e.json": json.dumps(frame.to_dicts()).encode(),
        "f.txt": "".join(f"__label__{n % 3} number {n}\n" for n in range(60)).encode(),
    }
    for name, content in contents.items():
        memory.pipe_file(f"/bucket/{name}", content)
        address = f"memory://bucket/{name}"
        _, said = run(missing_values, address)
        assert set(said) == {"examined"}, name
        _, said = run(class_balance, address)
        assert said["classes"].data["samples"] == {"b.npz": 1797, "f.txt": 60}.get(name, 600), name
        _, said = run(label_conflicts, address)
        assert "compared" in said, name
    memory.pipe_file("/bucket/.hidden/g.csv", b"a,b\n,\n")
    verdict, said = run(missing_values, "memory://bucket")
    assert verdict is Verdict.OK and said["examined"].data["files"] == len(contents)


@pytest.mark.mindspore
def test_mindrecord_with_its_index_and_the_rest_of_its_set(memory: Any, tmp_path: Path) -> None:
    from mindspore.mindrecord import FileWriter

    writer = FileWriter(str(tmp_path / "d.mindrecord"), 2)
    writer.add_schema({"label": {"type": "int32"}, "image": {"type": "bytes"}})
    writer.write_raw_data(
        [{"label": int(y), "image": x.tobytes()} for x, y in zip(DIGITS.images, DIGITS.target, strict=True)]
    )
    writer.commit()
    for path in tmp_path.iterdir():
        memory.pipe_file(f"/set/{path.name}", path.read_bytes())
    _, said = run(missing_values, "memory://set")
    assert set(said) == {"examined"} and said["examined"].data["files"] == 2
    assert run(class_balance, "memory://set")[1]["classes"].data["samples"] == 1797
    memory.rm("/set/d.mindrecord1")
    _, said = run(missing_values, "memory://set")
    assert said["unreadable"].data["error"] == "not-found"


def test_folders_of_pictures_and_a_list_of_them(memory: Any) -> None:
    for number in range(40):
        memory.pipe_file(f"/pictures/{DIGITS.target[number]}/{number}.png", png(DIGITS.images[number]))
    memory.pipe_file("/pictures/0/cut.png", png(DIGITS.images[0])[:50])
    memory.pipe_file("/pictures/1/same.png", png(DIGITS.images[0]))
    verdict, said = run(missing_values, "memory://pictures/")
    assert verdict is Verdict.PROBLEM
    assert said["images-truncated"].where.path == "memory://pictures/0/cut.png"
    assert run(class_balance, "memory://pictures")[1]["classes"].data["where"] == "memory://pictures/*"
    (groups,) = run(label_conflicts, "memory://pictures")[1]["conflict"].evidence
    assert {row[2] for row in groups.rows} == {"memory://pictures/0/0.png", "memory://pictures/1/same.png"}
    memory.pipe_file("/pictures/list.csv", "".join(f"{n}.png,{n % 2}\n" for n in range(41)).encode())
    assert run(label_conflicts, "memory://pictures")[1]["sample-missing"].data["first"] == "40.png"


def test_one_place_that_cannot_be_reached_does_not_hide_the_others(memory: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(table())
    memory.pipe_file("/bucket/broken.npz", b"PK\x03\x04 broken .npz")
    lost = [f"s3://me:{SECRET}@bucket/a.csv", "memory://nowhere", "nonsense://x", "memory://bucket/broken.npz"]
    verdict, said = run(missing_values, ["a.csv", *lost], str(tmp_path))
    assert said["examined"].data["files"] == 1 and verdict in (Verdict.UNDECIDED, Verdict.PROBLEM)
    for module in (class_balance, label_conflicts):
        verdict, said = run(module, ["a.csv", *lost], str(tmp_path))
        assert said["unreadable"].incomplete and verdict is not Verdict.OK


def test_errors_of_a_file_system_name_the_place_and_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ReadError, match="nonsense") as caught:
        places.at("nonsense://x", ["nonsense://x"])
    with pytest.raises(ReadError, match="memory://gone does not exist") as caught:
        list(files(places.at("memory://gone"), [].append))
    with pytest.raises(ReadError) as caught:
        places.at(f"s3://me:{SECRET}@bucket/x", [f"s3://me:{SECRET}@bucket/x"])
    assert caught.value.code == "needs-package" and SECRET not in str(caught.value) and "s3fs" in str(caught.value)
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(ReadError, match=r"accucheck\[remote\]"):
        places.at("memory://x")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"https://me:{SECRET}@host:80/a.csv?token={SECRET}&x=1", "https://host:80/a.csv"),
        (f"s3://me:{SECRET}/with@bucket/a", "s3://bucket/a"),
        (f"zip://a.csv::https://{SECRET}@host/a.zip?sig={SECRET}", "zip://a.csv::https://host/a.zip"),
        ("abfs://container@account.dfs.core.windows.net/a", "abfs://container@account.dfs.core.windows.net/a"),
        ("a folder/with?mark@home.csv", "a folder/with?mark@home.csv"),
    ],
)
def test_addresses_are_shown_without_credentials(address: str, shown: str) -> None:
    assert redacted(address) == shown
    assert redacted(f"cannot open {address} (404)") == f"cannot open {shown} (404)"


def test_an_error_that_nobody_foresaw_keeps_no_password() -> None:
    reason = reason_of(ValueError(f"cannot open https://me:{SECRET}@host/a.csv?token={SECRET}"))
    assert reason.data["error"] == "ValueError: cannot open https://host/a.csv"


def test_what_does_not_fit_is_said_and_not_left_behind(memory: Any, tmp_path: Path, monkeypatch) -> None:
    memory.pipe_file("/bucket/a.csv", table())
    monkeypatch.setattr(places.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(places.shutil, "disk_usage", lambda _: type("", (), {"free": 1000}))
    _, said = run(missing_values, "memory://bucket/a.csv")
    assert said["unreadable"].data["error"] == "no-room" and said["unreadable"].incomplete
    assert not list(tmp_path.iterdir())


def test_a_file_address_is_read_on_the_spot(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(table())
    place = places.at(f"file://{tmp_path}/a.csv")
    assert place == tmp_path / "a.csv" and detect(place) == "csv"


def test_a_tree_at_an_address_against_a_folder_a_list_and_another_address(memory: Any, tmp_path: Path) -> None:
    for number in range(5):
        content = f"cat {number}\n".encode()
        memory.pipe_file(f"/cats/cat/{number}.txt", content)
        memory.pipe_file(f"/other/cat/{number}.txt", content)
        (tmp_path / "good/cat").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"good/cat/{number}.txt").write_bytes(content)
    lines = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  cat/{path.name}" for path in tmp_path.glob("good/cat/*")]
    (tmp_path / "cats.md5").write_text("\n".join(sorted(lines, key=lambda line: line[-5:])) + "\n")
    references = [{"path": "good"}, {"manifest": "cats.md5"}, {"path": "memory://other"}]
    for changed in (False, True):
        if changed:
            memory.pipe_file("/cats/cat/3.txt", b"dog 3\n")
            memory.rm("/cats/cat/4.txt")
        for reference in references:
            data = {"train": {"path": "memory://cats/"}, "reference": reference}
            case = Case(str(tmp_path), msgspec.convert({"data": data}, CaseFile))
            events = dataset_digest.run(case, dataset_digest.Params())
            found = [event for event in events if isinstance(event, Finding)]
            expected = {"different", "missing"} if changed else {"equal"}
            assert {one.code for one in found} - {"tree"} == expected, reference
            assert suggest(found) is (Verdict.PROBLEM if changed else Verdict.OK)
    local = {"train": {"path": "good"}, "reference": {"path": "memory://cats"}}
    case = Case(str(tmp_path), msgspec.convert({"data": local}, CaseFile))
    codes = {one.code for one in dataset_digest.run(case, dataset_digest.Params()) if isinstance(one, Finding)}
    assert codes == {"tree", "different", "extra"}


# --- through the command line, whose probes run in processes of their own ---------------------------------------------


def outcome(project: Path, item: str, address: str, *more: str) -> dict[str, Any]:
    ran = accucheck("run", str(project), "--only", item, "--set", f"data.train.path={address}", "--json", *more)
    assert SECRET not in ran.out + ran.err
    return json.loads(ran.stdout)["items"][0]


def found(item: dict[str, Any], probe: str) -> dict[str, Any]:
    (result,) = [one for one in item["results"] if one["probe"] == probe]
    assert result["status"] == "done", result
    return {finding["code"]: finding for finding in result["findings"]}


def test_an_archive_as_a_file_system(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("train/a.csv", table())
        archive.writestr("train/b.csv", b"p0,label\n" + b"1,3\n,4\n" * 30)
    address = f"zip://train::file://{tmp_path}/data.zip"
    said = found(outcome(tmp_path, "ds.01", address), "missing_values")
    assert said["empty-values"]["where"]["path"].endswith("b.csv") and "examined" in said
    assert "classes" in found(outcome(tmp_path, "ds.03", address), "class_balance")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "www"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{made.server_port}"
        made.shutdown()


@pytest.mark.slow
def test_a_web_server_and_a_password_in_its_address(server: str, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp")
    (tmp_path / "www/set").mkdir(parents=True)
    (tmp_path / "www/set/a.csv").write_bytes(table() + b",1,1,1,1,1,1,1,1\n")
    project = tmp_path / "project"
    project.mkdir()
    said = found(outcome(project, "ds.01", f"http://{server}/set/"), "missing_values")
    assert said["empty-values"]["where"]["path"].endswith("/set/a.csv")
    secret = f"http://me:{SECRET}@{server}/set/a.csv?token={SECRET}"
    said = found(outcome(project, "ds.01", secret), "missing_values")
    assert said["empty-values"]["where"]["path"] == f"http://{server}/set/a.csv"
    said = found(outcome(project, "ds.01", secret.replace("a.csv", "gone.csv")), "missing_values")
    assert "gone.csv" in said["unreadable"]["message"]
    ran = accucheck("report", str(project), "--set", f"data.train.path={secret}", "-o", str(project / "out"))
    assert ran.code == 0, ran
    kept = [path for path in project.rglob("*") if path.is_file()]
    assert kept and not [path for path in kept if SECRET.encode() in path.read_bytes()]


def test_an_address_is_no_missing_path(tmp_path: Path) -> None:
    (tmp_path / "accucheck.yaml").write_text("data: {train: {path: [memory://a/b, s3://bucket/c]}}\n")
    assert accucheck("validate", str(tmp_path)).code == 0
    (tmp_path / "accucheck.yaml").write_text("data: {train: {path: nowhere}}\n")
    assert accucheck("validate", str(tmp_path)).code == 2
