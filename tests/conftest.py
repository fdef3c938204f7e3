"""Fixtures that several tests need: a private home, and fake probes as another package would bring them."""

import ctypes
import gc
import importlib.util
import itertools
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from made_once import MadeOnce

FAKES = Path(__file__).parent / "fakes"
#: Where it is missing, the tests marked mindspore are skipped: all others do without it.
MINDSPORE = importlib.util.find_spec("mindspore") is not None
#: So many runs that follow each other take every case of the tests marked part(n), for n up to this.
PARTS = 40
#: Tests with these marks are run in as many parts where they say nothing else: each starts MindSpore (3 s), or a walkthrough (1 s),
#: or takes more than 5 s.
COSTLY = ("mindspore", "slow", "asyncio")
#: Files that take minutes. They come first, so that on several processors none of them is left over at the end.
LONG = (
    "test_planted_faults.py",
    "test_probe_examples.py",
    "test_location.py",
    "test_hard_runs.py",
    "test_digits.py",
    "test_hostile.py",
    "test_kills.py",
    "test_without_mindspore.py",
    "test_range_test.py",
    "test_pipeline_throughput.py",
    "test_cluster.py",
    "test_data_items.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--monkey", type=int, default=0, help="keys that tests/tui/test_monkey.py presses for each seed")
    parser.addoption(
        "--kills", type=int, help="commands that tests/faults/test_kills.py kills: 19 with --whole, else 6"
    )
    parser.addoption("--whole", action="store_true", help="every case of the tests marked part(n)")
    parser.addoption("--part", type=int, help="which part of the tests marked part(n); else the commit chooses it")
    parser.addoption("--unwatched", action="store_true", help="tests/fuzz reads its inputs, and watches nothing")


def pytest_configure(config: pytest.Config) -> None:
    """Ctrl+C ends what tests start, even where a job in the background runs them, for which shells ignore it.

    Which part is run, is chosen once: workers of pytest-xdist take over the options.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # until all is collected: it would look through millions of live objects again and again
    if config.option.part is None:
        config.option.part = part_of_the_commit()


def part_of_the_commit() -> int:
    """How many commits lead to this one on its first-parent line, so that PARTS of them in succession take every part.

    Where that cannot be counted, in a shallow clone or outside git, the number of the day.
    """

    def git(*words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=FAKES.parent, capture_output=True, text=True, check=True)
        return ran.stdout.strip()

    try:
        if git("rev-parse", "--is-shallow-repository") == "false":
            return int(git("rev-list", "--count", "--first-parent", "HEAD"))
    except (OSError, subprocess.CalledProcessError):
        pass
    return int(time.time()) // 86400


def runs_all(config: pytest.Config) -> bool:
    """Whether nothing is left out: with --whole, and where tests are named one by one."""
    return config.option.whole or any("::" in argument for argument in config.args)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Says which part is run; a report header would not come with -q."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter:
        part = f"part {session.config.option.part % PARTS or PARTS} of {PARTS} of the long families"
        reporter.write_line("every case" if runs_all(session.config) else f"{part}; every case: --whole")


def part_of(item: pytest.Item) -> tuple[int, str]:
    """In how many parts a test's family is run, and the family: the cases of one function, or all such tests of its module."""
    node, mark = next(item.iter_markers_with_node("part"), (item.parent, None))
    family = item.nodeid.partition("[")[0] if node is item else node.nodeid
    if mark:
        if not 1 <= mark.args[0] <= PARTS:
            raise pytest.UsageError(f"{item.nodeid}: part({mark.args[0]}); at most {PARTS} parts")
        return mark.args[0], family
    return PARTS if any(item.get_closest_marker(name) for name in COSTLY) else 1, family


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each family marked part(n) all cases but one in n. Families start at different cases, so that parts take about as long."""
    seen: Counter[tuple[int, str]] = Counter()
    kept, others = [], []
    for item in items:
        parts, family = part_of(item)
        start = config.option.part % PARTS + zlib.crc32(family.encode())
        (kept if (seen[parts, family] + start) % parts == 0 else others).append(item)
        seen[parts, family] += 1
    items[:] = kept
    config.hook.pytest_deselected(items=others)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not runs_all(config):
        leave_out(config, items)
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))
    if not MINDSPORE:
        skip = pytest.mark.skip(reason="MindSpore is not installed: pip install 'accucheck[mindspore]'")
        for item in items:
            if item.get_closest_marker("mindspore"):
                item.add_marker(skip)


def pytest_collection_finish() -> None:
    gc.enable()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Home folders that no test has had yet. A numbered folder of pytest would be looked for among all that there are: 10 ms a test."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, and English, whoever runs the tests."""
    folder = next(homes)
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(folder))
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "ACCUCHECK_LANG",
        "LC_ALL",
        "LC_MESSAGES",
        "NO_COLOR",
    ):
        monkeypatch.delenv(name, raising=False)
    # A process whose files may not grow, or whose disk is full, would leave half a module's bytecode in the sources.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("COLORTERM", "truecolor")
    return folder


@pytest.fixture(autouse=True)
def unseeded() -> Iterator[None]:
    """A seed that a test sets for MindSpore's data sets within this process does not reach the next test."""
    yield
    config = sys.modules.get("mindspore.dataset.core.config")
    if config and config.get_seed() != 5489:  # MindSpore's own, which stands for none
        config.set_seed(5489)


@pytest.fixture(autouse=True)
def subnormal() -> None:
    """Numbers below 1e-38 count again, where a library that a test before used has set the processor to take them for zero."""
    if sys.platform == "linux":
        ctypes.CDLL("libm.so.6").fesetenv(ctypes.c_void_p(-1))  # FE_DFL_ENV


@pytest.fixture(scope="session")
def warm_processes() -> Iterator[list[Any]]:
    """The process from which tasks of live probes are forked, where one runs."""
    processes: list[Any] = []
    yield processes
    for one in processes:
        one.close()


@pytest.fixture(autouse=True)
def warm(request: pytest.FixtureRequest, warm_processes: list[Any]) -> Iterator[None]:
    """MindSpore is imported once for all live probes that tests run in this process. Commands that tests run are on their own."""
    if not (sys.platform == "linux" and request.node.get_closest_marker("mindspore")):
        yield
        return
    from accucheck.live import warm

    if not warm_processes:
        warm_processes.append(warm.WarmProcess(sys.executable))
    warm.ask(warm_processes[-1].socket.fileno(), sys.executable)
    yield
    warm.ask(None, "")


@pytest.fixture(scope="session")
def installed_fakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """tests/fakes where packages may lie: not in the current folder, of which accucheck imports nothing."""
    return Path(shutil.copytree(FAKES, tmp_path_factory.mktemp("installed") / "fakes"))


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, installed_fakes: Path) -> Path:
    """The fake probes of tests/fakes, installed for this process and its children."""
    monkeypatch.syspath_prepend(str(installed_fakes))
    monkeypatch.setenv("PYTHONPATH", str(installed_fakes))
    for name in [name for name in sys.modules if name.startswith("fake_")]:
        monkeypatch.delitem(sys.modules, name)
    return installed_fakes


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python with all that is installed here but MindSpore and torch."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    python = str(folder / "bin" / "python")
    where = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    target = Path(where.stdout.strip())
    for path in (child for name in ("purelib", "platlib") for child in Path(sysconfig.get_path(name)).iterdir()):
        hidden = path.name.lower().startswith(("mindspore", "torch"))
        if not hidden and path.name != "__pycache__" and not (target / path.name).exists():
            (target / path.name).symlink_to(path)
    return python


@pytest.fixture(scope="session")
def real_graphs(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """What graph_files.write describes, of each network of graph_files.NAMES."""
    from graph_files import write_one

    return MadeOnce(tmp_path_factory, "graphs", write_one)


@pytest.fixture(scope="session")
def real_dumps(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """The dump of each kind of dump_files.ORIGINS."""
    from dump_files import write

    return MadeOnce(tmp_path_factory, "dumps", write)


@pytest.fixture(scope="session")
def watched_runs(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """The project of each kind of training in watched_trainings.KINDS, run under watch."""
    from watched_trainings import write

    return MadeOnce(tmp_path_factory, "watched", write)


@pytest.fixture(scope="session")
def profiled_runs(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """What the profiler wrote of a run with a slow map, and of one with slow steps."""
    from profiled_runs import write

    seconds = {
        "slow map": {"map_seconds": 0.02, "step_seconds": 0.0},
        "slow step": {"map_seconds": 0.0, "step_seconds": 0.1},
    }
    return MadeOnce(tmp_path_factory, "profiles", lambda folder, kind: write(folder, **seconds[kind]))
