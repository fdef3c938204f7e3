"""accucheck try: real commands in real copies of projects, and that nothing of the project is touched by any of them."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from accucheck import copies, fence
from accucheck.case import Case, CaseFile, Runtime
from accucheck.errors import UserError
from accucheck.language import Language
from accucheck.model import Finding, Fix, Kind, Level, ProbeResult, Status, Sure, Verdict, Where
from accucheck.script.patch import Edit, unified
from accucheck.session import open_session
from accucheck.try_results import Trial, TryResults, cells, compare, notes
from accucheck.try_runs import Patch, TryRequest, TryRunner, chosen, patches, startable, want
from accucheck.watching import FIRST
from command_line import accucheck
from left_behind import wait_until

#: A training that prints what training prints; the rate, the classes and what else it does stand in its lines.
TRAIN = """
import math, os, pathlib, sys
RATE = 0.0
CLASSES = 10
{within}
for step in range(1, 41):
    loss = math.log(CLASSES) * (1 - RATE * step / 40)
    print(f"step: {{step}}, loss is {{loss:.4f}}", flush=True)
print(f"eval accuracy: {{0.1 + RATE:.3f}}")
"""
RATE, WORSE = "RATE = 0.0\n", "CLASSES = 10\n"


def project(folder: Path, within: str = "", **files: str) -> Path:
    root = folder / "project"
    root.mkdir()
    for name, text in {"train.py": TRAIN.format(within=within), **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def found(root: Path, code: str, old: str, new: str, *, sure: Sure = Sure.CERTAIN, path: str = "train.py") -> Finding:
    """A finding whose change puts one line in the place of another."""
    lines = (root / path).read_text().splitlines(keepends=True)
    at = lines.index(old) + 1
    diff = unified(path, lines, [Edit(at, (old,), (new,))])
    return Finding(code, Level.PROBLEM, Where(path, at), fix=Fix("fix", diff), sure=sure)


def result(*findings: Finding, probe: str = "learning_rate") -> ProbeResult:
    return ProbeResult(probe, Kind.STATIC, Status.DONE, Verdict.PROBLEM, [*findings])


def two_patches(root: Path) -> list[Patch]:
    better, worse = found(root, "rate", RATE, "RATE = 0.6\n"), found(root, "classes", WORSE, "CLASSES = 2\n")
    return patches(root, [("hp.01", result(better)), ("cg.04", result(worse, probe="loss_function"))])


def digest(root: Path) -> dict[str, str]:
    """What lies in a project, by content, mode and time; our own folder left out."""
    told = {}
    for path in sorted(root.rglob("*")):
        if ".accucheck" not in path.parts:
            status = path.lstat()
            content = hashlib.md5(path.read_bytes()).hexdigest() if path.is_file() else ""
            told[str(path.relative_to(root))] = f"{content} {status.st_mode:o} {status.st_mtime_ns * path.is_file()}"
    return told


def tried(root: Path, tell: Callable[..., None] = lambda trial, known: None, **given: object) -> TryResults:
    known = given.pop("known", ())
    made = given.pop("patches", None)
    wanted = TryRequest(root, [sys.executable, "train.py"], **{"seconds": 60, **given})  # type: ignore[arg-type]
    return TryRunner(wanted, two_patches(root) if made is None else made, known, tell).run()  # type: ignore[arg-type]


def verdicts(outcome: TryResults) -> list[str]:
    return [row.verdict for row in compare(outcome.trials).rows]


# --- what is tried ------------------------------------------------------------------------------------------------------


def test_the_changes_of_one_rule_are_tried_at_once_and_what_may_be_meant_is_not_among_all(tmp_path: Path) -> None:
    root = project(tmp_path, **{"other.py": RATE})
    first, second = (
        found(root, "rate", RATE, "RATE = 0.6\n"),
        found(root, "rate", RATE, "RATE = 0.5\n", path="other.py"),
    )
    possible = found(root, "classes", WORSE, "CLASSES = 2\n", sure=Sure.POSSIBLE)
    made = patches(root, [("hp.01", result(first, second, possible)), ("hp.02", result(first))])
    assert [(patch.kind, patch.fault, patch.places) for patch in made] == [
        ("patch", "rate", ("train.py:3", "other.py:1")),
        ("patch", "classes", ("train.py:4",)),
    ], "of what may be meant there is no patch of all; a finding of two items is one"
    assert made[0].files.keys() == {"train.py", "other.py"}


def test_a_change_that_no_longer_fits_is_not_tried(tmp_path: Path) -> None:
    root = project(tmp_path)
    made = [("hp.01", result(found(root, "rate", RATE, "RATE = 0.6\n")))]
    (root / "train.py").write_text("# written anew\n")
    (left,) = patches(root, made)
    assert not left.files and left.left[0].why == "misfit"
    with pytest.raises(UserError) as refused:
        chosen([left], 8)
    assert refused.value.code == "try-misfit"
    with pytest.raises(UserError) as refused:
        chosen([], 8)
    assert refused.value.code == "try-none"


# --- trainings ----------------------------------------------------------------------------------------------------------


def test_each_change_and_all_together_are_set_beside_the_unchanged_project(tmp_path: Path) -> None:
    root = project(tmp_path)
    before = digest(root)
    outcome = tried(root)
    assert digest(root) == before
    kinds = [(trial.kind, trial.seed, trial.ended, trial.steps) for trial in outcome.trials]
    assert kinds == [
        (kind, seed, "end", 40) for kind, seed in (("base", 1), ("base", 2), ("patch", 1), ("patch", 1), ("all", 1))
    ]
    assert sorted(trial.metric or 0 for trial in outcome.trials) == [0.1, 0.1, 0.1, 0.7, 0.7]
    rows = compare(outcome.trials)
    assert rows.by == "metric" and rows.noise == 0.005
    assert verdicts(outcome) == ["reference", "reference", "better", "same", "better"]
    for language in Language:
        told = [cell for row in rows.rows for cell in cells(row, "metric", language)] + notes(rows, language)
        assert all(told) or "" in told


@pytest.mark.parametrize(
    ("within", "ended", "verdict"),
    [
        ("if RATE: sys.exit('out of [red]memory[/red]')", "failed", "failed"),
        ("if RATE: os.kill(os.getpid(), 9)", "failed", "failed"),
        ("if RATE: CLASSES = float('nan')", "end", "nan"),
        ("if RATE: print('nothing'); sys.exit(0)", "nothing", "nothing"),
    ],
)
def test_a_training_that_fails_or_diverges_is_a_result(tmp_path: Path, within: str, ended: str, verdict: str) -> None:
    root = project(tmp_path, within)
    (patch,) = patches(root, [("hp.01", result(found(root, "rate", RATE, "RATE = 0.6\n")))])
    outcome = tried(root, patches=[patch])
    assert (outcome.trials[2].ended, verdicts(outcome)[2]) == (ended, verdict)
    if "memory" in within:
        assert outcome.trials[2].note == "out of [red]memory[/red]" and outcome.trials[2].code == 1
    if "kill" in within:
        assert outcome.trials[2].code == 128 + signal.SIGKILL


def test_a_project_that_only_trains_with_a_change_is_cured_by_it(tmp_path: Path) -> None:
    root = project(tmp_path, "if not RATE: sys.exit(3)")
    (patch,) = patches(root, [("hp.01", result(found(root, "rate", RATE, "RATE = 0.6\n")))])
    assert verdicts(tried(root, patches=[patch])) == ["failed", "failed", "cured"]


def test_a_command_that_does_not_exist_fails_as_a_training_does(tmp_path: Path) -> None:
    root = project(tmp_path)
    outcome = TryRunner(TryRequest(root, ["no-such-command"]), two_patches(root)[:1]).run()
    assert {trial.ended for trial in outcome.trials} == {"failed"}
    assert "no-such-command" in outcome.trials[0].note and outcome.trials[0].code == 127


def test_what_fails_alike_is_told_once(tmp_path: Path) -> None:
    root = project(tmp_path, "raise ValueError('no data')")
    rows = compare(tried(root).trials)
    assert notes(rows, Language.EN) == ["every training: failed: ValueError: no data"] and len(rows.rows) > 2
    assert len(notes(rows, Language.ZH)) == 1


def test_without_mindspore_nothing_more_is_trained_and_what_to_do_is_told(tmp_path: Path) -> None:
    root = project(tmp_path, "raise ModuleNotFoundError(\"No module named 'mindspore'\")")
    rows = compare(tried(root).trials)
    assert notes(rows, Language.EN) == [
        "unchanged, seed 1: failed: ModuleNotFoundError: No module named 'mindspore'",
        "The Python of this command has no MindSpore. Give the path of one that has it instead of python.",
    ]
    assert len(notes(rows, Language.ZH)) == 2 and len(rows.rows) == 1


def test_the_evaluation_tells_the_metric_where_the_training_does_not(tmp_path: Path) -> None:
    evaluate = "import pathlib\nprint('accuracy', 0.1 + float(pathlib.Path('rate.txt').read_text()))\n"
    root = project(tmp_path, **{"eval.py": evaluate})
    text = (root / "train.py").read_text().rpartition("print(")[0]
    (root / "train.py").write_text(text + "pathlib.Path('rate.txt').write_text(str(RATE))\n")
    (patch,) = patches(root, [("hp.01", result(found(root, "rate", RATE, "RATE = 0.6\n")))])
    outcome = tried(root, patches=[patch], evaluation=[sys.executable, "eval.py"])
    assert [(trial.metric, trial.source) for trial in outcome.trials] == [(0.1, "evaluation")] * 2 + [
        (0.7, "evaluation")
    ]
    assert not (root / "rate.txt").exists()


def test_without_a_metric_losses_are_compared(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / "train.py").write_text((root / "train.py").read_text().rpartition("print(")[0])
    outcome = tried(root)
    rows = compare(outcome.trials)
    assert (rows.by, rows.step, verdicts(outcome)[2:]) == ("loss", 40, ["better", "better", "better"])
    assert "loss" in notes(rows, Language.EN)[0]


# --- bounds -------------------------------------------------------------------------------------------------------------


def test_a_training_is_stopped_when_its_time_is_over_and_the_others_get_no_more_steps(tmp_path: Path) -> None:
    root = project(tmp_path, "import time; time.sleep(100)")
    begun = time.monotonic()
    outcome = tried(root, patches=[], seconds=2, seeds=1)
    assert outcome.trials[0].ended == "time" and time.monotonic() - begun < 30
    again = tried(root, patches=[], seconds=1, seeds=1, known=outcome.known)
    assert again.trials[0] == outcome.trials[0], "less time would tell no more"


@pytest.mark.parametrize(
    "within",
    [
        "open('big', 'wb').write(bytes(9 << 20))",
        "[open(str(n), 'wb').write(bytes(1 << 20)) for n in range(9)]; import time; time.sleep(99)",
    ],
)
def test_what_a_training_may_write_is_bounded(tmp_path: Path, within: str) -> None:
    root = project(tmp_path, within)
    (trial,) = tried(root, patches=[], seeds=1, disk=4 << 20).trials
    assert trial.ended in ("failed", "disk")
    assert "File too large" in trial.note or trial.ended == "disk"


def test_what_was_done_is_not_trained_again_and_an_interrupted_one_is(tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    count = tmp_path / "beside" / "count"
    root = project(tmp_path, f"open({str(count)!r}, 'a').write('x')")
    wanted = TryRequest(root, [sys.executable, "train.py"])
    kept: list[TryResults] = []

    def tell(trial: Trial, known: TryResults) -> None:
        kept.append(known)
        if len(known.trials) == 2:
            trying.stop()

    trying = TryRunner(wanted, two_patches(root), (), tell)
    assert len(trying.run().trials) == 2 and count.read_text() == "xx"
    whole = TryRunner(wanted, two_patches(root), kept[-1].known).run()
    assert len(whole.trials) == 5 and count.read_text() == "xxxxx"
    fewer = TryRunner(wanted, two_patches(root)[:1], whole.known).run()
    assert len(fewer.trials) == 3 and len(fewer.earlier) == 2 and count.read_text() == "xxxxx"
    (root / "train.py").write_text((root / "train.py").read_text() + "\n")
    assert len(TryRunner(wanted, [], fewer.known).run().trials) == 2 and count.read_text() == "xxxxxxx", "other code"


def test_stop_ends_the_training_that_runs(tmp_path: Path) -> None:
    began = tmp_path / "beside" / "began"
    began.parent.mkdir()
    root = project(tmp_path, f"open({str(began)!r}, 'w'); import time; time.sleep(600)")
    trying = TryRunner(TryRequest(root, [sys.executable, "train.py"]), [])
    running = threading.Thread(target=trying.run)
    running.start()
    wait_until(began.exists)
    trying.stop()
    running.join(30)
    assert not running.is_alive()


# --- nothing of the project is touched ------------------------------------------------------------------------------------

#: Ways in which trainings write; `ROOT` is the project's own path, which a training may know.
WRITES = [
    "open('weights.bin', 'wb').write(b'new')",
    "open('weights.bin', 'ab').write(b'new'); assert len(open('weights.bin', 'rb').read()) == (1 << 20) + 3",
    "f = open('weights.bin', 'r+b'); f.write(b'new')",
    "os.chmod('weights.bin', 0o400)",
    "os.remove('weights.bin')",
    "os.rename('weights.bin', 'old.bin')",
    "os.truncate('weights.bin', 3)",
    "os.utime('weights.bin')",
    "os.makedirs('out/deep'); open('out/deep/x', 'w').write('x')",
    "open('many/new', 'w').write('x')",
    "os.remove('many/1')",
    "os.mkdir('many/new')",
    "open(ROOT + '/new', 'w').write('x')",
    "open(ROOT + '/train.py', 'w').write('x')",
    "open(os.path.realpath('weights.bin'), 'w').write('x')",
    "os.remove(ROOT + '/train.py')",
    "os.rename(ROOT + '/train.py', 'train.old')",
    "import shutil; shutil.rmtree(ROOT, ignore_errors=True)",
    "f = os.open(ROOT, os.O_RDONLY); os.remove('train.py', dir_fd=f)",
    "os.link(ROOT + '/weights.bin', 'mine'); open('mine', 'w').write('x')",
    "os.symlink('x', ROOT + '/new')",
]
NATIVE = [
    "os.system('echo x >> weights.bin; echo x > many/new; rm -f many/1; echo x > ' + ROOT + '/new')",
    "os.system('cp train.py ' + ROOT + '/copied.py; mv ' + ROOT + '/train.py ' + ROOT + '/moved.py; truncate -s 0 weights.bin')",
]


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file that is linked, and a folder that is linked as a whole."""
    monkeypatch.setattr(copies, "_ENTRIES", 4)
    root = project(tmp_path)
    (root / "weights.bin").write_bytes(bytes(1 << 20))
    (root / "many").mkdir()
    for number in range(9):
        (root / "many" / str(number)).write_text("x")
    return root


def write_in(root: Path, line: str) -> Trial:
    (root / "train.py").write_text(TRAIN.format(within=f"ROOT = {str(root)!r}\n{line}"))
    before = digest(root)
    (trial,) = tried(root, patches=[], seeds=1).trials
    assert digest(root) == before
    return trial


@pytest.mark.parametrize("line", WRITES)
def test_no_training_writes_into_the_project(large: Path, line: str) -> None:
    trial = write_in(large, line)
    if "many/" in line or "ROOT" in line or "realpath" in line:
        assert trial.ended == "failed" and "PermissionError" in trial.note, trial
    else:
        assert trial.ended == "end", trial


@pytest.mark.parametrize("line", WRITES)
def test_nor_where_the_kernel_does_not_help(large: Path, line: str, tmp_path: Path) -> None:
    """The guard alone, in a process that is started without the fence."""
    (large / "train.py").write_text(f"import os\nROOT = {str(large)!r}\n{line}\n")
    copy = copies.make(large, tmp_path / "scratch", {})
    before = digest(large)
    told = {
        "project": str(large),
        "copy": str(copy.root),
        "scratch": str(tmp_path / "scratch"),
        "escaped": str(tmp_path / "e"),
    }
    (tmp_path / "guard.json").write_text(json.dumps(told))
    variables = {**os.environ, "PYTHONPATH": str(FIRST), "ACCUCHECK_GUARD": str(tmp_path / "guard.json")}
    subprocess.run([sys.executable, "train.py"], cwd=copy.root, env=variables, capture_output=True, timeout=60)
    assert digest(large) == before and not copy.changed()


@pytest.mark.parametrize("line", NATIVE)
def test_nor_do_other_programs(large: Path, line: str) -> None:
    if not fence_holds(large):
        pytest.skip("this kernel has no Landlock")
    write_in(large, line)


def fence_holds(root: Path) -> bool:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import fence; print(fence.keep_out(sys.argv[2], '/nowhere'))"
    folder = str(Path(fence.__file__).parent)
    ran = subprocess.run([sys.executable, "-c", code, folder, str(root)], capture_output=True, text=True)
    return ran.stdout.strip() == "True"


def test_a_process_that_cannot_be_guarded_does_not_run(tmp_path: Path) -> None:
    variables = {**os.environ, "PYTHONPATH": str(FIRST), "ACCUCHECK_GUARD": str(tmp_path / "missing.json")}
    ran = subprocess.run([sys.executable, "-c", "print('ran')"], env=variables, capture_output=True, text=True)
    assert ran.returncode == 70 and "ran" not in ran.stdout and "cannot be guarded" in ran.stderr


def test_paths_of_the_project_in_the_command_and_its_imports_lead_to_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path, "import rates; RATE = RATE or rates.RATE", **{"src/rates.py": "RATE = 0.0\n"})
    (tmp_path / "data.txt").write_text("0.25")
    (root / "train.py").write_text((root / "train.py").read_text() + "assert open('../data.txt').read() == '0.25'\n")
    monkeypatch.setenv("PYTHONPATH", str(root / "src"))
    (patch,) = patches(
        root, [("hp.01", result(found(root, "rate", "RATE = 0.0\n", "RATE = 0.5\n", path="src/rates.py")))]
    )
    outcome = TryRunner(TryRequest(root, [sys.executable, str(root / "train.py")], seeds=1), [patch]).run()
    assert [trial.metric for trial in outcome.trials] == [0.1, 0.6], outcome.trials


def test_a_training_that_imports_the_installed_project_is_told(tmp_path: Path) -> None:
    root = project(tmp_path, **{"rates.py": "RATE = 0.0\n"})
    own = (
        f"import importlib.util as u; s = u.spec_from_file_location('rates', {str(root / 'rates.py')!r})\n"
        "m = u.module_from_spec(s); s.loader.exec_module(m)"
    )
    (root / "train.py").write_text(TRAIN.format(within=own))
    (patch,) = patches(root, [("hp.01", result(found(root, "rate", "RATE = 0.0\n", "RATE = 0.5\n", path="rates.py")))])
    assert verdicts(tried(root, patches=[patch]))[2] == "escaped"


# --- the command --------------------------------------------------------------------------------------------------------

#: A script whose fault a static probe finds, with a change.
FAULTY = """
import mindspore as ms
import mindspore.nn as nn
import mindspore.dataset as ds

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 2, weight_init="zeros")

    def construct(self, x):
        return self.fc(x)

data = ds.NumpySlicesDataset(([[0.0] * 4] * 8, [0] * 8), ["x", "y"], shuffle=False).batch(2)
model = ms.Model(Net(), nn.CrossEntropyLoss(), nn.SGD(Net().trainable_params()))
model.train(1, data)
"""


def test_bad_uses_are_told_in_both_languages(tmp_path: Path) -> None:
    root = project(tmp_path, **{"train.py": FAULTY})
    for language, words in (("en", "Allow it with --live"), ("zh", "请用 --live 授权")):
        ran = accucheck("try", "--lang", language, cwd=root)
        assert ran.code == 2 and words in ran.err and not ran.out, ran
    healthy = tmp_path / "healthy"
    healthy.mkdir()
    (healthy / "train.py").write_text("import mindspore\n")
    for language, words in (("en", "No finding has a patch"), ("zh", "没有可以试用的修改")):
        ran = accucheck("try", "--lang", language, "--", "python", "train.py", cwd=healthy)
        assert ran.code == 2 and words in ran.err, ran
    ran = accucheck("try", "--live", "--evaluate", "python 'eval.py", cwd=root, ACCUCHECK_LANG="en")
    assert ran.code == 2 and "not closed" in ran.err, ran


def test_no_command_is_told() -> None:
    from accucheck.case import Case

    with pytest.raises(UserError) as refused:
        want(Case("."), [])
    assert refused.value.code == "try-no-command"


def test_an_interrupt_keeps_what_was_done(tmp_path: Path) -> None:
    root = project(tmp_path, **{"train.py": FAULTY, "run.py": TRAIN.format(within="import time; time.sleep(3)")})
    before = digest(root)
    process = subprocess.Popen(
        [sys.executable, "-m", "accucheck", "try", "--lang", "en", "--", sys.executable, "run.py"],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if " 2/" in f" {line}":
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert "unchanged, seed 1" in out and "seed 2" not in out and digest(root) == before
    kept = open_session(root, write=False).record.tried
    assert kept is not None and [trial.seed for trial in kept.trials] == [1]
    ran = accucheck("try", "--json", "--", sys.executable, "run.py", cwd=root)
    told = json.loads(ran.stdout)
    assert ran.code == 0 and [row["verdict"] for row in told["rows"][:2]] == ["reference", "reference"], ran
    assert "trained before" in ran.err or "此前已训练" in ran.err
    assert len(told["rows"]) >= 3
    assert told["rows"][0]["trial"] == json.loads(msgspec.json.encode(kept.trials[0]))


#: A training of MindSpore whose weights are zero.
REAL = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

ms.set_seed(3)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(8, 16, weight_init="zeros", bias_init="zeros")
        self.second = nn.Dense(16, 2, weight_init="zeros", bias_init="zeros")

    def construct(self, x):
        return self.second(ms.ops.relu(self.first(x)))


def data(seed):
    x = np.random.default_rng(seed).standard_normal((128, 8)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32)
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=seed == 0).batch(16)


net = Net()
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})
model.train(4, data(0), dataset_sink_mode=False)
print("eval accuracy:", model.eval(data(1), dataset_sink_mode=False)["accuracy"])
ms.save_checkpoint(net, "net.ckpt")
"""


@pytest.mark.mindspore
def test_a_real_training_is_cured_by_the_change_of_what_keeps_it_from_learning(tmp_path: Path) -> None:
    root = project(tmp_path, **{"train.py": REAL})
    before = digest(root)
    ran = accucheck("try", "--json", "--item", "wi.01", "--", sys.executable, "train.py", cwd=root, timeout=500)
    assert digest(root) == before
    told = json.loads(ran.stdout)
    rows = told["rows"]
    assert ran.code == 0 and told["by"] == "metric", ran
    assert [row["verdict"] for row in rows] == ["reference", "reference", "better"], ran
    assert rows[2]["metric"] > 0.8 > 0.7 > max(rows[0]["metric"], rows[1]["metric"]), rows
    for row in rows:
        assert row["trial"]["steps"] == 32 and len(row["trial"]["losses"]) == 32, row
        assert row["trial"]["losses"][0][1] == pytest.approx(0.693, abs=0.01) or row["verdict"] == "better"
    assert rows[0]["trial"]["losses"] != rows[1]["trial"]["losses"], "the seed that the script sets is shifted"


def test_the_python_that_is_started_has_mindspore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The `python` of the PATH may be that of the system, while accucheck runs in the environment of the training."""
    for name in ("bare", "whole"):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin" / "python").touch(0o755)
        (tmp_path / name / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
        (tmp_path / name / "pyvenv.cfg").touch()
    (tmp_path / "whole" / "lib" / "python3.11" / "site-packages" / "mindspore").mkdir()
    own, bare = str(tmp_path / "whole" / "bin" / "python"), str(tmp_path / "bare" / "bin" / "python")
    named = Case(str(tmp_path), CaseFile(runtime=Runtime(python=own)))
    for path, here, case, python in (
        ("bare", own, Case(str(tmp_path)), own),
        ("whole", bare, Case(str(tmp_path)), "python"),
        ("bare", bare, Case(str(tmp_path)), "python"),
        ("nowhere", own, Case(str(tmp_path)), own),
        ("bare", bare, named, own),
    ):
        monkeypatch.setenv("PATH", str(tmp_path / path / "bin"))
        monkeypatch.setattr(sys, "executable", here)
        assert startable(["python", "train.py"], case) == [python, "train.py"], (path, here)
        assert startable(["bash", "train.sh"], case) == ["bash", "train.sh"]
