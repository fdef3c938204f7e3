"""Writes the sample reports anew from the session in reports/session; with --check only says which Markdown and JSON are stale.

The session is what all probes found in examples/digits_faulty; moment, machine and versions are stored with it, so that every
machine writes the same text. --session makes it again first: it runs every probe on a copy of the example (under a minute;
needs mindspore). Pictures, and what holds them, depend on the fonts of the machine and are not compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from accucheck import case as cases
from accucheck import checklist, report
from accucheck.language import Language
from accucheck.model import Verdict, now
from accucheck.report import environment, inputs, machine, markdown
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.report.redact import Redactor
from accucheck.session import Entry, Record

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"
SESSION = REPORTS / "session"
PROJECT = ROOT / "examples" / "digits_faulty"
STEM = f"{PROJECT.name}-accuracy"
WHO = "sample"

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


class Made(msgspec.Struct, forbid_unknown_fields=True):
    """When and on what the session was made: an ISO 8601 moment, and what environment.collect and inputs.collect gave."""

    moment: str
    environment: dict[str, Any]
    inputs: list[dict[str, Any]]


def make_session() -> None:
    """Run all probes on a copy of the example, in a home of its own and with no trace of who runs them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ignored = shutil.ignore_patterns(".accucheck", "__pycache__", "rank_0")
        shutil.copytree(PROJECT, folder / PROJECT.name, ignore=ignored)
        own = {**os.environ, "HOME": name, "XDG_CONFIG_HOME": name, "XDG_CACHE_HOME": name}
        own |= dict.fromkeys(("LOGNAME", "USER", "LNAME", "USERNAME"), WHO)
        command = [sys.executable, "-m", "accucheck", "run", PROJECT.name, "--live", "--exit-zero"]
        subprocess.run(command, cwd=folder, env=own, check=True, stdout=subprocess.DEVNULL)
        content = (folder / PROJECT.name / ".accucheck" / "session.json").read_bytes()
    if left := [text for text in (name, str(ROOT), socket.gethostname()) if text.encode() in content]:
        raise SystemExit(f"the session names this machine: {', '.join(left)}")
    case, record = cases.load(PROJECT, []), msgspec.json.decode(content, type=Record)
    made = Made(now(), environment.collect(case), inputs.collect(case, record))
    SESSION.mkdir(exist_ok=True)
    (SESSION / "session.json").write_bytes(content + b"\n")
    (SESSION / "made.json").write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


def sample(language: Language) -> Report:
    """The report of the stored session, with the conclusions of ANSWERS."""
    record = msgspec.json.decode((SESSION / "session.json").read_bytes(), type=Record)
    made = msgspec.json.decode((SESSION / "made.json").read_bytes(), type=Made)
    entries = dict(record.entries)
    for item, conclusion, note in ANSWERS[language.value]:
        known = entries.get(item, Entry())
        entries[item] = msgspec.structs.replace(
            known, conclusion=Verdict(conclusion), note=note, who=WHO, when=made.moment
        )
    record = msgspec.structs.replace(record, entries=entries)
    checklists, case = checklist.load_all(["accuracy"]), cases.load(PROJECT, [])
    hide = Redactor(case.root)  # users and hosts of the machine that builds it have nothing to do with the session
    return build(
        record, checklists, case, language, made.environment, generated=made.moment, inputs=made.inputs, hide=hide
    )


def stale() -> list[str]:
    """The files that are not what would be written now; of those with pictures in them only whether they are there."""
    found = []
    for language in Language:
        built, folder = sample(language), REPORTS / language.value
        text = markdown.render(built, STEM, draw=lambda _: b"")
        files: dict[str, bytes | None] = {f"{STEM}.{form.ending}": None for form in report.FORMATS.values()}
        files |= dict.fromkeys(text) | {f"{STEM}.md": text[f"{STEM}.md"]} | machine.render(built, STEM)
        found += [folder / name for name, content in files.items() if not _holds(folder / name, content)]
        found += [path for path in folder.rglob("*") if path.is_file() and str(path.relative_to(folder)) not in files]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def _holds(path: Path, content: bytes | None) -> bool:
    return path.is_file() and content in (None, path.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when a file is stale")
    parser.add_argument("--session", action="store_true", help="run the probes first")
    options = parser.parse_args()
    if options.check:
        if found := stale():
            raise SystemExit("stale, see `make reports`:\n" + "\n".join(found))
        return
    if options.session:
        make_session()
    for language in Language:
        folder = REPORTS / language.value
        shutil.rmtree(folder, ignore_errors=True)
        options = report.Options(formats=tuple(report.FORMATS), languages=(language,), stem=STEM)
        for path in report.write(sample(language), folder, options).paths:
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
