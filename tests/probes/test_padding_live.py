"""padding_live on real pipelines: padding by MindSpore, by a function, by the project's own source."""

from pathlib import Path

import pytest

import pipelines
from accucheck.model import Finding, Level, Verdict, suggest

pytestmark = pytest.mark.mindspore

HEAD = """
def tokens(count=50, low=1):
    for _ in range(count):
        yield random.integers(low, 90, int(random.integers(3, 15))).astype(np.int32), np.int32(random.integers(0, 2))

def source(**how): return ds.GeneratorDataset(lambda: tokens(**how), ["ids", "label"])

def fit(length, side="right", value=0, mask=None):
    def pad(ids):
        ids = ids[:length]
        free = length - len(ids)
        around = (0, free) if side == "right" else (free, 0)
        whole = np.pad(ids, around, constant_values=value)
        kept = np.pad(np.ones(len(ids), np.int32), around)
        return (whole, mask(whole, kept)) if mask else whole
    return pad

def together(ids, info):
    width = max(map(len, ids))
    return ([np.pad(each, (0, width - len(each))) for each in ids],)
"""


def run(root: Path, body: str, design: dict | None = None, **more: object) -> list[Finding]:
    spec = {"design": {"padding": design}} if design else {}
    return pipelines.run("padding_live", root, HEAD + body, **spec, **more)


def found(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings}


DESIGN = {"value": 0, "side": "right"}


@pytest.mark.parametrize(
    ("body", "expected", "cut"),
    [
        ("source().map(fit(16), 'ids').batch(5)", {"padded"}, 0),
        ("source().map(fit(8), 'ids').batch(5)", {"padded", "cut"}, 1),
        ("source().map(fit(16, 'left'), 'ids').batch(5)", {"side-differs"}, 0),
        ("source().map(fit(16, value=7), 'ids').batch(5)", {"value-differs", "value-is-real"}, 0),
        ("source().map(transforms.PadEnd([20], 0), 'ids').batch(5)", {"padded"}, 0),
        (
            "source().map([lambda x: x[:6], transforms.PadEnd([20], 0)], 'ids').batch(5, drop_remainder=True).repeat(2)",
            {"padded", "cut"},
            1,
        ),
        ("source().shuffle(9).padded_batch(4, pad_info={'ids': ([None], 0)})", {"padded"}, 0),
        ("source(low=0).padded_batch(4, pad_info={'ids': ([None], 0)})", {"value-is-real"}, 0),
        (
            "source().bucket_batch_by_length(['ids'], [6, 10], [2, 3, 4], pad_info={'ids': ([None], 0)})",
            {"padded"},
            0,
        ),
        ("source().batch(5, per_batch_map=together, input_columns=['ids'])", {"padded"}, 0),
        ("source().rename('ids', 'input_ids').map(fit(16), 'input_ids').batch(5)", {"padded"}, 0),
        ("source().map(fit(16), 'ids').rename(['ids'], ['input_ids']).project(['input_ids']).batch(5)", {"padded"}, 0),
        (
            "source().map(transforms.Compose([lambda x: x[:6], transforms.PadEnd([20], 0)]), 'ids').batch(5)",
            {"padded", "cut"},
            1,
        ),
        # pictures are cropped and padded too, and dark at their edges; that is no padding of sequences
        (
            "ds.NumpySlicesDataset({'image': np.pad(random.random((40, 3, 4)), ((0, 0), (2, 2), (2, 2))), 'label': LABELS[:40]})",
            {"padding-expected"},
            0,
        ),
    ],
)
def test_a_step_that_pads(tmp_path: Path, body: str, expected: set[str], cut: int) -> None:
    findings = run(tmp_path, f"def create(): return {body}", DESIGN)
    assert found(findings) == expected, findings
    assert any(finding.code == "cut" and finding.data["cut"] > 0 for finding in findings) == bool(cut)


def test_share_and_lengths_are_those_of_the_data(tmp_path: Path) -> None:
    body = (
        "def create():\n    rows = [(np.arange(1, n + 1, dtype=np.int32), np.int32(n)) for n in (2, 4, 6, 8)]\n"
        "    return ds.GeneratorDataset(rows, ['ids', 'label']).padded_batch(2, pad_info={'ids': ([10], 0), 'label': ([], 0)})"
    )
    (finding,) = run(tmp_path, body, DESIGN)
    assert (finding.data["share"], finding.data["padded"], finding.data["rows"]) == (0.5, 4, 4)
    curve = finding.evidence[1]
    assert curve.series == {"ids": [2, 2, 2, 4, 4, 6, 6, 6, 8, 8, 8]}


MASKED = "def create(): return source().map(fit(16, '{side}', mask={mask}), 'ids', ['ids', '{name}']).batch(5)"


@pytest.mark.parametrize(
    ("name", "mask", "side", "code", "level"),
    [
        ("mask", "lambda ids, kept: kept", "right", "mask-agrees", Level.INFO),
        ("attention_mask", "lambda ids, kept: kept.astype(bool)", "left", "mask-agrees", Level.INFO),
        ("pad_mask", "lambda ids, kept: 1 - kept", "right", "mask-turned", Level.INFO),
        ("mask", "lambda ids, kept: np.ones_like(kept)", "right", "mask-disagrees", Level.PROBLEM),
        ("mask", "lambda ids, kept: kept[::-1].copy()", "right", "mask-disagrees", Level.PROBLEM),
        ("mask", "lambda ids, kept: np.roll(kept, 1)", "right", "mask-disagrees", Level.PROBLEM),
        ("loss_mask", "lambda ids, kept: kept * (ids % 2)", "right", "mask-partial", Level.INFO),
        ("loss_mask", "lambda ids, kept: np.roll(kept, 1)", "right", "mask-disagrees", Level.PROBLEM),
    ],
)
def test_masks(tmp_path: Path, name: str, mask: str, side: str, code: str, level: Level) -> None:
    findings = run(tmp_path, MASKED.format(name=name, mask=mask, side=side), {"value": 0, "side": side})
    levels = {finding.code: finding.level for finding in findings}
    assert levels.pop(code) is level and set(levels) <= {"padded"}, findings


OWN = (
    "def rows(clean=False):\n    for ids, label in tokens({how}):\n"
    "        whole, kept = fit(16, '{side}', mask=lambda ids, kept: kept)(ids)\n        yield whole, {mask}, label\n"
    "def create(): return ds.GeneratorDataset(rows, ['ids', 'mask', 'label']).batch(5)\n"
)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_source_that_pads_by_itself(tmp_path: Path, side: str) -> None:
    own = OWN.replace("{side}", side).replace("{how}", "")
    design = {"value": 0, "side": side, "mask": "mask"}
    findings = run(tmp_path, own.replace("{mask}", "kept"), design)
    assert found(findings) == {"padded", "mask-agrees"} and suggest(findings) is Verdict.OK
    findings = run(tmp_path, own.replace("{mask}", "np.ones(16, np.int32)"), design)
    assert found(findings) == {"padded", "mask-disagrees"} and suggest(findings) is Verdict.PROBLEM
    findings = run(tmp_path, own.replace("{mask}", "kept"), {**design, "mask": "input_mask"})
    assert "mask-missing" in found(findings)


def test_positions_begin_at_0_also_where_0_is_padding(tmp_path: Path) -> None:
    body = (
        "def create(): return source().map(lambda ids: (ids, np.arange(len(ids), dtype=np.int32)), 'ids', ['ids', 'position_ids'])"
        ".padded_batch(5, pad_info={'ids': ([16], 0), 'position_ids': ([16], 0)})"
    )
    assert found(run(tmp_path, body, DESIGN)) == {"padded"}


def test_healthy_data_without_padding(tmp_path: Path) -> None:
    body = (
        "from sklearn.datasets import load_digits\ndef create(): return ds.NumpySlicesDataset("
        "{'x': load_digits().data.astype(np.uint8), 'onehot': np.eye(10, dtype=np.int32)[load_digits().target]}).batch(32)"
    )
    findings = run(tmp_path, body)
    assert found(findings) == {"no-padding"} and suggest(findings) is Verdict.OK


def test_each_pipeline_is_looked_at(tmp_path: Path) -> None:
    body = (
        "def train(): return source().map(fit(16), 'ids').batch(5)\n"
        "def evaluate(): return ds.zip((source(), sliced())).batch(2)\n"
        "def infer(): return ds.GeneratorDataset(lambda: iter(()), ['ids'])\n"
    )
    calls = {
        role: {"call": f"pipe:{name}"} for role, name in (("train", "train"), ("eval", "evaluate"), ("infer", "infer"))
    }
    findings = run(tmp_path, body, DESIGN, pipelines=calls)
    told = [(finding.code, finding.data["role"]["en"]) for finding in findings]
    assert told == [("padded", "Training"), ("not-replayed", "Evaluation"), ("no-samples", "Inference")]
    assert suggest(findings) is Verdict.UNDECIDED
