"""Outputs and metrics of inference: which of the two differs, and metrics as people write them."""

import csv
from pathlib import Path

import numpy as np
import pytest

from accucheck.case import Case, CaseFile, Folder
from accucheck.errors import ReadError
from accucheck.model import Finding
from accucheck.probe import Skip
from accucheck.probes import inference_outputs
from accucheck.probes.inference_outputs import _metrics


def run(root: Path) -> dict[str, Finding]:
    case = Case(root=str(root), spec=CaseFile(outputs=Folder(path="a", reference="b")))
    events = inference_outputs.run(case, inference_outputs.Params())
    return {event.code: event for event in events if isinstance(event, Finding)}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "m.json",
            '{"eval": {"top1": 0.76, "top5": 0.93}, "notes": "x", "ok": true}',
            {"eval.top1": 0.76, "eval.top5": 0.93},
        ),
        ("m.csv", "name,value\ntop1,0.76\ntop5,0.93\n", {"top1": 0.76, "top5": 0.93}),
        ("m.csv", "epoch,top1,file\n1,0.5,a\n2,0.76,b\n", {"top1": 0.76}),
        ("m.txt", "Top-1 = 76.1%\nmAP: .393\n", {"Top-1": 0.761, "mAP": 0.393}),
        ("m.txt", "准确率：0.91\n召回率 = 83%\n", {"准确率": 0.91, "召回率": 0.83}),
        ("m.json", '{"准确率": 0.91, "召回率": 0.83}', {"准确率": 0.91, "召回率": 0.83}),
        (
            "m.json",
            '{"eval_loss": 0.3, "eval_runtime": 12.3, "eval_samples_per_second": 81.2, "epoch": 3, "run": {"time": 9, "step": 5}}',
            {"eval_loss": 0.3},
        ),
        (
            "m.csv",
            "name,value\nval_acc_epoch,0.9\nval_loss_step,0.4\nruntime,7\n",
            {"val_acc_epoch": 0.9, "val_loss_step": 0.4},
        ),
    ],
)
def test_metrics_as_people_write_them(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    problems: list[ReadError] = []
    assert dict(_metrics(tmp_path, problems).values()) == pytest.approx(expected) and not problems


def test_a_damaged_table_is_told_and_the_other_files_count(tmp_path, request):
    limit = csv.field_size_limit(1000)  # of the whole process, so that other tests may have changed it
    request.addfinalizer(lambda: csv.field_size_limit(limit))
    (tmp_path / "a.csv").write_text("name,value\n" + "x" * 2000 + ",1\n")
    (tmp_path / "b.csv").write_text("name,value\n\0top,0.5\n")
    problems: list[ReadError] = []
    assert [value for _, value in _metrics(tmp_path, problems).values()] == [0.5]
    assert [(problem.code, problem.data["path"]) for problem in problems] == [("malformed", str(tmp_path / "a.csv"))]


def test_metrics_alone_and_outputs_alone(tmp_path):
    for side, value in (("a", 0.5), ("b", 0.6)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "m.json").write_text(f'{{"top1": {value}, "{side}": 1}}')
    found = run(tmp_path)
    assert {"no-outputs", "metric-differs", "metric-missing"} <= set(found)
    for side in "ab":
        (tmp_path / side / "m.json").unlink()
        np.save(tmp_path / side / "y.npy", np.arange(6.0).reshape(2, 3))
    assert {"outputs-agree", "no-metrics"} == set(run(tmp_path))


def test_rows_that_are_classed_otherwise_are_counted(tmp_path):
    scores = np.random.default_rng(0).standard_normal((100, 5)).astype(np.float32)
    other = scores.copy()
    other[:7] = -other[:7]
    for side, values in (("a", other), ("b", scores)):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "scores.npy", values)
    found = run(tmp_path)
    assert "outputs-differ" in found and found["classes"].data == {"name": "scores", "moved": 7, "rows": 100}


def test_nothing_in_common(tmp_path):
    for side in "ab":
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / f"{side}.npy", np.zeros(3 + (side == "a")))
    with pytest.raises(Skip):
        run(tmp_path)


def test_what_could_not_be_compared_is_told_once(tmp_path):
    for side in "ab":
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "y.npy", np.arange(24.0))
    (tmp_path / "a" / "y.npy").write_bytes((tmp_path / "b" / "y.npy").read_bytes()[:150])
    np.save(tmp_path / "a" / "alone.npy", np.zeros(3))
    case = Case(root=str(tmp_path), spec=CaseFile(outputs=Folder(path="a", reference="b")))
    events = inference_outputs.run(case, inference_outputs.Params())
    assert [event.code for event in events if isinstance(event, Finding)] == ["unpaired", "unread"]
