"""How real scripts put it: which device and mode count, what is compiled, sunk, computed in half precision and reduced."""

from collections.abc import Callable
from pathlib import Path

import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile, Scripts
from accucheck.model import Verdict, suggest
from findings import found_by

HEAD = """
import argparse
import mindspore as ms
from mindspore import context, nn, ops
from mindspore.communication import init

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="Ascend")
parser.add_argument("--sink", type=bool, default=True)
args = parser.parse_args()
net = nn.Dense(8, 2)
opt = nn.Adam(net.trainable_params(), 1e-3)
"""
MODEL = "model = ms.Model(net, nn.CrossEntropyLoss(), opt)\n"


@pytest.fixture
def said(tmp_path: Path) -> Callable[[str, str], tuple[Verdict, set[str]]]:
    def examine(name: str, script: str) -> tuple[Verdict, set[str]]:
        (tmp_path / "train.py").write_text(HEAD + script)
        module = probe.load(name)
        case = Case(str(tmp_path), CaseFile(scripts=Scripts(train="train.py")))
        found = found_by(module, case, module.Params())
        return getattr(module, "suggest", suggest)(found), {finding.code for finding in found}

    return examine


class TestGraphMode:
    def test_the_last_mode_that_is_set_counts(self, said):
        set_twice = "ms.set_context(mode=1)\nms.set_context(mode=0)\n" + MODEL
        assert said("graph_mode", set_twice) == (Verdict.OK, {"graph"})

    def test_a_mode_for_a_cpu_alone_does_not_count(self, said):
        script = (
            "ms.set_context(mode=ms.GRAPH_MODE)\n"
            "if args.device == 'CPU':\n    context.set_context(mode=context.PYNATIVE_MODE)\n" + MODEL
        )
        assert said("graph_mode", script) == (Verdict.OK, {"graph"})

    def test_either_of_two_modes_is_not_known(self, said):
        script = "ms.set_context(mode=0)\nif args.sink:\n    ms.set_context(mode=1)\n" + MODEL
        verdict, codes = said("graph_mode", script)
        assert verdict is Verdict.UNDECIDED and codes <= {"mode-unknown", "pynative"}

    @pytest.mark.parametrize(
        ("script", "code"),
        [
            (MODEL, "pynative-default"),
            ("ms.set_context(mode=1)\n" + MODEL, "pynative"),
            ("ms.set_context(mode=args.mode)\n" + MODEL, "mode-unknown"),
            ("if args.device == 'CPU':\n    ms.set_context(mode=0)\n" + MODEL, "pynative-default"),
            ("if ms.get_context('device_target') == 'CPU':\n    ms.set_context(mode=0)\n" + MODEL, "pynative-default"),
            ("if args.sink:\n    ms.set_context(mode=0)\nelse:\n    ms.set_context(mode=1)\n" + MODEL, "graph"),
            ("run = ms.jit(net)\nrun(data)\n" + MODEL, "jit"),
            ("@ms.jit\ndef run(x):\n    return net(x)\nrun(data)\n" + MODEL, "jit"),
            ("@ms.jit(jit_level='O1')\ndef run(x):\n    return net(x)\nrun(data)\n" + MODEL, "jit"),
            (
                "import functools\n@functools.cache\ndef run(x):\n    return net(x)\nrun(data)\n" + MODEL,
                "pynative-default",
            ),
        ],
    )
    def test_what_is_compiled(self, said, script, code):
        assert said("graph_mode", script)[1] == {code}


class TestSinkMode:
    def test_the_default_of_an_option_counts(self, said):
        script = "ms.set_device(args.device)\n" + MODEL + "model.train(1, data, dataset_sink_mode=args.sink)\n"
        assert said("sink_mode", script) == (Verdict.OK, {"sink"})

    def test_a_model_of_the_project_is_one_too(self, said):
        script = (
            'ms.set_device("Ascend")\nclass Mine(ms.Model):\n    pass\n'
            "model = Mine(net, nn.MSELoss(), opt)\nms.Model(net, nn.MSELoss(), opt)\nmodel.train(1, data)\n"
        )
        assert said("sink_mode", script) == (Verdict.UNDECIDED, {"sink-default"})

    def test_no_training_is_no_answer(self, said):
        assert said("sink_mode", "print(net)\n") == (Verdict.UNDECIDED, {"no-step"})


class TestMixedPrecision:
    def test_a_type_that_a_configuration_holds_is_not_known(self, said):
        script = 'ms.set_device("Ascend")\nfrom settings import config\nnet.to_float(config.compute_type)\n' + MODEL
        assert said("mixed_precision", script) == (Verdict.UNDECIDED, {"precision-unknown"})

    def test_a_cast_within_the_network_counts(self, said):
        script = (
            'ms.set_device("Ascend")\nclass Half(nn.Cell):\n    def construct(self, x):\n'
            "        return net(ops.cast(x, ms.float16))\nnet2 = Half()\nnet2(data)\n"
            "model = ms.Model(net2, nn.CrossEntropyLoss(), opt)\n"
        )
        assert said("mixed_precision", script) == (Verdict.OK, {"mixed"})

    @pytest.mark.parametrize(
        ("line", "code"),
        [
            ("net.to_float(ms.bfloat16)", "mixed"),
            ("data.astype('bfloat16')", "mixed"),
            ("data.astype('float32')", "all-float32"),
            ("ms.set_context(ascend_config={'precision_mode': 'allow_mix_precision'})", "mixed"),
            ("ms.set_context(ascend_config={'precision_mode': 'must_keep_origin_dtype'})", "all-float32"),
            ("ms.device_context.ascend.op_precision.precision_mode('force_fp16')", "mixed"),
        ],
    )
    def test_ways_to_ask_for_half_precision(self, said, line, code):
        assert said("mixed_precision", f"ms.set_device('Ascend')\n{line}\n{MODEL}")[1] == {code}


class TestFusion:
    def test_a_setting_under_a_condition_counts(self, said):
        script = "init()\nif args.sink:\n    ms.set_auto_parallel_context(comm_fusion={})\n" + MODEL
        assert said("allreduce_fusion", script) == (Verdict.OK, {"fusion-set"})

    def test_gradients_that_are_told_to_belong_together(self, said):
        script = (
            'init()\nms.set_auto_parallel_context(parallel_mode="data_parallel")\n'
            'reduce = ops.AllReduce().add_prim_attr("fusion", 1)\n'
            "grad_fn = ms.value_and_grad(lambda x: net(x), None, opt.parameters)\n"
            "value, grads = grad_fn(data)\nopt([reduce(g) for g in grads])\n"
        )
        assert said("allreduce_fusion", script) == (Verdict.UNDECIDED, {"all-at-once"})


class TestWidths:
    def test_channels_of_an_image_that_a_network_makes_are_left_alone(self, said):
        script = 'ms.set_device("Ascend")\na = nn.Conv2d(64, 3, 3)\nb = nn.Conv2d(3, 64, 3)\n' + MODEL
        assert said("aligned_shapes", script) == (Verdict.OK, {"aligned"})

    def test_mint_and_recurrent_layers_count(self, said):
        script = 'ms.set_device("Ascend")\na = nn.LSTM(32, 50)\nb = ms.mint.nn.Linear(50, 10)\n' + MODEL
        assert said("aligned_shapes", script) == (Verdict.UNDECIDED, {"unaligned"})

    def test_the_batch_of_an_evaluation_is_left_alone(self, said):
        script = (
            'ms.set_device("Ascend")\na = nn.Dense(64, 10)\ntrain_set = ds.MindDataset("train").batch(64)\n'
            'eval_set = ds.MindDataset("eval").batch(100)\n'
            + MODEL
            + "model.train(1, train_set)\nmodel.eval(eval_set)\n"
        )
        assert said("aligned_shapes", "import mindspore.dataset as ds\n" + script) == (Verdict.OK, {"aligned"})
        script = script.replace("batch(64)", "batch(72)")
        assert said("aligned_shapes", "import mindspore.dataset as ds\n" + script) == (
            Verdict.UNDECIDED,
            {"aligned", "odd-batch"},
        )
