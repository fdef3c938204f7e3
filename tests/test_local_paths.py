"""No message names a folder of this machine: many probes on files that are missing, damaged or of another kind."""

import json
import os
import site
from pathlib import Path

import msgspec
import pytest

from accucheck import engine
from accucheck.case import Case
from accucheck.model import Code, Finding, Fix, Kind, Level, Note, Reason, Status, Table, Where
from accucheck.project import open_project

pytestmark = pytest.mark.part(40)

SCRIPT = """import yaml
import mindspore
import broken
from helper import text

config = yaml.safe_load(open("conf.yaml"))
mindspore.load_checkpoint("none.ckpt")
"""
#: What each section of a case may name, sound or not.
DAMAGED = {
    "scripts.train": "train.py",
    "scripts.eval": "none.py",
    "scripts.infer": "broken.py",
    "configs.used": "conf.yaml",
    "data.train.path": "data",
    "data.train.label": "label",
    "data.eval.path": "none",
    "data.reference.manifest": "list.md5",
    "data.predictions": "values.npy",
    "checkpoints.initial": "a.ckpt",
    "checkpoints.current": "none.ckpt",
    "checkpoints.previous": "b.safetensors",
    "checkpoints.pretrained": "a.ckpt",
    "checkpoints.reference": "c.pth",
    "curves.train": "none.log",
    "curves.eval": "empty.log",
    "curves.baseline": "data/a.csv",
    "curves.lr_test": "data/a.csv",
    "graphs.path": "graph.pb",
    "dumps.path": "data",
    "dumps.reference": "none",
    "profiler.path": "data",
    "outputs.path": "data",
    "outputs.reference": "none",
    "batches.path": "data",
    "batches.reference": "none",
    "benchmark.scripts.train": "broken.py",
}


def lay_out(root: Path) -> None:
    (root / "train.py").write_text(SCRIPT)
    (root / "broken.py").write_text("def f(:\n")
    (root / "helper.py").write_bytes(b"text = '\xff\xfe'\n")
    (root / "data").mkdir()
    for name in (
        "data/bad.csv",
        "data/x.npy",
        "values.npy",
        "a.ckpt",
        "b.safetensors",
        "c.pth",
        "graph.pb",
        "list.md5",
    ):
        (root / name).write_bytes(b"\x00\x01garbage\xff" * 40)
    (root / "data/a.csv").write_text("a,label\n1\n")
    (root / "empty.log").write_text("started\n")


@pytest.mark.parametrize("checklist", ["accuracy", "comparison", "sanity", "performance"])
def test_no_message_names_a_folder_of_this_machine(tmp_path, checklist):
    lay_out(tmp_path)
    settings = [f"{key}={value}" for key, value in DAMAGED.items()]
    project = open_project(tmp_path, [checklist], settings, session="none")
    events = project.run(project.jobs(kinds={Kind.STATIC, Kind.FILE}))
    results = [event.result for event in events if isinstance(event, engine.Finished)]
    said = 0
    for result in results:
        for told in (result.reason, *(msgspec.structs.replace(each, fix=None) for each in result.findings)):
            text = json.dumps(msgspec.to_builtins(told), ensure_ascii=False)
            assert str(tmp_path) not in text, (result.probe, text)
            said += told is not None
    assert said >= 8 and any(result.status is Status.FAILED for result in results), "the files were looked at"


def test_what_is_local_and_what_is_kept():
    home, packages = os.path.expanduser("~"), site.getsitepackages()[0]
    case = Case("/srv/项目/net")
    for text, expected in (
        ("/srv/项目/net/训练.py: at byte 4", "训练.py: at byte 4"),
        ("'/srv/项目/net' is a folder", "'.' is a folder"),
        ("/srv/项目/net2/a.py and /mnt/srv/项目/net/b.py", "/srv/项目/net2/a.py and /mnt/srv/项目/net/b.py"),
        (f"{home}/data/x.csv", "~/data/x.csv"),
        (f"File {packages}/mindspore/nn/cell.py", "File site-packages/mindspore/nn/cell.py"),
        ("/data/imagenet", "/data/imagenet"),
        ("s3://bucket/srv/项目/net/a", "s3://bucket/srv/项目/net/a"),
        ("1/2", "1/2"),
    ):
        assert case.local(text) == expected
    root = case.root
    evidence = [
        Table("t", ["c"], [[f"{root}/a", 3]]),
        Note("n", f"in {root}/b"),
        Code(f"{root}/c.py", 1, f"open('{root}/d')"),
    ]
    diff = f"--- a/c.py\n+++ b/c.py\n-open('{root}/d')\n+open('d')\n"
    data = {"problem": {"en": f"{root}/e is bad", "zh": f"{root}/e 有误"}, "paths": [f"{root}/f"], "n": 1}
    finding = Finding("x", Level.INFO, Where(f"{root}/c.py", 1), data, evidence, Fix("mend", diff))
    local = engine.localised(case, finding)
    assert local.where == Where("c.py", 1) and local.fix == finding.fix, "a diff fits the file as it is"
    assert local.data == {"problem": {"en": "e is bad", "zh": "e 有误"}, "paths": ["f"], "n": 1}
    assert local.evidence == [Table("t", ["c"], [["a", 3]]), Note("n", "in b"), Code("c.py", 1, f"open('{root}/d')")]
    reason = engine.localised_reason(case, Reason("raised", {"error": f"OSError: '{root}/g'"}))
    assert reason.data == {"error": "OSError: 'g'"}
