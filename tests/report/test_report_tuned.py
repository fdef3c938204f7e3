"""What came of a search for hyper-parameters, as reports show it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from accucheck.session import open_session
from accucheck.study_results import Axis, StudyResults, Trial
from command_line import accucheck


def points(value: float) -> list[tuple[float, float]]:
    return [(1.0, value / 2), (2.0, value)]


TUNED = StudyResults(
    ["python", "train.py"],
    "mine",
    ".accucheck/tune.db",
    "top1<b>",
    axes=[
        Axis("--lr", "lr=0.001..1:log", low=0.001, high=1.0, log=True),
        Axis("opt", "opt=a|b,c", choices=["a|b", "c"]),
    ],
    trials=[
        Trial(0, "own", values={"--lr": "0.01", "opt": "c"}, value=0.5, points=points(0.5), epochs=2, seconds=10.0),
        Trial(1, "own", seed=2, values={"--lr": "0.01", "opt": "c"}, value=0.52, points=points(0.52), epochs=2),
        Trial(2, values={"--lr": "0.1", "opt": "a|b"}, value=0.81, points=points(0.81), epochs=2),
        Trial(3, values={"--lr": "1", "opt": "c"}, ended="failed", code=1, note="</td>|boom"),
        Trial(4, "repeat", 2, 2, {"--lr": "0.1", "opt": "a|b"}, value=0.79, points=points(0.79), epochs=2),
        Trial(5, values={"--lr": "0.002", "opt": "c"}, ended="pruned", value=0.1, epochs=1),
    ],
    importance={"--lr": 0.8, "opt": 0.2},
    best_command=["python", "train.py", "--lr=0.1"],
    best_keys={"base.yaml": {"optim.name": "a|b"}},
)
TOLD = {
    "en": [
        "Search for hyper-parameters",
        "beyond the noise: 0.79 against 0.51",
        "exit code 1",
        "stopped early",
        "--lr=0.1",
        "optim.name: a",
    ],
    "zh": ["超参搜索", "且超出波动：0.79 对 0.51", "退出码 1", "提前终止", "--lr=0.1", "optim.name: a"],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    with open_session(root) as session:
        session.keep_tuned(TUNED)
    return root


@pytest.mark.parametrize("language", ["en", "zh", "both"])
@pytest.mark.parametrize("full", [(), ("--full",)])
def test_every_format_shows_the_search(root: Path, tmp_path: Path, language: str, full: tuple[str, ...]) -> None:
    formats = [word for form in ("md", "html", "docx", "json") for word in ("--format", form)]
    ran = accucheck("report", str(root), *formats, "--language", language, "-o", str(tmp_path / "out"), *full)
    assert ran.code == 0, ran
    (html,), (word,), (markdown,), (machine,) = (
        sorted((tmp_path / "out").glob(f"*.{end}")) for end in ("html", "docx", "md", "json")
    )
    page, text = html.read_text(), markdown.read_text()
    with zipfile.ZipFile(word) as archive:
        document = archive.read("word/document.xml").decode()
        pictures = [name for name in archive.namelist() if name.startswith("word/media/")]
    for told in TOLD["zh"] + TOLD["en"] if language == "both" else TOLD[language]:
        for shown in (page, text.replace("\\", ""), document):
            assert told in shown, told
    assert page.count("<svg") >= 2 and len(pictures) >= 2, "parallel coordinates and curves"
    assert "top1&lt;b&gt;" in page and "top1<b>" not in page
    assert "|boom" not in text.replace("\\|boom", ""), "what a stranger's training prints is text"
    found = json.loads(machine.read_text())["tuned"]
    assert (found["verdict"], found["best"], len(found["trials"])) == ("better", 2, 6)
