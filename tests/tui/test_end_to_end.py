"""From an empty project to a written report, by keys only, in a real terminal of 80x24, in both languages."""

import shutil
from pathlib import Path

import pytest
from terminals import PROGRAM, Tmux, environment, has_tmux

from accucheck.language import Language
from accucheck.session import open_session
from accucheck.tui.words import WORDS
from left_behind import wait_until

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not has_tmux(), reason="tmux is not installed")]


@pytest.mark.parametrize("language", list(Language))
def test_from_start_to_report_by_keys(tmp_path, home, language):
    def say(key, **data):
        return WORDS[key][language.value].format(**data)

    project = tmp_path / "digits"
    shutil.copytree(ROOT / "examples" / "digits_faulty", project)
    for name in ("accucheck.yaml", "checkpoints", "logs"):  # nobody has named anything yet
        path = project / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    screen = Tmux(PROGRAM, project, environment(home, ACCUCHECK_LANG=language.value), (80, 24))
    try:
        screen.until_said(say("training-title"))
        screen.keys("1")
        screen.until(say("start-title"), "train.py", "data/train")
        screen.keys("b")
        screen.until("ds.01", "0/24")
        assert "train: train.py" in (project / "accucheck.yaml").read_text()

        screen.keys("R")  # all probes; the project's own code is not run
        steps = (
            WORDS["next-head"][language.value].partition("{")[0].strip()
        )  # the title alone is the name of a key as well
        screen.until(steps, "wi.01", "dp.03", "shuffle=False", seconds=300)
        screen.keys("Enter")  # the first thing to do: what keeps the network from learning, with its evidence
        screen.until("0/24", "wi.01", "network.py", say("key-conclude"), without=steps)
        screen.keys("v")
        screen.until("network.py", without=say("key-conclude"))
        screen.keys("Escape")
        screen.until("0/24", "wi.01", say("key-conclude"))

        screen.keys("1", "n")
        screen.until("wi.01", "Ctrl+J")
        screen.type("the order 顺序 is fixed")
        screen.keys("Enter")
        screen.until("1/24")
        wait_until(lambda: entry(project, "wi.01").note == "the order 顺序 is fixed", lambda: screen.screen)

        screen.keys("A")
        question = WORDS["accept-all-title"][language.value].partition("{")[0]
        screen.until(question, say("yes"))
        screen.keys("Enter")
        screen.until(without=(question, " 1/24"))
        wait_until(lambda: len(concluded(project)) > 1, lambda: screen.screen)

        screen.keys("e")
        screen.until(say("key-write"))
        screen.keys("w")
        wait_until(lambda: len(list(project.glob("**/*-accuracy.*"))) == 3, lambda: screen.screen, 120)
        screen.until("✓")
        screen.keys("Escape")
        screen.until("wi.01")
        screen.keys("q")
        screen.until_ended()
        told = "accuracy.docx"  # at a good end only
        wait_until(lambda: told in screen.screen.replace("\n", ""), lambda: screen.screen)
    finally:
        screen.close()

    report = next(project.glob("**/*-accuracy.md")).read_text()
    assert "the order 顺序 is fixed" in report
    assert {Language.EN: "problem found", Language.ZH: "发现问题"}[language] in report
    assert len(concluded(project)) > 1


def entry(project, item):
    return open_session(project, write=False).entry(item)


def concluded(project):
    record = open_session(project, write=False).record
    return [item for item, entry in record.entries.items() if entry.conclusion is not None]
