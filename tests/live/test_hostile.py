"""Every live probe on code that fails, ends, dies, hangs, talks, starts processes or uses up the memory: never ok by mistake."""

import os
import time
from pathlib import Path

import pytest

import pipelines
from accucheck import probe
from accucheck.errors import UserError
from accucheck.model import Kind, Level, suggest
from accucheck.model import Verdict as V

pytestmark = pytest.mark.mindspore

NAMES = [name for name in probe.names() if name != "fake_live" and probe.load(name).KIND is Kind.LIVE]
CALLS = {"train": {"call": "pipe:create"}, "eval": {"call": "pipe:create"}}
TWO = {"distributed": {"devices": 2}}


def run(name: str, root: Path, body: str, **params: object) -> list:
    return pipelines.run(name, root, body, pipelines=CALLS, runtime=TWO, params=params)


def test_all_live_probes_are_here() -> None:
    assert set(NAMES) == {
        "class_balance_live",
        "input_statistics",
        "padding_live",
        "shard_overlap",
        "shuffle_order",
        "train_infer_samples",
    }


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
