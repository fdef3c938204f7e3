"""exported_network on files that mindspore.export writes: of fixed and of open sizes, with other names, and what cannot be run."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.model import Finding, Verdict, suggest
from accucheck.probe import Skip
from accucheck.probes import exported_network
from findings import of_code, told

pytestmark = pytest.mark.mindspore

NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(8, 16), nn.BatchNorm1d(16), nn.Dense(16, 2)

    def construct(self, x):
        x = self.norm(self.first(x))
        return self.last(x.reshape(x.shape[0], 4, 4).reshape(x.shape[0], -1))

class Wrapped(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.backbone = net

    def construct(self, x):
        return self.backbone(x)
"""
SAVE = """
from net import *
ms.set_context(pynative_synchronize=True)
ms.set_seed(3)
net = Net()
net.set_train(False)
ms.save_checkpoint(net, "net.ckpt")
"""


def run(root: Path, export: str, **spec: Any) -> list[Finding]:
    (root / "net.py").write_text(networks.HEAD + NET)
    subprocess.run([sys.executable, "-B", "-c", SAVE + export], cwd=root, check=True, capture_output=True)
    return networks.run("exported_network", root, NET, graphs={"path": "net.mindir"}, **spec)


def exported(what: str = "net", size: str = "(16, 8)") -> str:
    return f"ms.export({what}, Tensor(np.zeros({size}, np.float32)), file_name='net', file_format='MINDIR')"


CURRENT = {"current": "net.ckpt"}


@pytest.mark.parametrize(
    "export",
    [
        exported(),
        exported(size="(1, 8)"),  # for one sample at a time
        "ms.export(net, Tensor(shape=(None, 8), dtype=ms.float32), file_name='net', file_format='MINDIR')",
        exported("Wrapped(net)"),
        "half = Net().to_float(ms.float16); ms.load_param_into_net(half, ms.load_checkpoint('net.ckpt')); half.set_train(False); "
        + exported("half"),
    ],
)
def test_what_is_the_same_network_agrees(tmp_path: Path, export: str) -> None:
    found = run(tmp_path, export, checkpoints=CURRENT)
    assert not told(found) and suggest(found) is Verdict.OK, found
    assert of_code(found, "export-agrees").data["difference"] < 0.02


def test_weights_of_another_checkpoint(tmp_path: Path) -> None:
    change = "net.last.bias.set_data(net.last.bias + 1.0); "
    found = run(tmp_path, change + exported("Wrapped(net)"), checkpoints=CURRENT)
    data = of_code(found, "export-other-weights").data
    assert data["other"] == 1 and data["name"].endswith("last.bias") and data["matched"] >= 6
    own, graph, _ = of_code(found, "export-agrees").evidence[0].rows
    assert own[1] > 0.1 > graph[1]


def test_without_weights_only_the_computation_is_judged(tmp_path: Path) -> None:
    found = run(tmp_path, exported())
    assert not told(found) and suggest(found) is Verdict.UNDECIDED
    assert of_code(found, "export-weights-unknown") and of_code(found, "export-agrees")


def test_an_export_of_another_network(tmp_path: Path) -> None:
    found = run(tmp_path, exported("nn.Dense(8, 5)"), checkpoints=CURRENT)
    data = of_code(found, "export-shapes").data
    assert "5" in data["there"] and "2" in data["own"]


def test_what_cannot_be_run_is_said(tmp_path: Path) -> None:
    found = run(tmp_path, "open('net.mindir', 'wb').write(b'no graph')", checkpoints=CURRENT)
    assert suggest(found) is Verdict.UNDECIDED and of_code(found, "export-fails").data["error"]
    with pytest.raises(Skip):
        list(exported_network.run(*_case_of(tmp_path)))


def _case_of(root: Path) -> tuple[Any, Any]:
    from accucheck.case import load

    (root / "graph.pb").write_bytes(b"")
    (root / "accucheck.yaml").write_text(
        "network: {call: 'net:Net'}\npipelines: {train: {call: 'net:create'}}\ngraphs: {path: graph.pb}\n"
    )
    return load(root), exported_network.Params()
