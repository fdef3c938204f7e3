"""Copies of a trained network that nothing updates: an update that is never called, or is not the only thing that may write."""

from pathlib import Path

import pytest

from accucheck.probes.frozen_weights_script import _SYNC, _TARGET
from accucheck.script.analysis import Reading, Scripts
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.stale_copies import examine
from accucheck.script.trace import follow
from accucheck.script.training import assumption

UPDATE = f"def follow():\n{_SYNC}"
UNCALLED = _TARGET.replace(_SYNC, "").replace("step = ms", UPDATE + "\nstep = ms", 1)


def codes(folder: Path, text: str) -> list[str]:
    (folder / "train.py").write_text(text)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return [one.code for one in examine(Scripts([Reading("train", "train", source, trace, project)]))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNCALLED, ["copy-stale"]),
        (UNCALLED + "    follow()\n", []),
        (_TARGET.replace(_SYNC, "    unknown.update(slow, critic)\n"), []),
        (
            _TARGET.replace(
                _SYNC, "    for p, s in zip(critic.get_parameters(), slow.get_parameters()):\n        s.value = p\n"
            ),
            [],
        ),
        (_TARGET.replace("    s.set_data(p.data)", "    pass").replace(_SYNC, ""), []),  # a random target may be meant
    ],
    ids=["uncalled", "called", "handed-on", "stored", "random"],
)
def test_an_update_counts_where_something_runs_it(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert codes(tmp_path, text) == expected
