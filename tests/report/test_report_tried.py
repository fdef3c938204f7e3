"""What came of training with the changes of findings, as reports show it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from accucheck.language import Language
from accucheck.session import open_session
from accucheck.try_results import Trial, TryResults, compare, notes
from command_line import accucheck

LOSSES: list[tuple[int, float | None]] = [(step, 2.0 / step) for step in range(1, 11)]
TRIALS = [
    Trial("a", "base", 1, losses=LOSSES, steps=10, metric=0.5, metric_name="top1", source="training"),
    Trial("b", "base", 2, losses=LOSSES, steps=10, metric=0.52, metric_name="top1", source="training"),
    Trial(
        "c",
        "patch",
        item="wi.01",
        title={"en": "Take **random** values <b>", "zh": "改用**随机**值 <b>"},
        places=["net.py:4", "net.py:9"],
        losses=LOSSES,
        steps=10,
        metric=0.81,
        metric_name="top1",
    ),
    Trial("d", "patch", item="hp.01", title={"en": "Rate", "zh": "率"}, ended="failed", code=1, note="</td>|boom"),
]
TOLD = {
    "en": [
        "Fixes tried in copies of the project",
        "better, beyond the noise",
        "net.py:4 and 1 more",
        "top1",
        "exit code 1",
        "0.02",
    ],
    "zh": ["在项目副本中试用修改的结果", "变好，超出波动范围", "net.py:4 等 2 处", "top1", "退出码 1", "0.02"],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    with open_session(root) as session:
        session.keep_tried(TryResults(["python", "train.py"], [], "2026-01-01T00:00:00+00:00", TRIALS))
    return root


@pytest.mark.parametrize("language", ["en", "zh", "both"])
@pytest.mark.parametrize("full", [(), ("--full",)])
def test_every_format_shows_the_table(root: Path, tmp_path: Path, language: str, full: tuple[str, ...]) -> None:
    formats = [word for form in ("md", "html", "docx", "json") for word in ("--format", form)]
    ran = accucheck("report", str(root), *formats, "--language", language, "-o", str(tmp_path / "out"), *full)
    assert ran.code == 0, ran
    (html,), (word,), (markdown,), (machine,) = (
        sorted((tmp_path / "out").glob(f"*.{end}")) for end in ("html", "docx", "md", "json")
    )
    page, text = html.read_text(), markdown.read_text()
    with zipfile.ZipFile(word) as archive:
        document = archive.read("word/document.xml").decode()
    for told in TOLD["zh"] + TOLD["en"] if language == "both" else TOLD[language]:
        for shown in (page, text, document):
            assert told in shown, told
    assert "&lt;b&gt;" in page and "values <b>" not in page
    assert "&lt;/td&gt;|boom" in page and "|boom" not in text.replace("\\|boom", ""), (
        "what a stranger's training prints is text"
    )
    rows = json.loads(machine.read_text())["tried"]["rows"]
    assert [row["verdict"] for row in rows] == ["reference", "reference", "better", "failed"]


def test_without_trials_nothing_is_shown(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    ran = accucheck("report", str(root), "--format", "md", "--lang", "en", "-o", str(tmp_path / "out"))
    assert ran.code == 0, ran
    assert "Fixes tried" not in next((tmp_path / "out").glob("*.md")).read_text()


@pytest.mark.parametrize("together", [0.9, 0.5])
def test_a_change_that_hurts_alone_and_not_among_all_is_told(together: float) -> None:
    """A change may need another one: beside a result of all that is better, worse alone is no reason to leave it out."""

    def trial(key: str, kind: str, metric: float, item: str = "") -> Trial:
        return Trial(
            key,
            kind,
            item=item,
            title={"en": f"Mend {item}.", "zh": f"修改 {item}。"},
            losses=LOSSES,
            steps=10,
            metric=metric,
        )

    trials = [trial("a", "base", 0.5), trial("b", "base", 0.5), trial("c", "patch", 0.4, "dp.02")]
    trials += [trial("d", "patch", 0.6, "wi.01"), trial("e", "all", together)]
    for language, words in ((Language.EN, "worse alone"), (Language.ZH, "单独应用时变差")):
        told = [note for note in notes(compare(trials), language) if words in note]
        assert [("dp.02" in note, "wi.01" in note) for note in told] == ([(True, False)] if together > 0.5 else [])
