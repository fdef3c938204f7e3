"""Losses in float64, by their definitions, to hold those of MindSpore and of users against. Needs numpy only.

Each takes outputs and labels and gives one loss an element, before the reduction, and the weight of each in a mean.
Definitions: the documentation of mindspore.nn (2.x) and of torch.nn, which agree on these.
"""

from __future__ import annotations

from typing import Any

Array = Any
Settings = dict[str, Any]

#: Those whose outputs and labels are set against each other element by element.
ELEMENTWISE = frozenset({"mse", "l1", "smooth_l1", "huber", "bce", "bce_with_logits", "kl_div"})
#: Those that take any numbers as outputs.
LOGITS = frozenset({"cross_entropy", "softmax_cross_entropy", "bce_with_logits"})
NAMES = ("cross_entropy", "softmax_cross_entropy", "nll", *sorted(ELEMENTWISE))

_CLASSES = {
    "CrossEntropyLoss": "cross_entropy",
    "SoftmaxCrossEntropyWithLogits": "softmax_cross_entropy",
    "NLLLoss": "nll",
    "MSELoss": "mse",
    "L1Loss": "l1",
    "L1LossExt": "l1",
    "MAELoss": "l1",
    "SmoothL1Loss": "smooth_l1",
    "HuberLoss": "huber",
    "BCELoss": "bce",
    "BCEWithLogitsLoss": "bce_with_logits",
    "KLDivLoss": "kl_div",
}
_SETTINGS = ("sparse", "weight", "pos_weight", "ignore_index", "label_smoothing", "beta", "delta", "log_target")


def known(loss: Any) -> tuple[str, Settings] | None:
    """The name and the settings of a loss that MindSpore brings; None for any other."""
    cls = type(loss)
    if not cls.__module__.startswith("mindspore.") or cls.__name__ not in _CLASSES:
        return None
    settings = {name: getattr(loss, name) for name in _SETTINGS if getattr(loss, name, None) is not None}
    settings = {name: value.asnumpy() if hasattr(value, "asnumpy") else value for name, value in settings.items()}
    reduction = getattr(loss, "reduction", None)
    if reduction is None:
        if not hasattr(loss, "average"):  # some of mint keep it where it cannot be read
            return None
        # LossBase keeps two flags
        reduction = ("mean" if loss.average else "sum") if loss.reduce else "none"
    return _CLASSES[cls.__name__], {**settings, "reduction": reduction}


def classes(name: str, outputs: Array, labels: Array, settings: Settings) -> tuple[int, int, int] | None:
    """Lowest and highest label and the number of classes, where labels are numbers of classes and one is out of range."""
    if (
        name not in ("cross_entropy", "softmax_cross_entropy", "nll")
        or labels.shape == outputs.shape
        or not labels.size
    ):
        return None
    kept = labels[labels != settings.get("ignore_index", -100)]
    count = outputs.shape[1] if outputs.ndim > 1 else outputs.shape[0]
    if not kept.size or (kept.min() >= 0 and kept.max() < count):
        return None
    return int(kept.min()), int(kept.max()), int(count)


def reference(name: str, outputs: Array, labels: Array, settings: Settings) -> Array:
    """The loss in float64: a number, or one an element where the reduction is "none". Raises ValueError where the shapes do not fit."""
    import numpy

    outputs, labels = outputs.astype(numpy.float64), numpy.asarray(labels)
    if name in ELEMENTWISE:
        losses, weights = _elementwise(name, outputs, labels.astype(numpy.float64), settings), None
    else:
        losses, weights = _by_class(name, outputs, labels, settings)
    reduction = settings.get("reduction", "mean")
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if reduction == "batchmean":
        return losses.sum() / outputs.shape[0]
    return losses.mean() if weights is None else losses.sum() / weights.sum()


def _elementwise(name: str, x: Array, y: Array, settings: Settings) -> Array:
    import numpy

    apart = numpy.abs(x - y)
    if name == "mse":
        return apart**2
    if name == "l1":
        return apart
    if name == "smooth_l1":
        beta = settings.get("beta", 1.0)
        return numpy.where(apart < beta, 0.5 * apart**2 / beta, apart - 0.5 * beta) if beta else apart
    if name == "huber":
        delta = settings.get("delta", 1.0)
        return numpy.where(apart <= delta, 0.5 * apart**2, delta * (apart - 0.5 * delta))
    if name == "kl_div":
        if settings.get("log_target"):
            return numpy.exp(y) * (y - x)
        safe = numpy.where(y > 0, y, 1.0)
        return numpy.where(y > 0, y * (numpy.log(safe) - x), 0.0)
    weight = settings.get("weight", 1.0)
    if name == "bce":
        low = 1e-12  # as MindSpore bounds the logarithm
        return -weight * (y * numpy.log(numpy.maximum(x, low)) + (1 - y) * numpy.log(numpy.maximum(1 - x, low)))
    positive = settings.get("pos_weight", 1.0)
    # log(1 + exp(-x)), without overflow
    softplus = numpy.log1p(numpy.exp(-numpy.abs(x))) + numpy.maximum(-x, 0)
    return weight * ((1 - y) * x + (1 + (positive - 1) * y) * softplus)


def _by_class(name: str, x: Array, y: Array, settings: Settings) -> tuple[Array, Array | None]:
    import numpy

    if x.ndim == 1:
        x, y = x[None], y.reshape(1, *y.shape)
    count = x.shape[1]
    if name != "nll":
        x = x - x.max(axis=1, keepdims=True)
        x = x - numpy.log(numpy.exp(x).sum(axis=1, keepdims=True))
    weight = numpy.asarray(settings.get("weight", numpy.ones(count)), numpy.float64)
    shaped = weight.reshape(1, count, *[1] * (x.ndim - 2))
    smoothing = settings.get("label_smoothing", 0.0)
    if y.shape == x.shape and name != "nll":
        target = y.astype(numpy.float64) * (1 - smoothing) + smoothing / count
        return -(shaped * target * x).sum(axis=1), None
    if y.shape != (x.shape[0], *x.shape[2:]):
        raise ValueError(f"outputs {x.shape}, labels {y.shape}")
    y = y.astype(numpy.int64)
    ignored = (y == settings.get("ignore_index", -100)) & (name != "softmax_cross_entropy")
    index = numpy.where(ignored, 0, y)
    each = weight[index] * ~ignored
    picked = numpy.take_along_axis(x, index[:, None], axis=1)[:, 0]
    losses = -(1 - smoothing) * each * picked - smoothing / count * (shaped * x).sum(axis=1) * ~ignored
    return losses, each
