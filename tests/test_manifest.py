"""Manifests of real trees: hashing, resuming, hostile names and files, the lists of other tools, comparison, the command."""

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accucheck import hasher, hashing, manifest, nodes
from accucheck.errors import WORDS, ReadError, SaveError
from accucheck.manifest import File, Manifest, build, compare, read, tree_digest, update, write
from accucheck.model import Language, Progress
from command_line import accucheck
from left_behind import is_gone, wait_until

YEAR_2020 = 1_577_836_800_123_456_789


def md5(content: bytes) -> str:
    return hashlib.md5(content).hexdigest()


def tree(root: Path, contents: dict[str, bytes]) -> Path:
    """Files as they would lie there for a year."""
    for name, content in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=(YEAR_2020, YEAR_2020))
    time.sleep(0.02)  # a later change gets another ctime
    return root


def listing(**files: bytes) -> Manifest:
    return Manifest("-", [File(name, md5(content), len(content)) for name, content in sorted(files.items())])


def files(**contents: bytes) -> Manifest:
    """A manifest from name=content; "__" in a name is "/"."""
    return listing(**{name.replace("__", "/"): content for name, content in contents.items()})


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")


# --- making


def test_every_file_has_its_size_mtime_and_md5(tmp_path):
    contents = {f"c{n % 3}/{n}.jpg": os.urandom(n * 37) for n in range(200)}
    contents["big.bin"] = os.urandom(9 << 20)
    contents["exactly-a-buffer.bin"] = os.urandom(1 << 18)
    contents["empty"] = b""
    made = build(tree(tmp_path / "data", contents))
    assert {f.path: (f.md5, f.size, f.mtime_ns) for f in made.files} == {
        name: (md5(content), len(content), YEAR_2020) for name, content in contents.items()
    }
    assert [f.path for f in made.files] == sorted(contents)
    assert (made.root, made.hashed, made.reused, made.unread) == ("data", 203, 0, [])
    assert made.bytes == sum(map(len, contents.values()))


def test_a_single_file_and_an_empty_folder(tmp_path):
    tree(tmp_path, {"a/train.csv": b"x,y\n", "a/other.csv": b""})
    assert [f.path for f in build(tmp_path / "a" / "train.csv").files] == ["train.csv"]
    (tmp_path / "none").mkdir()
    assert build(tmp_path / "none").files == []


def test_a_second_run_hashes_only_what_changed(tmp_path):
    root = tree(tmp_path / "data", {f"{n}": b"%d" % n for n in range(100)})
    first = build(root)
    (root / "7").write_bytes(b"x")
    (root / "new").write_bytes(b"new")
    (root / "9").unlink()
    second = build(root, previous=first)
    assert (second.hashed, second.reused) == (2, 98)
    assert {f.path: f.md5 for f in second.files} == {f.path: f.md5 for f in build(root).files}


def test_a_change_that_keeps_size_and_mtime_is_seen(tmp_path):
    root = tree(tmp_path, {"a": b"one", "b": b"two"})
    first = build(root)
    tree(tmp_path, {"a": b"eno"})  # which also sets the mtime back
    again = build(root, previous=first)
    assert (again.hashed, again.files[0].md5, again.files[0].mtime_ns) == (1, md5(b"eno"), YEAR_2020)
    assert build(root, previous=again, full=True).hashed == 2


def test_an_mtime_copied_from_another_machine_proves_nothing(tmp_path):
    here, there = tree(tmp_path / "here", {"a": b"one"}), tree(tmp_path / "there", {"a": b"eno"})
    assert build(there, previous=build(here)).files[0].md5 == md5(b"eno")


def test_a_manifest_that_says_the_same_is_not_written_again(tmp_path):
    root, target = tree(tmp_path / "data", {"a": b"one", "b": b"two"}), tmp_path / "m.json"
    manifest.finish(update(root, target))
    before = target.stat().st_ino, target.read_bytes()
    assert manifest.finish(update(root, target)).reused == 2
    assert (target.stat().st_ino, target.read_bytes()) == before
    (root / "b").unlink()
    assert len(manifest.finish(update(root, target)).files) == len(read(target).files) == 1


def test_a_file_written_just_now_is_hashed_again(tmp_path):
    """Its ctime cannot show a second write within the same tick of the clock."""
    path = tmp_path / "a"
    view = memoryview(bytearray(1 << 18))
    for wait, status in [(0, hasher.FRESH), (0.02, hasher.OK)]:
        path.write_bytes(b"one")
        time.sleep(wait)
        found = hasher.answer(str(path), view, lambda _: None)
        assert hasher.ANSWER.unpack(found)[0] == status
        assert bool(hasher.record(b"a", found)) is (status == hasher.OK)
    second = 1_000_000_000
    assert hasher.is_fresh(5 * second + 1, 4 * second)  # a file system that stores whole seconds
    assert not hasher.is_fresh(5 * second + 1, 4 * second + 1)
    first = Manifest("-", [File("a", md5(b"one"), 3, path.stat().st_mtime_ns, manifest.UNKNOWN)])
    assert build(tmp_path, previous=first).hashed == 1


def test_an_interrupted_run_resumes(tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "_TELL_EVERY", 0)
    root = tree(tmp_path / "data", {f"{n:04}": os.urandom(5000) for n in range(1000)})
    target = tmp_path / "data.json"
    steps = update(root, target)
    for step in steps:
        if step.done > 1_000_000:
            break
    steps.close()
    journal = tmp_path / "data.json.journal"
    lines = journal.read_bytes().partition(b"\n")[2].split(b"\0")[:-1]
    kept = len(lines)
    assert 100 < kept < 1000
    torn = lines[0].replace(b" ", b"9 ", 1)  # of another size, so that it would be found out if it were taken
    for end in range(len(torn)):
        with journal.open("ab") as stream:
            stream.write(torn[:end] + b"\0")
    assert not target.exists()
    made = manifest.finish(update(root, target))
    assert (made.hashed, made.reused) == (1000 - kept, kept)
    assert made.files == build(root).files
    assert not journal.exists()
    assert manifest.finish(update(root, target)).reused == 1000
    assert manifest.finish(update(root, target, full=True)).hashed == 1000


@pytest.mark.part(40)
def test_a_run_that_is_killed_costs_no_file_that_was_done(tmp_path):
    """kill -9 again and again: no file is hashed twice, and what is kept is true."""
    root = tree(tmp_path / "data", {f"{n:04}": os.urandom(300_000) for n in range(800)})
    target, journal = tmp_path / "data.json", tmp_path / "data.json.journal"
    command = [sys.executable, "-m", "accucheck", "manifest", str(root), "--output", str(target)]
    done: list[bytes] = []
    for wanted in (20, 150, 300):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while process.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\0") < wanted):
            time.sleep(0.002)
        children = _children(process.pid)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        while not all(map(is_gone, children)):
            time.sleep(0.01)
        lines = [line for line in journal.read_bytes().partition(b"\n")[2].split(b"\0") if line]
        assert lines[: len(done)] == done and len(done) < len(lines) < 800
        done = lines
        assert not target.exists()
    names = [line.split(b" ")[4] for line in done]
    assert len(set(names)) == len(names)
    made = manifest.finish(update(root, target))
    assert (made.hashed, made.reused) == (800 - len(done), len(done))
    assert {file.path: file.md5 for file in made.files} == {p.name: md5(p.read_bytes()) for p in root.iterdir()}


def test_what_changed_since_it_was_hashed_is_hashed_again_when_a_run_resumes(tmp_path):
    root = tree(tmp_path / "data", {f"{n}": b"%d" % n for n in range(10)})
    journal = tmp_path / "journal"
    build(root, journal=journal)
    tree(root, {"3": b"?"})
    made = build(root, journal=journal)
    assert (made.hashed, made.reused, made.files[3].md5) == (1, 9, md5(b"?"))


def test_a_journal_of_another_tree_or_another_run_is_not_used(tmp_path):
    one, two = tree(tmp_path / "one", {"a": b"1"}), tree(tmp_path / "two", {"a": b"2"})
    journal = tmp_path / "journal"
    build(one, journal=journal)
    assert build(two, journal=journal).files[0].md5 == md5(b"2")
    import fcntl

    with journal.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert build(two, journal=journal).hashed == 1
    assert build(two, journal=tmp_path / "no" / "such" / "folder").hashed == 1


def test_closing_it_ends_the_children(tmp_path):
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(200 << 30)
    steps = manifest.scan(tmp_path)
    progress = next(step for step in steps if step.done)
    assert isinstance(progress, Progress) and progress.total == 200 << 30 and progress.unit == "bytes"
    assert progress.done < 200 << 30
    children = _children(os.getpid())
    assert children
    steps.close()
    assert not _children(os.getpid())


def test_children_die_with_a_killed_parent(tmp_path):
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(200 << 30)
    code = "import sys; from accucheck.manifest import build; build(sys.argv[1])"
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    try:
        wait_until(lambda: _children(parent.pid))
        children = _children(parent.pid)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    wait_until(lambda: all(map(is_gone, children)))


def _children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z" and b"hasher.py" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def test_a_child_that_is_killed_is_an_error_not_a_gap(tmp_path):
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(200 << 30)
    steps = manifest.scan(tmp_path)
    next(steps)
    for child in _children(os.getpid()):  # whichever has the file
        os.kill(child, signal.SIGKILL)
    with pytest.raises(ReadError) as caught:
        list(steps)
    assert caught.value.code == "io"
    assert "huge" in str(caught.value)


# --- what is no plain file


def test_links_are_followed_but_not_in_circles(tmp_path):
    root = tree(tmp_path / "data", {"a/1": b"one"})
    tree(tmp_path / "store", {"2": b"two", "deep/3": b"three"})
    (root / "linked-file").symlink_to(tmp_path / "store" / "2")
    (root / "linked-folder").symlink_to(tmp_path / "store")
    (root / "twice").symlink_to(tmp_path / "store")
    (root / "a" / "up").symlink_to("..")
    (root / "itself").symlink_to("itself")
    (root / "nowhere").symlink_to("gone")
    made = build(root)
    assert {f.path: f.md5 for f in made.files} == {
        "a/1": md5(b"one"),
        "linked-file": md5(b"two"),
        **{
            f"{folder}/{name}": md5(text)
            for folder in ("linked-folder", "twice")
            for name, text in (("2", b"two"), ("deep/3", b"three"))
        },
    }
    assert [(entry.path, entry.reason) for entry in made.unread] == [
        ("a/up", "link-loop"),
        ("itself", "link-loop"),
        ("nowhere", "not-found"),
    ]


def test_folders_that_link_to_each_other_end(tmp_path, monkeypatch):
    monkeypatch.setattr(hashing, "_LINK_VISITS", 5)
    for one in range(8):
        tree(tmp_path, {f"{one}/file": b"%d" % one})
        for other in range(8):
            if one != other:
                (tmp_path / str(one) / f"to{other}").symlink_to(tmp_path / str(other))
    made = build(tmp_path)
    assert {f"{n}/file" for n in range(8)} <= {f.path for f in made.files}
    assert {entry.reason for entry in made.unread} == {"link-loop"}


def test_pipes_sockets_and_devices_do_not_block(tmp_path):
    tree(tmp_path, {"a": b"a"})
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        made = build(tmp_path)
    assert [f.path for f in made.files] == ["a"]
    assert [(e.path, e.reason) for e in made.unread] == [(n, "not-regular") for n in ("fifo", "socket", "zero")]
    view = memoryview(bytearray(1 << 18))
    for name in ("fifo", "zero"):  # swapped in after the walk
        assert hasher.ANSWER.unpack(hasher.answer(str(tmp_path / name), view, lambda _: None))[0] == hasher.NOT_REGULAR


def test_a_file_that_changes_meanwhile_is_told(tmp_path):
    tree(tmp_path, {"steady": b"1", "grown": b"1", "touched": b"1", "gone": b"1", "locked/f": b"1"})
    pool = hashing.Pool(str(tmp_path), 2)
    try:
        for seen in hashing.FileWalk(str(tmp_path), [""], set(), ".accucheck"):
            pool.add(seen)
        (tmp_path / "grown").write_bytes(b"12")
        os.utime(tmp_path / "touched")
        (tmp_path / "gone").unlink()
        pool.all_known()
        answers = {}
        while pool.busy:
            answers.update({seen[0]: status for seen, status, _ in pool.turn(100)})
    finally:
        pool.end()
    assert answers == {
        "steady": hasher.OK,
        "locked/f": hasher.OK,
        "grown": hasher.CHANGED,
        "touched": hasher.CHANGED,
        "gone": 2,
    }


def test_a_file_cut_short_while_it_is_read_is_told(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes(100 << 20))
    told = []

    def cut(data: bytes) -> None:
        told.append(hasher.ANSWER.unpack(data)[0])
        os.truncate(path, 1000)

    status = hasher.ANSWER.unpack(hasher.answer(str(path), memoryview(bytearray(1 << 18)), cut))[0]
    assert (status, told) == (hasher.CHANGED, [hasher.UNDER_WAY])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_told(tmp_path):
    tree(tmp_path, {"a": b"a", "secret": b"s", "closed/b": b"b"})
    (tmp_path / "secret").chmod(0)
    (tmp_path / "closed").chmod(0)
    try:
        made = build(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o755)
    assert [(e.path, e.reason) for e in made.unread] == [("closed/", "no-permission"), ("secret", "no-permission")]


def test_reasons_have_words():
    reasons = {hashing.unread("x", OSError(number, "?")).reason for number in (1, 2, 5, 13, 20, 21, 36, 40)}
    assert {*reasons, *hashing.NO_FILES, "changed"} <= set(WORDS)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: None, "not-found"),
        (lambda path: os.mkfifo(path), "not-regular"),
        (lambda path: path.symlink_to("gone"), "not-found"),
    ],
)
def test_a_root_that_is_no_tree(tmp_path, make, code):
    make(tmp_path / "data")
    with pytest.raises(ReadError) as caught:
        build(tmp_path / "data")
    assert caught.value.code == code


def test_our_own_folder_and_skipped_files_are_left_out(tmp_path):
    tree(
        tmp_path, {".accucheck/session.json": b"{}", "sub/.accucheck/x": b"", "a": b"", "list.md5": b"", ".hidden": b""}
    )
    made = build(tmp_path, skip=[tmp_path / "list.md5"])
    assert [f.path for f in made.files] == [".hidden", "a"]
    assert [f.path for f in manifest.finish(update(tmp_path, tmp_path / "out.json")).files] == [
        ".hidden",
        "a",
        "list.md5",
    ]


def test_within_limits_the_tree(tmp_path):
    tree(tmp_path / "d", {"a/1": b"", "a/2": b"", "b/3": b"", "c": b"", "ab/4": b""})
    tree(tmp_path, {"outside": b""})
    within = ["a", "a/1", "c", "gone", "../outside", "/etc/passwd", "./b/3"]
    made = build(tmp_path / "d", within=within)
    assert [f.path for f in made.files] == ["a/1", "a/2", "b/3", "c"]
    assert made.unread == []
    assert build(tmp_path / "d", within=[]).files == []
    assert len(build(tmp_path / "d", within=["."]).files) == 5


# --- names

NAMES = [
    b"plain",
    "中文.jpg".encode(),
    "中文".encode("gbk"),
    b"a\nb",
    b"a\rb",
    b"back\\slash",
    b"\\n",
    b"-n",
    b" lead",
    b"\xff\\xff",
]


def odd_tree(root: Path) -> Path:
    root.mkdir()
    for index, name in enumerate(NAMES):
        path = os.path.join(os.fsencode(root), name)
        with open(path, "wb") as stream:
            stream.write(b"%d" % index)
        os.utime(path, ns=(YEAR_2020, YEAR_2020))
    time.sleep(0.02)  # a later change gets another ctime
    return root


def test_any_name_survives_writing_and_reading(tmp_path):
    made = build(odd_tree(tmp_path / "odd"))
    assert {os.fsencode(f.path): f.md5 for f in made.files} == {name: md5(b"%d" % i) for i, name in enumerate(NAMES)}
    write(made, tmp_path / "m.json")
    found = read(tmp_path / "m.json")
    assert found.files == made.files
    assert json.loads((tmp_path / "m.json").read_text("utf-8"))["format"] == "accucheck-manifest"
    assert build(tmp_path / "odd", previous=found).reused == len(NAMES)


@needs("md5sum")
def test_the_list_of_md5sum_for_odd_names(tmp_path):
    made = build(odd_tree(tmp_path / "odd"))
    output = subprocess.run([b"md5sum", b"--", *NAMES], cwd=tmp_path / "odd", capture_output=True, check=True).stdout
    assert sorted(output.splitlines()) == sorted(b"".join(map(manifest.md5sum_line, made.files)).splitlines())
    (tmp_path / "list").write_bytes(output)
    found = read(tmp_path / "list")
    assert {f.path: f.md5 for f in found.files} == {f.path: f.md5 for f in made.files}


@given(st.binary(min_size=1).filter(lambda name: b"\0" not in name))
def test_escaping_is_reversible(name):
    path = name.decode("utf-8", "surrogateescape")
    text = manifest.escaped(path)
    text.encode("utf-8")
    assert manifest.unescaped(text) == path


@needs("md5sum")
def test_the_digest_of_the_whole_can_be_had_with_a_shell(tmp_path):
    root = tree(tmp_path / "data", {name: name.encode() for name in ("b/1", "a", "B", "中/文", "c d", "b-1")})
    command = r"find -L . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum | md5sum"
    output = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True, check=True).stdout
    assert tree_digest(build(root)) == output.split()[0]


def test_the_digest_of_the_whole_sees_names_and_content():
    digests = [
        tree_digest(m) for m in (files(a=b"1", b=b"2"), files(a=b"2", b=b"1"), files(a=b"1"), listing(**{"a\n": b"1"}))
    ]
    assert len(set(digests)) == 4


# --- lists of other tools

A, B = md5(b"a"), md5(b"b")


@pytest.mark.parametrize(
    "text",
    [
        f"{A}  x/a\n{B}  x/b\n",
        f"{A} *x/a\n{B} *x/b\n",
        f"{A}  ./x/a\r\n{B}  .//x/b\r\n",
        f"\ufeff{A}  x/a\n{B}  x/b",
        f"{A.upper()}  x/a\n\n# a comment\n; another\n{B}\tx/b\n",
        f"MD5 (x/a) = {A}\nMD5 (x/b) = {B}\n",
        f"MD5(x/a)= {A}\nMD5(x/b)= {B}\n",
        f"      1  {A}  x/a\n      1  {B}  x/b\n",
        f"{A} *x\\a\r\n{B} *x\\b\r\n",
        f"%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## comment\n## $ hashdeep\n1,{A},{'0' * 64},x/a\n1,{B},{'0' * 64},x/b\n",
        f"%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n1,{A},x/a\n1,{B},x/b\n",
    ],
)
def test_lists_of_other_tools(tmp_path, text):
    for encoding in ("utf-8", "utf-16"):
        (tmp_path / "list").write_bytes(text.encode(encoding))
        assert {f.path: f.md5 for f in read(tmp_path / "list").files} == {"x/a": A, "x/b": B}


def test_names_in_lists(tmp_path):
    lines = [
        f"\\{A}  a\\\\b\\nc\\rd",
        f"{A}  two  spaces ",
        f"{A}   lead",
        f"{A}  x/back\\slash",
        f"{A}  (a) = {B}",
        f"\\MD5 (t\\\\) = {A}",
    ]
    (tmp_path / "list").write_text("\n".join(lines))
    expected = {"a\\b\nc\rd", "two  spaces ", " lead", "x/back\\slash", f"(a) = {B}", "t\\"}
    assert {f.path for f in read(tmp_path / "list").files} == expected
    (tmp_path / "list").write_text(f"%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n3,{A},/data/a,b.txt\n")
    assert read(tmp_path / "list").files == [File("/data/a,b.txt", A, 3)]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"\n\n# nothing\n", "unknown-format"),
        (b"not a list\n", "malformed"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "malformed"),
        (f"{A}  a\n{'0' * 64}  b\n".encode(), "malformed"),
        (f"{A}  a\n{A[:-1]}".encode(), "malformed"),
        (f"{A}  a\n{B}  a\n".encode(), "malformed"),
        (b"%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n", "malformed"),
        (f"%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n1,{A}\n".encode(), "malformed"),
        (b"\xff\xfea", "encoding"),
        (b'{"format":"accucheck-manifest","version":1,"root":"x","files":[{"path":"a"', "truncated"),
        (b'{"format":"other","root":"x","files":[]}', "malformed"),
        (b'{"version":99,"root":"x","files":[]}', "malformed"),
        (b'{"root":"x","files":[{"path":"a","md5":"zz"}]}', "malformed"),
        (b'{"root":"x","files":[{"path":"\xff","md5":"zz"}]}', "malformed|encoding"),
        (b'{"root":"x"}', "malformed"),
        (b"{" * 100_000, "malformed|truncated"),
        (b'{"a":' * 100_000, "malformed|truncated"),
    ],
)
def test_bad_lists(tmp_path, content, code):
    (tmp_path / "list").write_bytes(content)
    with pytest.raises(ReadError) as caught:
        read(tmp_path / "list")
    assert caught.value.code in code.split("|")
    for language in Language:
        assert "list" in caught.value.text(language)
        assert "{" not in caught.value.text(language).replace('{"files"', "")


def test_a_bad_line_is_named_by_its_offset(tmp_path):
    (tmp_path / "list").write_text(f"{A}  a\nbroken\n")
    with pytest.raises(ReadError) as caught:
        read(tmp_path / "list")
    assert caught.value.data["offset"] == 36


def test_a_list_that_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for name, code in [("fifo", "not-regular"), (".", "is-directory"), ("gone", "not-found")]:
        with pytest.raises(ReadError) as caught:
            read(tmp_path / name)
        assert caught.value.code == code


@needs("hashdeep")
def test_what_hashdeep_and_md5deep_print(tmp_path):
    root = tree(tmp_path / "data", {"train/a,b.jpg": b"1", "train/c d.jpg": b"22", "e": b""})
    made = build(root)
    for command in (
        ["hashdeep", "-r", "-c", "md5"],
        ["hashdeep", "-r", "-l"],
        ["md5deep", "-r"],
        ["md5deep", "-r", "-z", "-l"],
    ):
        for folder, cwd in ((str(root), tmp_path), (".", root), ("data", tmp_path)):
            output = subprocess.run([*command, folder], cwd=cwd, capture_output=True, check=True).stdout
            (tmp_path / "list").write_bytes(output)
            result = compare(made, read(tmp_path / "list"), root=root)
            assert (result.same, result.differs, result.outside, result.uncovered) == (3, False, 0, 0), (
                command,
                folder,
            )


@pytest.mark.parametrize("form", ["md5sum", "hashdeep"])
def test_the_lists_we_write_are_read_again(tmp_path, form):
    root = tree(tmp_path / "data", {"a": b"1", "b,c d/中": b"22", "empty": b""})
    made = build(root)
    (tmp_path / "list").write_bytes(manifest.listing(made, form))
    found = read(tmp_path / "list")
    assert [(f.path, f.md5) for f in found.files] == [(f.path, f.md5) for f in made.files]
    assert form == "md5sum" or [f.size for f in found.files] == [f.size for f in made.files]


@needs("md5sum")
def test_md5sum_takes_the_list_we_print(tmp_path):
    root = odd_tree(tmp_path / "odd")
    command = [sys.executable, "-m", "accucheck", "manifest", str(root), "-o", str(tmp_path / "m.json"), "--format"]
    for _ in range(2):  # also where nothing is hashed
        done = subprocess.run([*command, "md5sum"], capture_output=True, check=True)
        subprocess.run(["md5sum", "--check", "--quiet", "--strict"], input=done.stdout, cwd=root, check=True)


# --- comparing


def test_what_differs():
    actual = files(same=b"s", changed=b"c2", extra=b"e", new_name=b"moved")
    reference = files(same=b"s", changed=b"c1", gone=b"g", old_name=b"moved")
    result = compare(actual, reference)
    assert result.same == 1
    assert [f.path for f in result.missing] == ["gone"]
    assert [f.path for f in result.extra] == ["extra"]
    assert [(a.path, r.path, a.md5) for a, r in result.different] == [("changed", "changed", md5(b"c2"))]
    assert [(a.path, r.path) for a, r in result.renamed] == [("new_name", "old_name")]
    assert result.differs
    assert not compare(actual, actual).differs


def test_each_rename_is_counted_once():
    result = compare(files(x=b"1", y=b"1", z=b"1", empty=b""), files(a=b"1", b=b"1", void=b""))
    assert [(a.path, r.path) for a, r in result.renamed] == [("x", "a"), ("y", "b")]
    assert [f.path for f in result.extra] == ["empty", "z"]
    assert [f.path for f in result.missing] == ["void"]


def test_only_some_files_count():
    result = compare(files(a=b"1", b=b"2", c=b"3"), files(a=b"1", b=b"x", d=b"4"), only={"a", "d", "nowhere"})
    assert (result.same, len(result.missing), result.extra, result.different) == (1, 1, [], [])


def test_duplicates_by_content():
    groups = manifest.duplicates(files(a=b"1", b=b"2", c=b"1", d=b"1", e=b"2", f=b"", g=b"", h=b"3"))
    assert [[f.path for f in group] for group in groups] == [["a", "c", "d"], ["b", "e"]]


@pytest.mark.parametrize(
    ("names", "same", "missing", "outside", "uncovered"),
    [
        (["a/1", "a/2", "b/3"], 3, 0, 0, 0),
        (["train/a/1", "train/a/2", "train/b/3", "test/a/1"], 3, 0, 1, 0),
        (["cifar/train/a/1", "cifar/train/a/2", "cifar/train/b/9"], 2, 1, 0, 0),
        (["/data/cifar/train/a/1", "/data/cifar/train/a/2", "/data/cifar/train/b/3"], 3, 0, 0, 0),
        (["/nfs/copy/a/1", "/nfs/copy/a/2", "/nfs/copy/b/3", "/nfs/copy/b/4"], 3, 1, 0, 0),
        (["1", "2"], 2, 0, 0, 1),
        (["a/1", "../val/9", "/other/8"], 1, 0, 2, 0),
    ],
)
def test_names_are_brought_into_line(names, same, missing, outside, uncovered):
    actual = files(a__1=b"1", a__2=b"2", b__3=b"3")
    reference = Manifest("-", [File(name, md5(name[-1:].encode())) for name in sorted(names)])
    result = compare(actual, reference, root="/data/cifar/train")
    assert (result.same, len(result.missing), result.outside, result.uncovered) == (same, missing, outside, uncovered)


def test_what_could_not_be_read_is_neither_missing_nor_extra():
    actual = Manifest(
        "-",
        files(a=b"1", x=b"2").files,
        unread=[hashing.UnreadEntry("b", "io"), hashing.UnreadEntry("closed/", "no-permission")],
    )
    reference = Manifest("-", files(a=b"1", b=b"2", closed__1=b"3").files, unread=[hashing.UnreadEntry("x", "io")])
    result = compare(actual, reference)
    assert result.uncompared == ["b", "closed/1", "x"]
    assert not result.differs


def test_what_the_reference_could_not_read_is_told_though_the_tree_lacks_it(tmp_path):
    gaps = [
        hashing.UnreadEntry(path, reason)
        for path, reason in (("g", "io"), ("shut/", "no-permission"), ("s", "link-loop"))
    ]
    reference = Manifest(
        "-", [File("d/a", md5(b"1"))], unread=[msgspec.structs.replace(e, path="d/" + e.path) for e in gaps]
    )
    tree = files(a=b"1")
    result = compare(tree, reference, root="/data/d")
    assert (result.same, result.uncompared, result.differs) == (1, ["g", "shut/"], False)
    assert compare(tree, reference, root="/data/d", only={"a"}).uncompared == []
    (node,) = nodes.against([("n", tree)], reference, "/data/d").nodes
    assert node.unread == ["g", "shut/"]
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a").write_bytes(b"1")
    manifest.write(
        msgspec.structs.replace(reference, files=[File("a", md5(b"1"), 1)], unread=gaps), tmp_path / "ref.json"
    )
    ran = accucheck("manifest", tmp_path / "d", "--check", tmp_path / "ref.json")
    assert ran.code == 3 and "not compared  shut/" in ran.out


# --- the command


class Echo:
    def __init__(self) -> None:
        self.out, self.err = "", ""

    def __call__(self, message: str | bytes, err: bool = False, nl: bool = True) -> None:
        text = (message if isinstance(message, str) else message.decode()) + ("\n" if nl else "")
        if err:
            self.err += text
        else:
            self.out += text


def run(
    folder: Path,
    output: Path | None = None,
    check: Path | None = None,
    *,
    full=False,
    as_json=False,
    language=Language.EN,
):
    echo = Echo()
    code = manifest.command(
        str(folder),
        output and str(output),
        check and str(check),
        full=full,
        as_json=as_json,
        language=language,
        echo=echo,
    )
    return code, echo


def test_the_command_writes_and_checks(tmp_path):
    root = tree(tmp_path / "data", {"a": b"1", "b": b"22"})
    code, echo = run(root, output=tmp_path / "m.json")
    assert code == 0
    assert echo.out == ""
    assert "2 files, 3 bytes" in echo.err
    assert "2 hashed, 0 reused" in echo.err
    code, echo = run(root, output=tmp_path / "m.json")
    assert "0 hashed, 2 reused" in echo.err
    code, echo = run(root)
    assert code == 0
    assert [entry["path"] for entry in json.loads(echo.out)["files"]] == ["a", "b"]
    assert run(root, check=tmp_path / "m.json")[0] == 0
    shutil.copytree(root, tmp_path / "copy")
    assert run(root, check=tmp_path / "copy")[0] == 0
    tree(root, {"a": b"changed", "c": b"3"})
    (root / "b").unlink()
    code, echo = run(root, check=tmp_path / "m.json")
    assert code == 1
    assert echo.out.splitlines() == [
        "missing  b",
        "different  a (7 / 1 B)",
        "extra  c",
        "0 equal, 1 missing, 1 different, 1 extra, 0 renamed, 0 not compared",
    ]
    code, echo = run(root, check=tmp_path / "m.json", as_json=True)
    found = json.loads(echo.out)
    assert (code, found["same"], found["missing"][0]["path"]) == (1, 0, "b")
    assert found["different"][0]["reference"]["size"] == 1
    assert "缺失  b" in run(root, check=tmp_path / "m.json", language=Language.ZH)[1].out


def test_the_command_tells_gaps(tmp_path):
    root = tree(tmp_path / "data", {"a": b"1"})
    os.mkfifo(root / "fifo")
    assert run(root)[0] == 0
    (root / "bad\x1b[31m").symlink_to("gone")
    code, echo = run(root)
    assert code == 3
    assert "bad\\x1b[31m" in echo.err
    assert "\x1b" not in echo.err


def test_the_command_needs_a_place_to_write(tmp_path):
    root = tree(tmp_path / "data", {"a": b"1"})
    with pytest.raises(SaveError):
        run(root, output=tmp_path / "no" / "m.json")
    with pytest.raises(ReadError):
        run(root, check=tmp_path / "gone")


@needs("md5sum")
def test_accucheck_manifest_against_md5sum(tmp_path):
    """The program itself, as a user runs it."""
    root = tree(tmp_path / "data", {f"x/{n}": b"%d" % n for n in range(20)})
    subprocess.run("find . -type f | xargs md5sum > ../sums", shell=True, cwd=root, check=True)
    command = [sys.executable, "-m", "accucheck", "manifest", str(root), "--check", str(tmp_path / "sums")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "20 equal" in done.stdout
    (root / "x" / "3").write_bytes(b"?")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "x/3" in done.stdout


def test_a_file_that_is_no_manifest_is_never_overwritten(tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text("a,b\n1,2\n")
    options = {"full": False, "as_json": False, "language": Language.EN, "echo": print}
    with pytest.raises(SaveError) as caught:
        manifest.command(str(data), str(data), None, **options)
    assert caught.value.code == "not-a-manifest"
    assert data.read_text() == "a,b\n1,2\n"
