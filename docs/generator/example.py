"""The example project as its pictures show it: with the results of reports/session, as if its probes had just run."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from accucheck import case as cases
from accucheck import checklist, engine
from accucheck.session import Record
from accucheck.store import FOLDER

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/digits_faulty"
SESSION = ROOT / "reports/session/session.json"
#: When the probes ran, and for how long (s), in every picture: pictures stay as they are when the probes are run again.
RAN, SECONDS = "2026-03-09T08:29:00+00:00", 0.5
#: What no copy takes along.
IGNORED = shutil.ignore_patterns(FOLDER, "__pycache__", "rank_0", "logs.*")


def unexamined(project: Path) -> Path:
    """A copy without accucheck.yaml, as a newcomer's project has none."""
    shutil.copytree(EXAMPLE, project, ignore=IGNORED)
    (project / cases.FILE_NAME).unlink()
    return project


def examined(project: Path) -> Path:
    """A copy with its results. They belong to the files of the copy: size and time of these are told anew."""
    shutil.copytree(EXAMPLE, project, ignore=IGNORED)
    case, record = cases.load(project), msgspec.json.decode(SESSION.read_bytes(), type=Record)
    entries = dict(record.entries)
    for one in checklist.load_all(list(record.checklists)):
        for item in one.items:
            entry = entries.get(item.id)
            if entry is not None:
                fresh = {
                    use.name: msgspec.structs.replace(
                        entry.results[use.name],
                        started=RAN,
                        seconds=SECONDS,
                        inputs=engine.fingerprint(case, engine.Job(item.id, use.name, use.params, one.version)),
                    )
                    for use in item.uses
                    if use.name in entry.results
                }
                history = [msgspec.structs.replace(change, when=RAN) for change in entry.history]
                entries[item.id] = msgspec.structs.replace(entry, results=fresh, history=history)
    folder = project / FOLDER
    folder.mkdir()
    (folder / SESSION.name).write_bytes(msgspec.json.encode(msgspec.structs.replace(record, entries=entries)))
    return project


def surroundings(home: Path) -> dict[str, str]:
    """Variables under which the program looks alike everywhere, without NO_COLOR: an ordinary terminal, and nobody's settings."""
    own = {name: str(home / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    return {
        **own,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "ACCUCHECK_PICTURES": "blocks",
        "TZ": "UTC",
    }
