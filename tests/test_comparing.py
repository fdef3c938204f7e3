"""accucheck compare: exit codes, what is printed in both languages, and input that is wrong."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from accucheck.probes._checkpoints import ckpt, drawn
from command_line import accucheck

pytestmark = pytest.mark.part(40)


def save(root: Path, **arrays: np.ndarray) -> Path:
    root.mkdir(exist_ok=True)
    for name, values in arrays.items():
        np.save(root / f"{name}.npy", values)
    return root


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_two_folders_of_tensors(tmp_path):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(("a1_conv", "a2_norm", "a3_fc"))}
    one = save(tmp_path / "one", **layers)
    same = accucheck("compare", one, one)
    assert same.code == 0 and "same: 3 pairs agree" in same.out
    other = save(tmp_path / "two", **{**layers, "a2_norm": layers["a2_norm"] * np.float32(1.01)})
    differ = accucheck("compare", one, other)
    assert (
        differ.code == 1
        and "≠ a2_norm" in differ.out
        and "a1_conv" not in differ.out
        and "differ: 1 of 3" in differ.out
    )
    assert "= a1_conv" in accucheck("compare", one, other, "--all").out
    assert accucheck("compare", one, other, "--rtol", "0.1").code == 0
    chinese = accucheck("compare", one, other, "--lang", "zh")
    assert chinese.code == 1 and "不一致：3 对中有 1 对不一致" in chinese.out
    told = json.loads(accucheck("compare", one, other, "--json").out)
    assert (told["kind"], told["same"], told["complete"], told["counts"]) == (
        "tensors",
        False,
        True,
        {"pairs": 3, "differ": 1},
    )
    assert [pair["name"] for pair in told["pairs"] if pair["differs"]] == ["a2_norm"]


def test_what_could_not_be_compared_is_told_and_the_rest_is(tmp_path):
    one = save(tmp_path / "one", a=normal(4, 8), b=normal(4, 8, seed=1), c=normal(6), d=normal(8, 8), same=normal(5))
    two = save(
        tmp_path / "two",
        a=np.ascontiguousarray(normal(4, 8).T),
        b=normal(4, 8, seed=1),
        c=normal(7),
        e=normal(3),
        same=normal(5),
    )
    half = two / "b.npy"
    half.write_bytes(half.read_bytes()[:150])
    ran = accucheck("compare", one, two)
    assert ran.code == 1 and "no difference in 1 pair, but not all was compared" in ran.out
    for text in (
        "transposed, with equal numbers: a",
        "other shape: c",
        "truncated",
        f"only in {one}: 1: d",
        f"only in {two}: 1: e",
    ):
        assert text in ran.out, ran


def test_nan_on_both_sides_is_told(tmp_path):
    values = normal(10)
    values[3] = np.nan
    one = save(tmp_path / "one", x=values)
    ran = accucheck("compare", one, one)
    assert ran.code == 0 and "NaN at the same positions on both sides" in ran.out


def test_a_map_and_its_unknown_names(tmp_path):
    one, two = save(tmp_path / "one", ours=normal(4)), save(tmp_path / "two", theirs=normal(4))
    names = tmp_path / "names.yaml"
    names.write_text("ours: theirs\nno.such: theirs\n")
    ran = accucheck("compare", one, two, "--map", names)
    assert ran.code == 0 and f"there is no no.such in {one}" in ran.out
    names.write_text("version: 1\nparameters: {ours.weight: theirs.weight}\n")
    assert accucheck("compare", one, two, "--map", names).code == 0
    names.write_text("- ours\n")
    assert accucheck("compare", one, two, "--map", names).code == 2


def test_two_checkpoints(tmp_path):
    one, two = tmp_path / "a.ckpt", tmp_path / "b.ckpt"
    one.write_bytes(ckpt({"conv.weight": drawn(4, 4), "fc.weight": drawn(4, 2)}))
    two.write_bytes(ckpt({"conv.weight": drawn(4, 4), "fc.weight": drawn(4, 2, seed=1)}))
    assert accucheck("compare", one, one).code == 0
    ran = accucheck("compare", one, two)
    assert ran.code == 1 and "≠ fc.weight" in ran.out and "differ: 1 of 2" in ran.out
    two.write_bytes(ckpt({"conv.weight": drawn(4, 4), "fc.weight": drawn(2, 4), "new": drawn(3)}))
    ran = accucheck("compare", one, two)
    assert ran.code == 1 and "axes in a different order" in ran.out and "new" in ran.out
    two.write_bytes(ckpt({"body.weight": drawn(4, 4), "head.fc.weight": drawn(4, 2)}))
    (tmp_path / "names.yaml").write_text("conv: body\nfc: head.fc\n")
    assert accucheck("compare", one, two, "--map", tmp_path / "names.yaml").code == 0
    whole = "version: 1\nparameters:\n  conv.weight: body.weight\n  fc: head.fc\n"
    (tmp_path / "names.yaml").write_text(whole)
    assert accucheck("compare", one, two, "--map", tmp_path / "names.yaml").code == 0
    (tmp_path / "names.yaml").write_text(whole.replace("head.fc", "head.no"))
    wrong = accucheck("compare", one, two, "--map", tmp_path / "names.yaml")
    assert wrong.code == 1 and "names.yaml:4" in wrong.out and "head.no" in wrong.out
    two.write_bytes(two.read_bytes()[:60])
    assert accucheck("compare", one, two).code == 2


def test_two_checkpoints_of_two_frameworks(tmp_path):
    torch = pytest.importorskip("torch")
    theirs = torch.nn.Sequential(
        torch.nn.Conv1d(2, 3, 5), torch.nn.BatchNorm1d(3), torch.nn.Embedding(7, 4), torch.nn.Linear(4, 4)
    )
    state = theirs.state_dict()
    torch.save(state, tmp_path / "ref.pth")
    own = {"0.weight": "0.weight", "0.bias": "0.bias", "2.embedding_table": "2.weight", "3.weight": "3.weight"}
    own |= {"3.bias": "3.bias", "1.moving_mean": "1.running_mean", "1.moving_variance": "1.running_var"}
    own |= {"1.gamma": "1.weight", "1.beta": "1.bias"}
    tensors = {name: (list(state[other].shape), state[other].flatten().tolist()) for name, other in own.items()}
    tensors["0.weight"] = ([3, 2, 1, 5], tensors["0.weight"][1])
    (tmp_path / "own.ckpt").write_bytes(ckpt(tensors))
    ran = accucheck("compare", tmp_path / "own.ckpt", tmp_path / "ref.pth")
    assert ran.code == 0 and "same: 9 pairs agree" in ran.out, ran
    tensors["3.weight"][1][0] += 1
    (tmp_path / "own.ckpt").write_bytes(ckpt(tensors))
    told = json.loads(accucheck("compare", tmp_path / "own.ckpt", tmp_path / "ref.pth", "--json").out)
    assert [pair["name"] for pair in told["pairs"] if pair["differs"]] == ["3.weight"]
    assert {pair["name"]: pair["other"] for pair in told["pairs"]} == own


def log(path: Path, steps: range, off: float = 0.0) -> Path:
    lines = (f"epoch: 1 step: {step}, loss is {2 / step * (1 + off * (step > 20)):.7f}" for step in steps)
    path.write_text("\n".join(lines) + "\n")
    return path


def test_two_logs(tmp_path):
    one = log(tmp_path / "a.log", range(1, 61))
    assert accucheck("compare", one, one).code == 0
    ran = accucheck("compare", one, log(tmp_path / "b.log", range(1, 61), 0.1))
    assert ran.code == 1 and "loss: apart from point 21 on" in ran.out
    ran = accucheck("compare", one, log(tmp_path / "c.log", range(1, 41)))
    assert ran.code == 1 and "20 points are in the first only" in ran.out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_two_trainings_do_not_differ_by_the_time_they_take(tmp_path, lang):
    for name, time in (("a", 0.1), ("b", 0.7)):
        steps = [{"step": at, "loss": 1 / at, "seconds": time * at, "data_seconds": time / at} for at in range(1, 31)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))
    ran = accucheck("compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--lang", lang)
    assert ran.code == 0 and "seconds, data_seconds" in ran.out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_wrong_use(tmp_path, lang):
    tensors = save(tmp_path / "one", x=normal(3))
    (tmp_path / "empty").mkdir()
    text = log(tmp_path / "a.log", range(1, 9))
    (tmp_path / "words.txt").write_text("nothing to see\n")
    for arguments in (
        [tensors, tmp_path / "none"],
        [tensors, tmp_path / "empty"],
        [tensors, text],
        [tensors, tmp_path / "words.txt"],
        [tensors],
        [tensors, tensors, "--rtol", "-1"],
        [tensors, tensors, "--map", tmp_path / "none.yaml"],
    ):
        ran = accucheck("compare", *arguments, "--lang", lang)
        assert (
            ran.code == 2 and not ran.out and len(ran.err.strip().splitlines()) == 1 and "Traceback" not in ran.err
        ), ran


def test_names_that_a_terminal_would_obey_are_shown_as_text(tmp_path):
    one = save(tmp_path / "one", **{"x\x1b[31m": normal(3)})
    two = save(tmp_path / "two", **{"x\x1b[31m": normal(3, seed=1)})
    assert "\x1b" not in accucheck("compare", one, two).out


def test_a_pipe_and_a_dead_link_among_tensors_do_not_hang(tmp_path):
    one = save(tmp_path / "one", a=normal(4))
    os.mkfifo(one / "b.npy")
    (one / "c.npy").symlink_to("nowhere")
    (one / "d.npy").mkdir()
    ran = accucheck("compare", one, save(tmp_path / "two", a=normal(4)))
    assert ran.code == 1 and "no difference in 1 pair, but not all was compared" in ran.out
    assert f"{one}/b.npy is neither a regular file nor a folder" in ran.out and f"{one}/c.npy does not exist" in ran.out
    assert accucheck("compare", one / "b.npy", one / "a.npy").code == 2


def test_prefixes_on_some_keys_only(tmp_path):
    one, two = tmp_path / "a.ckpt", tmp_path / "b.ckpt"
    one.write_bytes(
        ckpt({"module.conv.weight": drawn(4, 4), "fc.weight": drawn(4, 2), "b.x": drawn(3), "c.x": drawn(3)})
    )
    two.write_bytes(ckpt({"conv.weight": drawn(4, 4), "module.fc.weight": drawn(4, 2), "x": drawn(3)}))
    ran = accucheck("compare", one, two, "--json")
    told = json.loads(ran.out)
    assert [(pair["name"], pair["other"]) for pair in told["pairs"]] == [
        ("module.conv.weight", "conv.weight"),
        ("fc.weight", "module.fc.weight"),
    ]
    assert ran.code == 1 and not told["complete"], "x could be b.x as well as c.x"
    assert [note["code"] for note in told["notes"]] == ["ambiguous"]
    names = tmp_path / "names.yaml"
    names.write_text("module.conv.weight: none.such\nno.such: conv.weight\nb.x: x\n")
    ran = accucheck("compare", one, two, "--map", names)
    assert ran.code == 1 and "no difference in 3 pairs" in ran.out and f"only in {one}: 1: c.x" in ran.out
    assert f"{names}:1: the reference has no parameter none.such" in ran.out
    assert f"{names}:2: the checkpoint has no parameter no.such" in ran.out


@pytest.mark.parametrize("kind", ["log", "tensors", "checkpoint"])
def test_nan_everywhere_on_both_sides_is_no_agreement(tmp_path, kind):
    if kind == "log":
        one = tmp_path / "a.log"
        one.write_text("".join(f"epoch: 1 step: {step}, loss is nan\n" for step in range(1, 9)))
    elif kind == "tensors":
        one = save(tmp_path / "one", x=np.full(4, np.nan, np.float32))
    else:
        one = tmp_path / "a.ckpt"
        one.write_bytes(ckpt({"x": ([4], [float("nan")] * 4)}))
    ran = accucheck("compare", one, one)
    assert ran.code == 1 and "NaN at the same positions on both sides" in ran.out and "same:" not in ran.out


def test_nan_in_one_log_is_told_as_such(tmp_path):
    one, two = log(tmp_path / "a.log", range(1, 31)), tmp_path / "b.log"
    two.write_text(
        "".join(line if at < 9 else line.rpartition(" ")[0] + " nan\n" for at, line in enumerate(one.open()))
    )
    ran = accucheck("compare", one, two)
    assert ran.code == 1 and "loss: NaN or Inf on one side only from point 10 on" in ran.out


@pytest.mark.parametrize(("ours", "theirs"), [("inf", "-inf"), ("inf", "nan"), ("nan", "-inf")])
@pytest.mark.parametrize("options", [(), ("--rtol", "0.1")], ids=["as curves", "within a tolerance"])
def test_two_that_are_not_finite_differ_where_they_are_not_alike(tmp_path, ours, theirs, options):
    one, two, same = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"
    for path, value in ((one, ours), (two, theirs), (same, ours)):
        path.write_text(f"step,loss\n1,2.5\n2,{value}\n3,1.5\n")
    ran = accucheck("compare", one, two, *options)
    assert ran.code == 1 and "loss: apart from point 2 on" in ran.out and "differ: 1 of 1" in ran.out
    assert accucheck("compare", one, same, *options).code == 0


def test_a_log_of_json_lines_may_be_called_json(tmp_path):
    one, two = tmp_path / "a.log.json", tmp_path / "b.log.json"
    for path, last in ((one, 0.5), (two, 0.75)):
        path.write_text(
            "".join(json.dumps({"step": at, "loss": loss}) + "\n" for at, loss in enumerate((2.0, 1.0, last)))
        )
    ran = accucheck("compare", one, two)
    assert ran.code == 1 and "loss: apart from point 2 on" in ran.out
    assert accucheck("compare", one, one).code == 0
    for text, said in (
        ('{"data": 3}\n', "has no object data"),
        ('{\n "data": {"a": {"step": 1,\n "loss": 2', "cannot be read as JSON"),
    ):
        one.write_text(text)  # one object is a dump, a damaged one too
        assert said in accucheck("compare", one, one).err


def test_one_point_is_told_in_the_singular(tmp_path):
    ran = accucheck("compare", log(tmp_path / "a.log", range(1, 31)), log(tmp_path / "b.log", range(2, 31)))
    assert "1 point is in the first only, 0 in the second only" in ran.out


def test_logs_without_a_step_in_common(tmp_path):
    ran = accucheck("compare", log(tmp_path / "a.log", range(1, 31)), log(tmp_path / "b.log", range(100, 131)))
    assert ran.code == 1 and "nothing could be compared" in ran.out and "30 points are in the first only" in ran.out


def test_a_log_that_ends_within_a_number(tmp_path):
    one, two = log(tmp_path / "a.log", range(1, 31)), tmp_path / "b.log"
    two.write_text(one.read_text()[:-5])
    ran = accucheck("compare", one, two)
    assert ran.code == 1 and "b.log ends within a line: the last loss may be cut off" in ran.out, ran
    assert "no difference in 1 pair" in ran.out
    two.write_text(one.read_text()[:-1])
    assert accucheck("compare", one, two).code == 0, "no number is cut, only the line feed"
    two.write_text(one.read_text().rstrip().rpartition(" ")[0] + " 0.9123456")
    assert "differ: 1 of 1" in accucheck("compare", one, two).out, "no beginning of 0.0666667"


def test_logs_within_a_tolerance(tmp_path):
    one, two = log(tmp_path / "a.log", range(1, 61)), log(tmp_path / "b.log", range(1, 61), 0.1)
    assert accucheck("compare", one, two, "--atol", "0.02").code == 0
    ran = accucheck("compare", one, two, "--rtol", "0.05")
    assert ran.code == 1 and "loss: apart from point 21 on" in ran.out


def test_columns_of_other_names(tmp_path):
    one, two, names = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "names.yaml"
    rows = [f"{step},{2 / step:.6f}" for step in range(1, 31)]
    one.write_text("\n".join(["step,loss", *rows]) + "\n")
    two.write_text("\n".join(["step,train_loss", *rows]) + "\n")
    names.write_text("loss: train_loss\n")
    assert accucheck("compare", one, two, "--map", names).code == 0
    names.write_text("loss: train_loss\nacc: accuracy\n")
    ran = accucheck("compare", one, two, "--map", names)
    assert f"there is no acc in {one}" in ran.out and f"there is no accuracy in {two}" in ran.out


def test_a_log_of_two_runs(tmp_path):
    one, two = log(tmp_path / "a.log", range(1, 31)), tmp_path / "b.log"
    two.write_text(one.read_text() * 2)
    ran = accucheck("compare", one, two)
    assert ran.code == 1 and "b.log" in ran.out and "2 runs" in ran.out, ran


def test_of_many_pairs_that_differ_some_are_shown(tmp_path):
    arrays = {f"x{number:03}": normal(3, seed=number) for number in range(60)}
    one, two = save(tmp_path / "one", **arrays), save(tmp_path / "two", **{name: -x for name, x in arrays.items()})
    some, every = accucheck("compare", one, two), accucheck("compare", one, two, "--all")
    assert some.code == every.code == 1 and "differ: 60 of 60" in some.out
    assert some.out.count("≠ x") < 60 == every.out.count("≠ x")
