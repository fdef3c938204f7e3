"""A session as probes and people would leave it."""

from pathlib import Path

import msgspec
import pytest
from report_sample import CHECKLIST, ENVIRONMENT, EPOCHS, FAKE, HOSTILE, MOMENT, ORDER, result

from accucheck import checklist, probe
from accucheck.case import Case, CaseFile
from accucheck.checklist import Checklist
from accucheck.model import Finding, Kind, Language, Level, Reason, Status, Verdict, Where
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.session import Entry, Record


@pytest.fixture(autouse=True)
def fake_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    load = probe.load
    monkeypatch.setattr(probe, "load", lambda name: FAKE if name.startswith("fake_") else load(name))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    spec = {"name": "resnet50-cifar10", "runtime": {"device": "Ascend", "amp": "O2", "distributed": {"devices": 1}}}
    return Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))


@pytest.fixture
def checklists() -> list[Checklist]:
    return [checklist.read(CHECKLIST.encode(), "sample.yaml")]


@pytest.fixture
def record() -> Record:
    """dp.03: a problem, concluded so; dp.05: ruled out by the case; hp.02: a suggestion, and a failed and a skipped probe;
    hp.03: no probe."""
    odd = Finding("odd-name", Level.SUSPECT, Where(name="conv1.weight", field=HOSTILE, step=7), {"name": HOSTILE * 3})
    unread = Finding("unread", Level.INFO, Where(path="x.csv"), {"path": "x.csv"}, incomplete=True)
    gone = Finding("old-code", Level.PROBLEM, Where(), {"value": 3, "other": "x|y"})
    return Record(
        case="resnet50-cifar10",
        entries={
            "dp.03": Entry(
                conclusion=Verdict.PROBLEM,
                note="确认：没有混洗。\u3000已修改\n# second | line <i>x</i>",
                who="wang",
                when="2026-03-04T04:00:00+00:00",
                results={
                    "fake_order": result("fake_order", Kind.LIVE, [odd, ORDER, unread]),
                    "removed_probe": result("removed_probe", Kind.FILE, [gone]),
                },
            ),
            "hp.02": Entry(
                results={
                    "fake_curve": result("fake_curve", Kind.FILE, [EPOCHS]),
                    "fake_failing": result(
                        "fake_failing",
                        Kind.FILE,
                        [],
                        status=Status.FAILED,
                        suggestion=Verdict.UNDECIDED,
                        reason=Reason("raised", {"error": "ValueError: " + HOSTILE}),
                        log="Traceback\n" + HOSTILE,
                    ),
                    "fake_skipped": result(
                        "fake_skipped",
                        Kind.FILE,
                        [],
                        status=Status.SKIPPED,
                        suggestion=Verdict.UNDECIDED,
                        reason=Reason("missing-input", {"keys": "curves.eval", "first": "curves.eval"}),
                    ),
                }
            ),
        },
    )


@pytest.fixture(params=list(Language), ids=lambda language: language.value)
def report(request: pytest.FixtureRequest, record: Record, checklists: list[Checklist], case: Case) -> Report:
    return build(record, checklists, case, request.param, ENVIRONMENT, {("hp.02", "fake_curve")}, MOMENT)
