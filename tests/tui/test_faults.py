"""What goes wrong around the walkthrough: lines that drop, jobs that are stopped, odd terminals, editors, disks and second copies.

The real program in a real terminal, which is waited for by what stands on its screen.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from terminals import PROGRAM, Pty, Tmux, environment, has_tmux

from accucheck.language import Language
from accucheck.session import MAX_NOTE, open_session
from command_line import write_checklist
from left_behind import is_gone, living, shown, wait_until

pytestmark = pytest.mark.part(40)

needs_tmux = pytest.mark.skipif(not has_tmux(), reason="tmux is not installed")
CASE = "name: demo\nruntime: {device: CPU}\n"
#: The program with a fault of its own: the verb "copy" raises.
FAULTY = """
import sys
from accucheck.tui.screens.checklist import ChecklistScreen
def action_copy(self):
    raise RuntimeError("planted \\x1b[31m")
ChecklistScreen.action_copy = action_copy
sys.argv = ["accucheck", *sys.argv[1:]]
from accucheck.cli import console
console()
"""
#: The program whose reports take until a file is there, half a minute at most, and fail with what stands in it: a full disk, or what
#: nobody foresaw.
SLOW = """
import sys, time
from pathlib import Path
from accucheck import report
from accucheck.errors import SaveError
go, write = Path(sys.argv[1]), report.write_project
def late(*given):
    end = time.monotonic() + 30
    while not go.exists() and time.monotonic() < end:
        time.sleep(0.05)
    why = go.read_text() if go.exists() else ""
    if why:
        raise RuntimeError(why) if why.startswith("planted") else SaveError("disk-full", path=why)
    return write(*given)
report.write_project = late
sys.argv = ["accucheck", *sys.argv[2:]]
from accucheck.cli import console
console()
"""
#: The program whose session is not saved before a file is there.
LATE = """
import sys, threading, time
from pathlib import Path
from accucheck.session import Session
folder, save = Path(sys.argv[1]), Session.save
def late(session):
    if threading.current_thread() is threading.main_thread():
        (folder / "storing").touch()
    while not (folder / "go").exists():
        time.sleep(0.01)
    save(session)
Session.save = late
sys.argv = ["accucheck", *sys.argv[2:]]
from accucheck.cli import console
console()
"""


@pytest.fixture
def project(tmp_path, checklist):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "accucheck.yaml").write_text(CASE)
    return folder


@pytest.fixture
def terminal(tmp_path, project, checklist, home):
    """terminal(*options, kind=Tmux, program=..., variables={}, size=...) opens the project; it is closed when the test ends."""
    opened = []

    def make(*options, kind=Tmux, program=PROGRAM, size=(100, 30), cwd=tmp_path, variables=(), **more):
        command = [*program, "-p", project, "--checklist", checklist, *options]
        opened.append(kind(command, cwd, environment(home, **dict(variables)), size, **more))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def entry(project, item="xx.01"):
    return open_session(project, write=False).entry(item)


def draft(project):
    try:
        return json.loads((project / ".accucheck" / "drafts.json").read_text())
    except FileNotFoundError:  # no question to ask first: it goes as soon as the note is recorded
        return {}


def type_half_a_note(terminal):
    screen = terminal()
    screen.until("Check xx.01", "Method")
    screen.keys("1")
    screen.until("1/7")
    screen.keys("n")
    screen.until("Note for xx.01")
    screen.type("精度 half a sen")
    screen.until("half a sen")
    return screen


@needs_tmux
@pytest.mark.parametrize("how", ["the line drops", signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
def test_text_that_was_being_typed_is_there_on_return(terminal, project, how):
    screen = type_half_a_note(terminal)
    pid = screen.pid
    if how is signal.SIGKILL:
        wait_until(lambda: draft(project), lambda: "no draft")
    if isinstance(how, str):
        screen.close()
    else:
        os.kill(pid, how)
    wait_until(lambda: is_gone(pid), lambda: "it lives on without a terminal")
    assert draft(project) == {"note xx.01": "精度 half a sen"}
    assert entry(project).conclusion.value == "problem" and entry(project).note == ""
    again = terminal()
    again.until_said("Unfinished notes xx.01")
    again.keys("n")
    again.until_said("Restored your unsaved draft 精度 half a sen")
    again.type("tence")
    again.keys("Enter")
    wait_until(lambda: entry(project).note == "精度 half a sentence", lambda: again.screen)
    wait_until(lambda: not draft(project), lambda: "the draft stays")
    again.keys("q")
    again.until_ended()
    assert sorted(os.listdir(project / ".accucheck")) == ["session.json"]


def test_input_that_ends_ends_the_program(terminal, project):
    """As when the other side of a pseudo terminal goes: no loop that eats the processor, no child left."""
    program = terminal(kind=Pty)
    program.until(lambda: b"xx.01" in program.output)
    program.quiet()
    program.send("2")
    program.quiet()
    program.hang_up()
    assert program.process.wait(20) == 128 + signal.SIGHUP
    assert entry(project).conclusion.value == "ok"


def test_it_opens_where_mindspore_is_not_installed(terminal, project, bare_python):
    program = terminal(kind=Pty, program=[bare_python, "-m", "accucheck"])
    program.until(lambda: b"xx.01" in program.output)
    program.quiet()
    program.send("2")
    program.quiet()
    program.send("q")
    assert program.process.wait(20) == 0, program.output[-2000:].decode("utf-8", "replace")
    assert entry(project).conclusion.value == "ok"


def writes_a_report(terminal, tmp_path):
    """An answer is given, and a report begun that takes until the file `go` is there."""
    (tmp_path / "slow.py").write_text(SLOW)
    program = [sys.executable, tmp_path / "slow.py", tmp_path / "go"]
    screen = terminal(program=program, variables={"TMPDIR": str(tmp_path)})
    screen.until("Check xx.01", "Method")
    screen.keys("2", "e")
    screen.until("Formats")
    screen.keys("Enter")
    screen.until("Writing the report...")
    return screen


def leaves_while_it_is_written(terminal, tmp_path):
    screen = writes_a_report(terminal, tmp_path)
    screen.keys("Escape")
    screen.until("Check xx.01", "Method")
    screen.keys("q")
    screen.until("The report is still being written...")
    return screen


@needs_tmux
@pytest.mark.parametrize("how", ["the line drops", signal.SIGHUP, signal.SIGTERM])
def test_a_report_that_is_being_written_holds_up_no_end(terminal, project, tmp_path, how):
    """Whoever has hung up kills what does not end: the answers come first, and half a report is none."""
    screen = writes_a_report(terminal, tmp_path)
    pid = screen.pid
    if isinstance(how, str):
        screen.close()
    else:
        os.kill(pid, how)
    wait_until(lambda: is_gone(pid), lambda: "it waits for the report")
    assert entry(project).conclusion.value == "ok"
    assert not list(tmp_path.glob("demo-accuracy.*"))


def test_a_second_signal_ends_no_storing(terminal, project, tmp_path):
    """Session managers say SIGTERM, then SIGHUP; a person presses Ctrl+C."""
    (tmp_path / "late.py").write_text(LATE)
    program = terminal(kind=Pty, program=[sys.executable, tmp_path / "late.py", tmp_path])
    program.until(lambda: b"xx.01" in program.output)
    program.quiet()
    program.send("2")
    program.quiet()
    program.signal(signal.SIGTERM)
    wait_until((tmp_path / "storing").exists, lambda: "it stores nothing")
    for number in (signal.SIGCONT, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        program.signal(number)
        time.sleep(0.05)  # so that they come one by one
    assert entry(project).conclusion is None
    (tmp_path / "go").touch()
    assert program.process.wait(20) == 128 + signal.SIGTERM
    assert entry(project).conclusion.value == "ok"


@needs_tmux
def test_who_leaves_gets_the_report_that_is_being_written(terminal, project, tmp_path):
    screen = leaves_while_it_is_written(terminal, tmp_path)
    assert entry(project).conclusion.value == "ok"
    (tmp_path / "go").touch()
    screen.until_ended()
    screen.until_said("Reports:")
    assert len(list(tmp_path.glob("**/demo-accuracy.*"))) == 3


@needs_tmux
@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("/full/[red]", "/full/[red] could not be written: the disk or the quota is full."),
        ("planted [red]", "(RuntimeError: planted [red])"),
    ],
)
def test_who_leaves_is_told_that_the_report_could_not_be_written(terminal, project, tmp_path, why, said):
    screen = leaves_while_it_is_written(terminal, tmp_path)
    (tmp_path / "text").write_text(why)
    (tmp_path / "text").rename(tmp_path / "go")
    screen.until_ended()
    screen.until_said(said)
    assert entry(project).conclusion.value == "ok"


@needs_tmux
def test_who_goes_on_beside_a_report_that_fails_is_told_of_it_at_the_end(terminal, project, tmp_path):
    screen = writes_a_report(terminal, tmp_path)
    screen.keys("Escape")
    screen.until("Check xx.01", "Method")
    (tmp_path / "text").write_text("planted")
    (tmp_path / "text").rename(tmp_path / "go")
    time.sleep(0.5)  # until it has failed
    screen.keys("]", "2")
    wait_until(lambda: entry(project, "xx.02").conclusion is not None, lambda: screen.screen)
    screen.keys("q")
    screen.until_ended()
    screen.until_said("Please file an issue with this file")
    assert "RuntimeError: planted" in next(tmp_path.glob("accucheck-error-*")).read_text()


@needs_tmux
def test_a_probe_ends_with_the_line(terminal, project):
    screen = terminal()
    screen.until("Check xx.01", "Method")
    screen.keys("]", "]", "r")
    screen.until("xx.03", "rows")
    pid = screen.pid
    workers = _children(pid)
    assert workers
    for worker in workers:  # Ctrl+Z and the terminal are none of their business
        assert os.getsid(worker) != os.getsid(pid)
        assert not any(os.path.realpath(f"/proc/{worker}/fd/{fd}").startswith("/dev/pts") for fd in range(3))
    screen.close()
    wait_until(lambda: is_gone(pid) and all(map(is_gone, workers)), lambda: "a probe runs on")


def _children(pid):
    """The children of a process, whichever thread has started them."""
    return [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]


@needs_tmux
def test_suspended_and_resumed_while_a_probe_runs(terminal, project, checklist):
    shell = terminal(shell=True)
    command = " ".join(map(str, [*PROGRAM, "-p", project, "--checklist", checklist]))
    shell.until("ready>")
    shell.type(command)
    shell.keys("Enter")
    shell.until("Check xx.01", "Method")
    shell.keys("]", "]", "r")
    shell.until("rows")
    for _ in range(2):
        shell.keys("C-z")
        shell.until("Stopped", "ready>", without="Method")
        shell.type("echo $((6*7)) lives")
        shell.keys("Enter")
        shell.until("42 lives")  # the terminal is in order
        shell.type("fg")
        shell.keys("Enter")
        shell.until("Evidence", "xx.03", "rows", without="42 lives")
    shell.keys("2")
    wait_until(lambda: entry(project, "xx.03").conclusion, lambda: shell.screen)
    shell.keys("q")
    shell.until_said("Probes are running")
    shell.keys("Down", "Enter")
    shell.until("42 lives", "ready>", without="Method")
    assert entry(project, "xx.03").conclusion.value == "ok"


@needs_tmux
def test_there_must_be_a_shell_to_go_back_to(terminal):
    screen = terminal()
    screen.until("Check xx.01", "Method")
    screen.keys("C-z")
    screen.until_said("There is no shell to return to")
    os.kill(screen.pid, signal.SIGCONT)  # and going on without a stop disturbs nothing
    screen.keys("]", "2")
    screen.until("1/7")


@needs_tmux
@pytest.mark.parametrize("size", [(20, 5), (1, 1), (250, 70)])
def test_every_screen_survives_any_size(terminal, project, size):
    screen = terminal()
    screen.until("Check xx.01", "Method")
    screen.keys("]", "r")
    screen.until("suggests: problem")
    for keys, text in (
        ("", "1/2/3 conclude"),
        ("v", "save as"),
        ("?", "Keys"),
        ("C-p", "Search"),
        ("n", "Note for xx.02"),
        ("a", "Path of the file"),
        ("e", "Write the report"),
    ):
        if keys:
            screen.keys(keys)
        screen.until(text)
        screen.resize(*size)
        screen.resize(100, 30)
        screen.until(text)
        if keys:
            screen.still()
            screen.keys("Escape")
            screen.until("1/2/3 conclude", without=text)
            screen.still()
    screen.keys("1")
    screen.until("1/7")


# --- the editor -------------------------------------------------------------------------------------------------------


def _editor(tmp_path, script):
    path = tmp_path / "editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@needs_tmux
@pytest.mark.parametrize(
    "script, said, note",
    [
        ("printf 'from the editor' > $1", "", "from the editor"),
        ("printf '\\326\\320\\316\\304' > $1", "", "\ufffd\ufffd\ufffd\ufffd"),
        ("printf 'lost' > $1; exit 1", "failed (exit code 1)", ""),
        ("rm $1", "removed the file", ""),
        ("head -c 10000000 /dev/zero | tr '\\0' x > $1", "10,000,000", ""),
        (None, "could not be started", ""),
    ],
    ids=["well", "not UTF-8", "exit 1", "deletes", "10 MB", "missing"],
)
def test_editors(terminal, project, tmp_path, script, said, note):
    editor = _editor(tmp_path, script) if script else "/nowhere/editor"
    screen = terminal(variables={"EDITOR": editor})
    screen.until("Check xx.01", "Method")
    screen.keys("o")
    if said:
        screen.until_said(said)
        screen.keys("Enter")
        screen.until("Method", without=said.split()[0])
    else:
        wait_until(lambda: entry(project).note == note, lambda: screen.screen)
    screen.until("Method")
    screen.keys("2")
    screen.until("1/7")  # keys work
    assert entry(project).note == note
    left = [name for name in os.listdir(project / ".accucheck") if name.startswith("note.")]
    assert left == (["note.xx.01.txt"] if "10,000,000" in said else [])
    if "exit code" in said:
        screen.keys("n")
        screen.until("Restored your", "lost")


@needs_tmux
def test_without_an_editor_it_says_so(terminal, tmp_path):
    (tmp_path / "bin").mkdir()
    screen = terminal(program=["env", "-u", "VISUAL", "-u", "EDITOR", f"PATH={tmp_path / 'bin'}", *PROGRAM])
    screen.until("Check xx.01", "Method")
    screen.keys("o")
    screen.until_said("$EDITOR is not set")
    screen.keys("y")  # no clipboard program is needed either
    screen.until("Copied")


# --- terminals --------------------------------------------------------------------------------------------------------


@needs_tmux
@pytest.mark.parametrize(
    "variables", [{"TERM": "no-such-terminal"}, {"COLUMNS": "0", "LINES": "0"}, {"COLUMNS": "500"}, {"HOME": ""}]
)
def test_odd_variables_change_nothing(terminal, variables):
    program = ["env", *[f"{name}={value}" for name, value in variables.items()], *PROGRAM]
    if variables.get("HOME") == "":
        program = ["env", "-u", "HOME", *PROGRAM]
    screen = terminal(program=program)
    screen.until("Check xx.01", "Method", "0/7", "R run all")
    screen.keys("2")
    screen.until("1/7")


@pytest.mark.parametrize("name", ["", "dumb", "unknown"])
def test_a_terminal_that_cannot_draw_is_named(terminal, name):
    program = terminal(kind=Pty, variables={"TERM": name})
    assert program.process.wait(20) == 2
    program.until(lambda: b"accucheck run" in program.output)
    assert f"TERM={name}".encode() in program.output and b"\x1b" not in program.output


@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"])
def test_without_a_terminal_it_says_so(project, checklist, home, closed):
    """One stream that is none is enough: what is drawn would go into a file."""
    master, slave = os.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), slave) | {closed: subprocess.DEVNULL}
    done = subprocess.run([*PROGRAM, "-p", project, "--checklist", checklist], env=environment(home), **streams)
    os.close(slave)
    os.close(master)
    assert done.returncode == 2


@pytest.mark.parametrize("language", list(Language))
def test_a_locale_without_utf8_gets_ascii_and_what_it_can_show(terminal, language):
    """A terminal of GB18030 shows Chinese, and lines of ASCII; one of Latin-1 is spoken to in English."""
    variables = {"PYTHONIOENCODING": "gb18030", "ACCUCHECK_LANG": language.value}
    program = terminal(kind=Pty, variables=variables)
    said = {Language.EN: "Check xx.01", Language.ZH: "检查 xx.01"}[language].encode("gb18030")
    program.until(lambda: said in program.output and b"gb18030" in program.output)
    program.quiet()
    assert "─".encode("gb18030") not in program.output and "✓".encode() not in program.output
    program.send("n")
    program.quiet()
    program.send("损失".encode("gb18030"))
    program.quiet()
    program.send("\r")
    program.quiet()
    program.signal(signal.SIGTERM)
    assert program.process.wait(20) == 128 + signal.SIGTERM


def test_a_terminal_without_chinese_is_spoken_to_in_english(terminal, project):
    (project / "accucheck.yaml").write_text('name: "中文 é"\n')
    program = terminal("--lang", "zh", kind=Pty, variables={"PYTHONIOENCODING": "latin-1"})
    program.until(lambda: b"Check xx.01" in program.output and b"Chinese:" in program.output)
    program.quiet()
    assert b"???? \xe9" in program.output  # as many question marks as cells
    for keys in (b"n", b"\xe9\xff", b"\r"):
        program.send(keys)
        program.quiet()
    program.signal(signal.SIGTERM)
    program.process.wait(20)
    assert entry(project).note == "éÿ"


def test_bytes_that_are_no_text_end_nothing(terminal, project):
    program = terminal(kind=Pty)
    program.until(lambda: b"xx.01" in program.output)
    program.quiet()
    for data in (b"\xff\xfe", b"\xc3", b"\x1b[99999999999;5u", b"\x1b[<0;", b"\x1b]52;c;", b"\x00" * 100):
        program.send(data)
        program.quiet(0.4)
    program.send("\x1b")
    program.quiet(0.4)
    program.send("2")
    wait_until(lambda: entry(project).conclusion is not None, lambda: program.output[-500:])


# --- other programs, and the disk -------------------------------------------------------------------------------------


@needs_tmux
def test_the_second_copy_is_told_who_has_the_session(terminal, project):
    first = terminal()
    first.until("Check xx.01", "Method")
    second = terminal()
    second.until("Check xx.01", "read-only")
    second.keys("2")
    second.until(f"pid {first.pid}")
    assert entry(project).conclusion is None
    first.keys("q")
    first.until_ended()
    second.keys("q")
    second.until_ended()
    third = terminal()
    third.until("Check xx.01", "Method", without="read-only")


@needs_tmux
def test_a_lock_that_a_crash_left_holds_nobody_up(terminal, project):
    first = terminal()
    first.until("Check xx.01", "Method")
    os.kill(first.pid, signal.SIGKILL)
    first.until_ended()
    assert (project / ".accucheck" / "lock").exists()
    second = terminal()
    second.until("Check xx.01", "Method", without="read-only")


@needs_tmux
def test_a_session_that_another_program_changed_is_kept_aside(terminal, project):
    screen = terminal()
    screen.until("Check xx.01", "Method")
    screen.keys("2")
    wait_until(lambda: entry(project).conclusion is not None, lambda: screen.screen)
    (project / ".accucheck" / "session.json").write_text("something else")
    screen.keys("]", "2")
    screen.until_said("changed by another program")
    assert next((project / ".accucheck").glob("session.changed-*")).read_text() == "something else"
    assert [entry(project, item).conclusion.value for item in ("xx.01", "xx.02")] == ["ok", "ok"]


@needs_tmux
def test_a_project_that_was_removed_costs_no_answer(terminal, project, home):
    screen = terminal()
    screen.until("Check xx.01", "Method")
    shutil.rmtree(project)
    screen.keys("2")
    screen.until_said("does not exist kept in memory")
    screen.keys("Enter")
    screen.until("not saved", without="memory")
    screen.keys("q")
    screen.until_ended()
    kept = next(home.glob("accucheck-session-*.json"))
    screen.until_said("The session was stored as")
    project.mkdir()
    (project / ".accucheck").mkdir()
    shutil.copy(kept, project / ".accucheck" / "session.json")  # as the message says
    assert entry(project).conclusion.value == "ok"


def test_a_full_disk_costs_no_answer(terminal, project, tmp_path, home):
    """No file of more than 4 KB can be written any longer; then it can again."""
    script = tmp_path / "limited.py"
    script.write_text(
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))\n"
        "signal.signal(signal.SIGUSR1, lambda *_: resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2))\n"
        "sys.argv = ['accucheck', *sys.argv[1:]]\nfrom accucheck.cli import console\nconsole()\n"
    )
    program = terminal(kind=Pty, program=[sys.executable, script])
    program.until(lambda: b"xx.01" in program.output)
    program.quiet()
    program.send("1")
    program.quiet()
    program.send("n")
    program.quiet()
    program.send("x" * 5000)
    program.quiet()
    program.send("\r")
    program.until(lambda: b"ulimit" in program.output)
    assert entry(project).note == ""
    program.quiet()
    program.signal(signal.SIGUSR1)
    program.send("\r")
    program.quiet()
    program.send("]2")
    wait_until(lambda: entry(project).note == "x" * 5000, lambda: program.output[-500:])
    program.send("q")
    assert program.process.wait(20) == 0


# --- our own faults ---------------------------------------------------------------------------------------------------


@needs_tmux
@pytest.mark.parametrize("language, said", [(Language.EN, "Your answers are saved in"), (Language.ZH, "结论已保存在")])
def test_a_fault_of_ours_loses_no_answer_and_leaves_the_terminal_in_order(terminal, project, checklist, language, said):
    shell = terminal(shell=True, variables={"ACCUCHECK_LANG": language.value, "TMPDIR": str(project)})
    (project / "faulty.py").write_text(FAULTY)
    shell.until("ready>")
    shell.type(f"{sys.executable} {project}/faulty.py -p {project} --checklist {checklist}; echo code $?")
    shell.keys("Enter")
    shell.until("xx.01", "0/7")
    shell.keys("2", "y")
    shell.until("code 2")
    screen = "".join(shell.screen.split())  # lines are folded at the width of the terminal
    assert said.replace(" ", "") in screen
    assert "RuntimeError:planted\\x1b[31m" in screen and "Traceback" not in screen
    assert "session.json" in screen and "accucheck-error-" in screen
    shell.type("stty -a")
    shell.keys("Enter")
    shell.until(" echo ", "icanon")
    assert entry(project).conclusion.value == "ok"
    assert "planted" in next(project.glob("accucheck-error-*")).read_text()


def test_a_note_has_a_limit(tmp_path):
    with open_session(tmp_path) as session:
        with pytest.raises(Exception) as caught:
            session.annotate("xx.01", "x" * (MAX_NOTE + 1))
        assert caught.value.code == "note-too-long"
        session.annotate("xx.01", "x" * MAX_NOTE)


# --- what a run in the walkthrough leaves -----------------------------------------------------------------------------


@needs_tmux
@pytest.mark.parametrize("how", ["quit", "the line drops", signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
def test_a_run_leaves_neither_processes_nor_files(tmp_path, project, fakes, home, how):
    """The probe has started processes, one in a session of its own, and written a temporary file."""
    temporary, mark = tmp_path / "temporary", f"{tmp_path}/mark"
    temporary.mkdir()
    mine = write_checklist(tmp_path / "mine.yaml", "fake_daemon")
    variables = environment(home, TMPDIR=str(temporary), MARK=mark)
    screen = Tmux([*PROGRAM, "-p", project, "--checklist", mine], tmp_path, variables, (100, 30))
    try:
        screen.until("Item 1", "Look")
        pid = screen.pid
        screen.keys("1")
        screen.until("1/1")
        screen.keys("r")
        wait_until(lambda: list(temporary.rglob("copy")), lambda: screen.screen, 60)
        if how == "quit":
            screen.keys("q")
            screen.until_said("Probes are running")
            screen.keys("Down", "Enter")
        elif isinstance(how, str):
            screen.close()
        else:
            os.kill(pid, how)
        wait_until(lambda: not living(f"MARK={mark}"), lambda: str(list(map(shown, living(f"MARK={mark}")))))
        wait_until(lambda: not list(temporary.iterdir()), lambda: str(list(temporary.rglob("*"))))
        assert entry(project, "a.1").conclusion.value == "problem"
    finally:
        screen.close()
