"""What api.json says about signatures, weights, modes, losses and transforms is so in MindSpore and PyTorch themselves.

After a change of MindSpore's own, a red test names what to look at; `python tests/knowledge/test_api.py` writes the new
signatures into api.json, and leaves everything else to a person.
"""

import json
import re
import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from mindspore_apis import find, find_torch, signature

from accucheck.knowledge import api as knowledge
from accucheck.knowledge.names import canonical

pytestmark = pytest.mark.part(1)

KNOWN = knowledge.load()
HERE = {name: entry for name, entry in KNOWN.apis.items() if not entry.gone}

#: Signatures that Python cannot tell: C++ overloads, and the recurrent layers that pass everything on.
OPAQUE = {"mint.clamp", "mint.clip", "mint.nn.functional.gelu", "nn.GRU", "nn.LSTM", "nn.RNN"}
TORCH_OPAQUE = {
    *(f"torch.nn.functional.{name}" for name in ("gelu", "avg_pool1d", "avg_pool2d", "avg_pool3d", "one_hot")),
    "torch.std",
    "torch.var",
}


def test_words_are_there_in_both_languages() -> None:
    used = {row.effect for row in KNOWN.differences}
    assert used == set(KNOWN.effects)
    for effect in KNOWN.effects.values():
        for words in (effect.says, effect.shows):
            assert set(words) == {"zh", "en"}
            assert re.search("[\u4e00-\u9fff]", words["zh"])
            assert not re.search("[\u4e00-\u9fff]", words["en"])


def test_rows_are_about_known_apis_and_parameters() -> None:
    for row in KNOWN.differences:
        assert row.grave in ("reversal", "default", "meaning")
        assert len(row.torch) in (1, len(row.apis))
        for name in row.apis:
            entry = KNOWN.apis.get(name) or KNOWN.transforms.get(name)
            if entry is not None and row.parameter:
                assert row.parameter in entry.parameters, (name, row.parameter)


def test_names_are_canonical() -> None:
    spaces = {"vision": "dataset.vision", "transforms": "dataset.transforms", "text": "dataset.text"}
    spaces |= {"audio": "dataset.audio", "initializer": "common.initializer"}
    for name in (*KNOWN.apis, *KNOWN.transforms):
        space, _, rest = name.partition(".")
        spelling = f"mindspore.{spaces[space]}.{rest}" if space in spaces and rest else f"mindspore.{name}"
        assert canonical(spelling) == name


def test_calls_are_bound_by_name() -> None:
    dropout = KNOWN.apis["nn.Dropout"]
    assert dropout.bind([0.9], {}) == {"keep_prob": 0.9}
    assert dropout.bind([], {"p": 0.1}) == {"p": 0.1}
    assert dropout.bind([0.9], {"keep_prob": 0.9}) is None
    assert dropout.bind([], {"rate": 0.1}) is None
    assert dropout.bind([1, 2, 3, 4], {}) is None
    assert dropout.at("1.10.1").positional == ("keep_prob", "dtype")
    assert dropout.at("2.2.14").positional == ("keep_prob", "p", "dtype")
    pool = KNOWN.apis["nn.MaxPool2d"]
    assert pool.bind_any([2, 2, "valid", "NHWC"], {}) == pool.bind([2, 2, "valid", "NHWC"], {})
    loss = KNOWN.apis["nn.SoftmaxCrossEntropyWithLogits"]
    assert loss.bind([], {"is_grad": False}) is None
    assert loss.bind_any([], {"is_grad": False, "sparse": True}) == {"is_grad": False, "sparse": True}
    assert KNOWN.apis["nn.SequentialCell"].bind([1, 2, 3], {}) == {}
    assert KNOWN.apis["nn.GaussianNLLLoss"].bind([True], {}) is None
    assert KNOWN.apis["Model"].bind([1], {"keep_batchnorm_fp32": True}) == {"network": 1, "keep_batchnorm_fp32": True}
    assert knowledge.parameters("vision.Normalize") == ("mean", "std", "is_hwc")
    assert knowledge.parameters("torch.nn.LeakyReLU") == ("negative_slope", "inplace")
    assert knowledge.parameters("nn.NoSuchLayer") is None


def test_differences_hold_in_their_versions() -> None:
    def parameters(name: str, version: str | None = None) -> set[str | None]:
        return {row.parameter for row in knowledge.differences(name, version)}

    assert "weight_init" not in parameters("nn.Conv2d")
    assert "weight_init" in parameters("nn.Conv2d", "2.0.0")
    assert "weight_init" not in parameters("nn.Conv2d", "2.1.0")
    assert "reduction" in parameters("nn.BCELoss", "1.9.0") and "reduction" not in parameters("nn.BCELoss", "2.0.0rc1")
    assert knowledge.differences("mint.nn.Conv2d") == []
    row = knowledge.differences("nn.AvgPool2d")[0]
    assert (row.mindspore, row.pytorch, of_torch(row, "nn.AvgPool2d")) == (1, None, "torch.nn.AvgPool2d")
    assert KNOWN.pytorch["torch.nn.Conv2d"].counterpart("bias") == "has_bias"
    assert KNOWN.pytorch["torch.nn.Conv2d"].counterpart("padding_mode") is None


@pytest.mark.mindspore
def test_signatures_and_defaults_are_mindspores() -> None:
    differing = {}
    for name, entry in {**HERE, **KNOWN.transforms}.items():
        if entry.gone or name in OPAQUE:
            continue
        if (found := own_signature(name)) != (entry.parameters, entry.defaults):
            differing[name] = found
    assert not differing
    assert [name for name in OPAQUE if find(name) is None] == []


def own_signature(name: str) -> tuple[list[str], dict[str, Any]]:
    from mindspore import nn

    found = find(name)
    inherited = isinstance(found, type) and issubclass(found, nn.Cell) and found.__init__ is nn.Cell.__init__
    return ([], {}) if inherited and found is not nn.Cell else signature(found)


@pytest.mark.mindspore
def test_recurrent_layers_take_what_is_written_down() -> None:
    from mindspore.nn.layer.rnns import _RNNBase

    names, defaults = signature(_RNNBase)
    names.remove("mode")
    for name in ("nn.LSTM", "nn.GRU"):
        assert (KNOWN.apis[name].parameters, KNOWN.apis[name].defaults) == (names, defaults)
    assert KNOWN.apis["nn.RNN"].positional == tuple(names)
    for nonlinearity in ("tanh", "relu"):
        find("nn.RNN")(2, 3, nonlinearity=nonlinearity)


@pytest.mark.mindspore
def test_what_is_gone_is_gone() -> None:
    for name, entry in (*KNOWN.apis.items(), *KNOWN.transforms.items()):
        assert (find(name) is None) is (entry.gone is not None), name


@pytest.mark.mindspore
def test_every_layer_loss_optimizer_and_transform_is_written_down() -> None:
    import mindspore.dataset as ds
    from mindspore import mint, nn

    # Internal variants, operators wrapped as cells, and what only gives others their structure.
    left_out = re.compile(
        r"Ext$|^(DiGamma|GetNextSingleOp|IGamma|Jvp|Vjp|LBeta|LGamma|CentralCrop|MSSSIM|SSIM|PSNR|Mat|Moments|Range|"
        r"Cell$|ReduceLogSumExp|Relational|Sparse|Tril|Triu|VirtualDataset|OptTFTWrapper|PipelineGradReducer)"
    )
    lacking = []
    for space, module, bases in (("nn", nn, (nn.Cell,)), ("mint.nn", mint.nn, (nn.Cell,))):
        for name in dir(module):
            cls = getattr(module, name)
            if isinstance(cls, type) and issubclass(cls, bases) and not left_out.search(name) and name[0] != "_":
                lacking += [f"{space}.{name}"] if f"{space}.{name}" not in KNOWN.apis else []
    for space in ("vision", "transforms", "text", "audio"):
        module = getattr(ds, space)
        for name in dir(module):
            cls = getattr(module, name)
            if getattr(cls, "__module__", "") != f"mindspore.dataset.{space}.transforms" or not isinstance(cls, type):
                continue
            if not left_out.search(name) and name[0] != "_" and f"{space}.{name}" not in KNOWN.transforms:
                lacking.append(f"{space}.{name}")
    assert lacking == []


# Layers -------------------------------------------------------------------------------------------------------------

#: How to build a small one of each layer with weights: positional arguments, keywords, shape of an input for the CPU.
CHANNELS = ((2, 3, 3), {"has_bias": True})
LAYERS: dict[str, tuple[tuple[Any, ...], dict[str, Any], tuple[int, ...] | None]] = {
    "nn.Conv1d": (*CHANNELS, (2, 2, 8)),
    "nn.Conv2d": (*CHANNELS, (2, 2, 8, 8)),
    "nn.Conv3d": (*CHANNELS, None),
    "nn.Conv1dTranspose": (*CHANNELS, (2, 2, 8)),
    "nn.Conv2dTranspose": (*CHANNELS, (2, 2, 8, 8)),
    "nn.Conv3dTranspose": (*CHANNELS, None),
    "nn.Conv2dThor": (*CHANNELS, None),
    "nn.Conv2dBnAct": ((2, 3, 3), {"has_bias": True, "has_bn": True}, (4, 2, 8, 8)),
    "nn.Dense": ((2, 3), {}, (4, 2)),
    "nn.Linear": ((2, 3), {}, (4, 2)),
    "nn.DenseThor": ((2, 3), {}, None),
    "nn.DenseBnAct": ((2, 3), {"has_bn": True}, (4, 2)),
    "nn.BiDense": ((2, 3, 4), {}, None),
    "nn.Embedding": ((4, 3), {}, None),
    "nn.EmbeddingLookup": ((4, 3), {}, None),
    "nn.EmbeddingLookupThor": ((4, 3), {}, None),
    "nn.EmbeddingThor": ((4, 3), {}, None),
    "nn.MultiFieldEmbeddingLookup": ((4, 3, 2), {}, None),
    "nn.BatchNorm1d": ((3,), {}, (4, 3)),
    "nn.BatchNorm2d": ((3,), {}, (4, 3, 2, 2)),
    "nn.BatchNorm3d": ((3,), {}, (4, 3, 2, 2, 2)),
    "nn.SyncBatchNorm": ((3,), {}, None),
    "nn.InstanceNorm1d": ((3,), {}, None),
    "nn.InstanceNorm2d": ((3,), {}, None),
    "nn.InstanceNorm3d": ((3,), {}, None),
    "nn.LayerNorm": (((3,),), {}, (4, 3)),
    "nn.GroupNorm": ((1, 3), {}, (4, 3, 2, 2)),
    "nn.LSTM": ((2, 3), {"num_layers": 2, "dropout": 0.5}, (4, 1, 2)),
    "nn.GRU": ((2, 3), {"num_layers": 2, "dropout": 0.5}, (4, 1, 2)),
    "nn.RNN": ((2, 3), {"num_layers": 2, "dropout": 0.5}, (4, 1, 2)),
    "nn.LSTMCell": ((2, 3), {}, None),
    "nn.GRUCell": ((2, 3), {}, None),
    "nn.RNNCell": ((2, 3), {}, None),
    "nn.PReLU": ((3,), {}, (4, 3)),
    "nn.MultiheadAttention": ((4, 2), {"dropout": 0.5}, None),
    "mint.nn.Conv1d": ((2, 3, 3), {}, None),
    "mint.nn.Conv2d": ((2, 3, 3), {}, None),
    "mint.nn.Conv3d": ((2, 3, 3), {}, None),
    "mint.nn.ConvTranspose2d": ((2, 3, 3), {}, None),
    "mint.nn.Linear": ((2, 3), {}, None),
    "mint.nn.BatchNorm1d": ((3,), {}, None),
    "mint.nn.BatchNorm2d": ((3,), {}, None),
    "mint.nn.BatchNorm3d": ((3,), {}, None),
    "mint.nn.SyncBatchNorm": ((3,), {}, None),
    "mint.nn.LayerNorm": ((3,), {}, None),
    "mint.nn.GroupNorm": ((1, 3), {}, None),
    "mint.nn.Embedding": ((4, 3), {}, None),
    "mint.nn.PReLU": ((3,), {}, None),
}
#: State that is neither trained nor initialized by an argument.
COUNTERS = {"num_batches_tracked", "a_normalizer", "g_normalizer", "matrix_a", "matrix_g"}


def weights_of(name: str, **keywords: Any) -> dict[str, Any]:
    """The parameters of a small layer as a network calls them."""
    from mindspore import nn

    args, usual, _ = LAYERS[name]
    cell = nn.Cell()
    cell.layer = find(name)(*args, **{**usual, **keywords})
    found = {inner.removeprefix("layer."): parameter for inner, parameter in cell.parameters_and_names()}
    return {inner: parameter for inner, parameter in found.items() if inner.rpartition(".")[2] not in COUNTERS}


@pytest.mark.mindspore
@pytest.mark.parametrize("name", LAYERS)
def test_weights_are_the_layers_own(name: str) -> None:
    found = [re.sub(r"_l[1-9]$", "_l0", inner) for inner in weights_of(name)]
    assert list(dict.fromkeys(found)) == list(KNOWN.apis[name].weights)


@pytest.mark.mindspore
def test_layers_with_weights_are_all_tried() -> None:
    assert {name for name, entry in HERE.items() if entry.weights} == set(LAYERS)


@pytest.mark.mindspore
@pytest.mark.parametrize("name", [name for name in LAYERS if any(KNOWN.apis[name].weights.values())])
def test_an_initializer_reaches_its_weight(name: str) -> None:
    from mindspore import Tensor, float32

    for inner, argument in KNOWN.apis[name].weights.items():
        if argument is None:
            continue
        shape = weights_of(name)[inner].shape
        given = Tensor(np.full(shape, 0.125, np.float32)) if argument == "_weight" else 0.125
        parameter = weights_of(name, **{argument: given})[inner]
        assert (parameter.init_data().astype(float32).asnumpy() == 0.125).all(), (inner, argument)


@pytest.mark.mindspore
@pytest.mark.parametrize("name", [name for name, (_, _, shape) in LAYERS.items() if shape])
def test_modes_are_told_apart_by_what_changes(name: str) -> None:
    args, keywords, shape = LAYERS[name]
    assert differs_by_mode(find(name)(*args, **keywords), shape or ()) is KNOWN.apis[name].modes


@pytest.mark.mindspore
@pytest.mark.parametrize(
    "name",
    [
        name
        for name, entry in HERE.items()
        if entry.kind in ("dropout", "activation") and name.startswith("nn.") and name not in LAYERS
    ],
)
def test_activations_and_dropouts_change_by_mode_or_not(name: str) -> None:
    shape = {"nn.Dropout3d": (2, 8, 4, 4, 4), "nn.Dropout1d": (2, 8, 4), "nn.Dropout2d": (2, 8, 4, 4)}.get(
        name, (2, 8, 4, 4)
    )
    args = (0.5, 0.5) if name == "nn.Threshold" else ()
    assert differs_by_mode(find(name)(*args), shape) is KNOWN.apis[name].modes


def differs_by_mode(layer: Any, shape: tuple[int, ...]) -> bool:
    from mindspore import Tensor

    data = Tensor(np.random.default_rng(0).normal(3, 2, shape).astype(np.float32))

    def run() -> Any:
        found = layer(data)
        return (found[0] if isinstance(found, tuple) else found).asnumpy()

    layer.set_train(False)
    before = run()
    layer.set_train(True)
    return not np.allclose(before, run(), atol=1e-5)


# Losses -------------------------------------------------------------------------------------------------------------


def _log_softmax(x: Any) -> Any:
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def _binary(x: Any, y: Any) -> Any:
    return -(y * np.log(x) + (1 - y) * np.log(1 - x))


LOGITS = np.random.default_rng(1).normal(0, 1, (6, 4)).astype(np.float32)
CLASSES = np.array([0, 3, 1, 2, 2, 0], np.int32)
ONE_HOT = np.eye(4, dtype=np.float32)[CLASSES]
PROBABILITIES = (1 / (1 + np.exp(-LOGITS))).astype(np.float32)
SHARES = np.exp(_log_softmax(LOGITS[::-1])).astype(np.float32)
#: expects, labels -> prediction, label, the loss of each entry or sample.
REFERENCES: dict[tuple[str, str], tuple[Any, Any, Callable[[], Any]]] = {
    ("logits", "classes"): (LOGITS, CLASSES, lambda: -(_log_softmax(LOGITS) * ONE_HOT).sum(-1)),
    ("logits", "one-hot"): (LOGITS, ONE_HOT, lambda: -(_log_softmax(LOGITS) * ONE_HOT).sum(-1)),
    ("log-probabilities", "classes"): (
        _log_softmax(LOGITS),
        CLASSES,
        lambda: -(_log_softmax(LOGITS) * ONE_HOT).sum(-1),
    ),
    ("logits", "same-shape"): (LOGITS, ONE_HOT, lambda: _binary(PROBABILITIES, ONE_HOT)),
    ("probabilities", "same-shape"): (PROBABILITIES, ONE_HOT, lambda: _binary(PROBABILITIES, ONE_HOT)),
    ("log-probabilities", "same-shape"): (
        _log_softmax(LOGITS),
        SHARES,
        lambda: SHARES * (np.log(SHARES) - _log_softmax(LOGITS)),
    ),
}
CROSS_ENTROPIES = {
    name: entry
    for name, entry in HERE.items()
    if entry.kind == "loss"
    and re.search(
        r"(CrossEntropy(Loss|WithLogits)?|cross_entropy(_with_logits)?|NLLLoss|nll_loss|BCE\w*Loss|KLDivLoss|kl_div)$",
        name,
    )
    and not re.search(r"Gaussian|Poisson|gaussian|^mint", name)
}


@pytest.mark.mindspore
@pytest.mark.parametrize("name", CROSS_ENTROPIES)
def test_losses_expect_and_reduce_as_written_down(name: str) -> None:
    from mindspore import Tensor, ops

    entry = CROSS_ENTROPIES[name]
    made = find(name)
    for labels in (
        ("classes", "one-hot") if (entry.labels or "").startswith(("by", "classes or")) else (str(entry.labels),)
    ):
        keywords = {"sparse": True} if entry.labels == "by sparse" and labels == "classes" else {}
        prediction, label, reference = REFERENCES[str(entry.expects), labels]
        loss = made(**keywords) if isinstance(made, type) else made
        given = [Tensor(prediction), Tensor(label)]
        if name in ("ops.BCEWithLogitsLoss", "ops.BinaryCrossEntropy"):
            given += [ops.ones_like(given[0])] * (2 if "Logits" in name else 1)
        if name == "ops.NLLLoss":
            given.append(ops.ones((4,)))
        found = loss(*given)
        while isinstance(found, tuple):
            found = found[0]
        wanted = reference()
        wanted = {"none": wanted, "mean": np.mean(wanted), "sum": np.sum(wanted)}[str(entry.reduction)]
        assert np.allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5), (labels, found, wanted)


@pytest.mark.mindspore
def test_inputs_of_losses_are_in_their_order() -> None:
    from mindspore import nn

    for name, entry in HERE.items():
        made = find(name)
        if entry.inputs and issubclass(made, nn.Cell):
            assert signature(made.construct)[0] == entry.inputs, name
        elif entry.inputs and name not in ("ops.KLDivLoss", "ops.L2Loss", "ops.SoftmaxCrossEntropyWithLogits"):
            known = made().get_attr_dict().get("input_names") or signature(made.__call__)[0]
            assert list(known) == entry.inputs, name


# Optimizers and scalers -----------------------------------------------------------------------------------------------


def moved_by_hand(made: Any, length: str) -> None:
    """A schedule that step() moves is at its end after so many: its rate stays then, or turns round."""
    from mindspore import nn
    from mindspore.experimental import optim

    optimizer = optim.SGD(nn.Dense(2, 2).trainable_params(), lr=1.0)
    schedule, rates = made(optimizer, **{length: 6}), [float(optimizer.param_groups[0]["lr"])]
    for _ in range(7):
        schedule.step()
        rates.append(float(optimizer.param_groups[0]["lr"]))
    steps = [after - before for before, after in pairwise(rates)]
    assert all(step * steps[0] > 0 for step in steps[:6])
    assert steps[6] * steps[0] <= 0


@pytest.mark.mindspore
@pytest.mark.parametrize("name", [name for name, entry in HERE.items() if entry.length])
def test_schedules_are_at_their_end_after_their_length(name: str) -> None:
    from mindspore import Tensor

    known, made = HERE[name], find(name)
    given = {
        "min_lr": 0.0,
        "max_lr": 1.0,
        "learning_rate": 1.0,
        "end_learning_rate": 0.1,
        "decay_rate": 0.5,
        "power": 1.0,
    }
    given |= {"step_per_epoch": 2, "decay_epoch": 3}
    assert known.length is not None
    if known.parameters[0] == "optimizer":
        moved_by_hand(made, known.length)
        return
    arguments = {key: given[key] for key in known.parameters if key in given} | {known.length: 6}
    schedule = made(**arguments)
    if isinstance(schedule, list):
        assert len(schedule) == 6
        return
    before, at, after = (float(schedule(Tensor(step)).asnumpy()) for step in (5, 6, 60))
    assert before != at and (at == pytest.approx(after, abs=1e-6))


@pytest.mark.mindspore
def test_scalers_change_their_scale_or_not() -> None:
    import mindspore
    from mindspore import Tensor

    scalers = {name: entry for name, entry in HERE.items() if entry.scale}
    for name, entry in scalers.items():
        made = find(name)
        assert entry.scale in entry.parameters
        scaler = made(*[1024.0, 2, 1][: 1 if not entry.dynamic else len(entry.positional)])
        if name.endswith("Manager"):
            changing = "Dynamic" in type(scaler.get_update_cell()).__name__
        elif name.startswith("amp"):
            before = float(scaler.scale_value)
            scaler.adjust(Tensor(False))
            changing = float(scaler.scale_value) != before
        else:
            changing = "window" in "".join(vars(scaler))
        assert changing is entry.dynamic, name
    assert (
        mindspore.amp.FixedLossScaleManager().get_loss_scale()
        == HERE["amp.FixedLossScaleManager"].defaults["loss_scale"]
    )


# Transforms -----------------------------------------------------------------------------------------------------------

#: Arguments for transforms that need some.
GIVEN: dict[str, tuple[Any, ...]] = {
    "AdjustBrightness": (0.5,),
    "AdjustContrast": (0.5,),
    "AdjustGamma": (0.5,),
    "AdjustHue": (0.2,),
    "AdjustSaturation": (0.5,),
    "AdjustSharpness": (0.5,),
    "Affine": (15, [0.1, 0.1], 1.1, [1.0, 1.0]),
    "CenterCrop": (16,),
    "Crop": ((2, 2), 16),
    "CutOut": (8,),
    "Erase": (2, 2, 4, 4),
    "GaussianBlur": (3,),
    "Normalize": ([1.0] * 3, [2.0] * 3),
    "NormalizePad": ([1.0] * 3, [2.0] * 3),
    "Pad": (2,),
    "PadToSize": (40,),
    "Perspective": ([[0, 31], [31, 31], [31, 0], [0, 0]], [[0, 31], [31, 31], [25, 3], [2, 2]]),
    "Posterize": (3,),
    "RandomAdjustSharpness": (2.0,),
    "RandomAffine": (30,),
    "RandomColorAdjust": ((0.2, 1.8),),
    "RandomCrop": (16,),
    "RandomGrayscale": (0.5,),
    "RandomPosterize": ((1, 6),),
    "RandomResize": (20,),
    "RandomResizedCrop": (16,),
    "RandomRotation": (30,),
    "RandomSelectSubpolicy": None,  # type: ignore[dict-item]
    "Rescale": (0.1, 0.0),
    "Resize": (16,),
    "ResizedCrop": (2, 2, 8, 8, 16),
    "Rotate": (30,),
    "Solarize": ((10, 200),),
}


@cache
def picture() -> Any:
    return np.random.default_rng(0).integers(0, 255, (32, 32, 3)).astype(np.uint8)


@pytest.mark.mindspore
@pytest.mark.parametrize(
    "name", [name for name, entry in KNOWN.transforms.items() if name.startswith("vision.") and not entry.gone]
)
def test_random_transforms_are_random_and_no_others(name: str) -> None:
    from PIL import Image

    short, entry = name.partition(".")[2], KNOWN.transforms[name]
    required = [parameter for parameter in entry.positional if parameter not in entry.defaults]
    if (required and short not in GIVEN) or "BBox" in short or "Batch" in short or GIVEN.get(short, ()) is None:
        pytest.skip("needs batches, boxes or other transforms")
    transform = find(name)(*GIVEN.get(short, ()))
    floats = np.ascontiguousarray(picture().transpose(2, 0, 1)).astype(np.float32) / 255
    for given in (picture(), Image.fromarray(picture()), floats):
        try:
            results = {np.asarray(transform(given)).tobytes() for _ in range(24)}
            break
        except (AttributeError, RuntimeError, TypeError, ValueError):
            continue
    else:
        pytest.skip("needs another input")
    assert (len(results) > 1) is entry.random


@pytest.mark.mindspore
def test_random_masks_of_sound_are_random() -> None:
    from mindspore.dataset import audio

    sound = np.random.default_rng(0).normal(size=(1, 64, 64)).astype(np.float32)
    for name, transform in {
        "FrequencyMasking": audio.FrequencyMasking(freq_mask_param=30, mask_start=5),
        "TimeMasking": audio.TimeMasking(time_mask_param=30, mask_start=5),
        "MaskAlongAxis": audio.MaskAlongAxis(2, 8, 0.0, 1),
        "MaskAlongAxisIID": audio.MaskAlongAxisIID(30, 0.0, 1),
        "Gain": audio.Gain(),
        "Vol": audio.Vol(0.5),
    }.items():
        results = {np.asarray(transform(sound)).tobytes() for _ in range(12)}
        assert (len(results) > 1) is KNOWN.transforms[f"audio.{name}"].random, name
    for masking in (audio.FrequencyMasking(True, 30), audio.TimeMasking(True, 30)):
        assert len({np.asarray(masking(sound)).tobytes() for _ in range(12)}) > 1
        assert KNOWN.transforms[f"audio.{type(masking).__name__}"].random_if == "iid_masks"


# PyTorch --------------------------------------------------------------------------------------------------------------


def test_pytorchs_signatures_are_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    if torch.__version__.split("+")[0] != KNOWN.torch:
        pytest.skip(f"written down from {KNOWN.torch}")
    differing = {}
    for name, entry in KNOWN.pytorch.items():
        if name not in TORCH_OPAQUE and (found := signature(find_torch(name))) != (entry.parameters, entry.defaults):
            differing[name] = found
    assert not differing


def test_aligned_apis_have_pytorchs_defaults() -> None:
    for name, entry in KNOWN.pytorch.items():
        if entry.aligned is None:
            continue
        own = KNOWN.apis[entry.aligned]
        shared = [parameter for parameter in entry.defaults if parameter in own.defaults and parameter != "dtype"]
        differing = [parameter for parameter in shared if entry.defaults[parameter] != own.defaults[parameter]]
        assert not differing, (name, differing)


def test_every_default_that_differs_has_a_row() -> None:
    """And no other: what is compared is parameters that do the same, by the table of names."""
    reported = {
        (name, row.parameter)
        for row in KNOWN.differences
        for name in row.apis
        if row.holds(KNOWN.mindspore) and row.grave != "meaning" and row.mindspore is not msgspec.UNSET
    }
    # p of Dropout is a second way to say keep_prob; 0 and None both mean "not given".
    same = {("torch.nn.Dropout", "p"), *((f"torch.nn.functional.avg_pool{n}d", "divisor_override") for n in (2, 3))}
    for torch_name, entry in KNOWN.pytorch.items():
        own = KNOWN.apis[entry.api]
        for parameter, default in entry.defaults.items():
            name = entry.counterpart(parameter)
            if name is None or name not in own.defaults or parameter in ("dtype", "device"):
                continue
            if own.defaults[name] != default and (torch_name, parameter) not in same:
                assert (entry.api, name) in reported, (torch_name, parameter)


def of_torch(row: knowledge.Difference, api: str) -> str:
    """The API of PyTorch that `api` is compared with in a row."""
    return row.torch[row.apis.index(api)] if len(row.torch) == len(row.apis) else row.torch[0]


def test_defaults_in_rows_are_the_defaults() -> None:
    for row in KNOWN.differences:
        if not row.holds(KNOWN.mindspore) or row.mindspore is msgspec.UNSET:
            continue
        for name in row.apis:
            entry = KNOWN.apis.get(name) or KNOWN.transforms.get(name)
            if entry is not None:
                assert entry.defaults[str(row.parameter)] == row.mindspore, (name, row.parameter)
            known = KNOWN.pytorch.get(of_torch(row, name))
            if known is not None and row.pytorch is not msgspec.UNSET:
                assert known.defaults[str(row.torch_parameter)] == row.pytorch, (name, row.torch_parameter)


if __name__ == "__main__":
    where = Path(knowledge.__file__).with_suffix(".json")
    text = where.read_text(encoding="utf-8")
    for name, entry in {**HERE, **KNOWN.transforms}.items():
        if entry.gone is None and name not in OPAQUE and find(name) is not None:
            written = json.dumps(
                {"parameters": entry.parameters, **({"defaults": entry.defaults} if entry.defaults else {})}
            )
            names, defaults = own_signature(name)
            new = json.dumps({"parameters": names, **({"defaults": defaults} if defaults else {})})
            head = f'"{name}": '
            start = text.index(f"\n  {head}")
            end = text.index("\n", start + 1)
            text = text[:start] + text[start:end].replace(written[1:-1], new[1:-1]) + text[end:]
    where.write_text(text, encoding="utf-8")
