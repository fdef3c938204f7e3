"""The pictures of the walkthrough, taken from the running program on examples/digits_faulty."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input, TabbedContent, TextArea

from accucheck.language import Language
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough

from .example import EXAMPLE, ROOT, examined, surroundings, unexamined
from .terminal import Palette, Shot, lines, moving, still
from .words import say

SIZE = (100, 30)
#: Where the copies lie: a place that the pictures may show.
FOLDER = Path(tempfile.gettempdir()) / "demo"
#: Seconds that a state of the screen may take to come.
PATIENCE = 120

Scene = Callable[["Stage"], Awaitable[None]]


class Stage:
    """One running walkthrough: presses keys, waits for what they lead to, and takes the pictures."""

    def __init__(self, app: Walkthrough, pilot: Pilot[None], palette: Palette) -> None:
        self.app, self.pilot, self.palette = app, pilot, palette
        self.shots: list[Shot] = []
        self.last = ""

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.settled()

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait for a state, not for a time."""
        end = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > end:
                raise SystemExit(f"the walkthrough did not come to what was waited for; it shows:\n{self.text()}")
            await self.pilot.pause(0.05)
        await self.settled()

    async def settled(self) -> None:
        """Wait until the screen stays as it is, and nothing is looked up that it will show. No cursor blinks."""
        same, before = 0, ""
        while same < 3:
            await self.pilot.pause(0.03)
            for field in (*self.app.screen.query(Input), *self.app.screen.query(TextArea)):
                field.cursor_blink = False
            now = self.text()
            looks = any(worker._thread_worker and worker.is_running for worker in self.app.workers)
            same, before = (same + 1, now) if now == before and not looks else (0, now)

    def text(self) -> str:
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    def still(self) -> str:
        return still(lines(self.app, self.palette), self.app.size.width, self.palette, "accucheck")

    def shoot(self, words: str, seconds: float = 4) -> None:
        caption = say(words, self.app.speech.language)
        self.shots.append(Shot(lines(self.app, self.palette), seconds, caption))


# --- scenes -----------------------------------------------------------------------------------------------------------------


async def start(stage: Stage) -> None:
    await stage.press("1")
    await stage.until(lambda: "goal.metric" in stage.text())
    await stage.press(*["down"] * 4)  # past the goal
    await stage.until(lambda: "scripts.train" in stage.text())


async def checklist(stage: Stage) -> None:
    await stage.press("1")
    await stage.until(lambda: bool(stage.app.screen.query(TabbedContent)))
    stage.app.screen.query_one(TabbedContent).active = "tab-evidence"
    await stage.until(lambda: "missing_values" in stage.text())


async def evidence(stage: Stage) -> None:
    assert stage.app.checklist is not None
    stage.app.checklist.show_items("dp.03")
    await stage.press("v", "right_square_bracket", "right_square_bracket")
    await stage.until(lambda: "1437" in stage.text())  # the last place in the chart of an epoch


async def mend(stage: Stage) -> None:
    assert stage.app.checklist is not None
    stage.app.checklist.show_items("dp.03")
    await stage.press("v", "f")
    await stage.until(lambda: "+++" in stage.text())


async def path(stage: Stage) -> None:
    stage.app.action_toggle_checklist("comparison")
    await stage.press("p")
    await stage.until(lambda: "cmp.02" in stage.text())


async def samples(stage: Stage) -> None:
    await stage.press("right_square_bracket", "s")
    await stage.until(lambda: "8 x 8" in stage.text() or "0.0%" in stage.text() or "1/" in stage.text())


async def what_next(stage: Stage) -> None:
    await stage.press("w")


async def export(stage: Stage) -> None:
    await stage.press("e")


#: name of the picture -> what leads to it, and on which copy of the example.
SCENES: dict[str, tuple[Scene, Callable[[Path], Path]]] = {
    "start": (start, unexamined),
    "walkthrough": (checklist, examined),
    "next": (what_next, examined),
    "evidence": (evidence, examined),
    "mend": (mend, examined),
    "path": (path, examined),
    "samples": (samples, examined),
    "export": (export, examined),
}


async def tour_begins(stage: Stage) -> None:
    await start(stage)
    stage.shoot("tour-start")
    await stage.press("b")
    await stage.until(lambda: "ds.01" in stage.text())
    stage.shoot("tour-checklist", 3)


async def tour_ends(stage: Stage) -> None:
    await stage.press("w")
    await stage.until(lambda: "wi.01" in stage.text())
    stage.shoot("tour-next")
    await stage.press("enter")
    await stage.until(lambda: "zero_weights" in stage.text())
    stage.shoot("tour-item")
    await stage.press("v")
    await stage.until(lambda: "network.py:14" in stage.text())
    stage.shoot("tour-evidence", 6)


#: From the first screen to a planted fault. Between its two halves all probes run, which takes too long to look at.
TOUR: list[tuple[Scene, Callable[[Path], Path]]] = [(tour_begins, unexamined), (tour_ends, examined)]


async def play(scene: Scene, app: Walkthrough, size: tuple[int, int], palette: Palette) -> Stage:
    """One visit of the walkthrough; what the stage took of it stays."""
    try:
        async with app.run_test(size=size) as pilot:
            stage = Stage(app, pilot, palette)
            await stage.settled()
            await scene(stage)
            stage.last = stage.still()
            return stage
    finally:
        app.runner.close()
        app.session.close()


def pictures() -> dict[str, str]:
    """{name of the file: SVG} of all pictures. The same program makes the same ones."""
    made = {}
    os.environ.pop("NO_COLOR", None)
    os.environ |= surroundings(FOLDER)
    time.tzset()
    for language in Language:
        for name, (scene, copied) in SCENES.items():
            made[f"{name}.{language.value}.svg"] = _played(scene, copied, language, Palette()).last
        palette = Palette()
        shots = [shot for scene, copied in TOUR for shot in _played(scene, copied, language, palette).shots]
        made[f"tour.{language.value}.svg"] = moving(shots, SIZE[0], palette, "accucheck")
    return made


def _played(scene: Scene, copied: Callable[[Path], Path], language: Language, palette: Palette) -> Stage:
    FOLDER.mkdir()
    try:
        project = copied(FOLDER / EXAMPLE.name)
        os.chdir(project)
        app = Walkthrough(open_project(project), language, who="sample")
        return asyncio.run(play(scene, app, SIZE, palette))
    finally:
        os.chdir(ROOT)
        shutil.rmtree(FOLDER)
