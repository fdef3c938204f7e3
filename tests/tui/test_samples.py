"""The samples of ds.02 in the walkthrough: looked at and marked by keys, in both languages and all sizes."""

import json
import os
import pty
import select
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest_tui import text_of, until
from rich.cells import cell_len
from textual.widgets import Input

from accucheck import marks, sampling
from accucheck.errors import SaveError
from accucheck.language import Language
from accucheck.model import Status
from accucheck.project import open_project
from accucheck.readers.contents import Content
from accucheck.tui.app import Walkthrough
from accucheck.tui.palette import commands
from accucheck.tui.screens import samples as screens
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import AskLine, Choose, WriteNote
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.screens.samples import SamplesScreen
from accucheck.tui.screens.sheet import SheetScreen
from accucheck.tui.widgets.items import ItemList
from accucheck.tui.widgets.picture import ascii_lines, cells, drawn, way
from labelled_data import photographs, write


@pytest.fixture
def project(tmp_path):
    """project(kind) opens the walkthrough over the digits in a format; sessions are closed when the test ends."""
    root = tmp_path / "project"
    root.mkdir()
    opened = []

    def make(kind="csv", language=Language.EN, path=None, more="", **options):
        if not (root / "accucheck.yaml").exists():
            path = path or write(root, kind)
            (root / "accucheck.yaml").write_text(f"name: demo\ndata: {{train: {{path: {path}}}{more}}}\n")
        app = Walkthrough(open_project(root, session="try"), language, **options)
        opened.append(app)
        return app

    make.root = root
    yield make
    for app in opened:
        app.runner.close()
        app.session.close()


def stored(root, role="train"):
    record = json.loads((root / ".accucheck" / "labels.json").read_text())
    return [one["mark"] and one["mark"]["judgement"] for one in record["plans"][role]["samples"]]


async def samples(pilot):
    """Open the samples of ds.02 and wait for the first."""
    app = pilot.app
    await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
    app.screen.query_one(ItemList).go("ds.02")
    await pilot.pause()
    await pilot.press("s")
    await until(pilot, lambda: isinstance(app.screen, SamplesScreen) and app.screen.samples.get(app.screen.place))
    await pilot.pause()
    return app.screen


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (200, 60)])
@pytest.mark.parametrize("language", list(Language))
async def test_looking_and_marking_in_every_size(project, size, language):
    app = project(language=language)
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = await samples(pilot)
        text = text_of(app)
        assert "1/50" in text and "▀" in text and "train.csv [" in text
        assert all(len(line) <= size[0] for line in text.split("\n"))
        await pilot.press("r", "w", "d")
        await until(pilot, lambda: stored(project.root)[:4] == ["right", "wrong", "unsure", None])
        assert screen.place == 3
        text = text_of(app)
        assert ("有误 1/2 = 50.0%" if language is Language.ZH else "wrong 1 of 2 = 50.0%") in text
        await pilot.press("left", "left", "delete")
        await until(pilot, lambda: stored(project.root)[:4] == ["right", None, "unsure", None])
        await pilot.press("u")
        await until(pilot, lambda: stored(project.root)[:4] == ["right", "wrong", "unsure", None])
        assert screen.place == 1
        await pilot.press("u", "u")
        await until(pilot, lambda: stored(project.root)[:4] == ["right", None, None, None])
        assert screen.place == 1
        await pilot.press("o")
        assert screen.place == 2
        await pilot.press("escape")
        await until(pilot, lambda: app.session.entry("ds.02").results and not app.runner.busy)
        assert set(app.session.entry("ds.02").results) == {"label_sample"}
        assert isinstance(app.screen, ChecklistScreen)
        found = app.session.entry("ds.02").results["label_sample"]
        assert found.status is Status.DONE and found.findings[0].code == "not-marked"


async def test_the_next_visit_goes_on_where_the_last_one_ended(project):
    app = project()
    async with app.run_test(size=(80, 24)) as pilot:
        await samples(pilot)
        await pilot.press("r", "r", "n")
        await until(pilot, lambda: isinstance(app.screen, WriteNote))
        await pilot.press(*"odd", "enter")
        await until(pilot, lambda: isinstance(app.screen, SamplesScreen))
        await until(pilot, lambda: "odd" in (project.root / ".accucheck" / "labels.json").read_text())
        await pilot.press("escape")
        await pilot.pause()
        screen = await samples(pilot)
        assert screen.place == 2 and "odd" in text_of(app) and screen.plan.marked == 2
        assert stored(project.root)[:3] == ["right", "right", None]


async def test_a_note_that_is_still_being_saved_when_the_screen_is_left_is_no_draft(project, monkeypatch):
    app, save = project(), marks.save

    def late(*given):
        time.sleep(0.3)
        save(*given)

    async with app.run_test(size=(80, 24)) as pilot:
        await samples(pilot)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, WriteNote))
        monkeypatch.setattr(marks, "save", late)
        await pilot.press(*"odd", "enter")
        await until(pilot, lambda: isinstance(app.screen, SamplesScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await until(pilot, lambda: not app.drafts.keys)
        assert "odd" in (project.root / ".accucheck" / "labels.json").read_text()


async def test_marking_all_brings_the_suggestion_up_to_date(project):
    app = project("npz")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await samples(pilot)
        await pilot.press(*"r" * 50)
        await until(pilot, lambda: "All samples are marked" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.session.entry("ds.02").results and not app.runner.busy)
        result = app.session.entry("ds.02").results["label_sample"]
        assert result.suggestion.value == "ok" and result.findings[0].data["looked"] == 50
        assert not app.project.stale()
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SamplesScreen) and app.screen.plan)
        await pilot.press("escape")  # nothing changed: nothing runs
        await pilot.pause()
        assert not app.runner.busy


async def test_while_probes_run_the_result_is_marked_stale_instead(project, monkeypatch):
    app = project()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await samples(pilot)
        await pilot.press("r")
        monkeypatch.setattr(type(app.runner), "busy", property(lambda _: True))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        assert app.stale == {("ds.02", "label_sample")} and not app.session.entry("ds.02").results


async def test_hostile_labels_and_texts_are_text(project):
    hostile = "[red]a[/]\x1b[2Jb\u202ec\x07"
    rows = "".join(json.dumps({"text": f"{hostile}\n{n}", "label": hostile}) + "\n" for n in range(60))
    (project.root / "a.jsonl").write_text(rows)
    app = project(path="a.jsonl")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await samples(pilot)
        await pilot.press("w")
        text = text_of(app)
        assert "[red]a[/]\\x1b[2Jb\\u202ec\\x07" in text and text.count("[red]") >= 2
        assert not any(character in text for character in "\x1b\u202e\x07")


async def test_a_row_and_a_picture_that_cannot_be_shown(project):
    app = project("listed")
    (project.root / "train" / "img" / "7.png").write_bytes(b"")
    plan, _ = sampling.drawn_now(app.project.case, "train", 0, 400, "li")
    (project.root / ".accucheck").mkdir(exist_ok=True)
    marks.save(app.project.case, marks.with_plan(marks.Record(), "train", plan))
    place = next(at for at, one in enumerate(plan.samples) if one.row == 7)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await samples(pilot)
        assert "▀" in text_of(app) and ".png" in text_of(app)
        screen.place = place
        screen.show()
        await until(pilot, lambda: place in screen.samples)
        await pilot.pause()
        assert "cannot be shown" in text_of(app) and "▀" not in text_of(app)
        await pilot.press("d")  # it can be marked all the same
        await until(pilot, lambda: stored(project.root)[place] == "unsure")


async def test_somebody_elses_session_is_looked_at_and_not_marked(project):
    first = project()
    plan, _ = sampling.drawn_now(first.project.case, "train", 0, 50, "li")
    marks.save(first.project.case, marks.with_plan(marks.Record(), "train", plan))
    app = project()
    assert app.session.read_only
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await samples(pilot)
        await pilot.press("r")
        await until(pilot, lambda: "read-only" in text_of(app))
        assert set(stored(project.root)) == {None}
        (project.root / ".accucheck" / "labels.json").unlink()
        await pilot.press("escape", "s")
        await until(pilot, lambda: "No sample has been drawn yet" in text_of(app))
        assert not (project.root / ".accucheck" / "labels.json").exists()


@pytest.mark.parametrize("case", ["damaged", "no data", "no labels"])
async def test_what_cannot_be_shown_is_said_and_left_again(project, case):
    if case == "no labels":
        (project.root / "a.csv").write_text("x,y1\n1,2\n")
    app = project(path="gone.csv" if case == "no data" else "a.csv" if case == "no labels" else None)
    if case == "damaged":
        (project.root / ".accucheck" / "labels.json").write_text("{")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        app.screen.query_one(ItemList).go("ds.02")
        await pilot.press("s")
        words = {
            "damaged": "cannot be read as marks",
            "no data": "does not exist",
            "no labels": "No sample with a label",
        }
        await until(pilot, lambda: words[case] in " ".join(text_of(app).split()))
        await pilot.press("r", "n", "left", "o", "y", "t")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        if case == "damaged":
            assert (project.root / ".accucheck" / "labels.json").read_text() == "{"


async def test_reading_a_sample_never_holds_up_the_keys(project, monkeypatch):
    release = threading.Event()

    def slow(case, plan, places=None, pictures=True):
        release.wait(20)
        yield 0, Content("0")

    app = project()
    monkeypatch.setattr(marks, "contents", slow)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        app.screen.query_one(ItemList).go("ds.02")
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SamplesScreen) and app.screen.plan)
        await until(pilot, lambda: "Reading..." in text_of(app))
        await pilot.press("right", "right", "w")
        await until(pilot, lambda: stored(project.root)[2] == "wrong")
        await pilot.press("escape")
        release.set()
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))


async def test_a_reader_that_is_lost_does_not_end_the_walkthrough(project, monkeypatch):
    def lost(case, plan, places=None, pictures=True):
        yield 0, Content("0", [("text", "here")])
        raise ZeroDivisionError("division")

    app = project()
    monkeypatch.setattr(marks, "contents", lost)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await samples(pilot)
        assert "here" in text_of(app)
        await pilot.press("w")
        await until(pilot, lambda: "ZeroDivisionError" in text_of(app))
        await until(pilot, lambda: stored(project.root)[0] == "wrong")


async def test_of_a_large_plan_only_what_is_near_is_held(project, monkeypatch):
    app = project("npz")
    plan, _ = sampling.drawn_now(app.project.case, "train", 0, 400, "li")
    marks.save(app.project.case, marks.with_plan(marks.Record(), "train", plan))
    monkeypatch.setattr(screens, "HELD", 20)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await samples(pilot)
        await pilot.press("left")
        await until(pilot, lambda: screen.place == 399 and 399 in screen.samples)
        assert len(screen.samples) <= 20 and 0 not in screen.samples
        await pilot.press(*["left"] * 30)
        await until(pilot, lambda: screen.place == 369 and 369 in screen.samples)
        await until(pilot, lambda: "picture 8 x 8" in text_of(app))
        assert len(screen.samples) <= 20


async def test_marks_that_cannot_be_saved_are_said_and_kept(project, monkeypatch):
    app = project()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await samples(pilot)
        save = marks.save

        def full(case, record):
            raise SaveError("disk-full", path="labels.json")

        monkeypatch.setattr(marks, "save", full)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "disk or the quota is full" in text_of(app))
        await pilot.press("escape")
        monkeypatch.setattr(marks, "save", save)
        await pilot.press("r")
        await until(pilot, lambda: stored(project.root)[:2] == ["wrong", "right"])
        assert screen.plan.marked == 2


async def test_marks_that_cannot_be_saved_hold_the_person_once(project, monkeypatch):
    app = project()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await samples(pilot)

        def full(case, record):
            raise SaveError("disk-full", path="labels.json")

        monkeypatch.setattr(marks, "save", full)
        for key in ("w", "escape"):  # the mark, and leaving with it
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, Choose) and "disk or the quota is full" in text_of(app))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))


async def test_a_sample_is_copied(project):
    app = project()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await samples(pilot)
        await pilot.press("y")
        copied = app.clipboard.split("\n")
        first = screen.plan.samples[screen.place]
        assert copied[:2] == [first.id, first.label]


async def test_training_and_evaluation(project):
    (project.root / "eval").mkdir()
    app = project(more=f", eval: {{path: eval/{write(project.root / 'eval', 'parquet')}}}")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await samples(pilot)
        await pilot.press("r", "t")
        await until(pilot, lambda: screen.plan and screen.samples and "evaluation data" in text_of(app))
        await pilot.press("w")
        await until(pilot, lambda: stored(project.root, "eval")[0] == "wrong")
        assert stored(project.root)[0] == "right"


@pytest.mark.parametrize(("broken", "more"), [(1, ""), (5, "2 more could not be read")])
async def test_what_could_not_be_read_for_the_samples_is_told(project, broken, more):
    path = write(project.root, "csv")
    (project.root / "data").mkdir()
    (project.root / path).rename(project.root / "data" / path)
    for number in range(broken):
        (project.root / "data" / f"broken{number}.csv").write_bytes(b"PAR1\0\0\0\xff\xfe,,,\n\x00garbage")
    app = project(path="data")
    async with app.run_test(size=(140, 40), notifications=True) as pilot:
        screen = await samples(pilot)
        assert len(screen.plan.samples) == 50
        [told] = [each.message for each in app._notifications if "broken0.csv" in each.message]
        assert len(told.split("\n")) == min(broken, 3) + bool(more) and more in told


async def test_a_plan_that_comes_after_the_person_has_gone_on_is_not_shown(project):
    (project.root / "eval").mkdir()
    app = project(more=f", eval: {{path: eval/{write(project.root / 'eval', 'parquet')}}}")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await samples(pilot)
        drawn = screen.record
        screen.call_later(screen._planned, "train", drawn, [])  # while the key is on its way
        screen.call_later(screen._cannot, "train", SaveError("disk-full", path="labels.json"))
        screen.action_role()
        await until(pilot, lambda: screen.plan and screen.samples and "evaluation data" in text_of(app))
        assert "disk or the quota" not in text_of(app)


async def test_help_the_palette_and_the_item_know_the_samples(project):
    app = project()
    async with app.run_test(size=(80, 40), notifications=True) as pilot:
        app.screen.query_one(ItemList).go("ds.01")
        await pilot.press("s")
        await until(pilot, lambda: "ds.02 has" in text_of(app))
        await samples(pilot)
        offered = [command.words for command in commands(app, app.screen)]
        assert "The label is wrong" in offered and "Run this item's probes" not in offered
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and "The label is wrong" in text_of(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        app.screen.query_one(ItemList).go("ds.02")
        await pilot.pause(0.2)
        assert "s samples" in text_of(app)


async def test_ascii_draws_with_ascii_only(project):
    app = project("folders", only_ascii=True)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await samples(pilot)
        await pilot.press("w")
        await pilot.pause()
        assert text_of(app).isascii() and "@@@" in text_of(app)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm-256color"}, "blocks"),
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "sixel"),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x,1,0"}, "blocks"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x,1,0"}, "blocks"),
        ({"TERM": "screen"}, "blocks"),
        ({"TERM": "xterm", "ACCUCHECK_PICTURES": "sixel"}, "sixel"),
        ({"TERM": "xterm", "ACCUCHECK_PICTURES": "nonsense"}, "blocks"),
        ({}, "blocks"),
    ],
)
def test_how_a_terminal_draws_pictures(environment, expected):
    assert way(environment, only_ascii=False) == expected
    assert way(environment, only_ascii=True) == "ascii"


def test_pictures_keep_their_shape():
    photograph = photographs()[0]
    assert cells(photograph, 78, 18) == (54, 18) and cells(photograph, 20, 18) == (20, 7)
    lines = ascii_lines(photograph, 54, 18)
    assert len(lines) == 18 and {len(line) for line in lines} == {54}
    levels = np.array([[" .:-=+*#%@".index(sign) for sign in line] for line in lines])
    small = np.asarray(photograph.convert("L").resize((54, 18)))
    assert np.corrcoef(levels.ravel(), small.ravel())[0, 1] > 0.95
    for how in ("blocks", "sixel", "kitty"):
        widget = drawn(photograph, 40, 10, how)
        assert (widget.styles.width.value, widget.styles.height.value) == (30, 10)


def test_the_terminal_is_never_asked(tmp_path):
    """Neither by the library that draws nor by us: nothing is written to it, nothing read from it."""
    code = """
import os, sys
os.environ["TERM"] = "xterm"
from accucheck.tui.widgets.picture import drawn
from PIL import Image
drawn(Image.new("RGB", (64, 64)), 20, 10, sys.argv[1])
"""
    for how in ("blocks", "sixel", "kitty"):
        main, side = pty.openpty()
        process = subprocess.Popen([sys.executable, "-c", code, how], stdin=side, stdout=side, stderr=subprocess.PIPE)
        os.write(main, b"keys")
        try:
            _, errors = process.communicate(timeout=120)
        finally:
            process.kill()
        assert process.returncode == 0, errors.decode()
        os.set_blocking(main, False)
        echoed = os.read(main, 1000) if select.select([main], [], [], 0.2)[0] else b""
        assert b"\x1b" not in echoed, how
        os.set_blocking(side, False)
        os.close(main)
        os.close(side)


async def test_only_samples_of_a_class_or_mark_are_gone_through(project):
    app = project()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.screen.query_one(ItemList).go("ds.02")
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SamplesScreen) and app.screen.plan is not None)
        screen = app.screen
        label = screen.plan.samples[2].label
        of_class = [at for at, one in enumerate(screen.plan.samples) if label in one.label or label in one.id]

        async def narrowed(words):
            await pilot.press("slash")
            await until(pilot, lambda: isinstance(app.screen, AskLine))
            app.screen.query_one(Input).value = words
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is screen)

        await narrowed(label)
        assert screen.place == of_class[0] and f"1/{len(of_class)} ({label})" in text_of(app)
        await pilot.press("right")
        assert screen.place == of_class[1]
        await pilot.press("left", "w")
        assert screen.place == of_class[1]  # the next of the class, not of all
        await narrowed("nothing like this")
        await until(pilot, lambda: "Nothing matches" in text_of(app))
        assert screen.words == label
        await narrowed("wrong")
        await until(pilot, lambda: screen.place == of_class[0] and "1/1 (wrong)" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: f"{of_class[0] + 1}/{len(screen.plan.samples)}" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))


@pytest.mark.parametrize(
    ("size", "shown", "only_ascii"), [((80, 24), 20, False), ((60, 15), 8, False), ((200, 60), 20, True)]
)
@pytest.mark.parametrize("language", list(Language))
async def test_a_sheet_takes_a_key_a_mark(project, size, shown, only_ascii, language):
    app = project(language=language, only_ascii=only_ascii)
    async with app.run_test(size=size) as pilot:
        screen = await samples(pilot)
        await pilot.press("g")
        await until(
            pilot, lambda: isinstance(app.screen, SheetScreen) and all(n in screen.samples for n in range(shown))
        )
        await pilot.pause(0.5)
        assert len(app.screen._page) == shown and str(shown) in text_of(app).split("\n")[0]
        assert all(cell_len(line) <= size[0] for line in text_of(app).split("\n"))
        assert only_ascii is False or text_of(app).replace("中文", "").isascii() or language is Language.ZH
        await pilot.press("w", "d", "right", "r")
        await until(pilot, lambda: stored(project.root)[:4] == ["wrong", "unsure", None, "right"])
        await pilot.press("u")
        await until(pilot, lambda: stored(project.root)[:4] == ["wrong", "unsure", None, None])
        assert screen.place == 3
        await pilot.press("pagedown")
        assert screen.place == 3 + shown
        await pilot.press("up", "left", "g")
        await until(pilot, lambda: app.screen is screen)
        assert screen.place == 3 + shown - 1 - (5 if shown == 20 else 4)
