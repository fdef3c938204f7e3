"""The network in the walkthrough: opened at the place that a finding speaks of, searched, unfolded."""

import shutil
from pathlib import Path

import pytest
from conftest_tui import text_of, until

from accucheck.language import Language
from accucheck.model import Finding, Level, Table, Where
from accucheck.network import places, sources
from accucheck.network.telling import name_of
from accucheck.network.tree import SearchHit
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.network import NetworkScreen
from made_once import MadeOnce

pytestmark = pytest.mark.mindspore


@pytest.fixture
def app(watched_runs: MadeOnce, tmp_path: Path):
    """make(language) opens the walkthrough on a watched project."""
    root, opened = tmp_path / "project", []
    shutil.copytree(watched_runs["remarkable"], root)
    (root / "accucheck.yaml").write_text("name: demo\nscripts: {train: train.py}\n")

    def make(language: Language = Language.EN, **options) -> Walkthrough:
        found = Walkthrough(open_project(root, session="try"), language, **options)
        opened.append(found)
        return found

    yield make
    for each in opened:
        each.runner.close()
        each.session.close()


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(("size", "only_ascii"), [((80, 24), False), ((140, 45), False), ((60, 15), True)])
async def test_the_network_is_unfolded_and_searched(app, language, size, only_ascii):
    walk = app(language, only_ascii=only_ascii)
    async with walk.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))
        await pilot.press("G")
        await until(pilot, lambda: isinstance(walk.screen, NetworkScreen) and "first  Dense" in text_of(walk))
        assert ("never called" if language is Language.EN else "从未调用") in text_of(walk)
        if only_ascii:
            assert "→" not in text_of(walk) and "×" not in text_of(walk)
        await pilot.press("slash", *"zzz")
        await until(pilot, lambda: ("Nothing matches" if language is Language.EN else "没有匹配的行") in text_of(walk))
        await pilot.press("enter", "slash", *"hew")
        await until(pilot, lambda: "head.weight" in text_of(walk))
        await pilot.press("enter")
        await until(pilot, lambda: walk.screen._chosen is not None and walk.screen._chosen.weight)
        assert walk.screen._network.weights[walk.screen._chosen.number].name == "head.weight"
        await pilot.press("n")
        await until(pilot, lambda: not walk.screen._chosen.weight)
        assert walk.screen._network.cells[walk.screen._chosen.number].name == "spare"
        await pilot.press("L")
        await until(pilot, lambda: walk.speech.language is not language)
        await until(pilot, lambda: ("从未调用" if language is Language.EN else "never called") in text_of(walk))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))


async def test_it_opens_where_a_finding_speaks_of_and_is_saved_as_a_page(app, tmp_path):
    walk = app()
    finding = Finding("unused-layer", Level.PROBLEM, Where("train.py", line=1, name="spare"))
    async with walk.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))
        walk.push_screen(
            NetworkScreen(of_item=[Finding("elsewhere", Level.PROBLEM, Where("eval.py", line=3)), finding])
        )
        await until(pilot, lambda: isinstance(walk.screen, NetworkScreen) and walk.screen._network is not None)
        await until(pilot, lambda: "Called  never" in text_of(walk))
        await pilot.press("b")
        await until(
            pilot, lambda: any("names no network of the benchmark" in each.message for each in walk._notifications)
        )
        await pilot.press("s")
        await until(pilot, lambda: "network.html" in text_of(walk))
        await pilot.press("enter")
        await until(pilot, lambda: (tmp_path / "project/network.html").exists())


async def test_a_project_without_a_network_says_so(tmp_path):
    (tmp_path / "accucheck.yaml").write_text("name: bare\n")
    walk = Walkthrough(open_project(tmp_path, session="try"), Language.EN)
    async with walk.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))
        await pilot.press("G")
        await until(pilot, lambda: "shows a network" in " ".join(text_of(walk).split()))
        await pilot.press("slash", "n", "b", "s", "escape")
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))
    walk.runner.close()
    walk.session.close()


def test_the_place_of_a_finding(watched_runs: MadeOnce) -> None:
    root = watched_runs["remarkable"]
    (folder,) = (root / ".accucheck/watch").iterdir()
    network = sources.read(folder, "watched")

    def found(where: Where, **more: object) -> str | None:
        hit = places.of_finding(network, Finding("x", Level.PROBLEM, where, **more))  # type: ignore[arg-type]
        return None if hit is None else name_of(network, SearchHit(*hit))

    assert found(Where("train.py", name="second.weight")) == "second.weight"
    assert found(Where("train.py", name="self.head")) == "head"
    assert found(Where("train.py", line=21)) == "head"
    assert found(Where("train.py"), data={"names": ["gone", "norm"]}) == "norm"
    assert found(Where("train.py"), evidence=[Table("t", ["step", "layer"], [[1, "third"]])]) == "third"
    assert found(Where("train.py", line=2)) is None
