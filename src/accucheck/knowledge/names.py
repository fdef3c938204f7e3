"""One short name for each MindSpore API, however MindSpore 1.x or 2.x spells it.

`mindspore.ops.operations.nn_ops.Conv2D`, `mindspore.ops.P.Conv2D` and `mindspore.ops.Conv2D` are all `ops.Conv2D`. A rule
a namespace does it: the modules inside a namespace are dropped, the class or function and what follows it is kept. Names
that MindSpore offers in several namespaces have one home. Anything that is not MindSpore's is returned as it came, so ask
for full dotted names: a user's own function called `grad` is not MindSpore's `grad`.
"""

from __future__ import annotations

import re
from functools import cache

#: Full names that versions 1.x of MindSpore had, which later ones dropped: modules with all that is in them, classes and functions.
FORMER = frozenset(
    f"mindspore.{name}"
    for name in (
        "dataset.GraphData",
        "dataset.transforms.c_transforms",
        "dataset.transforms.py_transforms",
        "dataset.vision.c_transforms",
        "dataset.vision.py_transforms",
        "nn.ResizeBilinear",
        "ops.ResizeBilinear",
    )
)

#: Namespace below mindspore -> its short name; "" is the top level. The longest one that fits counts.
_SPACES = {
    "": "",
    "amp": "amp",
    "boost": "boost",
    "common": "",
    "common.dtype": "",
    "common.initializer": "initializer",
    "communication": "communication",
    "context": "",
    "dataset": "dataset",
    "dataset.audio": "audio",
    "dataset.config": "dataset.config",
    "dataset.core.config": "dataset.config",
    "dataset.text": "text",
    "dataset.transforms": "transforms",
    "dataset.transforms.vision": "vision",
    "dataset.vision": "vision",
    "device_manager": "",
    "dtype": "",
    "experimental.optim": "experimental.optim",
    "experimental.optim.lr_scheduler": "experimental.optim.lr_scheduler",
    "graph": "",
    "initializer": "initializer",
    "mindrecord": "mindrecord",
    "mint": "mint",
    "mint.distributed": "mint.distributed",
    "mint.linalg": "mint.linalg",
    "mint.nn": "mint.nn",
    "mint.nn.functional": "mint.nn.functional",
    "mint.optim": "mint.optim",
    "mint.special": "mint.special",
    "mstype": "",
    "nn": "nn",
    "nn.metrics": "train",
    "nn.probability.bijector": "nn.probability.bijector",
    "nn.probability.distribution": "nn.probability.distribution",
    "nn.transformer": "nn.transformer",
    "numpy": "mnp",
    "ops": "ops",
    "parallel": "parallel",
    "parallel._transformer": "nn.transformer",
    "parallel.nn": "nn.transformer",
    "profiler": "",
    "train": "train",
    "train.amp": "amp",
    "train.loss_scale_manager": "amp",
    "train.model": "",
    "train.serialization": "",
}

#: Names offered in several namespaces -> the one they are called by here; the namespaces they may leave for it.
_HOMES: list[tuple[str, set[str], str]] = [
    (
        "amp",
        {"", "train"},
        "LossScaleManager FixedLossScaleManager DynamicLossScaleManager build_train_network auto_mixed_precision"
        " custom_mixed_precision",
    ),
    (
        "train",
        {"", "nn"},
        "Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta HausdorffDistance Loss"
        " MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity Precision ROC Recall RootMeanSquareDistance"
        " Top1CategoricalAccuracy Top5CategoricalAccuracy TopKCategoricalAccuracy auc get_metric_fn get_metrics names"
        " rearrange_inputs Callback RunContext LossMonitor TimeMonitor ModelCheckpoint CheckpointConfig"
        " FlopsUtilizationCollector SummaryCollector LearningRateScheduler SummaryLandscape History LambdaCallback"
        " ReduceLROnPlateau EarlyStopping OnRequestExit BackupAndRestore TrainFaultTolerance SummaryRecord"
        " ConvertNetUtils ConvertModelUtils",
    ),
    (
        "",
        {"train", "parallel", "ops", "nn", "initializer"},
        "Model DatasetHelper connect_network_with_dataset data_sink ParallelMode Tensor Parameter ParameterTuple"
        " save_checkpoint load_checkpoint load_param_into_net load_checkpoint_async load_distributed_checkpoint load"
        " export export_split_mindir async_ckpt_thread_status get_ckpt_path_with_strategy ckpt_to_safetensors"
        " safetensors_to_ckpt build_searched_strategy merge_sliced_parameter restore_group_info_list"
        " load_segmented_checkpoints merge_pipeline_strategys parameter_broadcast rank_list_for_transform"
        " sync_pipeline_shared_parameters transform_checkpoint_by_rank transform_checkpoints unified_safetensors"
        " rank_list_for_convert convert_checkpoint_by_rank convert_checkpoints set_op_strategy_config"
        " set_algo_parameters reset_algo_parameters get_algo_parameters shard Layout initializer set_seed get_seed"
        " grad value_and_grad get_grad vmap jvp vjp jacfwd jacrev"
        " float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool_",
    ),
    ("ops", {""}, "stop_gradient"),
]
_HOME = {(space, name): home for home, spaces, names in _HOMES for space in spaces for name in names.split()}

#: Old names of what is the same thing today.
_RENAMED = {
    "ms_function": "jit",
    "ms_class": "jit_class",
    "half": "float16",
    "single": "float32",
    "double": "float64",
    "nn._Loss": "nn.LossBase",
    "ops.Gelu": "ops.GeLU",
    "ops.TensorAdd": "ops.Add",
    "transforms.OneHotOp": "transforms.OneHot",
}

#: Namespaces of what changes samples.
TRANSFORMS = ("vision.", "transforms.", "text.", "audio.")
#: `ops.P`, `ops.F` and `ops.C`, and nothing else of one letter, are modules by another name.
_SHORT_MODULE = frozenset("CFP")


#: Packages of the MindSpore project whose classes with a construct are cells: graph learning, physics, chemistry, quantum computing.
FAMILY = frozenset(
    ("mindspore_gl", "mindflow", "mindearth", "mindelec", "mindsponge", "mindchemistry", "mindquantum", "mindspore_rl")
)


@cache
def canonical(name: str) -> str:
    """The short name of a MindSpore API given by its full dotted name; any other name unchanged."""
    first, *parts = name.split(".")
    if first != "mindspore" or not all(parts) or not parts:
        return name
    if short := _SPACES.get(".".join(parts)):
        return short  # a namespace itself
    depth = max(n for n in range(len(parts)) if ".".join(parts[:n]) in _SPACES)
    space, rest = _SPACES[".".join(parts[:depth])], parts[depth:]
    if depth == 0 and len(rest) > 1 and not is_class(rest[0]):
        return ".".join(rest)  # in a module that has no rule
    while len(rest) > 1 and rest[0] in _SHORT_MODULE:
        del rest[0]
    # A class keeps its methods and members; a function has none.
    head, *members = rest[next((n for n, part in enumerate(rest) if is_class(part)), len(rest) - 1) :]
    home = _HOME.get((space, head), space)
    head = f"{home}.{head}" if home else head
    return ".".join([_RENAMED.get(head, head), *members])


def is_class(part: str) -> bool:
    """Whether the last part of a name of MindSpore is that of a class."""
    return re.match(r"_*[A-Z]", part) is not None
