"""What the path of the comparison checklist finds of each twin: nothing of a clean one, and the planted fault where it is."""

from pathlib import Path

import pytest
from building import Twin, build
from experiments import CLEAN, FAULTY
from walking import located, walk

from accucheck.engine import Finished
from accucheck.model import Status, Verdict
from accucheck.project import open_project

pytestmark = [
    pytest.mark.mindspore,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Full backward hook"),  # of the first layer, whose input needs no gradient
]
#: What each kind of curve may be told as.
CURVES = {
    "forward": {"forward", "forward-slight", "slight", "drift"},
    "backward": {"backward", "slight-second", "gradient-first"},
    "fork": {"fork", "fork-before"},
    "evaluation": {"evaluation"},
    "agrees": set(),
}
#: So little that the curves do not show it.
HIDDEN = {"half_precision_mlp"}
#: Items whose probes have all they need in a twin, but for those that look at a watched run.
EXAMINED = ["cmp.03", "cmp.04", "cmp.05", "cmp.06", "cmp.07", "cmp.08", "cmp.09", "cmp.11"]


@pytest.fixture(autouse=True)
def frameworks() -> None:
    pytest.importorskip("torch")


@pytest.mark.part(40)
@pytest.mark.parametrize("twin", CLEAN, ids=lambda twin: twin.name)
def test_nothing_is_found_of_a_clean_twin(tmp_path: Path, twin: Twin) -> None:
    walked = walk(build(twin, tmp_path / "twin"))
    assert (walked.problems, walked.end) == ([], "tuning")
    assert not any(walked.findings.values())
    for item in EXAMINED:
        ran = [result for probe, result in walked.results[item].items() if not probe.startswith("watched")]
        assert {(result.status, result.suggestion) for result in ran} == {(Status.DONE, Verdict.OK)}


@pytest.mark.part(40)
@pytest.mark.parametrize("twin", FAULTY, ids=lambda twin: twin.name)
def test_a_fault_is_located_at_its_step_of_the_path(tmp_path: Path, twin: Twin) -> None:
    walked = walk(build(twin, tmp_path / "twin"))
    assert located(walked, twin.item, twin.place), (walked.problems, walked.findings)
    assert walked.end == ("fork" if (twin.item, twin.curve) == ("cmp.08", "fork") else "mend")
    told = {found.code for found in walked.findings["cmp.08"]}
    told &= set().union(*CURVES.values())
    assert told <= CURVES[twin.curve]
    assert told or twin.curve == "agrees" or twin.name in HIDDEN


def test_the_engine_says_what_the_walk_says(tmp_path: Path) -> None:
    project = build(next(twin for twin in FAULTY if twin.name == "leaky_mlp"), tmp_path / "twin")
    walked = walk(project)
    opened = open_project(project, ["comparison"], session="none")
    said = {
        (event.job.item, event.job.probe): (event.result.status, event.result.suggestion)
        for event in opened.run(opened.jobs())
        if isinstance(event, Finished)
    }
    for (item, name), verdict in said.items():
        result = walked.results[item][name]
        assert verdict == (result.status, result.suggestion)
    assert {item for item, _ in said} >= set(EXAMINED)
