"""Pictures of the terminal: every letter in its cell, nothing from elsewhere, and series that move by CSS alone."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "docs"))
    from generator import terminal

    return terminal


class Words(App[None]):
    def __init__(self, *content: Content) -> None:
        super().__init__()
        self._content = content

    def compose(self) -> ComposeResult:
        for content in self._content:
            yield Static(content)


class Dialog(ModalScreen[None]):
    def compose(self) -> ComposeResult:
        yield Static("asked")


def texts(svg: str) -> dict[str, ElementTree.Element]:
    return {element.text or "": element for element in ElementTree.fromstring(svg).iter(f"{SVG}text")}


async def still(terminal: ModuleType, *content: Content) -> str:
    async with Words(*content).run_test(size=(40, 4)) as pilot:
        palette = terminal.Palette()
        return str(terminal.still(terminal.lines(pilot.app, palette), 40, palette, "a <title>"))


async def test_letters_stand_in_their_cells(terminal: ModuleType) -> None:
    svg = await still(terminal, Content("ab cd  ef <&> 缺失值，x"))
    found = texts(svg)
    at = {text: int(element.attrib["x"]) // terminal.CELL for text, element in found.items() if text != "a <title>"}
    assert at == {"ab cd": 0, "ef <&>": 7, "缺失值，": 14, "x": 22}
    assert found["ab cd"].attrib["textLength"] == str(5 * terminal.CELL)
    assert found["缺失值，"].attrib["class"].endswith(" w") and ".w{letter-spacing:4px}" in svg


async def test_blocks_are_drawn_and_not_written(terminal: ModuleType) -> None:
    svg = await still(terminal, Content.styled("███▌ ▄", "#ff0000"))
    drawn = [
        tuple(float(element.attrib[key]) for key in ("x", "y", "width", "height"))
        for element in ElementTree.fromstring(svg).iter(f"{SVG}rect")
        if element.attrib["fill"] == "#ff0000"
    ]
    assert drawn == [(0, -18, 42, 24), (60, -6, 12, 12)]
    assert set(texts(svg)) == {"a <title>"}


async def test_colours_and_styles_are_those_of_the_terminal(terminal: ModuleType) -> None:
    svg = await still(
        terminal, Content.styled("loud", "bold #102030 on #405060"), Content.styled("back", "reverse #aabbcc")
    )
    name = texts(svg)["loud"].attrib["class"]
    assert f".{name}{{fill:#102030;font-weight:bold}}" in svg
    assert '<rect x="0" y="-18" width="48" height="24" fill="#405060"/>' in svg
    assert '<rect x="0" y="-18" width="48" height="24" fill="#aabbcc"/>' in svg


async def test_what_lies_behind_a_dialog_is_seen_too(terminal: ModuleType) -> None:
    async with Words(Content("one"), Content("two")).run_test(size=(20, 4)) as pilot:
        await pilot.app.push_screen(Dialog())
        await pilot.pause()
        palette = terminal.Palette()
        found = texts(terminal.still(terminal.lines(pilot.app, palette), 20, palette, "title"))
    assert {"asked", "two"} <= set(found)


async def test_a_series_shows_one_shot_after_the_other(terminal: ModuleType) -> None:
    async with Words(Content("same"), Content("first")).run_test(size=(20, 3)) as pilot:
        palette = terminal.Palette()
        shots = [terminal.Shot(terminal.lines(pilot.app, palette), 1, "begin")]
        pilot.app.query(Static).last().update("second")
        await pilot.pause()
        shots.append(terminal.Shot(terminal.lines(pilot.app, palette), 3, "press x"))
        svg = terminal.moving(shots, 20, palette, "series")
    picture = ElementTree.fromstring(svg)
    assert svg.count(">same<") == svg.count(">first<") == svg.count(">second<") == 1
    frames = [group for group in picture.iter(f"{SVG}g") if group.attrib.get("class", "").startswith("f ")]
    known = {
        group.attrib["id"]: "".join(group.itertext()).strip()
        for group in picture.iter(f"{SVG}g")
        if "id" in group.attrib
    }
    shown = [[known[use.attrib["href"][1:]] for use in frame.iter(f"{SVG}use")] for frame in frames]
    assert [[text for text in frame if text] for frame in shown] == [["same", "first"], ["same", "second"]]
    assert "animation:4s step-end infinite" in svg
    assert "@keyframes k0{0%{visibility:visible}25.000%{visibility:hidden}}" in svg
    assert "@keyframes k1{0%{visibility:hidden}25.000%{visibility:visible}}" in svg
    assert "prefers-reduced-motion:reduce" in svg and ".f1{visibility:visible}" in svg
    assert not re.search(r"url\(|href=\"(?!#)|<script|@font-face|@import", svg)


@pytest.mark.part(40)
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_shows_one_shot_at_a_time(terminal: ModuleType, tmp_path: Path) -> None:
    shots = [terminal.Shot([f'<text class="s0">{number}</text>'], 2, "") for number in range(3)]
    svg = terminal.moving(shots, 20, terminal.Palette(), "series")
    look = """<script>
      const seen = [0, 1900, 2100, 3900, 4100, 5900].map(moment => {
        document.getAnimations().forEach(each => { each.pause(); each.currentTime = moment })
        return [...document.querySelectorAll(".f")].map(each => getComputedStyle(each).visibility[0]).join("")
      })
      document.title = seen.join(" ")
    </script>"""
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><title></title>{svg.replace('<title>series</title>', '')}{look}")
    options = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom",
    ]
    done = subprocess.run(
        [str(CHROMIUM), *options, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    assert "<title>vhh vhh hvh hvh hhv hhv</title>" in done.stdout
