"""Bad and hostile input through the real command line.

Whatever it is: one clear message, exit code 2 or a failed result, no traceback, no hang, and no answer lost.
"""

import json
import os
import pickle
import pty
import re
import select
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from accucheck.model import Verdict
from accucheck.session import open_session
from command_line import EXAMPLES, Ran, accucheck, write_checklist

pytestmark = pytest.mark.part(40)

#: What a terminal obeys or what reorders text: control characters but line feeds, and bidirectional and zero-width ones.
DANGEROUS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
NASTY = "a\n\x1b[31m[red]\u202e\u200f.csv"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with one answer given, which nothing below may lose."""
    folder = tmp_path / "project"
    folder.mkdir()
    answer(folder)
    return folder


def answer(folder: Path) -> None:
    with open_session(folder) as session:
        session.answer("ds.01", Verdict.PROBLEM, "kept")


def answer_of(project: Path) -> dict:
    entry = json.loads((project / ".accucheck/session.json").read_text())["entries"]["ds.01"]
    return {"conclusion": entry["conclusion"], "note": entry["note"]}


KEPT = {"conclusion": "problem", "note": "kept"}


def is_clean(ran: Ran) -> None:
    """Nothing on either stream is a traceback or an order to the terminal, and nothing went wrong inside."""
    assert "Traceback" not in ran.out + ran.err
    assert "an error inside accucheck" not in ran.err, ran
    assert not DANGEROUS.search(ran.out + ran.err)
    ran.stdout.decode(), ran.stderr.decode()


def refused(project: Path, *arguments: str | bytes | Path, words: str = "", **options) -> Ran:
    """A command that is refused with one line, and harms no answer."""
    ran = accucheck(*arguments, **options)
    is_clean(ran)
    assert (ran.code, ran.out) == (2, ""), ran
    assert ran.err.count("\n") == 1, ran
    assert re.search(words, ran.err), ran
    assert answer_of(project) == KEPT
    return ran


def result(project: Path, item: str, setting: str, *more: str) -> dict:
    """The first result of an item that has any, from a run as JSON."""
    ran = accucheck("run", str(project), "--only", item, "--set", setting, "--json", *more)
    is_clean(ran)
    outcome = json.loads(ran.stdout)["items"][0]
    first = next(result for result in outcome["results"] if result["status"] != "skipped")
    assert ran.code == {"failed": 3, "done": 1 if outcome["suggestion"] == "problem" else 0}[first["status"]], ran
    assert answer_of(project) == KEPT
    return {"suggestion": outcome["suggestion"], **first}


def messages(outcome: dict) -> str:
    reason = [outcome["reason"]["message"]] if outcome["reason"] else []
    return "\n".join(reason + [finding["message"] for finding in outcome["findings"]])


# --- the project and its case file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "does not exist"),
        ("a-file.txt", "is not a folder"),
        ("a-file.txt/below", "is not a folder|does not exist"),
        ("n" * 300, "File name too long"),
        ("\x1b[31m\u202e[red]", r"\\x1b\[31m\\u202e\[red\] does not exist"),
        (b"\xff\xfe-missing", "does not exist"),
        (b"\xff\xfe-folder", "is not valid UTF-8"),
        ("pipe.yaml", "is not a folder"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_no_such_project(project, name, words, tmp_path):
    (tmp_path / "a-file.txt").write_text("")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe-folder"))).mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    path = os.fsencode(tmp_path) + b"/" + os.fsencode(name)
    refused(project, "run", path, words=words)


@pytest.mark.parametrize("command", ["status", "report", "init", "validate", "doctor", "manifest"])
def test_no_such_project_for_any_command(project, command, tmp_path):
    refused(project, command, str(tmp_path / "none"), words="does not exist")
    chinese = accucheck(command, str(tmp_path / "none"), "--lang", "zh")
    assert chinese.code == 2 and "不存在" in chinese.err


BOMB = "a0: &a0 [x, x, x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("name: [\n", "accucheck.yaml:2: this is not valid YAML"),
        ("runtime:\n\tdevice: CPU\n", "accucheck.yaml:2: this is not valid YAML .*Check indentation"),
        ("name: 中文\n".encode("gbk"), r"accucheck.yaml:1: this is not UTF-8 \(GBK perhaps\)"),
        (b"name: x\n# \xff\n", "accucheck.yaml:2: this is not UTF-8"),
        (b"\x00\x01\x02\x03", "accucheck.yaml:1: this is not valid YAML"),
        (BOMB, "nested too deeply, or too many aliases"),
        ("[" * 10000, "nested too deeply"),
        ("a: &a [*a]\n", "accucheck.yaml:1: "),
        ("#" * (5 << 20), "is 5,242,880 bytes; at most 4,194,304"),
        ("nmae: x\n", "accucheck.yaml:1: unknown key nmae. Did you mean name?"),
        ("name: x\ndata:\n  train:\n    paht: y\n", "accucheck.yaml:4: unknown key paht. Did you mean path?"),
        ("name: x\nname: y\n", "accucheck.yaml:2: the key name appears twice"),
        ("data: 3\n", "accucheck.yaml:1: data should be a mapping .key: value., not a whole number"),
        ("- a\n", "accucheck.yaml:1: the top level should be a mapping .key: value., not a list"),
        ("runtime: {mindspore: 2.10}\n", "accucheck.yaml:1: runtime.mindspore .*put it in quotes"),
        ("name: 2020-01-01\n", "accucheck.yaml:1: name .*put it in quotes"),
        ("1: x\n", "accucheck.yaml:1: the key 1 does not read as text. Put it in quotes"),
        ("network: {call: a:b, args: {x: {null: 1}}}\n", "accucheck.yaml:1: the key null does not read as text"),
        ("? [a, b]\n: c\n", "accucheck.yaml:1: "),
        ("name: x\n---\nname: y\n", "accucheck.yaml:2: this is not valid YAML"),
        ('data: {train: {path: "a\\0b"}}\n', "accucheck.yaml:1: there is a NUL character"),
        ('name: "\\ud800"\n', "accucheck.yaml:1: this is not valid YAML"),
        ("data: {train: {fields: {a: {missing: [.nan]}}}}\n", "accucheck.yaml:1: .nan is not a finite number"),
        ("network: {call: a:b, args: {x: 1.0e+999}}\n", r"accucheck.yaml:1: 1.0e\+999 is not a finite number"),
        ('name: !!python/object/apply:os.system ["touch hacked"]\n', "accucheck.yaml:1: this is not valid YAML"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_broken_case_file(project, content, words):
    text = content.encode() if isinstance(content, str) else content
    (project / "accucheck.yaml").write_bytes(text)
    refused(project, "run", str(project), words=words, cwd=project)
    assert (project / "accucheck.yaml").read_bytes() == text
    assert not (project / "hacked").exists()


def test_a_case_file_that_is_no_file(project):
    file = project / "accucheck.yaml"
    file.mkdir()
    refused(project, "run", str(project), words="is a folder, but a file is expected")
    file.rmdir()
    os.mkfifo(file)
    refused(project, "validate", str(project), words="neither a regular file nor a folder")
    file.unlink()
    file.symlink_to("/dev/zero")
    refused(project, "status", str(project), words="neither a regular file nor a folder")
    file.unlink()
    file.symlink_to(file)
    refused(project, "doctor", str(project), words="accucheck.yaml is a link")


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"\xef\xbb\xbfname: x\n", "name: 中文\n".encode("utf-16")])
def test_these_case_files_are_fine(project, content):
    (project / "accucheck.yaml").write_bytes(content)
    ran = accucheck("validate", str(project))
    assert (ran.code, ran.err) == (0, "") and "valid" in ran.out


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("nonsense", "--set nonsense: write it as KEY=VALUE"),
        ("=x", "write it as KEY=VALUE"),
        ("", "write it as KEY=VALUE"),
        ("data.train.pth=x", "unknown key pth. Did you mean path?"),
        ("data..path=x", "unknown key"),
        ("data=x", "data should be a mapping"),
        ("data.train.path=[", "this is not valid YAML"),
        ("data.train.path={a: b}", "data.train.path should be text or a list"),
        ("name=\x1b[31m", "this is not valid YAML"),
        (b"name=\xff", "is not valid UTF-8"),
        (b"\xff=x", "is not valid UTF-8"),
        ("name=" + "[" * 5000, "nested too deeply"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_broken_setting(project, setting, words):
    refused(project, "run", str(project), "--set", setting, words=words)


@pytest.mark.parametrize("name", ["none.yaml", "folder.yaml", "pipe.yaml", "gbk.yaml", "c" * 300, "/dev/zero", ""])
def test_a_broken_checklist(project, name, tmp_path):
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    write_checklist(tmp_path / "gbk.yaml", "zero_weights")
    (tmp_path / "gbk.yaml").write_bytes((tmp_path / "gbk.yaml").read_text().encode("gbk"))
    for command in ("list", "validate"):
        refused(project, command, "--checklist", name, cwd=tmp_path)


@pytest.mark.parametrize("name", ["none.py", "data", "pipe.py", "empty.py", "notes.txt", b"train_\xff.py"])
def test_a_broken_script(project, name):
    (project / "data").mkdir()
    os.mkfifo(project / "pipe.py")
    (project / "empty.py").write_text("")
    (project / "notes.txt").write_text("notes")
    Path(os.fsdecode(os.fsencode(project) + b"/train_\xff.py")).write_text("import mindspore\n")
    refused(project, "run", str(project), "--script", name)


def test_init_in_a_folder_of_traps(project):
    os.mkfifo(project / "train.py")
    os.mkfifo(project / "a.ckpt")
    (project / "eval.py").symlink_to("/dev/zero")
    (project / "data").symlink_to(".")
    (project / "logs").mkdir()
    (project / f"logs/{NASTY}.log").write_text("")
    Path(os.fsdecode(os.fsencode(project) + b"/train_\xff.py")).write_text("import mindspore\n")
    (project / "infer.py").write_text("import mindspore\n")
    ran = accucheck("init", str(project), "--print")
    is_clean(ran)
    assert ran.code == 0
    assert "infer: infer.py" in ran.out and "\n  train: train" not in ran.out and ".ckpt" not in ran.out
    is_clean(accucheck("init", "/proc", "--print"))


# --- data -------------------------------------------------------------------------------------------------------------

CSV = "名,值\n甲,1\n乙,2\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n3\n4,5\n", ":3: the row has 1 fields, the header has 2"),
        (b"a,b\n1,2\n3,4,5\n", ":3: the row has 3 fields, the header has 2"),
        (CSV.encode() + "丙,3\n".encode("gbk"), "mixes encodings"),
        (b"a,b\n", "nothing could be examined"),
        (b"\0" * 8, "cannot be read as CSV: at byte 0"),
        (b"a,b\n1,2\n\0,3\n", "cannot be read as CSV: at byte 8"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_broken_table_is_never_ok(project, content, words):
    (project / "a.csv").write_bytes(content)
    outcome = result(project, "ds.01", "data.train.path=a.csv")
    assert outcome["suggestion"] in ("undecided", "problem"), outcome
    assert words in messages(outcome)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
def test_a_table_in_any_usual_encoding_is_read(project, encoding):
    (project / "a.csv").write_bytes(CSV.encode(encoding))
    outcome = result(project, "ds.01", "data.train.path=a.csv")
    assert (outcome["status"], outcome["suggestion"]) == ("done", "ok"), outcome
    assert "4 values in 2 fields" in messages(outcome)


def no_data(project: Path, kind: str) -> str:
    """A place where data is expected and is not; returns its path."""
    place = project / "place"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("place")  # relative: the path of a socket is short
    elif kind == "loop":
        place.symlink_to(place)
    elif kind == "empty folder":
        place.mkdir()
    elif kind.startswith("folder of a"):
        place.mkdir()
        if kind.endswith("pipe"):
            os.mkfifo(place / "a.csv")
        else:
            (place / "a.csv").symlink_to({"a device": "/dev/zero", "a dead link": "nowhere"}[kind[10:]])
    return {"device": "/dev/zero", "missing": "none", "long": "n" * 300}.get(kind, "place")


@pytest.mark.parametrize(
    "kind",
    [
        "missing",
        "long",
        "pipe",
        "socket",
        "device",
        "loop",
        "empty folder",
        "folder of a dead link",
        "folder of a pipe",
        "folder of a device",
    ],
)
def test_a_place_without_data_is_never_ok_and_never_hangs(project, kind, monkeypatch):
    monkeypatch.chdir(project)
    outcome = result(project, "ds.01", f"data.train.path={no_data(project, kind)}")
    assert outcome["suggestion"] in ("undecided", "problem"), outcome
    assert messages(outcome)


@pytest.mark.parametrize(
    "name",
    [
        NASTY,
        "back\\slash .csv",
        "引号'\".csv",
        b"\xff\xfe.csv",
    ],
    ids=repr,
)
def test_any_name_of_a_file_is_shown_safely(project, name):
    (project / "data").mkdir()
    Path(os.fsdecode(os.fsencode(project) + b"/data/" + os.fsencode(name))).write_bytes(b"a,b\n1,2\n,3\n1,\n")
    outcome = result(project, "ds.01", "data.train.path=data")
    assert outcome["status"] == "done", messages(outcome)
    assert outcome["suggestion"] == "problem"
    is_clean(accucheck("run", str(project), "--only", "ds.01", "--set", "data.train.path=data", "--no-session"))
    formats = [word for form in ("md", "json", "docx") for word in ("--format", form)]
    ran = accucheck("report", str(project), *formats, "-o", f"{project}/out")
    is_clean(ran)
    assert ran.code == 0
    assert not DANGEROUS.search((project / "out/project-accuracy.md").read_text())


# --- checkpoints ------------------------------------------------------------------------------------------------------


class _Hostile:
    def __reduce__(self):
        return os.system, ("touch hacked",)


def checkpoint(project: Path, kind: str) -> str:
    whole = (EXAMPLES / "digits/checkpoints/init.ckpt").read_bytes()
    contents = {"empty.ckpt": b"", "cut.ckpt": whole[:3000], "text.ckpt": b"hello", "cut.pth": b"PK\x03\x04 broken"}
    contents |= {"hostile.bin": pickle.dumps({"w": _Hostile()}), "huge.safetensors": b"\xff" * 8 + b"{}"}
    if kind == "hostile.pth":
        with zipfile.ZipFile(project / kind, "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps({"w": _Hostile()}, protocol=2))
            archive.writestr("archive/version", "3\n")
    elif kind == "pipe.ckpt":
        os.mkfifo(project / kind)
    elif kind in contents:
        (project / kind).write_bytes(contents[kind])
    return {"folder.ckpt": "."}.get(kind, kind)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("none.ckpt", "none.ckpt does not exist"),
        ("empty.ckpt", "empty.ckpt is empty"),
        ("cut.ckpt", "cut.ckpt is truncated: at byte 3,000"),
        ("text.ckpt", "the format is not recognised"),
        ("cut.pth", "cut.pth"),
        ("huge.safetensors", "huge.safetensors"),
        ("hostile.bin", "hostile.bin"),
        ("hostile.pth", "asks for posix.system while it is unpickled"),
        ("pipe.ckpt", "neither a regular file nor a folder"),
        ("folder.ckpt", ""),
        ("/dev/zero", "neither a regular file nor a folder"),
    ],
)
def test_a_broken_checkpoint_fails_and_runs_nothing(project, kind, words):
    outcome = result(project, "wi.01", f"checkpoints.current={checkpoint(project, kind)}")
    assert (outcome["status"], outcome["suggestion"]) == ("failed", "undecided"), outcome
    assert words in messages(outcome)
    assert not list(project.rglob("hacked")) and not Path("hacked").exists()


# --- the session ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"version": "x"}',
        b'{"version": 1, "entries": 3}',
        b'{"version": 2, "entrie": {}}',
        b"\xff" * 9,
    ],
)
def test_a_corrupt_session_is_kept_aside_not_lost(project, content):
    session = project / ".accucheck/session.json"
    session.write_bytes(content)
    for command in (["status"], ["report", "-o", str(project)]):
        ran = accucheck(command[0], str(project), *command[1:])
        is_clean(ran)
        assert ran.code == 2 and "could not be read as a session" in ran.err and session.read_bytes() == content
    ran = accucheck("answer", "ds.02", "ok", "-p", str(project))
    is_clean(ran)
    assert ran.code == 0 and "It was kept aside as" in ran.err
    assert [path.read_bytes() for path in session.parent.glob("session.corrupt-*")] == [content]
    assert "ds.02" in session.read_text()


def test_a_session_of_a_newer_version_is_left_alone(project):
    session = project / ".accucheck/session.json"
    session.write_text('{"version": 99, "entries": {"ds.01": {"conclusion": "problem", "note": "kept"}}}')
    for command in (["status"], ["run"], ["report"], ["answer", "ds.02", "ok", "-p"]):
        refused(project, *command, str(project), words="was written by a newer accucheck", cwd=project)


def test_a_file_where_the_session_should_be(tmp_path):
    (tmp_path / ".accucheck").write_text("mine")
    for command in (["status"], ["run"], ["answer", "ds.02", "ok", "-p"]):
        ran = accucheck(*command, str(tmp_path))
        is_clean(ran)
        assert ran.code == 2 and ".accucheck" in ran.err and "is not a folder" in ran.err
    assert (tmp_path / ".accucheck").read_text() == "mine"
    assert accucheck("run", str(tmp_path), "--no-session", "--only", "wi.01").code == 4


# --- where nothing can be written --------------------------------------------------------------------------------------


def mount(*arguments: str) -> None:
    """Mount, or skip: it takes root and the right to do so."""
    ran = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    if ran.returncode:
        pytest.skip(f"cannot mount here: {ran.stderr.strip()}")


@pytest.fixture
def read_only(project: Path) -> Iterator[Path]:
    """The project, through a read-only file system."""
    place = project.with_name("read-only")
    place.mkdir()
    mount("--bind", str(project), str(place))
    try:
        mount("-o", "remount,ro,bind", str(place))
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB with one answer on it."""
    place = tmp_path / "small"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place))
    try:
        answer(place)
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(place: Path) -> None:
    try:
        with (place / "full").open("wb", buffering=0) as stream:
            while True:
                stream.write(b"x" * 1024)
    except OSError:
        pass


def test_a_read_only_project(read_only, project):
    refused(project, "answer", "ds.01", "ok", "-p", str(read_only), words="the file system is read-only")
    refused(project, "run", str(read_only), words="read-only.*To run without recording: --no-session")
    refused(project, "init", str(read_only), words="nothing was recognised|read-only")
    refused(project, "report", str(read_only), "-o", str(read_only / "out"), words="the file system is read-only")
    assert "ds.01" in accucheck("status", str(read_only)).out
    assert accucheck("run", str(read_only), "--no-session", "--only", "wi.01").code == 4


def test_a_full_disk(small):
    fill(small)
    ran = accucheck("answer", "ds.02", "ok", "-p", str(small))
    is_clean(ran)
    assert ran.code == 2 and "the disk or the quota is full" in ran.err
    assert answer_of(small) == KEPT
    before = sorted(small.rglob("*"))
    for form in ("md", "docx", "html", "json", "sarif", "junit"):
        ran = accucheck("report", str(small), "--format", form, "-o", f"{small}/new/out")
        is_clean(ran)
        assert ran.code == 2 and "the disk or the quota is full" in ran.err
        assert sorted(small.rglob("*")) == before, "nothing half is left"
    (small / "full").unlink()
    assert accucheck("answer", "ds.02", "ok", "-p", str(small)).code == 0
    assert answer_of(small) == KEPT
    assert not list((small / ".accucheck").glob(".*tmp")), "no torn file is left"


def test_a_disk_that_fills_up_does_not_cost_the_results(fakes, small, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_problem", "fake_clean", each=True)
    fill(small)
    ran = accucheck("run", str(small), "--checklist", str(mine), "--json")
    is_clean(ran)
    assert ran.code == 2 and "the disk or the quota is full" in ran.err
    items = json.loads(ran.stdout)["items"]
    assert [item["results"][0]["status"] for item in items] == ["done", "done"], "the run went on and is shown"
    assert answer_of(small) == KEPT


# --- streams, terminals, locales ---------------------------------------------------------------------------------------


def test_without_a_terminal_there_is_one_line(project):
    for language, words in (("en", "the walkthrough needs a terminal"), ("zh", "向导需要终端")):
        ran = accucheck("-p", str(project), ACCUCHECK_LANG=language)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert words in ran.err and ran.err.endswith("accucheck run\n")


def in_terminal(*arguments: str, **environment: str) -> tuple[int, str]:
    """Exit code and everything shown by a command that runs on a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment)
        os.execv(sys.executable, [sys.executable, "-m", "accucheck", *arguments])
    shown = b""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                data = os.read(terminal, 4096)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            shown += data
    else:
        os.kill(pid, 9)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode("utf-8", "replace")


def test_a_dumb_terminal_gets_one_line(project):
    code, shown = in_terminal("-p", str(project), TERM="dumb")
    assert code == 2 and "TERM=dumb" in shown and shown.count("\n") == 1 and "\x1b" not in shown


def test_a_folder_alone_is_the_project_of_the_walkthrough(tmp_path):
    (tmp_path / "accucheck.yaml").write_text("nothing: such\n")
    named = in_terminal(str(tmp_path), TERM="xterm-256color")
    assert named == in_terminal("-p", str(tmp_path), TERM="xterm-256color")
    assert named[0] == 2 and "nothing" in named[1] and "accucheck.yaml" in named[1] and "\x1b" not in named[1]


def test_a_bad_project_leaves_the_terminal_alone(tmp_path):
    code, shown = in_terminal("-p", str(tmp_path / "none"), TERM="xterm-256color")
    assert code == 2 and "does not exist" in shown and "\x1b" not in shown


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "gbk"},
    ],
    ids=str,
)
def test_chinese_in_any_locale(project, environment):
    for command in (["list"], ["run", str(project), "--only", "wi.01"], ["status", str(project)], ["--help"], ["nope"]):
        ran = accucheck(*command, "--lang", "zh", **environment)
        assert "Traceback" not in ran.out + ran.err and "UnicodeEncodeError" not in ran.err
        assert ran.code == {"nope": 2, "run": 4}.get(command[0], 0), ran  # no probe of wi.01 finds anything to read
    if environment.get("PYTHONIOENCODING") == "gbk":
        assert "精度问题检查清单" in accucheck("list", "--lang", "zh", **environment).stdout.decode("gbk")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_harm_nothing(project, closed):
    for command, code in (
        (f"answer ds.01 problem -p {project}", 0),
        (f"run {project} --only wi.01", 4),
        ("nope", 2),
        ("", 2),
    ):
        script = f"exec {sys.executable} -m accucheck {command} {closed}"
        process = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120)
        assert process.returncode == code, process
        assert "Traceback" not in process.stdout + process.stderr
    assert answer_of(project) == KEPT


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_behind_standard_output(project):
    for command in (["list"], ["list", "--json"], ["run", str(project), "--only", "wi.01", "--json"], ["--help"]):
        with open("/dev/full", "wb") as full:
            process = subprocess.run(
                [sys.executable, "-m", "accucheck", *command],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=120,
            )
        assert process.returncode == 2, process
        assert process.stderr.startswith("accucheck: standard output could not be written: the disk")
        assert process.stderr.count("\n") == 1
