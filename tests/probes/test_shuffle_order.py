"""shuffle_order on real MindSpore pipelines: what is found, and what the user's own code does to it."""

import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.model import Finding, Language, Level, Progress, Verdict, suggest
from accucheck.probes import shuffle_order

pytestmark = pytest.mark.mindspore

HEAD = """
import os, sys, time
import numpy as np
import mindspore.dataset as ds

N = 600
LABELS = np.repeat(np.arange(6), N // 6).astype(np.int32)
IMAGES = np.arange(N * 4, dtype=np.float32).reshape(N, 4)

def sliced(**how):
    return ds.NumpySlicesDataset({"image": IMAGES, "label": LABELS}, **how)

class Source:
    def __init__(self, noise=False, label=True):
        self.noise, self.label = noise, label

    def __len__(self):
        return N

    def __getitem__(self, index):
        image = IMAGES[index] + (np.random.rand(4).astype(np.float32) if self.noise else 0)
        return (image, LABELS[index]) if self.label else (image,)

class Inner(Source):
    def __getitem__(self, index):
        if index == 0:
            self.order = np.random.permutation(N)
        return IMAGES[self.order[index]], LABELS[self.order[index]]
"""


def run(
    root: Path, body: str, *, params: dict | None = None, data: dict | None = None, **args: object
) -> list[Finding]:
    (root / "pipe.py").write_text(HEAD + body)
    spec = {"pipelines": {"train": {"call": "pipe:create", "args": args}}, "data": data or {}}
    case = Case(root=str(root), spec=msgspec.convert(spec, CaseFile))
    events = list(shuffle_order.run(case, probe.params(shuffle_order, params or {})))
    assert all(isinstance(event, (Finding, Progress)) for event in events)
    return [event for event in events if isinstance(event, Finding)]


def codes(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings]


@pytest.mark.parametrize(
    ("body", "verdict", "code"),
    [
        ("def create(): return sliced(shuffle=False).batch(20).shuffle(30)", Verdict.PROBLEM, "blocks"),
        ("def create(): return sliced(num_shards=4, shard_id=1, shuffle=False)", Verdict.PROBLEM, "source-order"),
        ("def create(): return sliced(sampler=ds.WeightedRandomSampler([1.0] * N))", Verdict.OK, "shuffled"),
        ("def create(): return sliced(sampler=np.random.permutation(N).tolist())", Verdict.PROBLEM, "fixed-order"),
        (
            "def create(): return ds.zip((sliced(shuffle=False), sliced(shuffle=False).rename(['image', 'label'], ['a', 'b'])))"
            ".shuffle(600)",
            Verdict.OK,
            "shuffled",
        ),
        (
            "def create(): return ds.GeneratorDataset(Source(noise=True), ['image', 'label'], shuffle=False)",
            Verdict.PROBLEM,
            "source-order",
        ),
        (
            "def create(): return ds.GeneratorDataset(Source(True, False), ['image'], shuffle=False)",
            Verdict.UNDECIDED,
            "order-unconfirmed",
        ),
        (
            "def create(): return ds.GeneratorDataset(Source(True, False), ['image'], num_parallel_workers=2).batch(8)",
            Verdict.OK,
            "shuffled",
        ),
        (
            "def create(): return ds.GeneratorDataset(Inner(), ['image', 'label'], shuffle=False)",
            Verdict.OK,
            "source-reorders",
        ),
        (
            "def rows():\n    for i in np.random.permutation(N): yield IMAGES[i], LABELS[i]\n"
            "def create(): return ds.GeneratorDataset(rows, ['image', 'label']).batch(8)",
            Verdict.OK,
            "shuffled",
        ),
        (
            "def rows():\n    for i in range(N): yield IMAGES[i] + np.random.rand(4).astype(np.float32), LABELS[i]\n"
            "def create(): return ds.GeneratorDataset(rows, ['image', 'label'])",
            Verdict.PROBLEM,
            "labels-fixed",
        ),
        (
            "def rows():\n    for i in range(N): yield (np.float32(0),)\n"
            "def create(): return ds.GeneratorDataset(rows, ['image'])",
            Verdict.UNDECIDED,
            "no-identity",
        ),
        ("def create(): return ds.NumpySlicesDataset(np.arange(5), ['x'])", Verdict.UNDECIDED, "too-few"),
        ("def create(): return ds.GeneratorDataset(lambda: iter(()), ['x'])", Verdict.UNDECIDED, "no-samples"),
    ],
)
def test_a_pipeline(tmp_path: Path, body: str, verdict: Verdict, code: str) -> None:
    findings = run(tmp_path, body)
    assert suggest(findings) is verdict and code in codes(findings), findings


def test_text_files(tmp_path: Path) -> None:
    for part in range(6):
        (tmp_path / f"{part}.txt").write_text("\n".join(f"{part} {line}" for line in range(100)))
    body = "def create(how): return ds.TextFileDataset([f'{i}.txt' for i in range(6)], shuffle=getattr(ds.Shuffle, how, False))"
    assert codes(run(tmp_path, body, how="GLOBAL")) == ["shuffled"]
    assert codes(run(tmp_path, body, how="none")) == ["source-order"]
    assert codes(run(tmp_path, body, how="FILES")) == ["blocks"]


def test_mindrecord_and_image_folders(tmp_path: Path) -> None:
    from mindspore.mindrecord import FileWriter
    from PIL import Image

    writer = FileWriter(str(tmp_path / "a.mindrecord"), 1)
    writer.add_schema({"x": {"type": "float32", "shape": [4]}, "label": {"type": "int32"}}, "s")
    rows = np.random.default_rng(0).random((500, 4), dtype=np.float32)
    writer.write_raw_data([{"x": row, "label": i // 100} for i, row in enumerate(rows)])
    writer.commit()
    body = "def create(shuffle): return ds.MindDataset('a.mindrecord', shuffle=shuffle).batch(8)"
    assert codes(run(tmp_path, body, shuffle=True)) == ["shuffled"]
    assert codes(run(tmp_path, body, shuffle=False)) == ["source-order"]

    for label in "abc":
        (tmp_path / "images" / label).mkdir(parents=True)
        for i in range(20):
            pixels = np.random.default_rng(i).integers(0, 255, (4, 4, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / "images" / label / f"{i}.png")
    body = "def create(shuffle): return ds.ImageFolderDataset('images', shuffle=shuffle, decode=True).batch(8)"
    assert codes(run(tmp_path, body, shuffle=True)) == ["shuffled"]
    assert codes(run(tmp_path, body, shuffle=False)) == ["source-order"]


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ("def create(): raise ValueError('no such split')", "live-raised", "ValueError: no such split"),
        ("def create(): sys.exit(4)", "live-raised", "SystemExit: 4"),
        ("def create(): return None", "live-no-dataset", "NoneType"),
        ("def create(): return sliced(), sliced()", "live-several", "2 datasets"),
        ("def create(): os.abort()", "live-crashed", "-6"),
        ("this is no Python", "live-raised", "SyntaxError"),
        ("other = 1", "live-raised", "no attribute 'create'"),
        (
            "def rows():\n    yield (1,)\n    raise KeyError('missing file')\n"
            "def create(): return ds.GeneratorDataset(rows, ['x'])",
            "live-raised",
            "KeyError: 'missing file'",
        ),
        (
            "class Broken(Source):\n    def __getitem__(self, i): raise OSError('not mounted')\n"
            "def create(): return ds.GeneratorDataset(Broken(), ['x'])",
            "live-raised",
            "OSError: not mounted",
        ),
    ],
)
def test_what_the_users_code_does_wrong_is_never_ok(tmp_path: Path, body: str, code: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        run(tmp_path, body)
    assert caught.value.code == code and says in str(caught.value), str(caught.value)
    assert caught.value.text(Language.ZH) != caught.value.text(Language.EN)


def test_chatter_is_kept_away_and_nothing_is_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPECTED", sys.executable)  # accucheck's own interpreter is the default
    body = (
        "print('at import')\ndef create():\n    assert sys.executable == os.environ['EXPECTED']\n"
        "    print('x' * 100000)\n    os.write(1, b'junk\\n' * 1000)\n"
        "    print('loud', file=sys.stderr)\n    assert input is not None and sys.stdin.read() == ''\n    return sliced()"
    )
    assert codes(run(tmp_path, body)) == ["shuffled"]
    assert capfd.readouterr() == ("", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe.py"]


def test_a_run_that_is_cut_short_by_samples_says_so(tmp_path: Path) -> None:
    findings = run(tmp_path, "def create(): return sliced()", params={"samples": 100})
    assert codes(findings) == ["sampled", "shuffled"] and findings[0].data["samples"] == 100


def test_a_run_that_is_cut_short_by_time_claims_no_more_than_it_saw(tmp_path: Path) -> None:
    body = "def rows():\n    for i in np.random.permutation(100000): time.sleep(0.005); yield (np.int64(i),)\n"
    findings = run(tmp_path, body + "def create(): return ds.GeneratorDataset(rows, ['x'])", params={"seconds": 1.5})
    assert suggest(findings) is Verdict.UNDECIDED and any(finding.incomplete for finding in findings), findings


def test_the_label_column_of_the_case_is_used(tmp_path: Path) -> None:
    body = (
        "def rows():\n    for i in range(N): yield IMAGES[i] + np.random.rand(4).astype(np.float32), LABELS[i]\n"
        "def create(): return ds.GeneratorDataset(rows, ['image', 'kind'])"
    )
    assert codes(run(tmp_path, body)) == ["no-identity"]
    assert codes(run(tmp_path, body, data={"train": {"label": "kind"}})) == ["labels-fixed"]


def test_evidence_shows_the_order_and_the_pipeline(tmp_path: Path) -> None:
    (finding,) = run(tmp_path, "def create(): return sliced(shuffle=False).shuffle(20).batch(8)")
    assert finding.level is Level.PROBLEM and finding.data["buffer"] == 20
    kinds = {type(evidence).__name__ for evidence in finding.evidence}
    assert kinds == {"Curve", "Table", "Note"}
    pipeline = next(evidence for evidence in finding.evidence if getattr(evidence, "title", "") == "pipeline")
    assert ["  ShuffleDataset", "buffer_size=20, reshuffle_each_epoch=True"] in pipeline.rows
