"""Real Dask workers: hosts told apart by address, workers without accucheck, without the data, and killed in the middle.

127.0.0.1 and 127.0.0.2 are two hosts to Dask, so that one machine can play several.
"""

import json
import os
import signal
import site
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")

from accucheck import cluster, nodes, scan
from accucheck.cluster import Cluster
from accucheck.errors import ReadError, UserError
from accucheck.manifest import Manifest
from command_line import Ran, accucheck

pytestmark = pytest.mark.part(40)

#: So that scheduler and workers can import this module.
HERE = str(Path(__file__).parent)
Start = Callable[..., subprocess.Popen]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts processes, each a group of its own, and ends them."""
    processes = []

    def start(*command: str, **environment: str) -> subprocess.Popen:
        log = (tmp_path / f"log{len(processes)}").open("wb")
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / f"cache{len(processes)}"), **environment},
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


@pytest.fixture
def scheduler(started: Start, tmp_path: Path) -> str:
    file = tmp_path / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter", "--scheduler-file", str(file)]
    started(sys.executable, "-m", "distributed.cli.dask_scheduler", *words, PYTHONPATH=HERE)
    return until(lambda: json.loads(file.read_text())["address"])


def until(look: Callable[[], object], seconds: float = 30) -> str:
    deadline = time.monotonic() + seconds
    while True:
        try:
            found = look()
            if found:
                return str(found)
        except (OSError, ValueError):
            pass
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.05)


@pytest.fixture
def worker(started: Start, scheduler: str) -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts a worker at an address and waits until the scheduler knows it."""
    from distributed import Client

    with Client(scheduler, set_as_default=False) as client:

        def start(
            host: str, *words: str, python: tuple[str, ...] = (sys.executable,), **environment: str
        ) -> subprocess.Popen:
            before = len(client.nthreads())
            common = ["--host", host, "--no-dashboard", "--nthreads", "1", *(words or ["--no-nanny"])]
            process = started(*python, "-m", "distributed.cli.dask_worker", scheduler, *common, **environment)
            until(lambda: len(client.nthreads()) > before)
            return process

        yield start


@pytest.fixture
def data(tmp_path: Path) -> Path:
    root = tmp_path / "project/data"
    root.mkdir(parents=True)
    for number in range(30):
        (root / f"{number}.bin").write_bytes(b"%d" % number)
    return root


# --- every host hashes its own copy -------------------------------------------------------------------------------------


def own_copy(root: Path, own: Path) -> tuple[str, ...]:
    """A Python that sees `own` at `root`, in a mount namespace of its own."""
    script = f'mount --bind "{own}" "{root}" && exec "{sys.executable}" "$@"'
    return ("unshare", "--mount", "sh", "-c", script, "sh")


def may_mount() -> bool:
    try:
        return subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


needs_mount = pytest.mark.skipif(not may_mount(), reason="mount namespaces are not allowed here")


@needs_mount
def test_the_host_that_differs_is_named_with_its_files(worker, scheduler, data, tmp_path):
    own = tmp_path / "own"
    subprocess.run(["cp", "-r", data, own], check=True)
    (own / "3.bin").unlink()
    (own / "4.bin").write_bytes(b"?")
    (own / "new.bin").write_bytes(b"new")
    worker("127.0.0.1")
    worker("127.0.0.2", python=own_copy(data, own))
    worker("127.0.0.3")
    ran = accucheck("manifest", data, "--scheduler", scheduler, timeout=60)
    name = next(line for line in ran.out.splitlines() if "127.0.0.2" in line).partition("  ")[0]
    assert ran.code == 1, ran
    for line in (f"{name}  missing  3.bin", f"{name}  different  4.bin", f"{name}  extra  new.bin"):
        assert line in ran.out.splitlines()
    assert "28 files are the same on all 3 machines; 1 machine differs from most" in ran.out
    ran = accucheck("manifest", data, "--scheduler", scheduler, "--check", data, "--json", timeout=60)
    found = {node["name"][-10:-1]: node["missing"] for node in json.loads(ran.out)["nodes"]}
    assert ran.code == 1 and found == {"127.0.0.1": [], "127.0.0.2": ["3.bin"], "127.0.0.3": []}
    sets = ["--set", "data.train.path=data", "--only", "ds.04", "--no-session"]
    ran = accucheck("run", data.parent, "--scheduler", scheduler, *sets, "--lang", "zh", timeout=60)
    assert ran.code == 1 and "127.0.0.2) 与多数机器不同：缺失 1 个文件" in ran.out, ran


def test_equal_hosts_and_two_workers_on_one_of_them(worker, scheduler, data):
    for host in ("127.0.0.1", "127.0.0.1", "127.0.0.2"):
        worker(host)
    ran = accucheck("manifest", data, "--scheduler", scheduler, timeout=60)
    assert (ran.code, ran.err) == (0, "") and "30 files are the same on all 2 machines" in ran.out
    found = cluster.connect(scheduler)
    try:
        assert found.hosts == {"127.0.0.1": 2, "127.0.0.2": 1}
        made = dict(nodes.gather(found, str(data)))
        assert all(isinstance(one, Manifest) and one.reused == 0 for one in made.values())
    finally:
        found.close()


def run_json(project: Path, scheduler: str, item: str, *settings: str) -> tuple[Ran, list[dict]]:
    words = [word for text in settings for word in ("--set", text)]
    ran = accucheck(
        "run", project, "--scheduler", scheduler, "--only", item, "--no-session", "--json", *words, timeout=120
    )
    return ran, json.loads(ran.out)["items"][0]["results"]


@needs_mount
def test_a_host_without_the_folder_is_told_and_the_rest_is_done(worker, scheduler, data, tmp_path):
    (tmp_path / "none").mkdir()
    worker("127.0.0.1")
    worker("127.0.0.2", python=own_copy(data.parent, tmp_path / "none"))
    worker("127.0.0.3")
    ran = accucheck("manifest", data, "--scheduler", scheduler, timeout=60)
    assert ran.code == 3 and f"127.0.0.2: {data} does not exist" in ran.err and "partial" in ran.err, ran
    assert "30 files are the same on all 2 machines" in ran.out
    _, results = run_json(data.parent, scheduler, "ds.04", "data.train.path=data")
    result = next(one for one in results if one["probe"] == "dataset_nodes")
    codes = {finding["code"] for finding in result["findings"]}
    assert (result["status"], codes) == ("done", {"node-failed", "nodes"})


@pytest.fixture
def bare(tmp_path: Path) -> tuple[str, ...]:
    """A Python that has all packages of this one but accucheck."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for place in [*site.getsitepackages(), *(path for path in sys.path if path.endswith("site-packages"))]:
        for entry in Path(place).iterdir():
            if not entry.name.startswith("accucheck") and entry.suffix != ".pth" and not (folder / entry.name).exists():
                (folder / entry.name).symlink_to(entry)
    return ("env", f"PYTHONPATH={folder}", sys.executable, "-S")


def test_a_worker_without_accucheck_is_told(worker, scheduler, data, bare):
    worker("127.0.0.2", python=bare)
    ran = accucheck("manifest", data, "--scheduler", scheduler, timeout=60)
    assert (ran.code, ran.out) == (2, "") and "has no accucheck. Install version" in ran.err, ran
    worker("127.0.0.1")
    ran = accucheck("manifest", data, "--scheduler", scheduler, "--check", data, timeout=60)
    assert ran.code == 3 and "127.0.0.2: The Dask process at tcp://127.0.0.2" in ran.err, ran
    assert "30 files are as in" in ran.out
    (data.parent / "a.csv").write_text("x,label\n" + "".join(f"{n},{n % 2}\n" for n in range(100)))
    ran, results = run_json(data.parent, scheduler, "ds.01", "data.train.path=a.csv")
    assert results[0]["status"] == "done" and "200 values" in ran.out, ran  # by the other worker


def test_a_scheduler_without_accucheck_is_told(started, bare, data, tmp_path):
    file = tmp_path / "bare.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    started(*bare, "-m", "distributed.cli.dask_scheduler", *words)
    address = until(lambda: json.loads(file.read_text())["address"])
    ran = accucheck("manifest", data, "--scheduler", address, timeout=60)
    assert ran.code == 2 and f"The Dask process at {address} has no accucheck" in ran.err, ran


def test_another_version_on_a_worker_is_told(worker, scheduler, data, bare, tmp_path):
    info = tmp_path / "bare/accucheck-9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: accucheck\nVersion: 9.9\n")
    worker("127.0.0.1", python=bare)
    ran = accucheck("manifest", data, "--scheduler", scheduler, "--lang", "zh", timeout=60)
    assert ran.code == 2 and "accucheck 为 9.9" in ran.err, ran


def test_wrong_uses_say_what_to_do(worker, scheduler, data, tmp_path):
    for words, said in (
        (["--scheduler", "tcp://127.0.0.1:9"], "No Dask scheduler answers at tcp://127.0.0.1:9"),
        (["--scheduler", "nonsense"], "No Dask scheduler answers at nonsense"),
        (["--scheduler", scheduler], "has no workers. Start one on each machine"),
        (["--scheduler", scheduler, "-o", str(tmp_path / "m")], "--scheduler takes --check"),
        (["--scheduler", scheduler, "--check", str(tmp_path / "none")], "does not exist"),
    ):
        ran = accucheck("manifest", data, *words, timeout=60)
        assert (ran.code, ran.out) == (2, "") and said in ran.err, ran
        assert "Traceback" not in ran.err
    worker("127.0.0.1")
    ran = accucheck("manifest", data, "--scheduler", scheduler, timeout=60)
    assert ran.code == 2 and "only one host" in ran.err
    ran, results = run_json(data.parent, "tcp://127.0.0.1:9", "ds.01", "data.train.path=data")
    assert ran.code == 3 and results[0]["status"] == "failed"
    assert "No Dask scheduler answers" in results[0]["reason"]["message"]


# --- workers that die ---------------------------------------------------------------------------------------------------


def test_a_host_that_dies_in_the_middle_leaves_a_partial_result(worker, scheduler, data):
    with (data / "huge").open("wb") as stream:
        stream.truncate(4 << 30)
    worker("127.0.0.1")
    doomed = worker("127.0.0.2")
    command = [sys.executable, "-m", "accucheck", "manifest", str(data), "--scheduler", scheduler]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: subprocess.run(["pgrep", "-P", str(doomed.pid), "-f", "hasher.py"], capture_output=True).stdout)
    doomed.kill()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert "127.0.0.2: its Dask worker ended before it was done" in err and "the result is partial" in err
    assert "31 files are the same on all 1 machines" in out


def slow(number: int) -> Iterator[float | int]:
    time.sleep(0.3)
    yield 0.5
    if number == 13:
        raise ReadError("empty", path="13")
    yield number * 2


@pytest.fixture
def used(scheduler: str, worker: Callable[..., subprocess.Popen]) -> Iterator[list[subprocess.Popen]]:
    """This process does its scans on two workers."""
    workers = [worker(f"127.0.0.{host}", PYTHONPATH=HERE) for host in (1, 2)]
    scan.use(scheduler)
    yield workers
    found = scan.cluster()
    assert found is not None
    found.close()
    scan.use(None)


def test_a_worker_that_dies_in_a_scan_costs_nothing(used):
    results: list[tuple[int, scan.PartResult[int]]] = []
    for part, found in scan.each(range(20), slow):
        results.append((part, found))
        if part == 1:
            used[0].kill()
    assert [part for part, _ in results] == list(range(20))
    assert all(found == scan.PartResult(part * 2) for part, found in results if part != 13)
    error = results[13][1].error
    assert error is not None and error.code == "empty"


def test_without_any_worker_what_was_done_is_kept_and_the_rest_is_told(used, monkeypatch):
    monkeypatch.setattr(cluster, "_GRACE", 2)
    results = []
    for part, found in scan.each(range(20), slow):
        results.append(found)
        if part == 3:
            for process in used:
                process.kill()
    assert [found.result for found in results[:4]] == [0, 2, 4, 6] and len(results) == 20
    lost = [found.error for found in results[8:] if found.error is not None]
    assert len(lost) == 12 and {error.code for error in lost} == {"cluster-lost"}


def kill_the_worker(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_work_that_kills_its_workers_is_told(scheduler, worker):
    for host in range(1, 6):
        worker(f"127.0.0.{host}", PYTHONPATH=HERE)
    found: Cluster = cluster.connect(scheduler)
    try:
        with pytest.raises(ReadError) as caught:
            found.result(found.executor.submit(kill_the_worker, 0))
        assert caught.value.code == "worker-killed"
    finally:
        found.close()


# --- scans on the cluster -----------------------------------------------------------------------------------------------


def test_scans_give_the_same_on_a_cluster(worker, scheduler, tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    random = np.random.default_rng(1)
    for number in range(4):
        rows = "".join(f"{random.normal()},{label}\n" for label in random.integers(0, 5, 500))
        (root / f"{number}.csv").write_text("x,label\n" + rows + ",0\n" * number)
        np.savez(root / f"{number}.npz", label=random.integers(0, 3, 100), x=np.full((100, 4), np.nan))
        np.save(root / f"{number}.npy", np.where(random.random(1000) < 0.01, np.inf, 1.0).astype(np.float32))
    (root / "broken.npy").write_bytes(b"\x93NUMPY")
    (root / "empty.csv").write_bytes(b"")
    worker("127.0.0.1")
    worker("127.0.0.2")
    for item in ("ds.01", "ds.03"):
        words = ["run", root, "--only", item, "--no-session", "--json", "--set", "data.train.path=."]
        outcomes = []
        for more in ([], ["--scheduler", scheduler]):
            ran = accucheck(*words, *more, timeout=120)
            outcome = json.loads(ran.out)["items"][0]
            for result in outcome["results"]:
                result.pop("seconds")
            outcomes.append((ran.code, outcome))
        assert outcomes[0] == outcomes[1]
        assert any(result["findings"] for result in outcomes[0][1]["results"])


def test_errors_survive_the_way_from_a_worker():
    import pickle

    error = ReadError("truncated", path="x", offset=3, expected="y")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, again.data) == (ReadError, error.code, error.data)
    assert str(pickle.loads(pickle.dumps(UserError("no-dask")))) == str(UserError("no-dask"))
