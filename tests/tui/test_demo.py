"""accucheck demo: its project, its hints by what was done, and the keys from the first screen to a planted fault."""

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest_tui import text_of, until
from terminals import PROGRAM, Pty, environment

from accucheck import demo
from accucheck.errors import SaveError
from accucheck.language import Language
from accucheck.project import open_project
from accucheck.tui.demo import Demo, HintBar, hint

EXAMPLE = Path(__file__).parents[2] / "examples/digits_faulty"
TMUX = shutil.which("tmux")
#: The planted faults, and what tells each from any other text on the screen.
PLANTED = {"dp.03": "shuffle=False", "wi.01": "initialised to all zeros", "ds.01": "NaN", "ds.04": "differs from"}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not {".accucheck", "__pycache__"} & set(path.parts)
    }


# --- the project ----------------------------------------------------------------------------------------------------------


def test_the_copy_is_the_example(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "empty").mkdir()
    for folder in (None, tmp_path / "empty", tmp_path / "new/er"):
        copied = demo.copy(folder)
        assert files(copied) == files(EXAMPLE)
        assert folder is not None or copied.is_relative_to(tmp_path)


@pytest.mark.parametrize("full", [False, True], ids=["a folder", "a file"])
def test_nothing_is_overwritten(tmp_path, full):
    target = tmp_path / "mine"
    if full:
        target.write_text("mine")
    else:
        target.mkdir()
        (target / "train.py").write_text("mine")
    with pytest.raises(SaveError) as refused:
        demo.copy(target)
    assert refused.value.code == "demo-folder"
    assert (target if full else target / "train.py").read_text() == "mine"


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_copy_that_fails_leaves_nothing(tmp_path, monkeypatch, error):
    real = shutil.copyfile

    def failing(source, target, **options):
        if str(source).endswith("network.py"):
            raise error
        return real(source, target, **options)

    monkeypatch.setattr("shutil.copyfile", failing)
    with pytest.raises((SaveError, KeyboardInterrupt)) as refused:
        demo.copy(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for folder in (tmp_path / "empty", None):
        with pytest.raises((SaveError, KeyboardInterrupt)):
            demo.copy(folder)
    assert list(tmp_path.rglob("*")) == [tmp_path / "empty"]
    if isinstance(refused.value, SaveError):
        assert refused.value.code in ("disk-full", "io"), refused.value


@pytest.fixture
def without_mindspore(tmp_path, monkeypatch) -> None:
    """Programs that are started find no MindSpore, which saves a minute."""
    (tmp_path / "first").mkdir()
    (tmp_path / "first/sitecustomize.py").write_text("import sys\nsys.modules['mindspore'] = None\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "first"))


# --- the hints ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def app(tmp_path, monkeypatch) -> Iterator[Demo]:
    monkeypatch.setattr("accucheck.tui.demo.runs_code", lambda: False)  # as where MindSpore is not installed
    opened = Demo(open_project(demo.copy(tmp_path / "demo")), Language.EN)
    yield opened
    opened.runner.close()
    opened.session.close()


async def hinted(pilot, app: Demo, *keys: str) -> str:
    """The key of the hint once it is one of `keys`, which the bar then shows."""
    end = time.monotonic() + 240
    while True:
        now, data = hint(app)
        shown = app.speech.say(now, **data)
        bars = [str(bar.content) for screen in app.screen_stack for bar in screen.query(HintBar)]
        if now in keys and any(shown in text for text in bars):
            return now
        assert time.monotonic() < end, f"{now}, not {keys}; {bars}"
        await pilot.pause(0.05)


@pytest.mark.slow
async def test_the_hints_lead_from_the_first_run_to_the_report(app, tmp_path):
    async with app.run_test(size=(100, 30)) as pilot:
        await hinted(pilot, app, "demo-run-without")
        await pilot.press("h")
        while any(bar.display for bar in app.screen.query(HintBar)):
            await pilot.pause(0.05)
        await pilot.press("h", "question_mark")
        await hinted(pilot, app, "demo-back")
        await pilot.press("escape", "u", "x", "down")  # what leads nowhere changes nothing
        await hinted(pilot, app, "demo-run-without")
        await pilot.press("R")
        await hinted(pilot, app, "demo-running", "demo-next", "demo-go")
        await hinted(pilot, app, "demo-next", "demo-go", "demo-look")
        for _ in range(12):
            now = await hinted(pilot, app, "demo-go", "demo-next", "demo-look", "demo-accept")
            if now == "demo-accept":
                break
            if now == "demo-next":
                await until(pilot, lambda: "Next steps:" in text_of(app))  # the steps, not that they are looked for
                await pilot.press("enter")
            for _ in app.project.items:
                if hint(app)[0] == "demo-look":
                    break
                await pilot.press("right_square_bracket")
            await hinted(pilot, app, "demo-look")
            await pilot.press("v")
            await hinted(pilot, app, "demo-evidence")
            await pilot.press("escape")
            await hinted(pilot, app, "demo-conclude")
            await pilot.press("1")
        assert {item.id for item in app.problems()} == set(PLANTED)
        await pilot.press("A")
        await hinted(pilot, app, "demo-back")
        await pilot.press("enter")
        await hinted(pilot, app, "demo-export")
        await pilot.press("e")
        await hinted(pilot, app, "demo-write")
        await pilot.press("w")
        await hinted(pilot, app, "demo-written")
        assert app.written and all(path.is_relative_to(tmp_path / "demo/reports") for path in app.written)
        await pilot.press("escape")
        await until(pilot, lambda: "4 problems were found" in text_of(app))
        assert "With a project of your own" in " ".join(text_of(app).split())
        await pilot.press("down", "enter")
        await hinted(pilot, app, "demo-done")


@pytest.mark.slow
def test_without_a_terminal_it_runs_and_reports(tmp_path, without_mindspore):
    command = [sys.executable, "-m", "accucheck", "demo", "--folder", str(tmp_path / "demo"), "--lang", "zh"]
    process = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=400,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "dumb"},
    )
    assert process.returncode == 0, process.stderr
    assert all(item in process.stdout for item in PLANTED) and "报告：" in process.stdout
    assert str(tmp_path / "demo") in process.stderr
    assert [path.suffix for path in (tmp_path / "demo/reports").iterdir()]
    again = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert again.returncode == 2 and "不会覆盖" in again.stderr


# --- keys -----------------------------------------------------------------------------------------------------------------


class Terminal:
    """A real terminal with a program in it; counts the keys pressed."""

    def __init__(self, server: str, folder: Path, command: str) -> None:
        self._server, self.keys = server, list[str]()
        command = f"env -u COLUMNS -u LINES PYTHONPATH={os.environ.get('PYTHONPATH', '')} {command}"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "-c", str(folder), command)

    def tmux(self, *words: str) -> str:
        command = [str(TMUX), "-L", self._server, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    def press(self, key: str) -> None:
        self.keys.append(key)
        self.tmux("send-keys", key)

    def see(self, *texts: str) -> str:
        """Wait until one of the texts stands on the screen; which."""
        end = time.monotonic() + 300
        while not (found := [text for text in texts if text in self.screen()]):
            assert time.monotonic() < end, f"{texts} after {self.keys}\n{self.screen()}"
            time.sleep(0.2)
        return found[0]

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")


@pytest.fixture
def terminal(tmp_path, monkeypatch) -> Iterator[Callable[[Path, str], Terminal]]:
    if TMUX is None:
        pytest.skip("no tmux here")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    server = f"accucheck-demo-{os.getpid()}"
    yield lambda folder, command: Terminal(server, folder, command)
    subprocess.run([TMUX, "-L", server, "kill-server"], capture_output=True)


@pytest.mark.slow
def test_few_keys_lead_from_the_first_screen_of_the_demo_to_a_planted_fault(terminal, tmp_path, without_mindspore):
    program = terminal(tmp_path, f"{sys.executable} -m accucheck demo --folder demo --lang en")
    program.see("R runs")
    program.press("R")
    program.see("Next steps:")  # with the steps, not while they are looked for
    program.press("Enter")
    program.see("v shows the evidence")
    program.press("v")
    program.see("goes back")
    assert any(told in program.screen() for told in PLANTED.values())
    assert len(program.keys) <= 15, program.keys
    print("keys:", *program.keys)


@pytest.mark.slow
def test_few_keys_lead_from_the_first_screen_of_any_project_to_a_planted_fault(terminal, tmp_path, without_mindspore):
    shutil.copytree(EXAMPLE, tmp_path / "own", ignore=shutil.ignore_patterns("accucheck.yaml", "*.md", ".accucheck"))
    program = terminal(tmp_path / "own", f"{sys.executable} -m accucheck --lang en")
    program.see("Does training finish")
    program.press("1")
    program.see("Inputs found in the project")
    program.press("b")
    program.see("How to check")
    program.press("R")
    program.see("Next steps:")  # with the steps, not while they are looked for
    program.press("Enter")
    program.see("suggests: problem")
    program.press("v")
    program.see("Esc back")
    assert any(told in program.screen() for told in PLANTED.values())
    assert len(program.keys) <= 15, program.keys
    print("keys:", *program.keys)


@pytest.mark.part(40)
def test_a_terminal_without_chinese_is_spoken_to_in_english(tmp_path, home, without_mindspore):
    variables = {"PYTHONIOENCODING": "latin-1", "ACCUCHECK_LANG": "zh", "PYTHONPATH": os.environ["PYTHONPATH"]}
    command = [*PROGRAM, "demo", "--folder", tmp_path / "demo"]
    program = Pty(command, tmp_path, environment(home, **variables), (100, 30))
    try:
        program.until(lambda: b"Chinese:" in program.output and b"R runs" in program.output)
        assert b"\xe2\x94\x80" not in program.output, "a line that is not ASCII"
    finally:
        program.close()
