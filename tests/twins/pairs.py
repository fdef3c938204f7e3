"""Which parameter of a network here is which of its twin in PyTorch, written by hand: the product's own map has no part in it."""

from collections.abc import Iterator

#: The parameters of a kind of layer: name here, name in PyTorch.
KINDS = {
    "plain": [("weight", "weight"), ("bias", "bias")],
    "weight": [("weight", "weight")],
    "conv1d": [("weight", "weight"), ("bias", "bias")],
    "batchnorm": [
        ("gamma", "weight"),
        ("beta", "bias"),
        ("moving_mean", "running_mean"),
        ("moving_variance", "running_var"),
    ],
    "norm": [("gamma", "weight"), ("beta", "bias")],
    "embedding": [("embedding_table", "weight")],
    "recurrent": [
        (f"{name}_l{layer}",) * 2 for layer in range(1) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ],
    "parameter": [("", "")],
}

_BLOCK = [
    ("norm1", "norm1", "norm"),
    ("attention.query", "attention.query", "plain"),
    ("attention.key", "attention.key", "plain"),
    ("attention.value", "attention.value", "plain"),
    ("attention.output", "attention.output", "plain"),
    ("norm2", "norm2", "norm"),
    ("dense1", "dense1", "plain"),
    ("dense2", "dense2", "plain"),
]
_RESIDUAL = [
    ("conv_a", "conv1", "weight"),
    ("norm_a", "bn1", "batchnorm"),
    ("conv_b", "conv2", "weight"),
    ("norm_b", "bn2", "batchnorm"),
]
_RECURRENT = [("embed", "embed", "plain"), ("rnn", "rnn", "recurrent"), ("head", "head", "plain")]
#: Of each network: layer here, layer in PyTorch, kind.
LAYERS = {
    "mlp": [(name, name, "plain") for name in ("fc1", "fc2", "head")],
    "cnn": [
        ("conv1", "conv1", "plain"),
        ("bn1", "bn1", "batchnorm"),
        ("conv2", "conv2", "plain"),
        ("bn2", "bn2", "batchnorm"),
        ("fc", "fc", "plain"),
    ],
    "resnet": [
        ("stem", "conv1", "weight"),
        *((f"block1.{here}", f"layer1.{there}", kind) for here, there, kind in _RESIDUAL),
        *((f"block2.{here}", f"layer2.{there}", kind) for here, there, kind in _RESIDUAL),
        ("block2.project.0", "layer2.downsample.0", "weight"),
        ("block2.project.1", "layer2.downsample.1", "batchnorm"),
        ("classifier", "fc", "plain"),
    ],
    "lstm": _RECURRENT,
    "gru": _RECURRENT,
    "transformer": [
        ("embedding", "embedding", "embedding"),
        ("position", "position", "parameter"),
        *((f"blocks.{n}.{here}", f"blocks.{n}.{there}", kind) for n in range(2) for here, there, kind in _BLOCK),
        ("norm", "norm", "norm"),
        ("head", "head", "plain"),
    ],
    "embedding": [
        ("embedding", "embedding", "embedding"),
        ("hidden", "hidden", "plain"),
        ("head", "head", "plain"),
    ],
    "textcnn": [
        ("embedding", "embedding", "embedding"),
        ("conv3", "conv3", "conv1d"),
        ("conv5", "conv5", "conv1d"),
        ("fc", "fc", "plain"),
    ],
    "lnmlp": [
        ("fc1", "fc1", "plain"),
        ("norm1", "norm1", "norm"),
        ("fc2", "fc2", "plain"),
        ("norm2", "norm2", "norm"),
        ("head", "head", "plain"),
    ],
    "decoder": [
        ("encode", "encode", "plain"),
        ("up1", "decoder.0", "weight"),
        ("bn1", "decoder.1", "batchnorm"),
        ("up2", "decoder.3", "plain"),
    ],
}


def pairs(network: str) -> Iterator[tuple[str, str, str]]:
    """Name here, name in PyTorch, kind of the layer."""
    for here, there, kind in LAYERS[network]:
        for mine, other in KINDS[kind]:
            yield f"{here}.{mine}".strip("."), f"{there}.{other}".strip("."), kind
