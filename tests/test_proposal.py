"""What is proposed for a case: by names, by what files hold, and what the logs say of the end of a training."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from accucheck import case as cases
from accucheck.cli.frame import script_settings
from accucheck.language import Language
from accucheck.proposal import WHY, keys, logs, propose, script_role, survey, tree


@pytest.mark.parametrize(
    ("name", "text", "role"),
    [
        ("train.py", "import mindspore\n", "train"),
        ("run_train.py", "from mindspore import nn\n", "train"),
        ("finetune_bert.py", "import mindspore\n", "train"),
        ("eval.py", "import mindspore\n", "eval"),
        ("test_net.py", "import mindspore\n", "eval"),
        ("predict-images.py", "import mindspore\n", "infer"),
        ("start.py", "import mindspore\nif __name__ == '__main__':\n    model.train(1, data)\n", "train"),
        (
            "start.py",
            "import mindspore\nif __name__ == '__main__':\n    model.fit(1, data)\n    model.eval(val)\n",
            "train",
        ),
        ("start.py", "import mindspore\nif __name__ == '__main__':\n    print(model.eval(val))\n", "eval"),
        ("start.py", "import mindspore\nif __name__ == '__main__':\n    model.predict(x)\n", "infer"),
        ("start.py", "import mindspore\nmodel.train(1, data)\n", "train"),
        ("start.py", "import mindspore\ndef start():\n    model.train(1, data)\n", None),
        ("network.py", "import mindspore\nclass Net: pass\n", None),
        ("start.py", "if __name__ == '__main__':\n    model.train(1)\n", None),
        ("training_notes.py", "import mindspore\n", None),
        ("train.py", "", None),
        ("test_ops.py", "import pytest\nimport mindspore\n\ndef test_add():\n    assert add(1, 1) == 2\n", None),
        ("mnist_demo.py", "import mindspore\nopt = nn.Adam(params)\nmodel.train(1, data)\nmodel.eval(val)\n", "train"),
        ("mnist_demo.py", "import mindspore\nmodel.eval(val)\n", "infer"),
        ("demo.py", "import mindspore\nopt = nn.Adam(params)\nmodel.train(1, data)\n", "infer"),
        ("test.py", "import mindspore\n\ndef test(net):\n    return net(1)\n\ntest(Net())\n", "eval"),
    ],
)
def test_the_role_of_a_script(tmp_path, name, text, role):
    (tmp_path / name).write_text(text)
    assert script_role(tmp_path / name) == role


def test_a_file_named_as_a_script_needs_no_main_guard(tmp_path):
    (tmp_path / "17_dropout.py").write_text("import mindspore as ms\ngrad = ms.value_and_grad(forward)\n")
    assert script_role(tmp_path / "17_dropout.py") is None
    assert script_role(tmp_path / "17_dropout.py", named=True) == "train"


@pytest.mark.parametrize("indent", [None, 1])
def test_a_notebook_is_a_script(tmp_path, indent):
    lines = ["# 训练\n", "import mindspore as ms\n", "model.train(10, data)"]
    book = {"cells": [{"cell_type": "code", "source": lines, "outputs": [{"data": {"image/png": "A" * (5 << 20)}}]}]}
    (tmp_path / "start.ipynb").write_text(json.dumps(book, indent=indent))
    assert script_role(tmp_path / "start.ipynb") == "train"
    (tmp_path / "words.ipynb").write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["to train"]}]}))
    assert script_role(tmp_path / "words.ipynb") is None
    assert [(one.key, one.value) for one in propose(tmp_path)] == [("scripts.train", "start.ipynb")]
    (tmp_path / "train.py").write_text("import mindspore\n")
    assert [(one.key, one.value) for one in propose(tmp_path)] == [("scripts.train", "train.py")]


def test_what_is_no_script_has_no_role(tmp_path):
    os.mkfifo(tmp_path / "train.py")
    assert script_role(tmp_path / "train.py") is None
    assert script_role(tmp_path) is None
    assert script_role(tmp_path / "none.py") is None


LOG = "".join(f"epoch: {1 + step // 5} step: {1 + step % 5}, loss is {2.3 / (step + 1):.4f}\n" for step in range(20))
TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    model.train(10, data)
ValueError: For 'MatMul', the input dimensions must be equal, but got 128 and 64.
"""


def lay_out(root: Path, *names: str, **content: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "import mindspore\n" if name.endswith(".py") else LOG if name.endswith(".log") else "a,label\n1,2\n"
        path.write_text(text)


def proposed(root: Path) -> dict[str, str]:
    return {proposal.key: proposal.value for proposal in propose(root) if not proposal.others}


def test_a_usual_project(tmp_path):
    lay_out(
        *(tmp_path, "train.py", "eval.py", "scripts/infer.py", "net.py", "datasets/train/a.csv", "datasets/val/a.csv"),
        *("ckpt/init.ckpt", "ckpt/pretrained.ckpt", "ckpt/net-9_5.ckpt", "ckpt/net-10_5.ckpt", "logs/train.log"),
        *("data.md5sum", "rank_0/train.log", ".git/train.log", "build/eval.py", "a/b/c/d/deep.ckpt"),
    )
    (tmp_path / "logs/eval_metrics.csv").write_text("epoch,accuracy\n1,0.5\n")
    assert proposed(tmp_path) == {
        "scripts.train": "train.py",
        "scripts.eval": "eval.py",
        "scripts.infer": "scripts/infer.py",
        "data.train.path": "datasets/train",
        "data.train.label": "label",
        "data.eval.path": "datasets/val",
        "data.eval.label": "label",
        "checkpoints.initial": "ckpt/init.ckpt",
        "checkpoints.pretrained": "ckpt/pretrained.ckpt",
        "checkpoints.previous": "ckpt/net-9_5.ckpt",
        "checkpoints.current": "ckpt/net-10_5.ckpt",
        "curves.train": "logs/train.log",
        "curves.eval": "logs/eval_metrics.csv",
        "data.reference.manifest": "data.md5sum",
    }


def test_what_is_proposed_can_be_loaded_again(tmp_path):
    lay_out(tmp_path, "train.py", "data/训练 集/a.csv", "init: {a}.ckpt", "'quoted' #1.log")
    values = {"name": "名称: [x]", **proposed(tmp_path)}
    cases.write(values, tmp_path / "accucheck.yaml")
    case = cases.load(tmp_path)
    assert case.name == "名称: [x]"
    assert case.get("checkpoints.initial") == "init: {a}.ckpt" and case.get("curves.train") == "'quoted' #1.log"
    for key, value in values.items():
        assert case.get(key) == value


def test_an_empty_project_proposes_nothing(tmp_path):
    assert propose(tmp_path) == []
    lay_out(tmp_path, "README.md", "notes.txt")
    assert propose(tmp_path) == []


def test_names_that_cannot_be_printed_are_not_proposed(tmp_path):
    for name in (b"train_\xff.py", b"a\nb.ckpt", "\u202egol.log".encode(), b"\x1b[31m.md5"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("import mindspore\n")
    assert propose(tmp_path) == []


def test_a_huge_folder_is_not_walked_to_its_end(tmp_path):
    (tmp_path / "a").mkdir()
    for number in range(20_200):
        (tmp_path / "a" / f"{number:05}.txt").touch()
    lay_out(tmp_path, "train.py", "z/b.ckpt")
    found = survey(tmp_path)
    assert found.partial
    assert proposed(tmp_path) == {"scripts.train": "train.py", "checkpoints.current": "z/b.ckpt"}


def test_an_environment_in_the_project_itself_hides_nothing_and_proposes_nothing(tmp_path):
    lay_out(tmp_path, "train.py", "lib/train.log")
    (tmp_path / "lib/train.log").write_text(LOG)
    before = proposed(tmp_path)
    assert before == {"scripts.train": "train.py", "curves.train": "lib/train.log"}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path)], check=True)
    (packages,) = tmp_path.glob("lib/*/site-packages")
    lay_out(packages, "eval.py", "data/train.csv", "net.ckpt")
    assert proposed(tmp_path) == before
    (tmp_path / "other").mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "other")], check=True)
    lay_out(tmp_path / "other", "net.ckpt")
    assert proposed(tmp_path) == before, "one in a folder of its own is passed over whole"


def test_many_folders_named_like_data_take_no_longer(tmp_path):
    for number in range(2000):
        (tmp_path / f"p{number}_data").mkdir()
    begun = time.process_time()
    assert propose(tmp_path) == []
    assert time.process_time() - begun < 4


def test_what_lies_below_a_folder(tmp_path):
    lay_out(tmp_path, "a/b/c/x.txt", "a/d/x.txt", "ab/x.txt", "y.txt")
    found = tree.look(tmp_path)
    for path in [*found.folders, tmp_path / "none"]:
        expected = [each for each in found.folders if each == path or path in each.parents]
        assert [folder.path for folder in found.below(path)] == expected


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
def test_a_folder_that_is_closed_is_told(tmp_path):
    lay_out(tmp_path, "train.py", "data/a.csv")
    (tmp_path / "data").chmod(0)
    found = survey(tmp_path)
    (tmp_path / "data").chmod(0o700)
    assert [proposal.key for proposal in found.proposals] == ["scripts.train"]
    assert [problem.code for problem in found.problems] == ["no-permission"]


# --- scripts ----------------------------------------------------------------------------------------------------------


def test_of_scripts_that_are_alike_a_person_chooses(tmp_path):
    for name in ("vgg_cifar.py", "vgg_flower.py"):
        (tmp_path / name).write_text("import mindspore\nif __name__ == '__main__':\n    model.train(1, data)\n")
    (one,) = propose(tmp_path)
    assert (one.key, one.value, one.others) == ("scripts.train", "vgg_cifar.py", ["vgg_flower.py"])
    assert "so are vgg_flower.py" in one.reason(Language.EN) and "vgg_flower.py" in one.reason(Language.ZH)
    lay_out(tmp_path, "train.py")
    assert proposed(tmp_path) == {"scripts.train": "train.py"}


def test_modules_and_tools_are_no_scripts(tmp_path):
    lay_out(tmp_path, "train_util.py", "src/train_one_step.py", "src/eval.py", "export.py", "convert_train.py")
    assert proposed(tmp_path) == {}
    (tmp_path / "src/train.py").write_text("import mindspore\nif __name__ == '__main__':\n    main()\n")
    assert proposed(tmp_path) == {"scripts.train": "src/train.py"}


def test_scripts_of_one_folder_below_are_found_and_several_projects_are_told_apart(tmp_path):
    lay_out(tmp_path, "code/train.py", "code/eval.py")
    assert proposed(tmp_path) == {}, "nothing shows that these are started"
    (tmp_path / "code/train.py").write_text("import mindspore\ntrain()\n")
    assert proposed(tmp_path)["scripts.train"] == "code/train.py"
    lay_out(tmp_path / "deep", "packages/vision/utils.py")
    (tmp_path / "deep/packages/vision/train.py").write_text("import mindspore\ntrain()\n")
    assert proposed(tmp_path / "deep")["scripts.train"] == "packages/vision/train.py"
    lay_out(tmp_path / "several", "cv/resnet/train.py", "nlp/bert/run_pretrain.py", "nlp/bert/b.ckpt", "data/a.csv")
    assert survey(tmp_path / "several").projects == [], "nothing shows yet that these are started"
    for name in ("cv/resnet/train.py", "nlp/bert/run_pretrain.py"):
        (tmp_path / "several" / name).write_text("import mindspore\ntrain()\n")
    lay_out(tmp_path / "several", "cv/resnet/logs/train.log", "cv/lib/train_utils.py")
    found = survey(tmp_path / "several")
    assert found.projects == ["cv/resnet", "nlp/bert"]
    assert found.proposals == [], "the data and logs of one of them are not those of all"


def test_the_training_below_a_script_that_infers_is_found(tmp_path):
    guard = "if __name__ == '__main__':\n    "
    for name, call in (
        ("classify.py", "model.predict(image)"),
        ("engine/train.py", "model.train(1, data)"),
        ("cleaning/main.py", "clean()"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"import mindspore\n{guard}{call}\n")
    assert proposed(tmp_path) == {"scripts.infer": "classify.py", "scripts.train": "engine/train.py"}
    (tmp_path / "cleaning/main.py").write_text(f"import mindspore\n{guard}model.train(1, data)\n")
    train = next(one for one in propose(tmp_path) if one.key == "scripts.train")
    assert {train.value, *train.others} == {"engine/train.py", "cleaning/main.py"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ms.set_context(mode=ms.GRAPH_MODE, device_target='Ascend')", {"device": "Ascend", "mode": "graph"}),
        ("context.set_context(mode=1)\nms.set_device('CPU')", {"device": "CPU", "mode": "pynative"}),
        ("ms.set_context(device_target=args.device)", {}),
        ("if args.gpu:\n    ms.set_context(device_target='GPU')", {}),
        ("ms.set_device('CPU')\nms.set_device('Ascend')", {}),
        ("m = Model(net, amp_level='O2')", {"amp": "O2"}),
        ("net = auto_mixed_precision(net, 'O3')\nm = Model(net, amp_level=level)", {}),
        ("if __name__ == '__main__':\n    ms.set_device('Ascend')", {"device": "Ascend"}),
        ("ms.set_context(mode=True", {}),
    ],
)
def test_what_a_script_says_plainly_of_how_it_runs(tmp_path, code, expected):
    (tmp_path / "train.py").write_text(f"import mindspore as ms\n{code}\n")
    found = proposed(tmp_path)
    assert {key.removeprefix("runtime."): value for key, value in found.items() if key != "scripts.train"} == expected


def test_a_configuration_is_proposed_where_only_one_can_be_meant(tmp_path):
    lay_out(tmp_path, "train.py")
    (tmp_path / "environment.yaml").write_text("name: x\n")
    (tmp_path / "default_config.yaml").write_text("lr: 0.1\nbatch_size: 32\n")
    (found,) = [proposal for proposal in propose(tmp_path) if proposal.key == "configs.used"]
    assert found.value == "default_config.yaml" and "lr, batch_size" in found.reason(Language.EN)
    (tmp_path / "train_config.yaml").write_text("lr: 0.1\nepochs: 3\n")
    assert "configs.used" not in proposed(tmp_path)


# --- data and weights -------------------------------------------------------------------------------------------------


def test_a_package_called_data_is_no_data(tmp_path):
    lay_out(tmp_path, "train.py", "data/__init__.py", "data/loader.py", "data/README.md")
    assert proposed(tmp_path) == {"scripts.train": "train.py"}


def test_what_lies_in_the_source_is_no_data(tmp_path):
    lay_out(tmp_path, "train.py")
    for name in ("net/dataset/labels.txt", "examples/data/names.txt", "src/utils/pretrain-data/merges.txt"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("one\ntwo\n")
    lay_out(
        tmp_path, "tests/test_net.py", "tests/fixtures/data/a.csv", "data/__init__.py", "data/loader.py", "data/b.csv"
    )
    (tmp_path / "tests/test_net.py").write_text("from net import Net\n\ndef test_shape():\n    assert Net()\n")
    assert proposed(tmp_path) == {"scripts.train": "train.py"}
    lay_out(tmp_path, "data/c.csv")
    assert proposed(tmp_path)["data.train.path"] == "data", "a module beside the data makes it no source"
    lay_out(tmp_path / "b", "train.py")
    (tmp_path / "b/corpus").mkdir()
    (tmp_path / "b/corpus/all.txt").write_text("one\ntwo\n")
    assert proposed(tmp_path / "b")["data.train.path"] == "corpus"


def test_a_script_that_tests_a_network_makes_its_data_no_fixtures(tmp_path):
    """By what it does, not by its name: test_net.py evaluates in many projects."""
    lay_out(tmp_path, "train.py", "src/dataset/train.csv")
    (tmp_path / "src/test_net.py").write_text("import mindspore\n\ndef test_net(path):\n    model.eval(path)\n")
    assert proposed(tmp_path)["data.train.path"] == "src/dataset/train.csv"
    (tmp_path / "src/test_net.py").write_text("import pytest\n\ndef test_net(net):\n    assert net\n")
    assert "data.train.path" not in proposed(tmp_path)


TRAINS = """import mindspore as ms
from mindspore import nn

def test_net():
    ms.Model(net, loss, nn.SGD(weights, 0.1)).train(1, data)
"""


@pytest.mark.parametrize("name", ["test_net.py", "tests/net.py", "st/test_train.py"])
def test_what_is_called_a_test_and_trains_is_taken_where_nothing_else_does(tmp_path, name):
    lay_out(tmp_path, "src/net.py")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(TRAINS)
    assert proposed(tmp_path)["scripts.train"] == name
    (setting,) = script_settings(tmp_path, (name,))
    assert setting.startswith("scripts.train=")
    (tmp_path / name).write_text(TRAINS.replace("nn.SGD(weights, 0.1)", "metrics={'a'}").replace("train(1", "eval("))
    assert "scripts.train" not in proposed(tmp_path)
    (tmp_path / name).write_text(TRAINS)
    lay_out(tmp_path, "train.py")
    assert proposed(tmp_path)["scripts.train"] == "train.py"
    assert [each.partition("=")[0] for each in script_settings(tmp_path, ("train.py", name))] == [
        "scripts.train",
        "scripts.eval",
    ]


STEPS = """from mindspore import nn

def learn(net, data):
    return nn.TrainOneStepCell(net, nn.Adam(net.trainable_params()))
"""


@pytest.mark.parametrize(
    ("name", "imports"),
    [
        ("jobs/weather/start.py", "from engine.steps import learn"),
        ("jobs/weather/start.py", "import engine.loops"),
        ("src/start.py", "from engine import steps"),
        ("start.py", "from engine import (steps, loops)"),
    ],
)
def test_a_training_without_a_name_is_found_by_what_the_modules_do_that_it_imports(tmp_path, name, imports):
    lay_out(tmp_path, "engine/__init__.py", "engine/loops.py", name)
    (tmp_path / "engine/steps.py").write_text(STEPS)
    (tmp_path / "engine/loops.py").write_text("from . import steps\n")
    started = "\n\nif __name__ == '__main__':\n    run()\n"
    (tmp_path / name).write_text("import numpy\n" + started)
    assert "scripts.train" not in proposed(tmp_path), "it imports nothing that trains"
    (tmp_path / name).write_text(imports + "\n")
    assert "scripts.train" not in proposed(tmp_path), "a module"
    (tmp_path / name).write_text("import torch\n" + imports + started)
    assert "scripts.train" not in proposed(tmp_path), "it trains with PyTorch"
    (tmp_path / name).write_text(imports + started)
    assert proposed(tmp_path)["scripts.train"] == name
    other = tmp_path / "jobs/traffic/src/begin.py"
    other.parent.mkdir(parents=True)
    other.write_text(imports + started)
    assert survey(tmp_path).projects == sorted({str(Path(name).parent).replace("src", "."), "jobs/traffic"})


def test_a_look_ends_in_time(tmp_path, monkeypatch):
    lay_out(tmp_path, "train.py")
    monkeypatch.setattr(tree, "SECONDS", -1.0)
    found = survey(tmp_path)
    assert found.partial and found.proposals == []


def test_data_in_a_set_within_the_folder_and_as_files(tmp_path):
    lay_out(tmp_path, "a/train.py", "a/data/cifar10/train/0.csv", "a/data/cifar10/test/0.csv")
    assert proposed(tmp_path / "a")["data.train.path"] == "data/cifar10/train"
    assert proposed(tmp_path / "a")["data.eval.path"] == "data/cifar10/test"
    lay_out(tmp_path, "b/main.py", "b/train.csv", "b/test.csv")
    assert proposed(tmp_path / "b")["data.train.path"] == "train.csv"
    assert proposed(tmp_path / "b")["data.train.label"] == "label"
    (tmp_path / "b/train.csv").write_text("step,loss\n1,0.5\n2,0.4\n")
    assert proposed(tmp_path / "b")["curves.train"] == "train.csv"


def test_the_current_weights_are_the_last_by_number_else_the_newest(tmp_path):
    lay_out(tmp_path, *(f"net-{epoch}_100.ckpt" for epoch in (2, 9, 10)))
    for age, epoch in enumerate((10, 9, 2)):
        os.utime(tmp_path / f"net-{epoch}_100.ckpt", (age, age))  # a copy keeps no times
    found = proposed(tmp_path)
    assert (found["checkpoints.current"], found["checkpoints.previous"]) == ("net-10_100.ckpt", "net-9_100.ckpt")
    lay_out(tmp_path / "b", "best.ckpt", "last.ckpt", "finite.ckpt")
    for age, name in enumerate(("last", "finite", "best")):
        os.utime(tmp_path / f"b/{name}.ckpt", (age, age))
    (one,) = propose(tmp_path / "b")
    assert (one.key, one.value) == ("checkpoints.current", "best.ckpt")
    assert one.reason(Language.EN) == "the newest of 3 checkpoints"


# --- records ----------------------------------------------------------------------------------------------------------


def test_a_log_is_told_by_what_it_holds(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/build.log").write_text("compiling\nlinking\ndone\n")
    (tmp_path / "logs/run7.log").write_text("start\n" + LOG)
    (tmp_path / "logs/acc.log").write_text("epoch 1 eval accuracy: 0.5\n")
    found = {proposal.key: proposal for proposal in propose(tmp_path)}
    assert {key: proposal.value for key, proposal in found.items()} == {
        "curves.train": "logs/run7.log",
        "curves.eval": "logs/acc.log",
    }
    assert found["curves.train"].reason(Language.EN) == "20 of 21 lines hold a loss or a metric"
    (tmp_path / "logs/run7.log").write_text("prepared, loss: 0.5\ndone\n")
    assert "curves.train" not in proposed(tmp_path), "one loss is no curve"


@pytest.mark.parametrize(
    ("text", "answer", "place"),
    [
        (LOG, "runs", None),
        ("epoch 1/2 loss: 0.5\nepoch 2/2 loss: 0.4\n", "runs", None),
        (LOG + TRACEBACK, "fails", 21),
        (TRACEBACK, "fails", 1),
        (TRACEBACK + LOG, "runs", None),
        (LOG + "Segmentation fault (core dumped)\n", "fails", 21),
        (LOG + TRACEBACK.replace("ValueError: For", "KeyboardInterrupt"), "unsure", 21),
        (LOG * 2000 + TRACEBACK, "fails", 40_001),
        (LOG + TRACEBACK + "training finished, saved to ckpt\naccuracy: 0.93\n", "runs", None),
        (LOG + "Out of memory guard is on\nvalidation accuracy: 0.9\ndone\n", "runs", None),
        (LOG + TRACEBACK + "training finished\n", "fails", 21),
        (LOG + TRACEBACK.replace("model.train(10, data)", "loss = 0.5; acc = 1.0"), "fails", 21),
        (LOG + TRACEBACK.replace("For 'MatMul', the", "loss is nan, accuracy: 0.1, the"), "fails", 21),
    ],
)
def test_what_the_newest_log_says_of_the_end(tmp_path, text, answer, place):
    (tmp_path / "old.log").write_text(TRACEBACK)
    os.utime(tmp_path / "old.log", (1, 1))
    (tmp_path / "train.log").write_text(text)
    trained = survey(tmp_path).trained
    assert trained.answer == answer
    for language in Language:
        reason = trained.reason(language)
        assert reason.startswith("train.log" if place is None else f"train.log:{place}")
        assert "{" not in reason
    if answer == "fails" and "MatMul" in text:
        assert "ValueError: For 'MatMul'" in reason


def test_no_log_says_nothing_of_the_end(tmp_path):
    lay_out(tmp_path, "train.py")
    assert survey(tmp_path).trained is None
    (tmp_path / "eval.log").write_text("eval accuracy: 0.5\n")
    assert survey(tmp_path).trained is None


def test_hostile_logs(tmp_path):
    for number, content in enumerate((b"", b"\0" * 9000, b"loss: " + b"9" * 70_000, b"{" * 5000, b"\xff\xfe" * 50)):
        (tmp_path / f"{number}.log").write_bytes(content)
        logs.examine(tmp_path / f"{number}.log")
    os.mkfifo(tmp_path / "train.log")
    assert {proposal.key for proposal in propose(tmp_path)} <= {"curves.train"}


@pytest.mark.mindspore
def test_summaries_graphs_and_dumps(tmp_path, real_graphs, real_dumps):
    import shutil

    lay_out(tmp_path, "train.py")
    shutil.copytree(real_graphs["residual"], tmp_path / "graphs")
    shutil.copytree(real_dumps["clean"], tmp_path / "dump_data")
    (tmp_path / "summary").mkdir()
    (tmp_path / "summary/a.out.events.summary.1.host_MS").write_bytes(b"x")
    found = proposed(tmp_path)
    assert found["curves.train"] == "summary" and found["graphs.path"].startswith("graphs")
    assert found["dumps.path"].startswith("dump_data")


# --- the benchmark ----------------------------------------------------------------------------------------------------


def test_a_benchmark_within_and_beside_the_project(tmp_path):
    torch = pytest.importorskip("torch")

    lay_out(tmp_path, "resnet_ms/train.py", "resnet_ms/data/train/a.csv")
    for folder in ("resnet_ms/torch", "resnet-pytorch", "other_torch"):
        path = tmp_path / folder
        path.mkdir()
        (path / "train.py").write_text("import torch\nloss.backward()\n")
        (path / "eval.py").write_text("import torch\n")
        (path / "train.log").write_text(LOG)
        torch.save({"w": torch.from_numpy(np.zeros(2))}, path / "best.pth")
    root = tmp_path / "resnet_ms"
    found = proposed(root)
    assert found["scripts.train"] == "train.py" and "curves.train" not in found
    assert found["benchmark.scripts.train"] == "torch/train.py"
    assert found["benchmark.scripts.eval"] == "torch/eval.py"
    assert found["checkpoints.reference"] == "torch/best.pth"
    assert found["curves.reference.path"] == "torch/train.log"
    for name in ("train.py", "eval.py", "train.log", "best.pth"):
        (root / "torch" / name).unlink()
    assert proposed(root)["benchmark.scripts.train"] == "../resnet-pytorch/train.py"
    (tmp_path / "resnet-pytorch/train.py").write_text("import mindspore\n")
    (tmp_path / "resnet-pytorch/eval.py").unlink()
    assert "benchmark.scripts.train" not in proposed(root), "other_torch is another project's"


def test_a_script_of_pytorch_is_none_of_mindspore(tmp_path):
    (tmp_path / "train.py").write_text("import torch\nloss.backward()\n")
    assert propose(tmp_path) == []


# --- keys -------------------------------------------------------------------------------------------------------------


def test_every_key_is_one_of_the_case_and_has_words(tmp_path):
    paths = set(cases.path_keys())
    for name, key in keys.KEYS.items():
        assert set(keys.TITLES[name]) == {"en", "zh"} and key.group in keys.GROUPS
        assert (name in paths) == key.file >= key.folder, name
        if name == "phases":
            phases = cases.load(tmp_path, ['phases={"made": {"network": {"call": "a:b"}}}']).spec.phases
            assert phases["made"].network is not None and phases["made"].network.call == "a:b"
            continue
        if name.endswith(".args"):
            call = f"{name.removesuffix('args')}call=a:b"
            assert cases.load(tmp_path, [call, f'{name}={{"x": 1}}']).get(name) == {"x": 1}
            continue
        value = 0.5 if name in ("goal.reached", "goal.expected") else key.choices[0] if key.choices else "x"
        assert cases.load(tmp_path, [f"{name}={value}"]).get(name) == value
    assert set(keys.TITLES) == set(keys.KEYS)
    for words in (WHY, keys.CHECKS, keys.GROUPS):
        assert all(set(entry) == {"en", "zh"} for entry in words.values())


def test_whether_a_value_will_do(tmp_path):
    case = cases.Case(root=str(tmp_path))
    lay_out(tmp_path, "a.ckpt", "b.txt", "d/x.csv")
    os.mkfifo(tmp_path / "pipe")
    checked = {
        (key, value): keys.check(case, key, value)
        for key, value in [
            *(("checkpoints.current", "a.ckpt"), ("checkpoints.current", "b.txt"), ("checkpoints.current", "no.ckpt")),
            *(("scripts.train", "d"), ("data.train.path", "d"), ("data.train.path", "s3://b/x"), ("curves.train", " ")),
            *(("runtime.device", "CPU"), ("runtime.device", "TPU"), ("data.train.label", "y"), ("graphs.path", "pipe")),
            *(("scripts.train", "\udcff.py"), ("scripts.train", "x" * 5000), ("scripts.train", "a\0b")),
        ]
    }
    whys = [found.why for found in checked.values()]
    assert whys == [
        *("is-file", "unusual-ending", "not-there", "needs-file", "is-folder", "is-address", "nothing"),
        *("is-text", "one-of", "is-text", "neither", "not-utf8", "not-there", "not-there"),
    ]
    good = [(key, value) for (key, value), found in checked.items() if found.good]
    assert good == [
        *(("checkpoints.current", "a.ckpt"), ("checkpoints.current", "b.txt"), ("data.train.path", "d")),
        *(("data.train.path", "s3://b/x"), ("runtime.device", "CPU"), ("data.train.label", "y")),
    ]
    assert checked["runtime.device", "TPU"].text(Language.ZH) == "可选：Ascend, GPU, CPU"


def test_paths_are_completed_those_that_fit_first(tmp_path):
    case = cases.Case(root=str(tmp_path))
    lay_out(tmp_path, "train.py", "train.txt", "tr/a.py", ".hidden.py")
    assert keys.completions(case, "scripts.train", "tr") == ["tr/", "train.py", "train.txt"]
    assert keys.completions(case, "scripts.train", "tr/") == ["tr/a.py"]
    assert keys.completions(case, "scripts.train", ".h") == [".hidden.py"]
    assert keys.completions(case, "scripts.train", "none/x") == []
    assert keys.completions(case, "runtime.amp", "o") == ["O0", "O1", "O2", "O3"]
    assert keys.completions(case, "data.train.label", "l") == []


def test_phases_and_arguments_are_read_as_calls():
    adam = {"call": "mindspore.nn:Adam", "args": {"learning_rate": 0.1}}
    critic = {"network": {"call": "net:Critic", "args": {"body": {"call": "net:Body"}}}}
    value = json.dumps({"maker": {"network": {"call": "net:Maker"}, "optimizer": adam}, "critic": critic})
    assert keys.shown("phases", value, Language.EN) == [
        "maker: Maker(), updated by Adam(learning_rate=0.1)",
        "critic: Critic(body=Body())",
    ]
    assert keys.shown("phases", value, Language.ZH)[0] == "maker：Maker()，由 Adam(learning_rate=0.1) 更新"
    assert keys.shown("network.args", '{"classes": 10, "mode": "pad"}', Language.EN) == ["classes=10, mode='pad'"]
    assert keys.shown("network.args", "{half", Language.EN) == ["{half"], "what is being typed stays as it is"
