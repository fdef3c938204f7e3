"""Every live probe on code that fails, ends, dies, hangs, talks, starts processes or uses up the memory: never ok by mistake."""

import os
import time
from pathlib import Path

import pytest

import networks
import pipelines
from accucheck import probe
from accucheck.errors import UserError
from accucheck.live import child
from accucheck.model import Kind, Level, suggest
from accucheck.model import Verdict as V

pytestmark = pytest.mark.mindspore


def needs(name: str, key: str) -> bool:
    """Whether a probe needs a key of the case, or one of several of which it is one."""
    return any(key in ((need,) if isinstance(need, str) else need) for need in probe.load(name).NEEDS)


LIVE = [name for name in probe.names() if name != "fake_live" and probe.load(name).KIND is Kind.LIVE]
#: Those that build the network, and those of the data alone.
NETWORKS = [name for name in LIVE if needs(name, "network")]
NAMES = [name for name in LIVE if name not in NETWORKS]
CALLS = {"train": {"call": "pipe:create"}, "eval": {"call": "pipe:create"}}
TWO = {"distributed": {"devices": 2}}


def run(name: str, root: Path, body: str, **params: object) -> list:
    return pipelines.run(name, root, body, pipelines=CALLS, runtime=TWO, params=params)


def of_network(name: str, root: Path, body: str, **params: object) -> list:
    (root / "net.mindir").touch()
    spec = {
        "loss": {"call": "mindspore.nn:CrossEntropyLoss"},
        "optimizer": {"call": "net:sgd"},
        "graphs": {"path": "net.mindir"},
    }
    return networks.run(name, root, body, params=params, **spec)


@pytest.fixture
def little_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """What hangs does so for good: no need to wait for it as long as for what is merely slow."""
    monkeypatch.setattr(child, "GRACE", 1.0)


def test_all_live_probes_are_here() -> None:
    assert set(NAMES) >= {"class_balance_live", "input_statistics", "padding_live", "shard_overlap", "shuffle_order"}
    assert set(NETWORKS) >= {"loss_reference", "overfit_batch", "mode_switch", "update_ratio", "gradients"}


FAILURES = {
    "raises": ("def create(): raise ValueError('no such split')", "no such split"),
    "killed": ("def create(): os.kill(os.getpid(), 9)", "9"),
    "reading": (
        "def rows():\n    yield np.float32(1), np.int32(1)\n    raise OSError('not mounted')\n"
        "def create(): return ds.GeneratorDataset(rows, ['x', 'label'])",
        "not mounted",
    ),
    "exits": ("def create(): sys.exit('bye')", "SystemExit: bye"),
    "nothing": ("def create(): return None", "NoneType"),
    "memory": (
        "import resource\ndef create():\n    limit = 8 << 30\n    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "    return np.ones(1 << 40)",
        "emory",
    ),
}
#: The one that runs each rank in a process of its own, and one of the others, which share the way in.
BOTH_WAYS = ("shard_overlap", "input_statistics")


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        (name, failure)
        for name in NAMES
        for failure in (FAILURES if name in BOTH_WAYS else ("raises", "killed", "reading"))
    ],
)
def test_what_goes_wrong_is_an_error_with_its_words(tmp_path: Path, name: str, failure: str) -> None:
    body, says = FAILURES[failure]
    with pytest.raises(UserError) as caught:
        run(name, tmp_path, body)
    assert says in str(caught.value) and "pipe:create" in str(caught.value), str(caught.value)


@pytest.mark.usefixtures("little_grace")
@pytest.mark.parametrize("name", NAMES)
def test_a_source_that_hangs_is_left_when_the_time_is_over(tmp_path: Path, name: str) -> None:
    body = "def rows():\n    yield np.float32(1), np.int32(1)\n    time.sleep(1000)\n"
    body += "def create(): return ds.GeneratorDataset(rows, ['x', 'label'])"
    start = time.monotonic()
    findings = run(name, tmp_path, body, seconds=1)
    assert time.monotonic() - start < 60
    assert suggest(findings) is V.UNDECIDED and any(finding.incomplete for finding in findings), findings


@pytest.mark.parametrize("name", NAMES)
def test_talk_and_processes_do_no_harm(
    tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        "import subprocess\nprint('at import')\n"
        "def double(image):\n    print('in a map'); os.write(1, b'{\"event\": \"end\"}\\n'); return image * 2\n"
        "def create():\n    print('x' * 100000); os.write(1, b'junk\\n' * 1000); print('loud', file=sys.stderr)\n"
        "    child = subprocess.Popen(['sleep', '30'])\n    if os.fork() == 0: time.sleep(2); os._exit(1)\n"
        "    child.kill()\n"
        "    return sliced().map(double, 'image', num_parallel_workers=2, python_multiprocessing=True).batch(8)\n"
    )
    before = sorted(os.listdir(tmp_path))
    findings = run(name, tmp_path, body)
    assert findings and not any(
        finding.level is Level.PROBLEM for finding in findings if finding.code != "not-sharded"
    ), findings
    assert capfd.readouterr() == ("", "")
    assert sorted(os.listdir(tmp_path)) == [*before, "pipe.py"]


NET = """
import os, sys, time
def sgd(params):
    return nn.SGD(params, 0.1)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Dense(8, 16), nn.Dense(16, 2)

    def construct(self, x):
        return self.two(ops.relu(self.one(x)))
"""
BROKEN = {
    "raises": ("def Net(): raise ValueError('no such backbone')", "no such backbone", "net:Net"),
    "killed": ("def Net(): os.kill(os.getpid(), 9)", "9", "net:Net"),
    "no network": ("def Net(): return 3", "int", "net:Net"),
    "shapes": (
        "def create(): return ds.NumpySlicesDataset({'x': np.ones((8, 3), np.float32), 'label': np.ones(8, np.int32)})",
        "",
        "",
    ),
    "reading": (
        "def rows():\n    yield np.ones(8, np.float32), np.int32(1)\n    raise OSError('not mounted')\n"
        "def create(): return ds.GeneratorDataset(rows, ['x', 'label'])",
        "not mounted",
        "net:create",
    ),
}


@pytest.mark.part(40)
@pytest.mark.parametrize("failure", BROKEN)
@pytest.mark.parametrize("name", NETWORKS)
def test_what_goes_wrong_with_a_network_is_an_error_with_its_words(tmp_path: Path, name: str, failure: str) -> None:
    body, says, call = BROKEN[failure]
    if failure in ("shapes", "reading") and not needs(name, "pipelines.train"):
        pytest.skip("it reads no data")
    if failure == "shapes" and name == "exported_network":
        pytest.skip("an empty MindIR has no shapes, and is told before any data")
    with pytest.raises(UserError) as caught:
        of_network(name, tmp_path, NET + body)
    assert says in str(caught.value) and call in str(caught.value), str(caught.value)


@pytest.mark.usefixtures("little_grace")
@pytest.mark.parametrize("name", [name for name in NETWORKS if needs(name, "pipelines.train")])
def test_data_that_hang_are_left_when_the_time_is_over(tmp_path: Path, name: str) -> None:
    body = "def rows():\n    yield np.ones(8, np.float32), np.int32(1)\n    time.sleep(1000)\n"
    body += "def create(): return ds.GeneratorDataset(rows, ['x', 'label'])"
    start = time.monotonic()
    findings = of_network(name, tmp_path, NET + body, seconds=1)
    assert time.monotonic() - start < 60
    assert suggest(findings) is V.UNDECIDED and any(finding.incomplete for finding in findings), findings
