"""Methods of nn.Cell, Model and data sets, and the functions that load checkpoints, as scripts call them.

Methods are written with their dot, as the calls of a trace name them. Each was asked of MindSpore 2.10 (a test repeats that).
"""

from __future__ import annotations

#: Methods of a cell that give its parameters.
PARAMETERS = (
    ".trainable_params",
    ".get_parameters",
    ".parameters_and_names",
    ".parameters_dict",
    ".untrainable_params",
)
#: Methods of a cell that give the cells in it.
CELLS = (".cells", ".cells_and_names", ".name_cells")
#: Methods of a cell, and of nothing else, that give the cell itself.
RETURN_SELF = (
    ".set_train",
    ".set_grad",
    ".to_float",
    ".add_flags",
    ".add_flags_recursive",
    ".set_broadcast_flag",
    ".set_comm_fusion",
    ".set_boost",
)
#: Functions that give back the function or network that they are given, as far as its weights and its result go.
HANDED_BACK = frozenset(
    ("jit", "ms_function", "vmap", "ops.vmap", "amp.auto_mixed_precision", "amp.custom_mixed_precision")
)
#: Methods of a Model that go through data -> their parameters, in order.
MODEL_RUNS = {
    ".train": ["epoch", "train_dataset", "callbacks", "dataset_sink_mode", "sink_size", "initial_epoch"],
    ".fit": ["epoch", "train_dataset", "valid_dataset", "valid_frequency", "callbacks", "dataset_sink_mode"],
    ".eval": ["valid_dataset", "callbacks", "dataset_sink_mode"],
}
#: Methods of a data set that make batches -> the first of their parameters, in order.
BATCHES = {
    ".batch": ["batch_size", "drop_remainder"],
    ".padded_batch": ["batch_size", "drop_remainder"],
    ".bucket_batch_by_length": ["column_names", "bucket_boundaries", "bucket_batch_sizes"],
}
#: Functions that read a checkpoint; given a network, they also put its weights there.
CHECKPOINT_READERS = ("load_checkpoint", "load_checkpoint_async")
#: Functions that put weights into the network that they are given.
WEIGHT_SETTERS = ("load_param_into_net", "load_distributed_checkpoint")
#: All of them.
LOADS = (*CHECKPOINT_READERS, *WEIGHT_SETTERS)
