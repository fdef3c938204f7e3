"""An ordinary user's project, without a case file and with four faults: how soon its main cause is known, and how long its report is."""

import re
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest_tui import text_of, until
from textual.pilot import Pilot

from accucheck.language import Language
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.mend import MendScreen
from accucheck.tui.screens.next import NextScreen
from accucheck.tui.screens.start import StartScreen
from accucheck.tui.screens.training import TrainingScreen

ORDINARY = Path(__file__).parents[1] / "ordinary"
DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "data"
#: Loss at the end of each of its epochs, as its LossMonitor printed it.
LOSSES = (2.2974, 2.2863, 2.2558, 2.2342, 2.1987, 2.1872, 2.1409, 2.1517, 2.1183, 2.1202)
#: What is found, where, the one with most effect first. The fourth fault, the share of nn.Dropout, is one more finding of api.01.
FAULTS = {
    "dp.02": "src/dataset.py:10",
    "api.01": "src/lenet.py:8",
    "cg.04": "train.py:24",
}
#: Pages of its report in Word.
PAGES = 4


def images(part: str) -> tuple[np.ndarray, np.ndarray]:
    files = sorted((DIGITS / part).glob("*.csv"))
    rows = np.concatenate([np.genfromtxt(file, delimiter=",", skip_header=1) for file in files])
    return rows[:, :-1].reshape(-1, 8, 8).astype(np.uint8), rows[:, -1].astype(np.int32)


@pytest.fixture
def ordinary(tmp_path: Path) -> Path:
    """The project in a folder of its own, with its data and the log of a training."""
    root = tmp_path / "lenet"
    shutil.copytree(ORDINARY, root, ignore=shutil.ignore_patterns("README.md", "__pycache__"))
    (root / "data").mkdir()
    (train, labels), (test, test_labels) = images("train"), images("val")
    np.savez(
        root / "data" / "digits.npz", train_images=train, train_labels=labels, test_images=test, test_labels=test_labels
    )
    lines = [f"epoch: {epoch} step: 45, loss is {loss}\n" for epoch, loss in enumerate(LOSSES, 1)]
    (root / "train.log").write_text("".join(lines))
    return root


async def run_over(pilot: Pilot, app: Walkthrough) -> None:
    """Wait until all probes have ended: five minutes at most, as the walkthrough lets other programs go first."""
    deadline = time.monotonic() + 300
    while app.runner.busy:
        assert time.monotonic() < deadline, text_of(app)
        await pilot.pause(0.1)


@pytest.mark.parametrize("language", list(Language))
async def test_the_main_cause_and_its_patch_are_known_after_four_keys(ordinary, language):
    project = open_project(ordinary, session="try")
    app = Walkthrough(project, language)
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, TrainingScreen))
            await pilot.press("1")
            await until(pilot, lambda: isinstance(app.screen, StartScreen) and app.survey is not None)
            await pilot.press("b")
            await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
            await pilot.press("R")
            await until(pilot, lambda: app.runner.busy)
            await run_over(pilot, app)
            await until(pilot, lambda: isinstance(app.screen, NextScreen) and app.screen._steps)
            steps = app.screen._steps
            found = [step for step in steps if step.kind == "problem"]
            assert {step.item: f"{step.finding.where.path}:{step.finding.where.line}" for step in found} == FAULTS
            assert [step.item for step in steps][: len(FAULTS)] == [*FAULTS] and steps[0].effect == "evaluation"
            assert all(step.patched for step in steps[: len(FAULTS)]), "each cause has a patch"
            await pilot.press("f")
            await until(pilot, lambda: isinstance(app.screen, MendScreen))
            await until(pilot, lambda: "-    if train:" in text_of(app) and "src/dataset.py:10" in text_of(app))
    finally:
        app.runner.close()
        app.session.close()


@pytest.mark.skipif(not (shutil.which("soffice") and shutil.which("pdfinfo")), reason="needs LibreOffice and poppler")
@pytest.mark.part(2)
@pytest.mark.parametrize("language", list(Language))
def test_its_report_is_short(ordinary, tmp_path, language):
    from command_line import accucheck

    said = language.value
    assert accucheck("run", "--lang", said, cwd=ordinary).code == 1
    assert accucheck("report", "--format", "docx", "--format", "md", "--lang", said, cwd=ordinary).code == 0
    (text,) = (each.read_text() for each in (ordinary / "reports").glob("*.md"))
    verdict = text.split("\n### ")[0]
    assert "nn.Dropout" in verdict and "lenet.py:15" in verdict, "the fourth fault, which has a fix of its own"
    repeated = [line for line, count in Counter(re.split(r"[|\n]", text)).items() if len(line) > 70 and count > 1]
    assert text.count("```diff") == 4, "a patch for each cause, and for each of two places that are alike"
    assert text.count("nn.BatchNorm2d(momentum=0.1)") == 2 and not repeated, "once in the verdict and once in full"
    (report,) = (ordinary / "reports").glob("*.docx")
    home = f"-env:UserInstallation=file://{tmp_path}/office"
    convert = ["soffice", home, "--headless", "--convert-to", "pdf", "--outdir", str(tmp_path), str(report)]
    subprocess.run(convert, check=True, capture_output=True, timeout=300)
    pdf = subprocess.run(
        ["pdfinfo", tmp_path / f"{report.stem}.pdf"], check=True, capture_output=True, text=True
    ).stdout
    assert 1 < int(re.search(r"Pages:\s+(\d+)", pdf)[1]) <= PAGES
