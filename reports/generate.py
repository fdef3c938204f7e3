"""Makes the sample reports again: the program itself, run on a copy of examples/digits_faulty (about 20 s; needs mindspore).

Runs every probe, concludes a few items as a person would, and writes the report in both languages. Reports hold the date and
the environment of the machine that made them, so two runs differ in these.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = "digits_faulty"

#: (item, conclusion, note), by language; what the probes suggest elsewhere is left open on purpose.
ANSWERS = {
    "en": [
        ("ds.01", "problem", "Planted in part-1.csv: empty cells, nan and -999. Nothing in dataset.py handles them."),
        ("dp.03", "problem", "Planted: shuffle=False in dataset.py, for the training data too."),
        ("wi.01", "problem", "Planted: weight_init='zeros' in network.py, both dense layers."),
        ("hp.03", "ok", "32 samples a step."),
        ("dp.04", "not_applicable", "All images are 8x8."),
    ],
    "zh": [
        ("ds.01", "problem", "预埋在 part-1.csv 中：空单元格、nan 和 -999；dataset.py 没有处理。"),
        ("dp.03", "problem", "预埋：dataset.py 中 shuffle=False，训练数据也不混洗。"),
        ("wi.01", "problem", "预埋：network.py 中两个全连接层 weight_init='zeros'。"),
        ("hp.03", "ok", "每步 32 个样本。"),
        ("dp.04", "not_applicable", "图像均为 8x8。"),
    ],
}


def accucheck(folder: Path, language: str, *arguments: str) -> None:
    """Run the program in `folder`, with a home of its own and no trace of who runs it."""
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    environment |= dict.fromkeys(("LOGNAME", "USER", "LNAME", "USERNAME"), "sample")
    command = [sys.executable, "-m", "accucheck", *arguments, "--lang", language]
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    for language, answers in ANSWERS.items():
        target = ROOT / "reports" / language
        shutil.rmtree(target, ignore_errors=True)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ignored = shutil.ignore_patterns(".accucheck", "__pycache__", "rank_0")
            shutil.copytree(ROOT / "examples" / PROJECT, folder / PROJECT, ignore=ignored)
            accucheck(folder, language, "run", PROJECT, "--live", "--exit-zero")
            for item, conclusion, note in answers:
                accucheck(folder, language, "answer", item, conclusion, "--note", note, "--project", PROJECT)
            formats = ("--format", "md", "--format", "docx", "--format", "json")
            accucheck(folder, language, "report", PROJECT, *formats, "--output", str(target))
        for path in sorted(target.rglob("*")):
            if path.is_file():
                print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
