"""How every screen looks, as SVG in snapshots. After a change that is meant, delete those it changes, run this, and look at the new ones.

pytest tests/tui/test_snapshots.py --whole
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import TabbedContent

from accucheck import recent
from accucheck.language import Language
from accucheck.project import open_project
from accucheck.settings import Settings
from accucheck.tui.app import Walkthrough
from accucheck.tui.demo import Demo, HintBar

SNAPSHOTS = Path(__file__).parent / "snapshots"
#: Some screens show where the project lies. This is a folder of one process, whose name is as long as any other's.
FOLDER = Path("/tmp", f"accucheck-{os.getpid():07}")
SHOWN = "accucheck-0000000"
SIZES = {"100x40": (100, 40), "80x24": (80, 24)}
#: What shows a table, bars, a curve, and code with its mend: the item, and the number of steps from its first piece of evidence.
EVIDENCE = {"table": ("ds.01", 0), "bars": ("ds.03", 0), "curve": ("dp.03", 2), "code": ("dp.03", 0)}


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody's settings, an ordinary terminal, UTC; docs/ can be imported from."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
    from generator import example

    for name, value in example.surroundings(FOLDER).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(
        "accucheck.try_runs.startable", lambda command, case: [*command]
    )  # whatever Python this machine has
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
    shutil.rmtree(FOLDER)


async def beginning(stage: Any, shoot: Callable[[str], None]) -> None:
    """A project without accucheck.yaml: the first question, the case, and the value of one of its keys."""
    await stage.until(lambda: stage.app.probes_known)
    shoot("question")
    await stage.press("2")
    shoot("error")
    await stage.press("escape", "1")
    await stage.until(lambda: "goal.metric" in stage.text())
    await stage.press(*["down"] * 4)  # past the goal
    await stage.until(lambda: "scripts.train" in stage.text())
    shoot("case")
    await stage.press("enter")
    shoot("value")
    await stage.press("f2")
    await stage.until(lambda: "train.py" in stage.text())
    shoot("picker")


async def checking(stage: Any, shoot: Callable[[str], None]) -> None:
    """A project whose probes have run: the checklist, its screens and its dialogs."""
    app = stage.app
    await stage.press("1")  # something for the history
    for tab in ("method", "evidence", "conclusion", "history"):
        app.screen.query_one(TabbedContent).active = f"tab-{tab}"
        await stage.until(lambda tab=tab: tab != "evidence" or "missing_values" in stage.text())
        shoot(f"checklist-{tab}")
    for name, key, seen in [
        ("next", "w", "dp.03"),
        ("glossary", "g", ""),
        ("help", "question_mark", ""),
        ("palette", "ctrl+p", ""),
        ("themes", "t", ""),
        ("export", "e", ""),
        ("note", "n", ""),
        ("question-dialog", "A", ""),
    ]:
        before = app.screen
        await stage.press(key)
        await stage.until(lambda before=before, seen=seen: app.screen is not before and seen in stage.text())
        shoot(name)
        while app.screen is not before:
            await stage.press("escape")


async def evidence(stage: Any, shoot: Callable[[str], None]) -> None:
    app = stage.app
    for name, (item, steps) in EVIDENCE.items():
        app.checklist.show_items(item)
        await stage.press("v")
        await stage.press(*["right"] * steps)
        shoot(f"evidence-{name}")
        if name == "code":
            await stage.press("f")
            shoot("mend")
            await stage.press("escape")
        await stage.press("escape")
    app.checklist.show_items("ds.02")
    await stage.press("s")
    await stage.until(lambda: "1/" in stage.text())
    shoot("samples")


async def watching(stage: Any, shoot: Callable[[str], None]) -> None:
    """A command that brings the recording of a training, as one under watch would write it, and goes on."""
    app, root = stage.app, Path(stage.app.project.case.root)
    names = ["conv1.weight", "conv2.weight", "fc1.weight", "fc1.bias", "fc2.weight"]
    records: list[dict[str, Any]] = [{"recording": 1}, {"fact": "optimizer", "number": 0, "parameters": names}]
    for step in range(1, 31):
        norms = [0.5 / step, 0.25 / step, 0.01 / step, None, 2.0 / step]
        records.append({"fact": "gradients", "step": step, "optimizer": 0, "norms": norms})
        calls = [["block.norm", "mindspore.nn.BatchNorm2d", True, [{"bad": 0.5}]]] if step == 30 else []
        records.append({"fact": "pass", "step": step, "calls": calls})
        told = {"loss": 2.3 / step**0.5, "lr": 0.01, "grad_norm": 2.1 / step, "loss_scale": 1024}
        records.append({"step": step, "seconds": 0.25, "data_seconds": 0.05, **told})
    (root / "recording.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    copied = 'cp recording.jsonl "$(dirname "$ACCUCHECK_WATCH")/pynative.rank0.1.jsonl"'
    (root / "run.sh").write_text(f"{copied}; echo 'epoch 1'; exec sleep 100\n")
    app.checklist._command = ["sh", "run.sh"]
    await stage.press("W")
    await stage.until(lambda: "sh run.sh" in stage.text())
    shoot("watch-question")
    await stage.press("enter")
    await stage.until(lambda: "0.4199" in stage.text() and "epoch 1" in stage.text())
    shoot("watch")
    app.runner.close()


async def exporting(stage: Any, shoot: Callable[[str], None]) -> None:
    await stage.press("1")
    await stage.press("e")
    shoot("export")


async def elsewhere(stage: Any, shoot: Callable[[str], None]) -> None:
    """The path of a checklist, and other projects."""
    app = stage.app
    app.action_toggle_checklist("comparison")
    await stage.press("p")
    shoot("path")
    await stage.press("escape")
    for name, done, problems in (("resnet50-cifar10", 20, 3), ("分类网络", 4, 0), ("gone", 1, 0)):
        folder = FOLDER / name
        if name != "gone":
            folder.mkdir()
        recent.note(recent.Recent(str(folder), name, f"2026-03-0{done % 7 + 1}T08:30:00Z", done, 24, problems))
    await app.run_action("app.open_recent")
    await stage.until(lambda: "resnet50" in stage.text())
    shoot("recent")


async def hinted(stage: Any, shoot: Callable[[str], None]) -> None:
    await stage.until(lambda: bool(stage.app.screen.query(HintBar)))
    shoot("demo")


async def main(stage: Any, shoot: Callable[[str], None]) -> None:
    stage.app.screen.query_one(TabbedContent).active = "tab-evidence"
    await stage.until(lambda: "missing_values" in stage.text())
    shoot("checklist-evidence")


VISITS: dict[str, tuple[Callable[..., Awaitable[None]], str, type[Walkthrough]]] = {
    "beginning": (beginning, "unexamined", Walkthrough),
    "checking": (checking, "examined", Walkthrough),
    "evidence": (evidence, "examined", Walkthrough),
    "watching": (watching, "examined", Walkthrough),
    "exporting": (exporting, "examined", Walkthrough),
    "elsewhere": (elsewhere, "examined", Walkthrough),
    "demo": (hinted, "examined", Demo),
    "main": (main, "examined", Walkthrough),
}


@pytest.fixture
def visit(surroundings: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Awaitable[dict[str, str]]]:
    """visit(name, language, size) gives {name of the picture: SVG}."""
    from generator import example, pictures, terminal

    monkeypatch.setattr("accucheck.session.now", lambda: "2026-03-09T08:30:00Z")

    async def visit(name: str, language: Language, size: str, theme: str = "dark", end: str = "") -> dict[str, str]:
        scene, copied, kind = VISITS[name]
        project = getattr(example, copied)(FOLDER / "digits_faulty")
        monkeypatch.chdir(project)
        app = kind(open_project(project), language, who="sample", preferences=Settings(theme=theme))
        taken: dict[str, str] = {}

        async def played(stage: Any) -> None:
            def shoot(shown: str) -> None:
                stage.palette = terminal.Palette()
                taken[f"{shown}.{language.value}.{end or size}"] = stage.still().replace(FOLDER.name, SHOWN)

            await scene(stage, shoot)

        await pictures.play(played, app, SIZES[size], terminal.Palette())
        return taken

    return visit


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("name", [name for name in VISITS if name not in ("main", "exporting")])
async def test_every_screen_looks_as_it_did(
    name: str, language: Language, size: str, visit: Any, tmp_path: Path
) -> None:
    same(await visit(name, language, size), tmp_path)


@pytest.mark.parametrize("theme", ["light", "ansi-dark"])
async def test_the_main_screen_looks_as_it_did_in_other_colours(theme: str, visit: Any, tmp_path: Path) -> None:
    taken = await visit("main", Language.EN, "100x40", theme, theme)
    same(taken, tmp_path)


async def test_a_picture_waits_for_what_a_screen_looks_up(
    visit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accucheck import report

    def slow(*given: Any) -> Any:
        time.sleep(1)
        return look(*given)

    look = report.preview
    monkeypatch.setattr(report, "preview", slow)
    same(await visit("exporting", Language.ZH, "100x40"), tmp_path)


def same(taken: dict[str, str], folder: Path) -> None:
    """Fails where a picture is another one, and leaves it in the folder to be looked at; a missing one is written."""
    other, new = [], []
    for name, picture in taken.items():
        kept = SNAPSHOTS / f"{name}.svg"
        if not kept.exists():
            SNAPSHOTS.mkdir(exist_ok=True)
            kept.write_text(picture, encoding="utf-8")
            new.append(name)
        elif kept.read_text(encoding="utf-8") != picture:
            (folder / kept.name).write_text(picture, encoding="utf-8")
            other.append(name)
    told = f"{', '.join(other)} look otherwise than before: see {folder}. If that is meant, delete them in {SNAPSHOTS} and run again."
    assert not other, told
    assert not new, f"{', '.join(new)} were written to {SNAPSHOTS}: look at them, and run again."
