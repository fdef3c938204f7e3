"""accucheck tune: real studies of real commands; what is killed goes on, and nothing is lost."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from accucheck import case as cases
from accucheck import metering, studies, study_results
from accucheck.errors import UserError
from accucheck.language import Language
from accucheck.recorder import Recorder
from accucheck.search_runs import Goal, StudyRunner
from accucheck.search_space import bind, parse
from accucheck.study_results import Axis, StudyResults, Trial, judge
from accucheck.try_runs import TryRequest
from command_line import accucheck, copy_example

#: A training that prints an accuracy each epoch; it is best at a rate of 0.1, and otherwise does what its lines say.
TRAIN = """
import argparse, math, os, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()
quality = 1 - 0.2 * abs(math.log10(args.lr) + 1)
{within}
for epoch in range(1, args.epochs + 1):
    print(f"epoch: {{epoch}}, loss is {{2 - quality:.4f}}")
    print(f"epoch: {{epoch}}, eval accuracy: {{quality * epoch / args.epochs:.4f}}", flush=True)
"""
LR = "lr=1e-4..1:log"
#: That of tests which look at no time: no test may wait for it.
PATIENCE = 120


def project(folder: Path, within: str = "", text: str = TRAIN) -> Path:
    root = folder / "project"
    root.mkdir()
    (root / "train.py").write_text(text.format(within=within))
    return root


def tuning(root: Path, *texts: str, command: tuple[str, ...] = ("train.py",), **given: object) -> StudyRunner:
    words = [sys.executable, *command]
    case = cases.load(root, [])
    search = bind(case, words, [parse(text) for text in texts or (LR,)], root)
    wanted = TryRequest(root, words, given.pop("evaluation", ()), seconds=60.0)  # type: ignore[arg-type]
    return StudyRunner(case, wanted, Goal(search, draw=1, **given))  # type: ignore[arg-type]


def found(root: Path, *texts: str, **given: object) -> StudyResults:
    return tuning(root, *texts, **given).run()  # type: ignore[arg-type]


def kinds(known: StudyResults) -> Counter[str]:
    return Counter(trial.kind for trial in known.trials)


# --- studies ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_search_finds_what_is_better_and_repeats_it(tmp_path: Path) -> None:
    root = project(tmp_path)
    before = (root / "train.py").read_bytes()
    known = found(root, trials=12)
    assert (root / "train.py").read_bytes() == before and sorted(os.listdir(root)) == [".accucheck", "train.py"]
    assert len(known.trials) == 12 and kinds(known) == {"own": 2, "search": 9, "repeat": 1}
    assert known.metric == "eval_accuracy" and not known.least and known.storage == ".accucheck/tune.db"
    judged = judge(known)
    assert judged.verdict == "better" and judged.noise == 0.005 and judged.own == pytest.approx(0.8)
    assert judged.best is not None and len(judged.best.trials) == 2 and judged.best.mean > 0.9
    lr = judged.best.trials[0].values["lr"]
    assert known.best_command == [sys.executable, "train.py", f"--lr={lr}"]
    assert 0.01 < float(lr) < 1 and all(trial.epochs == 3 for trial in known.trials if trial.ended == "end")
    again = found(root, trials=12)
    assert again.trials == known.trials, "a study that is done is shown, and nothing is trained"
    assert len(found(root, trials=14).trials) == 14


def test_where_nothing_was_searched_yet_nothing_is_said_of_it() -> None:
    trials = [Trial(0, "own", values={"lr": "1"}, value=0.9)]
    known = StudyResults(["train"], "s", metric="accuracy", axes=[Axis("lr", "lr=1..4", low=1, high=4)], trials=trials)
    assert judge(known).verdict == "begun" and not study_results.advice(known, Language.EN)
    assert "own settings have been trained: 0.9" in study_results.verdict(known, Language.EN)


def test_no_difference_beyond_noise_is_said_to_be_none() -> None:
    trials = [
        Trial(0, "own", seed=1, values={"lr": "1"}, value=0.90),
        Trial(1, "own", seed=2, values={"lr": "1"}, value=0.92),
        Trial(2, values={"lr": "2"}, value=0.95),
        Trial(3, values={"lr": "3"}, value=0.93),
        Trial(4, "repeat", 2, 2, {"lr": "2"}, value=0.93),
    ]
    known = StudyResults(["train"], "s", metric="accuracy", axes=[Axis("lr", "lr=1..4", low=1, high=4)], trials=trials)
    judged = judge(known)
    assert judged.verdict == "same" and judged.value == 0.93 and judged.noise == pytest.approx(0.02)
    assert judged.best is not None and judged.best.own and judged.alike == 2
    assert "No difference beyond noise" in study_results.verdict(known, Language.EN)
    assert not study_results.advice(known, Language.EN)


@pytest.mark.parametrize(
    ("own", "search", "repeat", "verdict"),
    [
        ([0.9, 0.9], 0.95, 0.95, "better"),
        ([0.9, 0.9], 0.95, 0.80, "same"),
        ([0.9, 0.9], 0.95, None, "unknown"),
        ([0.9, 0.9], 0.85, None, "kept"),
        ([], 0.5, 0.5, "cured"),
        ([], None, None, "none"),
        ([0.9], None, None, "kept"),
    ],
)
def test_verdicts(own: list[float], search: float | None, repeat: float | None, verdict: str) -> None:
    for least in (False, True):
        sign = -1 if least else 1
        trials = [Trial(at, "own", seed=at + 1, value=sign * value) for at, value in enumerate(own)]
        trials += [Trial(8, values={"lr": "2"}, value=sign * search)] if search is not None else []
        trials += [Trial(9, "repeat", 8, 2, {"lr": "2"}, value=sign * repeat)] if repeat is not None else []
        trials.append(Trial(10, values={"lr": "3"}, ended="nan"))
        known = StudyResults(
            ["train"], "s", metric="accuracy", least=least, axes=[Axis("lr", "", low=1, high=4)], trials=trials
        )
        assert judge(known).verdict == verdict
        assert verdict != "unknown" or judge(known).alike == 0  # the best is not alike itself
        for language in Language:
            told = [
                study_results.verdict(known, language),
                *study_results.notes(known, language),
                *study_results.weights(known, language),
            ]
            assert all(told) and "{" not in "".join(told)
            assert len(study_results.lines(known, language)) == len(trials) + 1


@pytest.mark.slow
def test_what_fails_or_is_not_finite_is_a_result(tmp_path: Path) -> None:
    root = project(
        tmp_path, "if args.lr > 0.3: sys.exit('out of [red]memory[/red]')\nif args.lr < 0.001: quality = math.nan"
    )
    known = found(root, trials=14, pruner="none")
    ended = Counter(trial.ended for trial in known.trials)
    assert ended["failed"] and ended["nan"] and sum(ended.values()) == 14, ended
    failed = next(trial for trial in known.trials if trial.ended == "failed")
    assert failed.note == "out of [red]memory[/red]" and failed.code == 1
    assert "[red]" in "".join(study_results.notes(known, Language.EN))


@pytest.mark.slow
def test_hopeless_trials_are_given_up(tmp_path: Path) -> None:
    root = project(tmp_path, "", TRAIN + "    time.sleep(0.7)\n")
    for pruner in ("median", "hyperband"):
        known = found(root, trials=12, pruner=pruner, study=pruner, command=("train.py", "--epochs", "6"))
        pruned = [trial for trial in known.trials if trial.ended == "pruned"]
        assert pruned and all(trial.epochs < 6 and trial.kind == "search" for trial in pruned), known.trials
        assert all(trial.ended == "end" for trial in known.trials if trial.kind != "search")


@pytest.mark.slow
def test_budgets_of_epochs_and_of_time_are_kept(tmp_path: Path) -> None:
    root = project(tmp_path)
    known = found(root, trials=0, epochs=30, pruner="none")
    assert sum(trial.epochs for trial in known.trials) == 30
    begun = time.monotonic()
    known = found(root, trials=0, seconds=8.0, study="timed")
    assert time.monotonic() - begun < 60 and len(known.trials) > 2


@pytest.mark.parametrize(
    ("within", "given", "code"),
    [
        ("print('hello'); sys.exit()", {}, "tune-tells-nothing"),
        ("print('step: 1, loss is 0.5'); sys.exit()", {}, "tune-no-metric"),
        ("", {"metric": "miou"}, "tune-not-told"),
        ("sys.exit('no data')", {}, "tune-own-failed"),
    ],
)
def test_a_command_without_a_metric_is_refused(tmp_path: Path, within: str, given: dict[str, str], code: str) -> None:
    root = project(tmp_path, within)
    with pytest.raises(UserError) as error:
        found(root, trials=3, **given)
    assert error.value.code == code
    if "loss" in within:
        assert error.value.data["seen"] == "loss"
        assert found(root, trials=3, metric="loss").least, "the person may go by it all the same"


def test_the_evaluation_tells_the_metric_where_the_training_does_not(tmp_path: Path) -> None:
    root = project(tmp_path, "open('rate.txt', 'w').write(str(quality)); sys.exit()")
    (root / "eval.py").write_text("print('accuracy', float(open('rate.txt').read()))\n")
    known = found(root, trials=4, evaluation=[sys.executable, "eval.py"])
    assert {trial.ended for trial in known.trials} == {"end"} and known.trials[0].value == pytest.approx(0.8)


def test_a_search_ends_where_everything_fails(tmp_path: Path) -> None:
    root = project(tmp_path, "if args.lr != 0.01: sys.exit('no')")
    with pytest.raises(UserError) as error:
        found(root, trials=20)
    assert error.value.code == "tune-all-failed"


# --- going on -----------------------------------------------------------------------------------------------------------


def killed_after(root: Path, seconds: float, *more: str) -> None:
    """accucheck tune, killed with all that it started."""
    command = [
        sys.executable,
        "-m",
        "accucheck",
        "tune",
        "--force",
        "--search",
        LR,
        "--trials",
        "8",
        *more,
        "--",
        sys.executable,
        "train.py",
    ]
    child = subprocess.Popen(
        command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    time.sleep(seconds)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()


@pytest.mark.slow
def test_a_study_that_is_killed_goes_on_without_a_lost_trial(tmp_path: Path) -> None:
    root = project(tmp_path, "time.sleep(0.3)")
    kept: dict[int, object] = {}
    for number in range(4):
        killed_after(root, 5 + number * 0.7)
        results = {one.number: one.user_attrs["result"] for one in stored(root) if "result" in one.user_attrs}
        assert kept.items() <= results.items(), "what was kept before a kill is there after it"
        kept = results
    known = found(root, trials=8)
    assert len(known.trials) == 8 and kinds(known)["own"] == 2, known.trials
    trials = stored(root)
    assert kept.items() <= {one.number: one.user_attrs.get("result") for one in trials}.items()
    lost = [one for one in trials if one.state.name == "FAIL" and one.params]
    values = [trial.values.get("lr") for trial in known.trials]
    assert all(f"{one.params['lr']:.6g}" in values for one in lost), "what was killed is run again"
    assert not [one for one in trials if one.state.name in ("RUNNING", "WAITING")]


def stored(root: Path) -> list[Any]:
    """The trials of the one study of a project, as Optuna has them."""
    import optuna

    url = f"sqlite:///{root / studies.FILE}"
    if not (root / studies.FILE).exists():
        return []
    names = optuna.get_all_study_names(url)
    return optuna.load_study(study_name=names[0], storage=url).get_trials() if names else []


def test_one_that_is_stopped_is_run_again(tmp_path: Path) -> None:
    root = project(tmp_path, "time.sleep(0.2)")
    one = tuning(root, trials=6)
    one.begins = lambda trial, far: one.stop() if trial.number == 3 else None
    assert len(one.run().trials) == 3
    known = found(root, trials=6)
    assert len(known.trials) == 6 and [trial.number for trial in known.trials] == [0, 1, 2, 4, 5, 6]


def test_several_processes_share_a_study(tmp_path: Path) -> None:
    root = project(tmp_path, "time.sleep(0.3)")
    found(root, trials=1)
    two = [tuning(root, trials=9) for _ in range(2)]
    threads = [threading.Thread(target=one.run) for one in two]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    known = found(root, trials=9)
    assert 9 <= len(known.trials) <= 10 and kinds(known)["own"] == 2


@pytest.mark.slow
def test_a_journal_and_an_address_of_ones_own(tmp_path: Path) -> None:
    root = project(tmp_path)
    for storage in (
        f"journal://{tmp_path / 'study.log'}",
        f"sqlite:///{tmp_path / 'own.db'}",
        str(tmp_path / "plain.db"),
    ):
        assert len(found(root, trials=3, storage=storage).trials) == 3
        assert len(found(root, trials=4, storage=storage).trials) == 4
    assert not (root / studies.FILE).exists()


def test_a_storage_that_is_locked_or_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "_PATIENCE", 1)
    monkeypatch.chdir(tmp_path)
    root = project(tmp_path)
    known = found(root, trials=3)
    with sqlite3.connect(root / studies.FILE) as database:
        database.execute("begin exclusive")
        with pytest.raises(UserError) as error:
            found(root, trials=4)
        assert error.value.code == "tune-locked"
        database.rollback()
    assert len(found(root, trials=4).trials) == len(known.trials) + 1
    for storage in ("nosuch://x", "sqlite:////no/such/folder/x.db", "postgresql://me:secret@localhost/x"):
        with pytest.raises(UserError) as error:
            found(root, trials=3, storage=storage)
        assert error.value.code == "tune-storage" and "secret" not in error.value.text(Language.EN)
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(UserError) as error:
        found(root, trials=3, storage=str(tmp_path / "text.db"))
    assert error.value.code == "tune-storage"
    for storage in ("nonsense", "study.txt", "nowhere/at/all"):
        with pytest.raises(UserError) as error:
            found(root, trials=3, storage=storage)
        assert error.value.code == "tune-no-storage" and "sqlite:///" in error.value.text(Language.EN)
    (tmp_path / "kept").write_bytes((root / studies.FILE).read_bytes())  # a database by its content
    assert len(found(root, trials=4, storage=str(tmp_path / "kept")).trials) == 4


def test_a_study_of_something_else_is_refused(tmp_path: Path) -> None:
    root = project(tmp_path)
    found(root, trials=3, study="mine")
    for part, texts, given in (
        ("search", ("lr=1e-3..1:log",), {}),
        ("command", (LR,), {"command": ("train.py", "--epochs", "2")}),
        ("metric", (LR,), {"metric": "loss"}),
    ):
        with pytest.raises(UserError) as error:
            found(root, *texts, trials=3, study="mine", **given)
        assert error.value.code == f"tune-other-{part}"
    (root / "train.py").write_text((root / "train.py").read_text() + "\n# changed\n")
    with pytest.raises(UserError) as error:
        found(root, trials=3, study="mine")
    assert error.value.code == "tune-other-state"
    assert len(found(root, trials=3).trials) == 3, "one without a name is another one then"


def test_without_optuna_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(UserError) as error:
        found(project(tmp_path), trials=3)
    assert error.value.code == "tune-missing"


# --- the command --------------------------------------------------------------------------------------------------------

#: A script with a fault that a static probe is certain of.
FAULTY = """
import argparse
import mindspore as ms
import mindspore.nn as nn
import mindspore.dataset as ds

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 2, weight_init="zeros")
        self.fd = nn.Dense(2, 2, weight_init="zeros")

    def construct(self, x):
        return self.fd(self.fc(x))

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()
data = ds.NumpySlicesDataset(([[0.0] * 4] * 8, [0] * 8), ["x", "y"], shuffle=False).batch(2)
net = Net()
optimizer = nn.Momentum(net.trainable_params(), args.lr, 0.9)
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(1, data)
"""


@pytest.mark.slow
def test_the_command_searches_and_says_what_it_found(tmp_path: Path) -> None:
    root = project(tmp_path)
    asked = ("--search", "lr=0.03,0.1,0.3", "--trials", "6")
    for language, better in (("en", "To train with the best settings"), ("zh", "用最好的设置训练")):
        ran = accucheck("tune", "--lang", language, *asked, "--", sys.executable, "train.py", cwd=root)
        assert ran.code == 0 and better in ran.out and "--lr=" in ran.out, ran
        assert "Traceback" not in ran.err and ("6 trials" in ran.err or "共 6 次" in ran.err)
        once = "the first training" if language == "en" else "按原命令训练一次"
        assert (once in ran.err) is (language == "en"), "a study that goes on knows its metric"
    shown = accucheck("tune", "--show", "--json", cwd=root)
    told = json.loads(shown.out)
    assert (
        shown.code == 0
        and told["verdict"] == "better"
        and len(told["trials"]) == 6
        and told["best_command"][-1].startswith("--lr=")
    )
    plain = accucheck("tune", "--show", cwd=root, PYTHONIOENCODING="ascii", ACCUCHECK_LANG="en")
    assert plain.code == 0 and plain.out.isascii() and "-----" in plain.out


def test_the_metric_is_foreseen_by_the_logs_of_the_project(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert metering.foreseen(cases.load(root, [])) == {}
    (root / "train.log").write_text(
        "epoch: 1, loss is 0.5, eval accuracy: 0.8\nepoch: 2, loss is 0.4, eval accuracy: 0.9\n"
    )
    case = cases.load(root, ["curves.train=train.log"])
    assert metering.foreseen(case) == {"metric": "eval_accuracy", "place": "train.log"}


@pytest.mark.slow
def test_a_search_on_a_faulty_project_is_refused_unless_forced(tmp_path: Path) -> None:
    root = tmp_path / "faulty"
    root.mkdir()
    (root / "train.py").write_text(FAULTY)
    for language, said in (("en", "--force"), ("zh", "--force")):
        ran = accucheck("tune", "--lang", language, "--search", "lr=0.1,1", "--", sys.executable, "train.py", cwd=root)
        assert ran.code == 2 and said in ran.err and "wi.01" in ran.err and "train.py" in ran.err, ran
        assert any(line.startswith("- wi.01 train.py:") for line in ran.err.splitlines()) and "⏎" not in ran.err, ran
    assert not (root / studies.FILE).exists()
    forced = "--force", "--trials", "2", "--search", "lr=0.1,1"
    (root / "train.py").write_text(FAULTY.replace("model.train(1, data)", 'print("eval accuracy: 0.5")'))
    ran = accucheck("tune", *forced, "--", sys.executable, "train.py", cwd=root, ACCUCHECK_LANG="en")
    assert ran.code == 0 and "0.5" in ran.out, ran


@pytest.mark.slow
def test_the_case_file_says_what_to_search(tmp_path: Path) -> None:
    root = project(tmp_path)
    search = "{lr: [0.03, 0.1], batch: '16..64:step=16'}"
    text = f"scripts: {{train: train.py}}\ntune: {{search: {search}, metric: eval_accuracy}}\n"
    (root / "accucheck.yaml").write_text(text)
    ran = accucheck("tune", "--json", "--trials", "3", "--", sys.executable, "train.py", cwd=root)
    told = json.loads(ran.out)
    assert ran.code == 0 and {axis["name"] for axis in told["axes"]} == {"lr", "batch"}, ran
    (root / "accucheck.yaml").write_text(text.replace("[0.03, 0.1]", "''"))
    ran = accucheck("tune", "--", sys.executable, "train.py", cwd=root)
    assert ran.code == 2 and "lr=" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--search", "lr=", "--", "python", "train.py"], "lr="),
        (["--", "python", "train.py"], "--search"),
        (["--search", "nope=1,2", "--", "python", "train.py"], "nope"),
        (["--search", "lr=1,2", "--time", "soon", "--", "python", "train.py"], "soon"),
        (["--search", "lr=1,2"], "--live"),
        (["--search", "lr=1,2", "--storage", "nonsense", "--", "python", "train.py"], "sqlite:///"),
        (["--show"], "tune"),
    ],
)
def test_bad_input_of_the_command(tmp_path: Path, arguments: list[str], said: str) -> None:
    root = project(tmp_path)
    for language in ("en", "zh"):
        ran = accucheck("tune", "--lang", language, "--set", "scripts.train=train.py", *arguments, cwd=root)
        assert ran.code == 2 and said in ran.err and "Traceback" not in ran.err, ran
        assert not (root / studies.FILE).exists()


@pytest.mark.mindspore
@pytest.mark.slow
def test_the_example_is_searched(tmp_path: Path) -> None:
    """The evaluations of Model tell the metric, and the recording how many epochs there were."""
    root = copy_example("digits", tmp_path)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    ran = accucheck(
        *(
            "tune",
            "--json",
            "--search",
            "learning-rate=1e-3..1:log",
            "--search",
            "batch-size=16,32,64",
            "--trials",
            "3",
        ),
        *("--", sys.executable, "train.py", "--epochs", "2"),
        cwd=root,
        timeout=600,
    )
    told = json.loads(ran.out)
    assert ran.code == 0 and told["metric"] == "accuracy" and len(told["trials"]) == 3, ran
    own = [one for one in told["trials"] if one.get("kind") == "own"]
    assert {one.get("seed", 1) for one in own} == {1, 2} and all(one["epochs"] == 2 for one in own)
    assert own[0]["value"] != own[1]["value"] and own[0]["values"] == {"learning-rate": "0.05", "batch-size": "32"}
    assert all(path.read_bytes() == text for path, text in before.items())


def test_times_that_a_recording_keeps_are_no_metric_of_the_training(tmp_path: Path) -> None:
    """A training that reports its loss alone was said to report seconds, too."""
    with Recorder(tmp_path / "curves.jsonl") as recorder:
        for step in (1, 2, 3):
            recorder.step(step=step, epoch=1, loss=2.0)
    meter = metering.Meter()
    source = metering.Source(tmp_path, tmp_path / "output", tmp_path, ("curves.jsonl", ""), 0.0)
    assert not meter.read(source).points and meter.seen == ["loss"]
