"""Every spelling of a MindSpore API has one short name."""

import importlib
import inspect

import pytest

from accucheck.knowledge.names import canonical

pytestmark = pytest.mark.part(1)

SPELLINGS = {
    "nn.Dense": ["nn.Dense", "nn.layer.Dense", "nn.layer.basic.Dense"],
    "nn.AdamWeightDecay": ["nn.AdamWeightDecay", "nn.optim.AdamWeightDecay", "nn.optim.adam.AdamWeightDecay"],
    "nn.LossBase": ["nn.LossBase", "nn.loss.loss.LossBase", "nn.loss.loss._Loss"],
    "nn.TrainOneStepCell": ["nn.TrainOneStepCell", "nn.wrap.cell_wrapper.TrainOneStepCell"],
    "nn.DynamicLossScaleUpdateCell": [
        "nn.DynamicLossScaleUpdateCell",
        "nn.wrap.loss_scale.DynamicLossScaleUpdateCell",
    ],
    "nn.DistributedGradReducer": ["nn.wrap.grad_reducer.DistributedGradReducer", "nn.DistributedGradReducer"],
    "nn.WarmUpLR": ["nn.WarmUpLR", "nn.learning_rate_schedule.WarmUpLR"],
    "nn.cosine_decay_lr": ["nn.cosine_decay_lr", "nn.dynamic_lr.cosine_decay_lr"],
    "nn.Cell.set_train": ["nn.Cell.set_train", "nn.cell.Cell.set_train"],
    "nn.transformer.TransformerEncoder": [
        "nn.transformer.TransformerEncoder",
        "parallel.nn.TransformerEncoder",
        "parallel._transformer.transformer.TransformerEncoder",
    ],
    "ops.Softmax": ["ops.Softmax", "ops.P.Softmax", "ops.operations.Softmax", "ops.operations.nn_ops.Softmax"],
    "ops.softmax": ["ops.softmax", "ops.F.softmax", "ops.functional.softmax", "ops.function.nn_func.softmax"],
    "ops.GradOperation": ["ops.GradOperation", "ops.C.GradOperation", "ops.composite.base.GradOperation"],
    "ops.clip_by_global_norm": ["ops.clip_by_global_norm", "ops.composite.clip_ops.clip_by_global_norm"],
    "ops.stop_gradient": ["ops.stop_gradient", "ops.functional.stop_gradient", "ops.function.grad.stop_gradient"],
    "ops.Add": ["ops.Add", "ops.operations.TensorAdd"],
    "value_and_grad": ["value_and_grad", "ops.value_and_grad", "ops.function.grad.grad_func.value_and_grad"],
    "grad": ["grad", "ops.grad", "ops.functional.grad"],
    "jit": ["jit", "ms_function", "common.api.ms_function", "common.jit", "graph.api.jit"],
    "mint.nn.BatchNorm2d": ["mint.nn.BatchNorm2d", "mint.nn.layer.normalization.BatchNorm2d"],
    "mint.nn.functional.dropout": ["mint.nn.functional.dropout"],
    "mint.optim.AdamW": ["mint.optim.AdamW", "mint.optim.adamw.AdamW"],
    "mint.distributed.all_reduce": ["mint.distributed.all_reduce", "mint.distributed.distributed.all_reduce"],
    "Model": ["Model", "train.Model", "train.model.Model"],
    "Model.train": ["Model.train", "train.Model.train", "train.model.Model.train"],
    "train.LossMonitor": ["LossMonitor", "train.LossMonitor", "train.callback.LossMonitor"],
    "train.Accuracy": ["Accuracy", "nn.Accuracy", "nn.metrics.Accuracy", "train.metrics.accuracy.Accuracy"],
    "amp.FixedLossScaleManager": [
        "FixedLossScaleManager",
        "amp.FixedLossScaleManager",
        "train.FixedLossScaleManager",
        "train.loss_scale_manager.FixedLossScaleManager",
    ],
    "amp.auto_mixed_precision": ["amp.auto_mixed_precision", "train.amp.auto_mixed_precision"],
    "vision.Normalize": [
        "dataset.vision.Normalize",
        "dataset.vision.transforms.Normalize",
        "dataset.vision.c_transforms.Normalize",
        "dataset.vision.py_transforms.Normalize",
        "dataset.transforms.vision.c_transforms.Normalize",
    ],
    "transforms.TypeCast": ["dataset.transforms.TypeCast", "dataset.transforms.c_transforms.TypeCast"],
    "transforms.OneHot": ["dataset.transforms.OneHot", "dataset.transforms.py_transforms.OneHotOp"],
    "text.Lookup": ["dataset.text.Lookup", "dataset.text.transforms.Lookup"],
    "dataset.GeneratorDataset": ["dataset.GeneratorDataset", "dataset.engine.datasets.GeneratorDataset"],
    "dataset.GeneratorDataset.batch": ["dataset.engine.datasets_user_defined.GeneratorDataset.batch"],
    "dataset.config.set_seed": ["dataset.config.set_seed", "dataset.core.config.set_seed"],
    "set_seed": ["set_seed", "common.set_seed", "common.seed.set_seed"],
    "set_context": ["set_context", "context.set_context"],
    "ParallelMode.DATA_PARALLEL": ["context.ParallelMode.DATA_PARALLEL", "ParallelMode.DATA_PARALLEL"],
    "load_checkpoint": ["load_checkpoint", "train.load_checkpoint", "train.serialization.load_checkpoint"],
    "communication.get_rank": ["communication.get_rank", "communication.management.get_rank"],
    "initializer": ["common.initializer", "common.initializer.initializer"],
    "initializer.Normal": ["common.initializer.Normal"],
    "Parameter": ["Parameter", "common.Parameter", "common.parameter.Parameter"],
    "float16": ["float16", "half", "common.dtype.float16", "dtype.float16", "common.float16"],
    "mnp.mean": ["numpy.mean", "numpy.math_ops.mean"],
    "nn": ["nn"],
    "vision": ["dataset.vision"],
}


@pytest.mark.parametrize("short", SPELLINGS)
def test_old_and_new_spellings_are_one(short: str) -> None:
    assert {canonical(f"mindspore.{spelling}") for spelling in SPELLINGS[short]} == {short}


@pytest.mark.parametrize(
    "name", ["torch.nn.Dropout", "grad", "ops.softmax", "mindspore", "mindspores.nn.Dense", "", "."]
)
def test_other_names_stay(name: str) -> None:
    assert canonical(name) == name


@pytest.mark.parametrize(
    "name", ["mindspore.", "mindspore..nn", "mindspore.nn.", "mindspore.P", "mindspore.nn._", "mindspore.ops.P"]
)
def test_odd_names_do_no_harm(name: str) -> None:
    assert canonical(name)


#: Namespaces whose APIs are defined in modules of the same namespace, so that both spellings must agree.
NAMESPACES = [
    "amp",
    "communication",
    "common.initializer",
    "dataset",
    "dataset.audio",
    "dataset.text",
    "dataset.transforms",
    "dataset.vision",
    "experimental.optim",
    "mint.distributed",
    "mint.optim",
    "nn",
    "numpy",
    "ops",
    "train",
]


@pytest.mark.mindspore
@pytest.mark.parametrize("namespace", NAMESPACES)
def test_what_mindspore_offers_is_named_alike_where_it_is_defined(namespace: str) -> None:
    module = importlib.import_module(f"mindspore.{namespace}")
    differing = {}
    for name in getattr(module, "__all__", dir(module)):
        api = getattr(module, name, None)
        if not (inspect.isclass(api) or inspect.isfunction(api)) or api.__name__ != name:
            continue
        spellings = {f"mindspore.{namespace}.{name}", f"{api.__module__}.{name}"}
        if len(shorts := {canonical(spelling) for spelling in spellings}) > 1:
            differing[name] = shorts
    assert not differing


@pytest.mark.mindspore
def test_the_top_level_names_what_the_namespaces_name() -> None:
    import mindspore

    for name in ("train", "amp", "common", "context"):
        module = importlib.import_module(f"mindspore.{name}")
        for api in getattr(module, "__all__", ()):
            if getattr(mindspore, api, None) is getattr(module, api, module):
                assert canonical(f"mindspore.{api}") == canonical(f"mindspore.{name}.{api}"), api
