"""The path of the comparison, walked on twins with a planted fault: from losses that differ to what is at fault, and told in the reports.

As a person would, with the losses of both sides in hand: where the path stands, what it asks for is collected (laid where its code
writes it), named in accucheck.yaml, and the step is run. Nobody concludes anything.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import docx
import pytest
import yaml
from building import build
from experiments import FAULTY

from command_line import accucheck

pytestmark = [
    pytest.mark.mindspore,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Full backward hook"),  # of the first layer, whose input needs no gradient
]
#: Where a twin has what the path asks for.
COLLECTED = {
    "curves.rerun": "logs/run_again.jsonl",
    "batches.path": "batches",
    "batches.reference": "ref/batches",
    "checkpoints.initial": "init.ckpt",
    "checkpoints.reference": "ref/init.pth",
    "checkpoints.after_step": "step1.ckpt",
    "checkpoints.reference_after_step": "ref/step1.pth",
    "dumps.path": "layers",
    "dumps.reference": "ref/layers",
}


def begin(name: str, folder: Path) -> Path:
    """A twin whose case names both scripts and their losses, and nothing else."""
    pytest.importorskip("torch")
    twin = next(twin for twin in FAULTY if twin.name == name)
    project = build(replace(twin, rerun=True), folder / "twin")
    case = {
        "name": name,
        "runtime": {"device": "CPU", "mindspore": "2.10.0"},
        "scripts": {"train": "train.py"},
        "benchmark": {"scripts": {"train": "ref/train.py"}},
        "curves": {"train": "logs/run.jsonl", "reference": {"path": "ref/train.csv"}},
    }
    (project / "accucheck.yaml").write_text(yaml.safe_dump(case, sort_keys=False) + "# the end\n")
    return project


def stands(project: Path) -> dict:
    return json.loads(accucheck("path", project, "--json").stdout)["paths"][0]


def walk(project: Path) -> tuple[list[str], dict]:
    """The items where the path stood, and the path at its end."""
    stood: list[str] = []
    while (path := stands(project))["here"] is not None:
        item = path["here"]["item"]
        assert item not in stood, f"nothing leads on from {item}: {accucheck('path', project).out}"
        stood.append(item)
        asked = [each for each in path["here"]["inputs"] if not (each["given"] or each["optional"])]
        for wanted in asked:
            source, target = project / COLLECTED[wanted["key"]], project / wanted["collect"]["path"]
            target.parent.mkdir(exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        if asked:
            assert accucheck("path", project, "--write").code == 0
        ran = accucheck("run", project, "--checklist", "comparison", "--only", item, timeout=120)
        assert ran.code in (0, 1), ran.err
    return stood, path


@pytest.mark.parametrize(
    ("name", "problems", "place", "leads"),
    [
        ("elu_cnn", ["cmp.08", "cmp.09"], "act2", "正向计算有差异"),
        ("frozen_mlp", ["cmp.08"], "fc1.weight", "第一步的更新不同"),
    ],
)
def test_from_losses_that_differ_to_what_is_at_fault(
    name: str, problems: list[str], place: str, leads: str, tmp_path: Path
) -> None:
    project = begin(name, tmp_path)
    stood, path = walk(project)
    numbers = range(1, int(problems[-1][-2:]) + 1)
    assert stood == [f"cmp.{number:02}" for number in numbers]
    assert path["end"]["name"] == "mend" and path["end"]["problems"] == problems
    assert not any(step["concluded"] for step in path["steps"])
    assert (project / "accucheck.yaml").read_text().endswith("# the end\n")

    told = accucheck("path", project, "--lang", "zh").out
    assert leads in told and place in told and "■ 终点：修正所列检查项" in told
    formats = [option for format in ("md", "docx") for option in ("--format", format)]
    ran = accucheck(
        "report",
        project,
        "--checklist",
        "comparison",
        *formats,
        "--output",
        tmp_path / "out",
        "--lang",
        "zh",
        timeout=120,
    )
    assert ran.code == 0, ran.err
    (markdown,), (document,) = (sorted((tmp_path / "out").rglob(f"*.{ending}")) for ending in ("md", "docx"))
    texts = [markdown.read_text(encoding="utf-8")]
    made = docx.Document(str(document))
    cells = [cell.text for table in made.tables for row in table.rows for cell in row.cells]
    texts.append("\n".join([*(paragraph.text for paragraph in made.paragraphs), *cells]))
    for text in texts:
        section = text[text.index("定位路径") :]
        assert leads in section and place in section and "终点：修正所列检查项" in section
        assert ", ".join(problems) in section
