"""The user's loss on what their network and pipeline give it: its value and gradient, against a reference in float64 or against
finite differences of its own, and whether it depends on the labels and on the outputs at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .network import Setup
from .pipeline import Tell, blamed
from .references import ELEMENTWISE, LOGITS, classes, known, reference

Array = Any

#: Single outputs whose gradient is looked at: so many of the largest, and as many at random; and random directions.
_SINGLE, _DIRECTIONS = 12, 8


class Loss:
    """The loss as a function of numpy arrays."""

    def __init__(self, setup: Setup, outputs: Any, labels: list[Any]) -> None:
        self.setup, self.dtype, self.labels = setup, outputs.dtype, labels

    def _scalar(self, outputs: Any) -> Any:
        found = self.setup.loss_given(outputs, self.labels)
        return found.mean() if found.ndim else found

    def value(self, outputs: Array) -> Array:
        """As the loss gives it, in float64."""
        import mindspore

        found = self.setup.loss_given(mindspore.Tensor(outputs).astype(self.dtype), self.labels)
        return found.astype(mindspore.float32).asnumpy().astype("float64")

    def gradient(self, outputs: Array) -> Array:
        import mindspore

        found = mindspore.grad(self._scalar)(mindspore.Tensor(outputs).astype(self.dtype))
        return found.astype(mindspore.float32).asnumpy().astype("float64")


def disagreement(
    function: Callable[[Array], float], at: Array, gradient: Array, step: float, resolution: float
) -> float | None:
    """How far a gradient is from central differences of a function, beyond what rounding explains, relative to the largest of its
    kind; None where nothing is finite. `resolution` is that of the function's values."""
    import numpy

    random = numpy.random.default_rng(0)
    flat = numpy.abs(gradient).reshape(-1)
    chosen = {*numpy.argsort(flat)[-_SINGLE:].tolist(), *random.integers(0, flat.size, _SINGLE).tolist()}
    singles = []
    for place in sorted(chosen):
        direction = numpy.zeros(flat.size)
        direction[place] = 1.0
        singles.append(direction.reshape(at.shape))
    worst = None
    for group in (singles, [random.standard_normal(at.shape) for _ in range(_DIRECTIONS)]):
        pairs = []
        for direction in group:
            above, below = function(at + step * direction), function(at - step * direction)
            noise = 4 * resolution * max(abs(above), abs(below)) / step
            pairs.append((float((gradient * direction).sum()), (above - below) / (2 * step), noise))
        pairs = [pair for pair in pairs if numpy.isfinite(pair).all()]
        largest = max((max(abs(one), abs(other)) for one, other, _ in pairs), default=0.0)
        for one, other, noise in pairs:
            error = max(0.0, abs(one - other) - noise) / largest if largest else 0.0
            worst = error if worst is None else max(worst, error)
    return worst


def squashed(loss: Loss, x: Array, random: Any) -> bool:
    """Whether the outputs are shares that add up to 1, and the loss takes scores: adding a number to all of a row changes nothing there,
    so that it has a softmax of its own."""
    import numpy

    if x.ndim < 2 or not x.size or x.min() < 0 or x.max() > 1:
        return False
    axes = [axis for axis in (x.ndim - 1, 1) if x.shape[axis] > 1 and numpy.allclose(x.sum(axis=axis), 1, atol=1e-2)]
    if not axes or not x.std():
        return False
    shift = random.uniform(-2, 2, [1 if axis == axes[0] else size for axis, size in enumerate(x.shape)])
    value = loss.value(x)
    same, other = loss.value(x + shift), loss.value(3 * x)
    return bool(numpy.allclose(same, value, rtol=1e-2) and not numpy.allclose(other, value, rtol=1e-2))


def examine(request: dict[str, Any], tell: Tell) -> None:
    import mindspore
    import numpy

    setup = Setup(request, tell)
    batches = setup.batches(2)
    setup.network.set_train(False)
    call = request["loss"]["call"]
    named, settings = request["reference"], {"reduction": "mean"}
    found = (named, settings) if named else known(setup.loss)
    name, settings = found or (None, {})
    random = numpy.random.default_rng(0)
    told: dict[str, Any] = {"reference": name, "points": [], "reduction": settings.get("reduction")}
    told |= {"labels": None, "outputs": False, "random": False, "broadcast": None, "range": None, "several": False}
    told["squashed"] = []
    for batch in batches:
        outputs = setup.output(batch)
        if not isinstance(outputs, mindspore.Tensor):
            told["several"] = True
            break
        labels = setup.columns(batch, setup.labels)
        x = outputs.astype(mindspore.float32).asnumpy().astype("float64")
        y = [label.asnumpy() if hasattr(label, "asnumpy") else label for label in labels]
        told |= {"dtype": str(outputs.dtype), "shape": list(x.shape)}
        if name and len(y) == 1:
            if name in ELEMENTWISE and x.shape != y[0].shape:
                told["broadcast"] = list(y[0].shape)
            told["range"] = classes(name, x, y[0], settings)
            if told["range"]:
                break
        loss = Loss(setup, outputs, labels)
        scale = float(numpy.sqrt((x**2).mean()))
        points = [x]
        if name in LOGITS:
            points.append(3 * random.standard_normal(x.shape))
        with blamed(call, request["root"]):
            for point in points:
                _point(loss, point, y, name, settings, told)
            told["squashed"].append(squashed(loss, x, random))
            other = x * random.uniform(0.8, 1.0, x.shape)
            told["outputs"] |= bool((loss.value(other) != loss.value(x)).any()) or bool(loss.gradient(x).any())
            told["random"] |= bool((loss.value(x) != loss.value(x)).any() and numpy.isfinite(loss.value(x)).all())
            turned = [mindspore.Tensor(numpy.roll(label, 1, axis=0)) for label in y]
            differ = any((numpy.roll(label, 1, axis=0) != label).any() for label in y)
            if y and differ and scale and (other != other[:1]).any():
                away = Loss(setup, outputs, turned)
                # Outputs near 0 hide the labels in the rounding of the value, and not in the gradient.
                matters = (away.value(other) != loss.value(other)).any() or (
                    away.gradient(other) != loss.gradient(other)
                ).any()
                told["labels"] = bool(told["labels"]) or bool(matters)
    tell(event="loss", **told)


def _point(
    loss: Loss, x: Array, y: list[Array], name: str | None, settings: dict[str, Any], told: dict[str, Any]
) -> None:
    """Value and gradient of the loss at one point."""
    import numpy

    value, gradient = loss.value(x), loss.gradient(x)
    point: dict[str, Any] = {"value": float(value.mean()), "expected": None, "error": None, "gradient": None}
    resolution = 2.0**-7 if "BFloat16" in str(loss.dtype) else 2.0**-10 if "Float16" in str(loss.dtype) else 2.0**-23
    if not (numpy.isfinite(value).all() and numpy.isfinite(gradient).all()):
        point["value"] = None
        told["points"].append(point)
        return

    def own(at: Array) -> float:
        return float(loss.value(at).mean())

    def exact(at: Array) -> float:
        return float(numpy.mean(reference(name or "", at, y[0], settings)))

    scale = max(float(numpy.sqrt((x**2).mean())), 1e-3)
    try:
        expected = reference(name or "", x, y[0], settings) if name and len(y) == 1 else None
    except ValueError:
        expected = None
    if expected is None:
        told["reference"] = None
        point["gradient"] = disagreement(own, x, gradient, 1e-2 * scale, resolution)
    else:
        point["expected"] = float(numpy.mean(expected))
        if numpy.size(expected) != value.size:  # a loss of the user's own may leave the mean to others
            value, expected = value.mean(), numpy.mean(expected)
        size = max(float(numpy.linalg.norm(expected)), 1e-6)
        point["error"] = float(numpy.linalg.norm(numpy.ravel(value) - numpy.ravel(expected))) / size
        point["gradient"] = disagreement(exact, x, gradient, 1e-5 * scale, 2.0**-52)
    told["points"].append(point)
