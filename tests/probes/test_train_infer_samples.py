"""train_infer_samples on real pipelines: the same samples through both, whatever reads them."""

from pathlib import Path

import numpy as np
import pytest

import pipelines
from accucheck.model import Finding, Level, Table, Verdict, suggest
from accucheck.probe import Skip

pytestmark = pytest.mark.mindspore

CALLS = {"train": {"call": "pipe:train"}, "eval": {"call": "pipe:evaluate"}}
HEAD = """
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

def tail(mean=MEAN, std=STD):
    return [vision.Rescale(1 / 255, 0.0), vision.Normalize(mean, std), vision.HWC2CHW()]

def pair(source, train, evaluate, column="image"):
    global train_set, eval_set
    train_set = lambda: source("train").map(train, column, num_parallel_workers=2).shuffle(8).batch(4).repeat(2)
    eval_set = lambda: source("val").map(evaluate, column).batch(4)

def train(): return train_set()
def evaluate(): return eval_set()
"""


def run(root: Path, body: str, **more: object) -> list[Finding]:
    return pipelines.run("train_infer_samples", root, HEAD + body, **{"pipelines": CALLS, **more})


def found(findings: list[Finding]) -> dict[str, Level]:
    return {finding.code: finding.level for finding in findings}


FOLDER = "lambda part: ds.ImageFolderDataset(part)"
DECODED = "lambda part: ds.ImageFolderDataset(part, decode=part == 'train')"
CROPS = "[vision.RandomCropDecodeResize(8), vision.RandomHorizontalFlip()]"


@pytest.mark.parametrize(
    ("source", "train", "evaluate", "code"),
    [
        (
            FOLDER,
            f"{CROPS} + tail()",
            "[vision.Decode(), vision.Resize((9, 9)), vision.CenterCrop(8)] + tail()",
            "equal-colours",
        ),
        # other mean and std, the other order of colours, BGR statistics on RGB: seen behind a random crop
        (
            FOLDER,
            f"{CROPS} + tail()",
            "[vision.Decode(), vision.Resize((8, 8))] + tail([0.5] * 3, [0.5] * 3)",
            "colours-differ",
        ),
        (
            FOLDER,
            f"{CROPS} + tail()",
            "[vision.Decode(), vision.Resize((8, 8)), lambda x: x[..., ::-1]] + tail()",
            "colours-differ",
        ),
        (
            FOLDER,
            f"{CROPS} + tail()",
            "[vision.Decode(), vision.Resize((8, 8))] + tail(MEAN[::-1], STD[::-1])",
            "colours-differ",
        ),
        (FOLDER, f"{CROPS} + tail()", "[vision.Decode(), vision.Resize((9, 9))] + tail()", "shape-differs"),
        (FOLDER, f"{CROPS} + tail()", "[vision.Decode(), vision.Resize((8, 8))] + tail()[:2]", "shape-differs"),
        # PIL between the operations of one map
        (
            FOLDER,
            "[vision.Decode(to_pil=True), vision.Resize((8, 8)), vision.ToTensor(), vision.Normalize(MEAN, STD, is_hwc=False)]",
            "[vision.Decode(to_pil=True), vision.Resize((8, 8)), vision.ToTensor(), vision.Normalize(MEAN, STD, is_hwc=False)]",
            "equal",
        ),
        # the source itself decodes in one of the two
        (DECODED, "[vision.Resize((8, 8))] + tail()", "[vision.Decode(), vision.Resize((8, 8))] + tail()", "equal"),
        # a jitter of colours leaves nothing but shape and range to compare
        (
            FOLDER,
            f"{CROPS} + [vision.RandomColorAdjust(0.5)] + tail()",
            "[vision.Decode(), vision.Resize((8, 8))] + tail()",
            "only-shape",
        ),
    ],
)
def test_folders_of_pictures(tmp_path: Path, source: str, train: str, evaluate: str, code: str) -> None:
    pipelines.folders(tmp_path / "train", 8)
    pipelines.folders(tmp_path / "val", 5)
    findings = run(tmp_path, f"pair({source}, {train}, {evaluate})")
    assert code in found(findings), findings
    level = Level.PROBLEM if code.endswith("differ") or code.endswith("differs") else Level.INFO
    assert found(findings)[code] is level
    assert suggest(findings) is (Verdict.OK if level is Level.INFO else Verdict.PROBLEM), findings


def test_the_first_differing_step_is_named(tmp_path: Path) -> None:
    pipelines.folders(tmp_path / "train", 8)
    pipelines.folders(tmp_path / "val", 5)
    (finding, *_) = run(
        tmp_path,
        f"pair({FOLDER}, [vision.Decode(), vision.Resize((8, 8))] + tail(), [vision.Decode(), vision.Resize((8, 8)), "
        "vision.Rescale(1 / 128, 0.0)] + tail()[1:])",
    )
    assert finding.code == "values-differ" and finding.data["step"] == 3, finding
    assert "0.0039" in finding.data["mine"] and "0.0078" in finding.data["theirs"]
    steps = next(evidence for evidence in finding.evidence if isinstance(evidence, Table) and evidence.title == "steps")
    assert [row[0] for row in steps.rows].count("train") == 6 and "(8, 8, 3)" in [row[2] for row in steps.rows]


def test_a_seed_that_the_project_sets_does_not_hide_chance(tmp_path: Path) -> None:
    pipelines.folders(tmp_path / "train", 8)
    pipelines.folders(tmp_path / "val", 5)
    findings = run(tmp_path, f"ds.config.set_seed(1)\npair({FOLDER}, {CROPS} + tail(), {CROPS} + tail())")
    assert found(findings)["random-step"] is Level.PROBLEM
    assert "RandomCropDecodeResize" in findings[0].data["mine"]


def test_cifar_and_records(tmp_path: Path) -> None:
    pipelines.cifar(tmp_path / "data")
    cifar = "lambda part: ds.Cifar10Dataset('data', num_samples=40)"
    assert found(run(tmp_path, f"pair({cifar}, [vision.RandomCrop(32, 4)] + tail(), tail())"))["equal-colours"]
    rows = [{"x": np.full(4, i / 50, np.float32), "label": i % 5} for i in range(50)]
    schema = {"x": {"type": "float32", "shape": [4]}, "label": {"type": "int32"}}
    pipelines.mindrecord(tmp_path / "a.mindrecord", rows, schema)
    records = "lambda part: ds.MindDataset('a.mindrecord')"
    body = "pair({}, [lambda x: x - np.float32(0.5)], [lambda x: {}], 'x')"
    assert found(run(tmp_path, body.format(records, "x - np.float32(0.5)")))["equal"] is Level.INFO
    assert found(run(tmp_path, body.format(records, "x")))["values-differ"] is Level.PROBLEM
    assert found(run(tmp_path, body.format(records, "(x - 0.5).astype(np.float64)")))["type-differs"] is Level.SUSPECT


OWN = """
class Own:
    def __init__(self, part, scale, seed):
        self.scale, self.images = scale, np.random.default_rng(seed).random((30, 3, 4, 4)).astype(np.float32)
    def __len__(self): return 30
    def __getitem__(self, index): return self.images[index] * np.float32(self.scale), np.int32(index % 7)

def train(): return ds.GeneratorDataset(Own("train", 1, {seed}), ["image", "label"]).batch(4)
def evaluate(): return ds.GeneratorDataset(Own("val", {scale}, 2), ["image", "label"], shuffle=False).batch(4)
def infer(): return ds.GeneratorDataset(Own("val", 1, 2), ["image", "label"], shuffle=False)
"""


def own(seed: int, scale: float) -> str:
    return OWN.replace("{seed}", str(seed)).replace("{scale}", str(scale))


def test_sources_of_the_users_own(tmp_path: Path) -> None:
    """What they do inside is compared where they hold the same samples; else the probe says that it did not see it."""
    assert found(run(tmp_path, own(2, 1))) == {"equal": Level.INFO}
    assert found(run(tmp_path, own(2, 255)))["values-differ"] is Level.SUSPECT  # training may have other samples
    calls = {**CALLS, "infer": {"call": "pipe:infer"}}
    findings = run(tmp_path, own(2, 255), pipelines=calls)
    assert [
        (f.level.value, f.data["one"]["en"], f.data["other"]["en"]) for f in findings if f.code == "values-differ"
    ] == [
        ("problem", "evaluation", "inference"),
        ("suspect", "training", "evaluation"),
    ]


def test_other_samples_in_sources_of_the_users_own(tmp_path: Path) -> None:
    body = (
        own(1, 1)
        .replace("return 30", "return 30 if self.seed == 2 else 29")
        .replace("self.scale, self", "self.seed, self.scale, self")
    )
    body = body.replace("= scale, np", "= seed, scale, np")
    assert found(run(tmp_path, body)) == {"inside-source": Level.INFO, "equal": Level.INFO}
    findings = run(
        tmp_path,
        body.replace(
            'Own("val", 1, 2), ["image", "label"], shuffle=False).batch',
            'Own("val", 255, 2), ["image", "label"]).batch',
        ),
    )
    assert found(findings) == {"range-differs": Level.SUSPECT, "inside-source": Level.INFO}
    assert suggest(findings) is Verdict.UNDECIDED


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    body = (
        "def train(): return sliced().batch(4)\n"
        "def evaluate(): return ds.zip((sliced(), ds.NumpySlicesDataset({'more': LABELS}))).batch(4)\n"
    )
    findings = run(tmp_path, body)
    assert found(findings) == {"not-replayed": Level.INFO} and suggest(findings) is Verdict.UNDECIDED
    body = (
        "def train(): return sliced().batch(4)\n"
        "def evaluate(): return ds.NumpySlicesDataset({'image': random.random((9, 3, 3)), 'label': LABELS[:9]}).batch(4)\n"
    )
    assert found(run(tmp_path, body))["other-rows"] is Level.INFO
    with pytest.raises(Skip):
        run(tmp_path, body, pipelines={"infer": {"call": "pipe:train"}})
