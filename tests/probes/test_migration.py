"""The probes of the checklist migration on real folders: what is walked through, and what keeps it from being read."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck import engine, probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Verdict, suggest
from accucheck.probes import parameters_to_map
from accucheck.script import folder as folders

NAMES = ("api_scan", "dynamic_shapes", "sparse_tensors", "parameters_to_map", "float16_operators")
NET = "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n        return torch.abs(x)\n"


def findings(name: str, root: Path, **case: Any) -> list[Finding]:
    module = probe.load(name)
    spec = msgspec.convert(case, CaseFile)
    return [event for event in module.run(Case(str(root), spec), module.Params()) if isinstance(event, Finding)]


def written(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def scanned(found: list[Finding]) -> dict[str, Any]:
    return next(finding.data for finding in found if finding.code == "scanned")


def test_a_folder_without_a_case_is_read(tmp_path: Path) -> None:
    data = scanned(findings("api_scan", written(tmp_path, src__net=NET, main="from src.net import Net\n")))
    assert (data["files"], data["apis"]) == (1, 2)


def test_only_the_benchmark_counts_where_one_is_named(tmp_path: Path) -> None:
    written(tmp_path, mine__tool="import torch\ntorch.load('a')\n", ref__net=NET)
    case = {"benchmark": {"scripts": {"train": "../ref/net.py"}}}
    data = scanned(findings("api_scan", tmp_path / "mine", **case))
    assert data["apis"] == 2
    assert scanned(findings("api_scan", tmp_path / "mine", benchmark={"scripts": {"train": "../ref"}})) == data


def test_a_notebook_and_another_encoding_are_read(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": ["import torch\n", "torch.abs(1)"], "metadata": {}, "outputs": []}
    notebook = {"cells": [cell], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    (tmp_path / "a.ipynb").write_bytes(msgspec.json.encode(notebook))
    (tmp_path / "b.py").write_bytes("import torch\ntorch.sin(1)  # 正弦\n".encode("gbk"))
    assert scanned(findings("api_scan", tmp_path))["apis"] == 2


def test_what_cannot_be_read_leaves_it_undecided_and_the_rest_is_told(tmp_path: Path) -> None:
    written(tmp_path, good=NET, old="import torch\nprint torch.abs(1)\n", empty="")
    found = findings("api_scan", tmp_path)
    assert [finding.where.path for finding in found if finding.incomplete] == ["old.py"]
    assert scanned(found)["apis"] == 2
    assert suggest(found) is Verdict.UNDECIDED


def test_environments_and_hidden_folders_are_left_out(tmp_path: Path) -> None:
    written(tmp_path, env__lib__a=NET, build__b=NET)
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "c.py").write_text(NET)
    (tmp_path / "loop").symlink_to(tmp_path)
    found = findings("api_scan", tmp_path)
    assert [(finding.code, finding.data["files"]) for finding in found] == [("no-torch", 0)]


def test_more_files_than_are_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "FILES", 3)
    written(tmp_path, **{f"n{number}": NET for number in range(6)})
    found = findings("api_scan", tmp_path)
    assert found[0].code == "too-many-files" and found[0].incomplete
    assert scanned(found)["files"] == 3


def test_a_torch_of_ones_own_is_not_taken_for_pytorch(tmp_path: Path) -> None:
    found = findings(
        "api_scan", written(tmp_path, torch="def abs(x):\n    return x\n", main="import torch\ntorch.abs(1)\n")
    )
    assert not any(finding.code == "scanned" for finding in found)
    assert any(finding.incomplete for finding in found)


def test_star_imports_are_followed_through_the_project(tmp_path: Path) -> None:
    written(
        tmp_path,
        m____init__="",
        m__common="from torch import nn\nimport torch\n",
        m__net="from m.common import *\nnn.Linear(1, 2)\n",
    )
    assert scanned(findings("api_scan", tmp_path))["apis"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_without_code_is_not_applicable(name: str, tmp_path: Path) -> None:
    module = probe.load(name)
    assert module.suggest(findings(name, tmp_path)) is Verdict.NOT_APPLICABLE


def test_a_change_of_the_benchmark_makes_a_result_stale(tmp_path: Path) -> None:
    written(tmp_path, mine__a=NET, ref__net=NET)
    spec = msgspec.convert({"benchmark": {"scripts": {"train": "../ref/net.py"}}}, CaseFile)
    case, job = Case(str(tmp_path / "mine"), spec), engine.Job("mig.01", "api_scan", {}, 1)
    first = engine.fingerprint(case, job)
    assert first == engine.fingerprint(case, job)
    (tmp_path / "ref" / "net.py").write_text(NET + "torch.sin(1)\n")
    assert engine.fingerprint(case, job) != first
    assert engine.fingerprint(Case(str(tmp_path / "mine")), job) != first


@pytest.mark.mindspore
def test_parameters_are_called_so_in_both_frameworks() -> None:
    torch = pytest.importorskip("torch")
    from mindspore import nn

    made = {
        "Embedding": (3, 4),
        "LayerNorm": ((3,),),
        "GroupNorm": (1, 3),
        "PReLU": (),
    }
    for name, (theirs, mine) in parameters_to_map._NAMES.items():
        arguments = made.get(name, (3,))
        layer = getattr(torch.nn, name)(*arguments, **({"affine": True} if "InstanceNorm" in name else {}))
        assert ", ".join(layer.state_dict()) == theirs, name
        if name == "SyncBatchNorm":
            continue  # wants a communication group

        class Net(nn.Cell):
            def __init__(self, inner: nn.Cell) -> None:
                super().__init__()
                self.inner = inner

        net = Net(getattr(nn, name)(*(([3],) if name == "LayerNorm" else arguments)))
        here = {parameter.split(".")[-1] for parameter, _ in net.parameters_and_names()}
        assert {word for word in mine.split(", ") if word != "–"} <= here, (name, here)


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("DataLoader(data, batch_size=8, shuffle=True)", True),
        ("DataLoader(data, 8)", True),
        ("DataLoader(data, batch_size=8, drop_last=False)", True),
        ("DataLoader(data)", False),
        ("DataLoader(data, 1)", False),
        ("DataLoader(data, batch_size=1)", False),
        ("DataLoader(data, batch_size=8, drop_last=True)", False),
        ("DataLoader(data, batch_size=8, drop_last=last)", False),
        ("DataLoader(data, batch_sampler=sampler)", False),
        ("ds.GeneratorDataset(data, ['a']).batch(32)", True),
        ("ds.GeneratorDataset(data, ['a']).batch(32, drop_remainder=True)", False),
        ("ds.GeneratorDataset(data, ['a']).batch(32, True)", False),
        ("ds.GeneratorDataset(data, ['a']).batch(32, drop_remainder=False)", True),
        ("ds.GeneratorDataset(data, ['a']).batch(1)", False),
        ("ds.GeneratorDataset(data, ['a']).batch(1, drop_remainder=False)", False),
        ("ds.GeneratorDataset(data, ['a']).map(last)", False),
        ("DataLoader(data, 8, True, None, None, 0, None, True)", True),
        ("DataLoader(data, 8, True, None, None, 0, None, False, True)", False),
        ("DataLoader(data, 8, True, None, None, 0, None, False, False)", True),
        ("ds.GeneratorDataset(data, ['a']).batch(32, False)", True),
        ("ds.GeneratorDataset(data, ['a']).batch(32, last)", False),
    ],
)
def test_a_short_last_batch(tmp_path, call, kept):
    head = (
        "import mindspore.dataset as ds\nfrom torch.utils.data import DataLoader\n\n\ndef make(data, sampler, last):\n"
    )
    (tmp_path / "data.py").write_text(f"{head}    return {call}\n")
    found = [finding.code for finding in findings("dynamic_shapes", tmp_path)]
    assert ("last-batch" in found) == kept, found


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("self.img_size = random.choice(range(320, 640, 32))", True),
        ("input_size = int(np.random.randint(10, 20) * 32)", True),
        ("crop_size = random.choice(range(320, 640, 32))", False),
        ("img_size = config.choice(sizes)", False),
        ("img_size = 32", False),
        ("seed = random.randint(0, 9)", False),
    ],
)
def test_images_of_a_size_drawn_at_random(tmp_path, line, told):
    text = f"import random\nimport numpy as np\nimport torch\n\n\ndef make(self, config, sizes):\n    {line}\n    return torch.abs(sizes)\n"
    (tmp_path / "data.py").write_text(text)
    found = [finding.code for finding in findings("dynamic_shapes", tmp_path)]
    assert ("random-size" in found) == told, found


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("", "no-scale"),
        (", amp_level='O0'", "no-scale"),
        (", amp_level='O3'", "no-scale"),
        (", amp_level='O2'", "scaled"),
        (", None, None, None, 'O2'", "scaled"),
        (", amp_level=level", None),
        (", amp_level=level, loss_scale_manager=scale", "scaled"),
    ],
)
def test_level_o2_brings_a_loss_scale(tmp_path: Path, arguments: str, code: str | None) -> None:
    text = "import mindspore as ms\nfrom mindspore import nn\nnet = nn.Conv2d(3, 8, 3)\n"
    written(tmp_path, train=f"{text}model = ms.Model(net, nn.MSELoss(), opt{arguments})\n")
    found = {finding.code for finding in findings("float16_operators", tmp_path)}
    assert found == {"operators", *([code] if code else [])}
