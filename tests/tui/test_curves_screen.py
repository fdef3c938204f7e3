"""The curves in the walkthrough: of all runs at once, gradient norms by layer, and what cannot be read."""

import pytest
from conftest_tui import text_of, until

from accucheck.language import Language
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.curves import CurvesScreen
from accucheck.tui.widgets.filtered import FilteredList
from accucheck.tui.widgets.plot import Plot


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(("size", "only_ascii"), [((80, 24), False), ((60, 15), True), ((140, 40), False)])
async def test_curves_of_all_runs(tmp_path, language, size, only_ascii):
    (tmp_path / "accucheck.yaml").write_text("name: demo\ncurves: {train: a.csv, baseline: b.csv, eval: text.log}\n")
    for name, scale in (("a.csv", 2), ("b.csv", 3)):
        rows = "".join(f"{step},{scale / step},{0.1 / step}\n" for step in range(1, 40))
        (tmp_path / name).write_text(f"step,loss,lr\n{rows}")
    (tmp_path / "text.log").write_text("nothing\n")
    walk = Walkthrough(open_project(tmp_path, session="try"), language, only_ascii=only_ascii)
    async with walk.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))
        await pilot.press("C")
        await until(pilot, lambda: isinstance(walk.screen, CurvesScreen) and walk.screen._board is not None)
        if size[1] > 20:
            await until(pilot, lambda: "a.csv" in text_of(walk) and "b.csv" in text_of(walk))
            room = walk.screen.query_one("#drawn").scrollable_content_region.height
            await until(pilot, lambda: walk.screen.query_one(Plot).size.height == room)
        assert walk.screen.query_one(FilteredList).option_count == 2
        await pilot.press("down")
        await until(pilot, lambda: walk.screen.query_one(FilteredList).highlighted == 1)
        await pilot.press("L", "escape")
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))
    walk.runner.close()
    walk.session.close()


async def test_a_project_without_curves_says_so(tmp_path):
    (tmp_path / "accucheck.yaml").write_text("name: bare\n")
    walk = Walkthrough(open_project(tmp_path, session="try"), Language.EN)
    async with walk.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))
        await pilot.press("C")
        await until(pilot, lambda: "names no curves" in " ".join(text_of(walk).split()))
        await pilot.press("slash", "escape")
        await until(pilot, lambda: isinstance(walk.screen, ChecklistScreen))
    walk.runner.close()
    walk.session.close()
