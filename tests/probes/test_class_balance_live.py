"""class_balance_live on real pipelines: what comes out beside what is stored."""

from pathlib import Path

import pytest
from PIL import Image

import pipelines
from accucheck.model import Finding, Level, Verdict, suggest

pytestmark = pytest.mark.mindspore


def run(root: Path, body: str, **more: object) -> list[Finding]:
    return pipelines.run("class_balance_live", root, body, **more)


def found(findings: list[Finding]) -> dict[str, Level]:
    return {finding.code: finding.level for finding in findings}


def counts(findings: list[Finding]) -> dict[str, float]:
    finding = next(finding for finding in findings if finding.code in ("classes", "partial"))
    table = next(evidence for evidence in finding.evidence if getattr(evidence, "columns", [])[:1] == ["class"])
    return {row[0]: row[1] for row in table.rows}


EVEN = {str(label): 100 for label in range(6)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("sliced().batch(32)", EVEN),
        ("sliced()", EVEN),
        # maps that have nothing to do with the label are not run: this one would fail
        ("sliced().map(lambda image: 1 / 0, 'image').batch(32)", EVEN),
        ("sliced().map(lambda label: label // 2, 'label').batch(7)", {"0": 200, "1": 200, "2": 200}),
        ("sliced().map(transforms.OneHot(6), 'label').batch(7)", EVEN),
        ("sliced(shuffle=False).skip(200).take(300)", {"2": 100, "3": 100, "4": 100}),
        (
            "sliced(sampler=ds.SubsetSampler(list(range(350))))",
            {"0": 100, "1": 100, "2": 100, "3": 50},
        ),
        ("sliced().filter(lambda image: bool(image[0] < 0.5), 'image').batch(32)", {"0": 100, "1": 100, "2": 100}),
        (
            "sliced().batch(30, per_batch_map=halved, input_columns=['image', 'label'])",
            {"0": 300, "1": 300},
        ),
        ("sliced().project(['image', 'label']).shuffle(600).repeat(2).batch(10)", dict.fromkeys(EVEN, 200)),
        (
            "ds.NumpySlicesDataset({'x': IMAGES, 'kind': [['cat', 'dog'][label % 2] for label in LABELS]})",
            {"cat": 300, "dog": 300},
        ),
        ("sliced().concat(sliced())", dict.fromkeys(EVEN, 200)),
        # what is left of the other columns after their maps are gone does not fit into a batch
        ("ragged().map(lambda label: label, 'label').map(padded, 'image').batch(32)", EVEN),
        (
            "ragged().map(padded, 'image').map(lambda label: label // 2, 'label').map(padded, 'image').batch(32)",
            {"0": 200, "1": 200, "2": 200},
        ),
        ("ragged().map(padded, 'image').shuffle(600).batch(10)", EVEN),
    ],
)
def test_what_is_counted(tmp_path: Path, body: str, expected: dict[str, int]) -> None:
    head = "def padded(image): return np.resize(image, 9).astype(np.float32)\n"
    head += (
        "def rows():\n    for at, label in enumerate(LABELS): yield np.ones(at % 3 + 1, np.float32), np.int32(label)\n"
    )
    head += "def ragged(): return ds.GeneratorDataset(rows, ['image', 'label'], shuffle=False)\n"
    head += "def halved(image, label, info): return image, [np.int32(one % 2) for one in label]\n"
    findings = run(tmp_path, f"{head}def create(): return {body}", params={"ratio": 100, "rare": 0.001})
    assert counts(findings) == expected, findings


def test_folders_and_their_numbers(tmp_path: Path) -> None:
    pipelines.folders(tmp_path / "images")
    body = "def create(): return ds.ImageFolderDataset('images', decode=True){}.map(vision.Resize((4, 4)), 'image').batch(5)"
    data = {"train": {"path": "images"}}
    assert found(run(tmp_path, body.format(""), data=data)) == {"classes": Level.INFO, "beside-files": Level.INFO}
    findings = run(tmp_path, body.format(".filter(lambda label: label != 1, 'label')"), data=data)
    assert found(findings)["class-lost"] is Level.PROBLEM and suggest(findings) is Verdict.PROBLEM
    lost = next(finding for finding in findings if finding.code == "class-lost")
    assert lost.data["names"] == "b (12)"


def test_numbers_that_are_also_names_of_other_classes_accuse_nobody(tmp_path: Path) -> None:
    """Labels from 1 on that the pipeline counts from 0, and folders called by numbers, which ImageFolderDataset sorts as text."""
    (tmp_path / "train.csv").write_text("x,label\n" + "".join(f"{row},{row % 6 + 1}\n" for row in range(600)))
    data = {"train": {"path": "train.csv", "label": "label"}}
    findings = run(tmp_path, "def create(): return sliced().batch(8)", data=data)
    assert found(findings) == {"classes": Level.INFO} and suggest(findings) is Verdict.OK
    fewer = run(tmp_path, "def create(): return sliced().filter(lambda label: label < 5, 'label')", data=data)
    assert found(fewer)["classes-fewer"] is Level.SUSPECT
    for name, classes in (("ones", range(1, 11)), ("zeros", range(12))):
        for label in classes:
            (tmp_path / name / str(label)).mkdir(parents=True)
            for number in range(6 if label == 2 else 2):
                Image.new("RGB", (4, 4)).save(tmp_path / name / str(label) / f"{number}.png")
        body = f"def create(): return ds.ImageFolderDataset('{name}', decode=True).batch(2)"
        findings = run(tmp_path, body, data={"train": {"path": name}}, params={"shrunk": 2, "rare": 0.001})
        assert not {"class-lost", "class-shrunk", "classes-fewer"} & found(findings).keys(), name


def test_declared_classes(tmp_path: Path) -> None:
    data = {"train": {"classes": [0, 1, 2, 3, 4, 5, 6]}}
    assert found(run(tmp_path, "def create(): return sliced().batch(8)", data=data))["empty-class"] is Level.PROBLEM


def test_labels_that_are_mixed_several_or_none(tmp_path: Path) -> None:
    mixed = "lambda label: (0.9 * np.eye(6)[label] + 0.1 / 6).astype(np.float32)"
    findings = run(tmp_path, f"def create(): return sliced().map({mixed}, 'label').batch(8)")
    assert counts(findings) == EVEN and found(findings)["soft-labels"] is Level.INFO
    many = "lambda label: (np.arange(6) <= label).astype(np.float32)"
    assert counts(run(tmp_path, f"def create(): return sliced().map({many}, 'label').batch(8)"))["0"] == 600
    values = "def create(): return ds.NumpySlicesDataset({'x': IMAGES, 'label': random.random(N)})"
    assert found(run(tmp_path, values)) == {"not-classes": Level.INFO}
    boxes = "def create(): return ds.NumpySlicesDataset({'x': IMAGES, 'label': 9 * random.random((N, 4, 5))})"
    findings = run(tmp_path, boxes)
    assert found(findings) == {"label-shape": Level.INFO} and suggest(findings) is Verdict.UNDECIDED
    assert found(run(tmp_path, "def create(): return ds.NumpySlicesDataset({'x': IMAGES})")) == {"no-label": Level.INFO}


def test_part_of_an_epoch_is_not_judged(tmp_path: Path) -> None:
    findings = run(tmp_path, "def create(): return sliced(shuffle=False).batch(10)", params={"samples": 150})
    assert found(findings) == {"partial": Level.INFO} and counts(findings) == {"0": 100, "1": 50}
    assert suggest(findings) is Verdict.UNDECIDED


def test_records_and_cifar(tmp_path: Path) -> None:
    rows = [{"data": b"x" * 9, "label": 0 if i else 1} for i in range(200)]
    pipelines.mindrecord(tmp_path / "a.mindrecord", rows, {"data": {"type": "bytes"}, "label": {"type": "int32"}})
    data = {"train": {"path": "a.mindrecord", "label": "label"}}
    assert (
        found(run(tmp_path, "def create(): return ds.MindDataset('a.mindrecord').batch(9)", data=data))["rare-class"]
        is Level.PROBLEM
    )
    pipelines.cifar(tmp_path / "cifar")
    body = "def create(): return ds.Cifar10Dataset('cifar').map(vision.ToTensor(), 'image').batch(32)"
    findings = run(tmp_path, body, data={"train": {"path": "cifar/data_batch_1.bin"}})
    assert (
        found(findings) == {"classes": Level.INFO, "beside-files": Level.INFO}
        and sum(counts(findings).values()) == 10_000
    )
