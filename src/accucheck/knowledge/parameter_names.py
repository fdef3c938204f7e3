"""How the parameters of layers are called in MindSpore (nn and mint) and in PyTorch, and words that mean the same in names.

The names of parameters were taken from MindSpore 2.10 and torch 2.13 themselves; tests repeat that.
"""

from __future__ import annotations

import re

#: The last part of a name in mindspore.nn -> in PyTorch (and mindspore.mint), where the layer does not have that one too.
LEAVES = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
}
#: The same, where a layer has these names alone: a BatchNorm that is no part of another cell; a PReLU that is (w) or is not (a).
WHOLE_LAYERS = (
    {"mean": "running_mean", "variance": "running_var", "gamma": "weight", "beta": "bias"},
    {"w": "weight"},
    {"a": "weight"},
)
#: The parameters that layers of both frameworks have; any other stands by itself.
LEAF = re.compile(
    r"(weight|bias|gamma|beta|(moving|running)_(mean|variance|var)|mean|variance|embedding_table|w|a|num_batches_tracked"
    r"|weight_[gv]|(weight|bias)_(ih|hh)(_l\d+(_reverse)?)?)$"
)
#: What a network keeps up without the optimizer.
BUFFERS = ("running_mean", "running_var", "num_batches_tracked")
#: Tables that networks keep beside their weights and compute anew as well.
TABLES = (
    "anchors",
    "anchor_grid",
    "inv_freq",
    "attn_mask",
    "relative_position_index",
    "relative_coords_table",
    "position_ids",
)
#: What a layer may have or lack while it is the same layer.
OPTIONAL = ("bias", "num_batches_tracked")
#: Has no counterpart in mindspore.nn, and needs none.
UNNEEDED = "num_batches_tracked"

#: Ends of names that stand for a layer of their own, as (layer, parameter): projections of attention that are no Linear.
PROJECTIONS = {
    "in_proj_weight": ("qkv", "weight"),
    "in_proj_bias": ("qkv", "bias"),
    "q_proj_weight": ("q", "weight"),
    "k_proj_weight": ("k", "weight"),
    "v_proj_weight": ("v", "weight"),
}
#: Layers that hold the projections of query, key and value one below the other.
JOINED = ("qkv", "in_proj", "wqkv", "qkv_proj", "in_projection")
PARTS = ("q", "k", "v")

#: How weight normalisation keeps direction and length: torch.nn.utils.parametrizations -> torch.nn.utils.weight_norm.
PARAMETRIZED = {"original0": "_g", "original1": "_v"}

#: Parts of names that cells around a network put in front.
WRAPPERS = frozenset(
    {"module", "_backbone", "backbone", "network", "_network", "net", "_net", "model", "_model", "_orig_mod"}
)

#: Words of names that tell nothing apart.
FILLERS = frozenset(
    {
        "layer",
        "layers",
        "block",
        "blocks",
        "cell",
        "cells",
        "list",
        "module",
        "modules",
        "model",
        "net",
        "network",
        "self",
    }
)
#: Words of names that mean the same; the digits are taken off before.
SAME_WORDS = {
    word: words[0]
    for words in (
        ("q", "query", "queries", "wq"),
        ("k", "key", "keys", "wk"),
        ("v", "value", "values", "wv"),
        ("qkv", "wqkv"),
        ("norm", "layernorm", "batchnorm", "groupnorm", "ln", "bn", "gn"),
        ("attn", "attention", "selfattn"),
        ("downsample", "shortcut", "downsamples"),
        ("embed", "embedding", "embeddings", "emb"),
        ("fc", "dense", "linear", "lin"),
        ("head", "classifier", "cls"),
        ("conv", "conv2d", "convolution"),
        ("out", "output"),
        ("intermediate", "inter"),
        ("position", "pos", "positional"),
        ("proj", "projection"),
    )
    for word in words
}

#: Per-parameter state of MindSpore's optimizers (before the name of the parameter) -> its names in torch.optim.
OPTIMIZER_STATE = {
    "moments": ("momentum_buffer",),
    "accum": ("momentum_buffer", "sum"),
    "moment": ("momentum_buffer",),
    "moment1": ("exp_avg",),
    "moment2": ("exp_avg_sq",),
    "adam_m": ("exp_avg",),
    "adam_v": ("exp_avg_sq",),
    "mean_square": ("square_avg",),
    "mean_grad": ("grad_avg",),
    "exp_avg": ("exp_avg",),
    "exp_avg_sq": ("exp_avg_sq",),
    "max_exp_avg_sq": ("max_exp_avg_sq",),
    "momentum_buffer": ("momentum_buffer",),
    "square_avg": ("square_avg",),
}

#: Words in the names of modules that are an Embedding, or a Linear: both may have a matrix called weight and nothing else.
EMBEDDINGS = frozenset({"embed", "wte", "wpe"})
LINEARS = frozenset({"q", "k", "v", "qkv", "proj", "fc", "head", "out", "gate", "up", "down", "intermediate"})
