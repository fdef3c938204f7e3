"""shuffle_settings on scripts as people write them: beyond the probe's own examples."""

import textwrap
from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Code, Finding, Language, Level, Verdict, suggest
from accucheck.probes import _seen, shuffle_settings

HEAD = "import mindspore as ms\nimport mindspore.dataset as ds\nfrom somewhere import net, flag, size\n"


def run(root: Path, script: str | bytes, *, train: Any = "train.py", **modules: str) -> list[Finding]:
    data = script if isinstance(script, bytes) else (HEAD + textwrap.dedent(script)).encode()
    (root / "train.py").write_bytes(data)
    for name, text in modules.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    case = Case(root=str(root), spec=msgspec.convert({"scripts": {"train": train}}, CaseFile))
    events = shuffle_settings.run(case, shuffle_settings.Params())
    return [event for event in events if isinstance(event, Finding) and event.code not in _seen.SEEN]


def codes(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings]


HEALTHY = {
    "evaluation by name": """
        def create_eval_dataset(path):
            return ds.ImageFolderDataset(path, shuffle=False).batch(32)
        train_ds = ds.ImageFolderDataset("a/train").batch(32)
        ms.Model(net).train(1, train_ds)
        ms.Model(net).eval(create_eval_dataset("a/val"))
    """,
    "evaluation by use": """
        one = ds.ImageFolderDataset("a", shuffle=True)
        two = ds.ImageFolderDataset("b", shuffle=False)
        model = ms.Model(net)
        model.train(1, one, callbacks=[EvalCallback(model, two)])
    """,
    "evaluation in a callback that is called while training": """
        class Accuracy(ms.Callback):
            def __init__(self, net, data):
                self.net, self.data = net, data
            def on_train_step_end(self, run_context):
                self.net.set_train(False)
                for image, label in self.data.create_tuple_iterator(num_epochs=1):
                    print(self.net(image), label)
                self.net.set_train(True)
        one = ds.ImageFolderDataset("a", shuffle=True).batch(24)
        two = ds.ImageFolderDataset("b", shuffle=False).batch(40)
        ms.Model(net).train(1, one, callbacks=[Accuracy(net, two)])
    """,
    "evaluation by place in fit": """
        def create(path, training):
            return ds.ImageFolderDataset(path, shuffle=training)
        ms.Model(net).fit(3, create("a", True), create("b", False))
    """,
    "evaluation by path": """
        for part in ("x",):
            a = ds.Cifar10Dataset("data", usage="train", shuffle=True)
            b = ds.Cifar10Dataset("data", usage="test", shuffle=False)
    """,
    "evaluation in the other branch": """
        def create(path, usage="train"):
            if usage == "train":
                data = ds.MnistDataset(path, shuffle=True)
            else:
                data = ds.MnistDataset(path, shuffle=False)
            return data.batch(32)
    """,
    "a flag in capitals of a string": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--do_train", type=str, default="false")
        args = parser.parse_args()
        def create(path):
            shuffle = args.do_train.lower() == "true"
            return ds.ImageFolderDataset(path, shuffle=shuffle)
        train_ds = create("a")
    """,
    "mode of a config": """
        def create(config):
            return ds.ImageFolderDataset(config.path, shuffle=(config.mode == "train"))
        data = create(flag)
    """,
    "shuffled in a helper": """
        def finish(data):
            data = data.map(lambda x: x)
            return data.shuffle(20000).batch(32)
        train_ds = finish(ds.TFRecordDataset("train", shuffle=False))
    """,
    "shuffled through apply": """
        def finish(data):
            return data.shuffle(20000)
        train_ds = ds.TFRecordDataset("train", shuffle=False).apply(finish)
    """,
    "shuffled in a class": """
        class Data:
            def __init__(self, path):
                self.data = ds.TFRecordDataset(path, shuffle=False)
                self.data = self.data.shuffle(20000)
            def loader(self):
                return self.data.batch(32)
        train_loader = Data("train").loader()
    """,
    "shuffled in a dict of data sets": """
        sets = {"train": ds.ImageFolderDataset("t", shuffle=True), "val": ds.ImageFolderDataset("v", shuffle=False)}
        ms.Model(net).train(1, sets["train"])
        ms.Model(net).eval(sets["val"])
    """,
    "a peek before shuffling": """
        train_ds = ds.MnistDataset("train", shuffle=False)
        print(next(train_ds.create_dict_iterator()))
        train_ds = train_ds.shuffle(60000).batch(32)
        ms.Model(net).train(1, train_ds)
    """,
    "arrays zipped and shuffled": """
        x = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False)
        y = ds.NumpySlicesDataset([1, 2], ["y"], shuffle=False)
        train_ds = ds.zip((x, y)).shuffle(100).batch(2)
    """,
    "parts added and shuffled": """
        train_ds = ds.TFRecordDataset("a", shuffle=False) + ds.TFRecordDataset("b", shuffle=False)
        train_ds = train_ds.shuffle(10000)
    """,
    "enum": "train_ds = ds.MindDataset('t', shuffle=ds.Shuffle.GLOBAL)",
    "positional": "train_ds = ds.ImageFolderDataset('t', None, 8, True)",
    "own sampler": """
        import numpy as np
        class Balanced:
            def __iter__(self):
                return iter(np.random.permutation(10).tolist())
        train_ds = ds.ImageFolderDataset("t", sampler=Balanced())
    """,
    "generator over a list": "train_ds = ds.GeneratorDataset([(1,), (2,)], ['x'])",
    "generator over zip": "train_ds = ds.GeneratorDataset(list(zip([1], [2])), ['x', 'y'])",
    "a source of one sample": """
        class Whole:
            def __getitem__(self, index):
                return (1,)
            def __len__(self):
                return 1
        train_ds = ds.GeneratorDataset(Whole(), ["x"], shuffle=False)
    """,
    "star import": "from mindspore.dataset import *\ntrain_ds = ImageFolderDataset('t')",
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_script_is_ok(tmp_path: Path, name: str) -> None:
    findings = run(tmp_path, HEALTHY[name])
    assert suggest(findings) is Verdict.OK and codes(findings) == ["shuffled"] * len(findings) and findings, findings


FAULTY = {
    "a variable": ("shuffle = False\ntrain_ds = ds.MnistDataset('t', shuffle=shuffle)", "shuffle-off"),
    "an expression": ("train_ds = ds.MnistDataset('t', shuffle=1 > 2)", "shuffle-off"),
    "positional": ("train_ds = ds.ImageFolderDataset('t', None, 8, False)", "shuffle-off"),
    "a default that the call does not change": (
        "def create(path, shuffle=False):\n    return ds.MnistDataset(path, shuffle=shuffle)\ntrain_ds = create('t')",
        "shuffle-off",
    ),
    "the enum": ("train_ds = ds.MindDataset('t', shuffle=ds.Shuffle.FALSE)", "shuffle-off"),
    "through keywords": ("how = {'shuffle': False}\ntrain_ds = ds.MnistDataset('t', **how)", "shuffle-off"),
    "sequential sampler": ("train_ds = ds.MnistDataset('t', sampler=ds.SequentialSampler())", "sampler-in-order"),
    "a list of indices": ("train_ds = ds.MnistDataset('t', sampler=[1, 2, 3])", "sampler-in-order"),
    "the same in the training function": (
        "def train():\n    data = ds.MnistDataset('x', shuffle=False)\n"
        "    for batch in data.create_dict_iterator():\n        net(batch)\ntrain()",
        "shuffle-off",
    ),
    "chained and dropped": (
        "train_ds = ds.MnistDataset('t', shuffle=False)\ntrain_ds.shuffle(100).batch(2)\nms.Model(net).train(1, train_ds)",
        "shuffle-dropped",
    ),
    "the flag the wrong way round": (
        "def create(path, is_training):\n    return ds.MnistDataset(path, shuffle=not is_training)\n"
        "ms.Model(net).train(1, create('t', True))",
        "shuffle-off",
    ),
    "a sampler that does not reshuffle": (
        "sampler = ds.RandomSampler()\nsampler.reshuffle_each_epoch = False\ntrain_ds = ds.MnistDataset('t', sampler=sampler)",
        "reshuffle-off",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_fault_is_found(tmp_path: Path, name: str) -> None:
    script, code = FAULTY[name]
    findings = run(tmp_path, script)
    above = [finding for finding in findings if finding.level is not Level.INFO]
    assert suggest(findings) is Verdict.PROBLEM and codes(above) == [code], findings
    (finding,) = above
    assert finding.where.path == "train.py" and finding.where.line and finding.where.line > 3
    (code_,) = finding.evidence
    assert isinstance(code_, Code) and finding.where.line in code_.marked


UNDECIDED = {
    "a condition on shuffling": (
        "if flag.shuffle:\n    train_ds = ds.MnistDataset('t')\nelse:\n    train_ds = ds.MnistDataset('t', shuffle=False)",
        "unresolved",
    ),
    "shuffled on one way only": (
        "train_ds = ds.MnistDataset('t', shuffle=False)\nif flag.quick:\n    train_ds = train_ds.shuffle(9999)\n"
        "ms.Model(net).train(1, train_ds)",
        "sometimes-off",
    ),
    "files only": ("train_ds = ds.TFRecordDataset('t', shuffle=ds.Shuffle.FILES)", "files-only"),
    "unknown keywords": ("train_ds = ds.MnistDataset('t', **flag.more)", "unresolved"),
    "unknown sampler": ("train_ds = ds.MnistDataset('t', sampler=flag.sampler)", "unresolved"),
    "a source elsewhere": ("from data import Source\ntrain_ds = ds.GeneratorDataset(Source(), ['x'])", "unresolved"),
    "a source elsewhere, not shuffled": (
        "from data import Source\ntrain_ds = ds.GeneratorDataset(Source(), ['x'], shuffle=False)",
        "source-may-shuffle",
    ),
    "a source that shuffles by itself": (
        "import random\nclass S:\n    def __getitem__(self, i):\n        return (self.order[i],)\n    def __len__(self):\n"
        "        random.shuffle(self.order)\n        return 9\ntrain_ds = ds.GeneratorDataset(S(), ['x'], shuffle=False)",
        "source-may-shuffle",
    ),
    "handed on": (
        "from data import pipeline\ntrain_ds = pipeline(ds.MnistDataset('t', shuffle=False))\nms.Model(net).train(1, train_ds)",
        "handed-on",
    ),
    "nothing here": ("ms.Model(net)", "no-dataset"),
    "only evaluation": ("val_ds = ds.MnistDataset('v', shuffle=False)\nms.Model(net).eval(val_ds)", "no-dataset"),
    "made by name": ("train_ds = getattr(ds, input())('t', shuffle=False)", "no-dataset"),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_cannot_be_decided_is_left_open(tmp_path: Path, name: str) -> None:
    script, code = UNDECIDED[name]
    findings = run(tmp_path, script)
    assert suggest(findings) is Verdict.UNDECIDED and code in codes(findings), findings


DATASET = """
import mindspore.dataset as ds
def create_dataset(path, training):
    return ds.ImageFolderDataset(path, shuffle={shuffle}).batch(32)
"""


def test_modules_of_the_project_are_followed(tmp_path: Path) -> None:
    script = "from src.dataset import create_dataset\nms.Model(net).train(1, create_dataset('t', True))"
    assert codes(run(tmp_path, script, src__dataset=DATASET.format(shuffle="training"))) == ["shuffled"]
    (finding,) = run(tmp_path, script, src__dataset=DATASET.format(shuffle="False"))
    assert (finding.code, finding.where.path, finding.where.line) == ("shuffle-off", "src/dataset.py", 4)


def test_a_module_that_does_not_parse_leaves_it_open(tmp_path: Path) -> None:
    script = "from src.dataset import create_dataset\nms.Model(net).train(1, create_dataset('t', True))"
    findings = run(tmp_path, script, src__dataset="print 'two'\n")
    assert codes(findings) == ["unreadable", "elsewhere", "data-unseen"] and all(
        finding.incomplete for finding in findings
    )
    assert findings[0].where.path == "src/dataset.py" and findings[0].where.line == 1


def test_several_scripts(tmp_path: Path) -> None:
    findings = run(
        tmp_path,
        "train_ds = ds.MnistDataset('t')",
        train=["train.py", "second.py", "gone.py", "broken.py"],
        second="import mindspore.dataset as ds\ntrain_ds = ds.MnistDataset('t', shuffle=False)\n",
        broken="def f(:\n",
    )
    found = {(finding.code, finding.where.path) for finding in findings}
    assert found == {
        ("shuffled", "train.py"),
        ("shuffle-off", "second.py"),
        ("unreadable", "gone.py"),
        ("unreadable", "broken.py"),
    }
    for finding in findings:
        if finding.code == "unreadable":
            english, chinese = (
                probe.message(shuffle_settings, finding.code, finding.data, language) for language in Language
            )
            assert finding.where.path in english and english != chinese


def test_the_diff_mends_the_line_and_only_it(tmp_path: Path) -> None:
    (finding,) = run(tmp_path, "train_ds = ds.MnistDataset(\n    '训练', shuffle=False,  # False\n)\n")
    assert finding.fix is not None and finding.fix.diff is not None
    changed = [line for line in finding.fix.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-    '训练', shuffle=False,  # False", "+    '训练', shuffle=True,  # False"]
    assert finding.where.line == 5


def test_encodings_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    script = "# -*- coding: gbk -*-\nimport mindspore.dataset as ds\n训练 = ds.MnistDataset('数据', shuffle=False)\n"
    for data in (script.encode("gbk"), script.replace("gbk", "utf-8").replace("\n", "\r\n").encode("utf-8-sig")):
        (finding,) = run(tmp_path, data)
        assert (finding.code, finding.where.line) == ("shuffle-off", 3)


def test_the_script_is_never_run(tmp_path: Path) -> None:
    run(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\n__import__('os').system('touch ran')\n")
    assert not (tmp_path / "ran").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.py"]
