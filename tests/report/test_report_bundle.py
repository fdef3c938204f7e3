"""The attachment: what goes in, what stays out, and whether those who get it can check it."""

import hashlib
import io
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.language import word
from accucheck.model import Language
from accucheck.report import bundle
from accucheck.report.bundle import LeftOut, Member, Note, collect, pack

LIMIT = 100_000


def say(key: str, **data: object) -> str:
    return word(bundle.WORDS, key, Language.EN, **data)


def gap(size: int) -> str:
    return say("gap", bytes=size)


def hide(text: str, *, whole_path: bool = True) -> str:
    return text.replace("s3cret", "<key-1>")


def gathered(root: Path, *paths: Path, limit: int = LIMIT) -> tuple[dict[str, Member], dict[str, str]]:
    members, left = collect(root, paths, hide, limit, gap)
    assert len({member.name.casefold() for member in members}) == len(members)
    return {member.name: member for member in members}, {each.path: each.why.code for each in left}


def codes(member: Member) -> list[str]:
    return [note.code for note in member.notes]


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


# --- what a person adds -----------------------------------------------------------------------------------------------


def test_text_is_redacted_and_the_rest_goes_in_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("key = 's3cret'\n")
    (tmp_path / "plain.py").write_bytes("# 训练\r\nlr = 0.1\r\n".encode())
    (tmp_path / "old.py").write_bytes("# 密钥 s3cret\n".encode("gb18030"))
    members, left = gathered(tmp_path, tmp_path / "train.py", tmp_path / "plain.py", tmp_path / "old.py")
    assert not left and list(members) == ["include/train.py", "include/plain.py", "include/old.py"]
    assert members["include/train.py"].content == b"key = '<key-1>'\n"
    assert codes(members["include/train.py"]) == ["redacted"]
    assert members["include/plain.py"] == Member("include/plain.py", (tmp_path / "plain.py").read_bytes())
    assert members["include/old.py"].content.decode("gb18030") == "# 密钥 <key-1>\n", "in the encoding it came in"


def test_of_a_folder_what_is_hidden_or_no_text_stays_out(tmp_path: Path) -> None:
    for name in (".git/config", ".env", "__pycache__/x.pyc", "src/net.py", "src/deep/a.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "data.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes(100))
    members, left = gathered(tmp_path, tmp_path)
    assert list(members) == ["include/src/net.py", "include/src/deep/a.yaml"]
    assert left == {"data.npy": "not-text"}
    members, left = gathered(tmp_path, tmp_path / "data.npy", tmp_path / ".env")
    assert codes(members["include/data.npy"]) == ["unseen"] and codes(members["include/.env"]) == []
    assert not left, "what is named itself goes in"


def test_patterns_name_the_files_that_they_match(tmp_path: Path) -> None:
    for name in ("a.npy", "deep/b.npy", "x[1].npy"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\x93NUMPY\x01\x00" + bytes(100))
    for pattern, names in {
        "*.npy": {"a.npy", "x[1].npy"},
        "**/*.npy": {"a.npy", "deep/b.npy", "x[1].npy"},
        "x[1].npy": {"x[1].npy"},
    }.items():
        members, left = gathered(tmp_path, tmp_path / pattern)
        assert set(members) == {f"include/{name}" for name in names} and not left
        assert all(codes(member) == ["unseen"] for member in members.values())
    with pytest.raises(ReadError):
        gathered(tmp_path, tmp_path / "*.gone")


def test_links_lead_nowhere_outside(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (outside / "key").write_text("private")
    (project / "a.py").write_text("a")
    (project / "key.py").symlink_to(outside / "key")
    (project / "folder").symlink_to(outside)
    (project / "inside.py").symlink_to(project / "a.py")
    (project / "loop").symlink_to(project / "loop")
    members, left = gathered(project, project)
    assert set(members) == {"include/a.py", "include/inside.py"}
    assert left.pop("loop") in ("leads-out", "unread") and left == {"key.py": "leads-out"}
    for path in ("key.py", "folder/key"):
        assert gathered(project, project / path) == ({}, {path: "leads-out"})
    assert gathered(project, project / "folder") == ({}, {"folder": "leads-out"}), "what lies there is not told either"
    for path, name in ((outside, "include/outside/key"), (outside / "key", "include/key")):
        assert set(gathered(project, path)[0]) == {name}, "named where it lies, it goes in"


def test_a_long_log_keeps_both_ends_and_other_files_are_refused(tmp_path: Path) -> None:
    lines = [f"step {number}, loss {1 / (number + 1):.6f} s3cret\n" for number in range(20_000)]
    (tmp_path / "train.log").write_text("".join(lines))
    (tmp_path / "train.csv").write_text("".join(lines))
    (tmp_path / "core.log").write_bytes(bytes(LIMIT + 1))
    size = (tmp_path / "train.log").stat().st_size
    members, left = gathered(tmp_path, *(tmp_path / name for name in ("train.log", "train.csv", "core.log")))
    assert left == {"train.csv": "too-large", "core.log": "too-large"}
    member = members["include/train.log"]
    text = member.content.decode()
    assert len(member.content) <= LIMIT and codes(member) == ["redacted", "cut"]
    assert member.notes[1].data == {"size": size}
    shown = text.splitlines()
    assert shown[0] == lines[0].replace("s3cret", "<key-1>").strip() and shown[-1].startswith("step 19999, ")
    gaps = [line for line in shown if "left out" in line]
    assert len(gaps) == 1 and len(shown) > 1000
    assert all(line.startswith("step ") and line.endswith("<key-1>") for line in shown if line not in gaps), (
        "whole lines"
    )


def test_redaction_never_makes_a_file_larger_than_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("s3cret\n" * (LIMIT // 7))
    assert gathered(tmp_path, tmp_path / "a.py") == ({}, {"a.py": "too-large"})
    (tmp_path / "a.log").write_text("s3cret\n" * LIMIT)
    members, _ = gathered(tmp_path, tmp_path / "a.log")
    assert 0 < len(members["include/a.log"].content) <= LIMIT


def test_odd_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.log")
    (tmp_path / "empty.py").touch()
    (tmp_path / "wide.py").write_text("s3cret", "utf-16")
    members, left = gathered(tmp_path, tmp_path)
    assert left == {"pipe.log": "not-regular"}
    assert members["include/empty.py"].content == b""
    assert members["include/wide.py"].content.decode("utf-16") == "<key-1>"
    for name in ("gone.py", "a\0b"):
        with pytest.raises(ReadError) as error:
            gathered(tmp_path, tmp_path / name)
        assert error.value.code == "not-found"


def test_names_that_some_file_system_refuses(tmp_path: Path) -> None:
    names = ['a"b\nc<d>.py', "训练.py", "s3cret.py", "x" * 200 + ".py", "..hidden", "A.py", "a.py", "dot. "]
    for name in names:
        (tmp_path / name).write_text("x")
    (tmp_path / os.fsdecode(b"\xff.py")).write_text("x")
    members, left = gathered(tmp_path, *sorted(tmp_path.iterdir()))
    assert not left and len(members) == len(names) + 1
    for name in members:
        step = name.removeprefix("include/")
        assert (
            step.isprintable() and step.encode() and len(step.encode()) <= 120 + 2 and not set(step) & set('<>:"|?*\\/')
        )
        assert step == step.strip() and step not in (".", "..")
    assert "include/训练.py" in members and not any("s3cret" in name for name in members)


def test_a_folder_of_too_many_files_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MAX_FILES", 3)
    for number in range(5):
        (tmp_path / f"{number}.py").write_text("x")
    members, left = gathered(tmp_path, tmp_path)
    assert len(members) == 3 and list(left.values()) == ["too-many"]
    members, left = gathered(tmp_path, tmp_path / "*.py")
    assert len(members) == 3 and left == {str(tmp_path / "*.py"): "too-many"}, "so does a pattern"


def test_what_is_named_in_several_ways_goes_in_once(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    for root in (project, outside):
        (root / "logs/sub").mkdir(parents=True)
        (root / "logs/a.txt").write_text("a")
        (root / "logs/sub/b.txt").write_text("b")
        (root / "logs/sub/c.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes(100))
    names = {"include/logs/a.txt", "include/logs/sub/b.txt", "include/logs/sub/c.npy"}
    for root in (project, outside):
        for paths in ([root / "logs/**"], [root / "logs", root / "logs/sub/*"], [root / "logs", root / "logs/**"]):
            members, left = gathered(project, *paths)
            assert set(members) == names and not left
            assert codes(members["include/logs/sub/c.npy"]) == ["unseen"], "a pattern names it itself"
    assert gathered(project, project / "logs")[1] == {"logs/sub/c.npy": "not-text"}


# --- zips -------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("md5sum"), reason="no md5sum here")
def test_md5sum_checks_it(tmp_path: Path) -> None:
    members = [
        Member("report/x.md", b"# x\n"),
        Member("include/训练 1.log", b"loss", [Note("cut", {"size": 5_000_000}), Note("redacted")]),
        Member("include/empty", b"", [Note("unseen")]),
    ]
    left = [LeftOut("big\n.ckpt", Note("too-large", {"size": 10**9, "limit": LIMIT}))]
    files, missing = pack("x-issue", members, left, LIMIT, say)
    assert list(files) == ["x-issue.zip"] and missing == left
    with zipfile.ZipFile(io.BytesIO(files["x-issue.zip"])) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "x-issue"
    checked = subprocess.run(
        ["md5sum", "--check", "--strict", "manifest.md5"], cwd=folder, capture_output=True, text=True
    )
    assert checked.returncode == 0 and not checked.stderr and checked.stdout.count(": OK") == 3, checked
    listed = (folder / "manifest.md5").read_text()
    for said in ("left out: big .ckpt (1,000,000,000 bytes", "训练 1.log: redacted", "include/empty: not looked into"):
        assert said in listed
    (folder / "report/x.md").write_text("changed")
    assert subprocess.run(["md5sum", "--check", "manifest.md5"], cwd=folder, capture_output=True).returncode == 1


def test_the_same_files_give_the_same_bytes() -> None:
    members = [Member("a.txt", b"a" * 1000), Member("b/ä.txt", b"b")]
    first, second = (pack("x", members, [], LIMIT, say)[0]["x.zip"] for _ in range(2))
    assert first == second
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        entries = archive.infolist()
    assert [entry.filename for entry in entries] == ["x/manifest.md5", "x/a.txt", "x/b/ä.txt"]
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.external_attr >> 16 for entry in entries} == {0o100644}


def test_what_does_not_fit_goes_into_further_zips() -> None:
    content = [os.urandom(40_000) for _ in range(7)]
    members = [Member(f"{number}.bin", each, [Note("unseen")]) for number, each in enumerate(content)]
    members.insert(2, Member("huge.bin", os.urandom(LIMIT)))
    files, left = pack("x", members, [], LIMIT, say)
    assert [(each.path, each.why.code) for each in left] == [("huge.bin", "zip-too-large")]
    assert list(files) == ["x.zip", "x.2.zip", "x.3.zip", "x.4.zip"]
    assert all(len(each) <= LIMIT for each in files.values())
    found: dict[str, bytes] = {}
    for number, each in enumerate(files.values(), start=1):
        inside = opened(each)
        manifest = inside.pop(f"x/manifest{f'-{number}' if number > 1 else ''}.md5").decode()
        sums = dict(reversed(line.split("  ")) for line in manifest.splitlines() if not line.startswith("#"))
        assert sums == {name[2:]: hashlib.md5(data).hexdigest() for name, data in inside.items()}
        assert ("huge.bin" in manifest) == (number == 1)
        found |= inside
    assert list(found.values()) == content


def test_a_zip_that_is_nearly_full_stays_within_its_limit() -> None:
    for size in range(99_000, 100_001, 97):
        files, left = pack("x", [Member("a", os.urandom(size))], [], LIMIT, say)
        assert len(files["x.zip"]) <= LIMIT and len(files) == 1
        assert bool(left) == (len(opened(files["x.zip"])) == 1)


def test_nothing_at_all() -> None:
    files, left = pack("x", [], [], LIMIT, say)
    assert list(opened(files["x.zip"])) == ["x/manifest.md5"] and not left


def test_the_list_of_what_is_left_out_is_bounded() -> None:
    left = [LeftOut("训" * 4000 + str(number), Note("not-text")) for number in range(1000)]
    files, _ = pack("x", [Member("a", b"a")], left, LIMIT, say)
    assert len(files["x.zip"]) < LIMIT
    assert f"{1000 - bundle.MAX_NAMED} more" in opened(files["x.zip"])["x/manifest.md5"].decode()
