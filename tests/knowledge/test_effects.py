"""What effects.json claims of each spelling holds when it is run on arrays, with the installed MindSpore or numpy.

effects_trials.json says how to run an operation: `args` behind the array for functions and methods, `init` for classes, or an
expression for one spelling. In it `f` is the operation, `x` and `y` are arrays (`x` may be another one, by name), `n` is `x` of
numpy, `i`, `j`, `rows` and `b` are indices and a mask, `t` is a type, `s` makes an array of a shape, `lo` and `hi` are limits.
"""

import ast
import builtins
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy
import pytest

from accucheck.knowledge import effects
from accucheck.knowledge.effects import Effect

pytestmark = pytest.mark.part(1)


class Trial(msgspec.Struct):
    """How to run the spellings of one operation. `operands`: what the claim is about, where that is not `x`; `axis`: along
    which probabilities sum up to 1."""

    args: str = ""
    init: str = ""
    x: str = ""
    by: dict[str, str] = {}
    operands: str = ""
    axis: int = -1


TRIALS = msgspec.json.decode(Path(__file__).with_name("effects_trials.json").read_bytes(), type=dict[str, Trial])
#: Whole numbers from -11 to 12, each once, in no order: exact in every type.
WHOLE = numpy.random.default_rng(3).permutation(24).astype(numpy.float32) - 11
ARRAYS = {
    "": WHOLE.reshape(4, 6),
    "whole": WHOLE.reshape(4, 6),
    "positive": (WHOLE + 12).reshape(4, 6),
    "halves": (WHOLE + 0.25 * numpy.sign(WHOLE)).reshape(4, 6),
    "positive_halves": (WHOLE + 12.25).reshape(4, 6),
    "narrow": WHOLE.reshape(4, 1, 6),
    "vector": WHOLE[WHOLE != 0],
    "image": numpy.concatenate([WHOLE, WHOLE + 24, WHOLE + 48])[:64].reshape(1, 4, 4, 4),
    "truth": WHOLE.reshape(4, 6) > 0,
}


@pytest.fixture(scope="module")
def spaces() -> dict[str, Any]:
    import mindspore
    from mindspore import mint, nn, ops
    from mindspore import numpy as mnp

    mindspore.set_context(mode=mindspore.PYNATIVE_MODE, pynative_synchronize=True)  # errors where they belong
    return {"ms": mindspore, "ops": ops, "nn": nn, "mint": mint, "mnp": mnp, "numpy": numpy, "copy": copy}


def looked_up(spaces: dict[str, Any], name: str) -> Any:
    """What a canonical name stands for; None when nothing has it."""
    first, *rest = name.split(".")
    found = spaces.get(first) if rest else getattr(builtins, first, None)
    if found is None:
        found = getattr(spaces["ms"], first, None)
    for part in rest:
        found = getattr(found, part, None)
    return found


class Run:
    """One spelling of one operation, on arrays of MindSpore or of numpy."""

    def __init__(self, spaces: dict[str, Any], effect: Effect, name: str, as_numpy: bool) -> None:
        self.spaces, self.effect, self.name, self.as_numpy = spaces, effect, name, as_numpy
        self.trial = TRIALS.get(effect.operation, Trial())

    def array(self, values: Any) -> Any:
        if isinstance(values, list):
            return [self.array(value) for value in values]
        return values.copy() if self.as_numpy else self.spaces["ms"].Tensor(values)

    def operand(self, times: float = 1.0) -> Any:
        """The array of the trial, or the list of two."""
        if self.trial.x == "pair":
            return [ARRAYS[""] * times, (ARRAYS[""] + 100) * times]
        array = ARRAYS[self.trial.x]
        return array if array.dtype == bool else (array * times).astype(numpy.float32)

    def bindings(self, times: float = 1.0, **more: Any) -> dict[str, Any]:
        ms, given = self.spaces["ms"], self.operand(times)
        other = given if isinstance(given, list) else numpy.flip(given, -1) * (1 if given.dtype == bool else 2)
        index = numpy.array([0, 2, 2, 3])
        return {
            **{"ms": ms, "np": numpy, "ops": self.spaces["ops"], "copy": copy, "lo": -1000, "hi": 1000},
            **{"f": looked_up(self.spaces, self.name), "x": self.array(given), "n": given, "y": self.array(other)},
            **{
                "i": ms.Tensor(index.astype(numpy.int32)),
                "j": ms.Tensor(numpy.array([[0, 1], [5, 2], [3, 3], [4, 0]])),
                "rows": ms.Tensor([[0, 1], [3, 2]]),
            },
            **{
                "b": self.array(numpy.flip(ARRAYS["truth"]).copy()),
                "t": numpy.float16 if self.as_numpy else ms.float16,
            },
            "s": lambda shape: self.array(numpy.zeros(shape, numpy.float32)),
            "summed": lambda x: (x * x).sum(),
            "weighted": self.weighted,
            "moved": self.moved,
            **more,
        }

    def weighted(self, values: Any) -> Any:
        """A network whose gradient in its weights is twice its input."""
        ms = self.spaces["ms"]

        class Weighted(ms.nn.Cell):  # type: ignore[name-defined,misc]
            def __init__(self) -> None:
                super().__init__()
                self.weight = ms.Parameter(values.copy())

            def construct(self, x: Any) -> Any:
                return 2 * (self.weight * x).sum()

        return Weighted()

    def moved(self, cell: Any, values: Any, *scale: Any) -> Any:
        """How far a training cell moves the weights of a network, against the gradient and at a rate of 1."""
        net = self.weighted(values)
        step = cell(net, self.spaces["nn"].SGD(net.trainable_params(), 1.0), *scale)
        step(values)
        return values - net.weight

    def expression(self) -> str:
        trial, name = self.trial, self.name
        if name in trial.by:
            return trial.by[name]
        if name[:1] == "@":
            return f"x.{name[1:]}"
        if name[:1] == ".":
            return f"x{name}({trial.args})"
        if name.rpartition(".")[2][:1].isupper():
            return f"f({trial.init})(x{', ' * bool(trial.args)}{trial.args})"
        if self.effect.new and trial.args:
            return f"f({trial.args})"
        return f"f(x{', ' * bool(trial.args)}{trial.args})"

    def whole(self, times: float = 1.0, **more: Any) -> Any:
        """All that it gives."""
        return eval(self.expression(), self.bindings(times, **more))

    def result(self, times: float = 1.0, **more: Any) -> Any:
        """What the claim is about, as numpy."""
        given = self.whole(times, **more)
        if self.effect.several and isinstance(given, tuple):
            given = given[self.effect.value]
        return flat(given) if self.effect.pieces else plain(given)

    def operands(self) -> Any:
        """The elements of what the claim is about."""
        if self.trial.operands:
            return flat(eval(self.trial.operands, self.bindings()))
        bound = self.bindings()
        parts = [bound["x"], bound["y"]] if len(self.effect.of) > 1 else [bound["x"]]
        return flat(parts)


def plain(value: Any) -> Any:
    """A result as an array of numpy."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    if isinstance(value, (list, tuple)):
        parts = [plain(part) for part in value]
        return numpy.array(parts) if len({part.shape for part in parts}) == 1 else flat(value)
    return numpy.asarray(value)


def flat(value: Any) -> Any:
    """All elements of an array or of several."""
    if isinstance(value, (list, tuple)):
        return numpy.concatenate([flat(part) for part in value])
    return plain(value).ravel()


def close(one: Any, other: Any) -> bool:
    return one.shape == other.shape and bool(numpy.allclose(one, other, rtol=2e-3, atol=1e-4, equal_nan=True))


# --- what is claimed, and how it is seen --------------------------------------------------------------------------------


def same(run: Run) -> bool:
    given, result = plain(run.bindings()["x"]), run.result()
    one = given.size != result.size and result.size == 1  # .item() of one element, a scalar made a tensor
    return one or (bool((given.ravel() == result.ravel()).all()) if given.size == result.size else False)


def scales(run: Run, by: float) -> bool:
    return close(run.result(3.0) / numpy.float32(by), run.result())


def within(run: Run) -> bool:
    result, given = run.result(), run.operands()
    return bool((result >= given.min() - 1e-3).all() and (result <= given.max() + 1e-3).all())


def limited(run: Run) -> bool:
    lowered = run.result(lo=-2, hi=2)
    untouched = run.result()
    bound = numpy.linalg.norm(lowered) if "norm" in run.name.lower() else numpy.abs(lowered).max()
    fits = bool(bound <= 2.001) if "hi" in run.expression() else True
    return fits and (close(untouched.ravel(), run.operands()) or "hi" not in run.expression())


def directed(run: Run) -> bool:
    given, result = plain(run.bindings()["x"]), run.result()
    kept = given != 0
    return bool((numpy.sign(given) == numpy.sign(result)).all()) and bool((result[kept] / given[kept] > 0).all())


KEEPS: dict[str, Callable[[Run], bool]] = {
    "same": same,
    "order": lambda run: bool((run.operands() == run.result().ravel()).all()),
    "values": lambda run: bool((numpy.sort(run.operands()) == numpy.sort(run.result().ravel())).all()),
    "elements": lambda run: bool(numpy.isin(run.result(), run.operands()).all()),
    "filled": lambda run: bool(numpy.isin(run.result(), numpy.append(run.operands(), 0)).all()),
    "whole": lambda run: bool((numpy.trunc(run.operands()) == run.result().ravel()).all()),
    "truth": lambda run: bool(((run.operands() != 0) == run.result().ravel()).all()),
    "limited": limited,
    "between": lambda run: within(run) and scales(run, 3.0),
    "factor": lambda run: scales(run, 3.0),
    "negated": lambda run: close(run.result().ravel(), -run.operands()),
    "direction": directed,
}


def sums_to_one(run: Run, values: Any) -> bool:
    return bool((values >= 0).all()) and bool(numpy.allclose(values.sum(run.trial.axis), 1, atol=1e-3))


def by_element(run: Run) -> bool:
    """Each element of the result comes of one of the operand: another first element changes the first of the result only."""
    given, before = run.operand().copy(), run.result().ravel()
    given.flat[0] += 5
    return close(plain(run.whole(x=run.array(given))).ravel()[1:], before[1:])


def logarithm(run: Run) -> bool:
    given = run.operand().astype(numpy.float64)
    return any(close(run.result(), function(given)) for function in (numpy.log, numpy.log2, numpy.log10, numpy.log1p))


def agrees(run: Run) -> bool:
    """Of two arrays that come nearer to each other, it gives more."""
    x, y = (plain(run.bindings()[name]) for name in "xy")
    near, far = (plain(run.whole(y=run.array((x + part * (y - x)).astype(numpy.float32)))) for part in (0.1, 1.0))
    return bool((near > far).all())


GIVES: dict[str, Callable[[Run], bool]] = {
    "probabilities": lambda run: sums_to_one(run, run.result()),
    "log-probabilities": lambda run: sums_to_one(run, numpy.exp(run.result())),
    "element probabilities": lambda run: by_element(run) and bool((numpy.abs(run.result() - 0.5) <= 0.5).all()),
    "element log-probabilities": lambda run: by_element(run) and bool((run.result() <= 0).all()),
    "activation": by_element,
    "logits": lambda run: scales(run, 9.0),  # both operands are made larger
    "log": logarithm,
}
KINDS: dict[str, Callable[[Run], bool]] = {
    "truth": lambda run: bool(numpy.isin(run.result(), [0, 1]).all()),
    "index": lambda run: bool((run.result() == run.result().astype(int)).all() and (run.result() >= 0).all()),
    "count": lambda run: bool((run.result() == run.result().astype(int)).all() and (run.result() >= 0).all()),
    "whole": lambda run: bool((run.result() == numpy.round(run.result())).all()),
    "agreement": agrees,
    "description": lambda run: str(run.whole(3.0)) == str(run.whole(1.0)),
    "random": lambda run: any(not close(run.result(), run.result()) for _ in range(4)),
    "nothing": lambda run: run.whole() in (None, [None]),
    "gradient": lambda run: close(run.result(), 2 * plain(run.bindings()["x"])),
}


def neutral(run: Run) -> bool:
    given, number = run.operands(), run.effect.neutral
    if not close(run.result().ravel(), given):
        return False
    function = looked_up(run.spaces, run.name)
    if run.effect.right or function is None or run.name.rpartition(".")[2][:1].isupper() or run.name in run.trial.by:
        return True
    return close(plain(function(number, run.array(run.operand()))).ravel(), given)


def sizes(array: Any) -> list[int]:
    return sorted(size for size in array.shape if size != 1)


def ordered(run: Run) -> bool:
    """What rises along each axis does so afterwards."""
    rising = numpy.arange(24, dtype=numpy.float32).reshape(4, 6)
    given = [rising, rising + 100] if run.trial.x == "pair" else rising
    result = plain(run.whole(x=run.array(given), y=run.array(rising + 100)))
    return all(bool((numpy.diff(result, axis=axis) >= 0).all()) for axis in range(result.ndim))


def picks(run: Run) -> bool:
    """Other numbers give other elements."""
    ms = run.spaces["ms"]
    rows = [ms.Tensor([[1, 0], [0, 2]]), ms.Tensor([[0, 1], [3, 2]])]
    each = {
        "i": [[3, 1, 0, 1], [0, 2, 2, 3]],
        "j": [[[1, 0], [2, 5], [0, 0], [1, 4]], [[0, 1], [5, 2], [3, 3], [4, 0]]],
    }
    given = [{name: ms.Tensor(lists[way]) for name, lists in each.items()} | {"rows": rows[way]} for way in range(2)]
    one, other = (run.result(**way) for way in given)
    return bool((one != other).any()) and all(bool(numpy.isin(found, run.operands()).all()) for found in (one, other))


def rises(run: Run) -> bool:
    given = numpy.sort(run.operand().ravel()).reshape(run.operand().shape)
    return by_element(run) and bool((numpy.diff(plain(run.whole(x=run.array(given))).ravel()) >= -1e-5).all())


def steepest(run: Run) -> bool:
    """Nowhere are results further apart than this times their operands, and somewhere nearly so far."""
    given = numpy.linspace(-2, 2, 24, dtype=numpy.float32).reshape(4, 6)
    slopes = numpy.abs(numpy.diff(plain(run.whole(x=run.array(given))).ravel()) / numpy.diff(given.ravel()))
    return bool(slopes.max() <= run.effect.steepest + 1e-3 and slopes.max() > 0.98 * run.effect.steepest)


def linear(run: Run) -> bool:
    given = run.operand()
    if isinstance(given, list):
        return close(run.result(2.0), run.result() * 2)
    other = numpy.flip(given, -1).copy()
    one, two, both = (plain(run.whole(x=run.array(array))) for array in (given, other, given + other))
    return close(one + two, both)


def stops(run: Run) -> bool:
    """No gradient gets through it, beside one that goes another way."""
    ms = run.spaces["ms"]

    def total(x: Any) -> Any:
        given = run.whole(x=x)
        parts = given if isinstance(given, list) else [given]
        sums = [part.sum() if isinstance(part, ms.Tensor) else float(numpy.sum(part)) for part in parts]
        return 3 * x.sum() + sum(sums)

    return bool((ms.grad(total)(ms.Tensor(run.operand())).asnumpy() == 3).all())


def placed(run: Run) -> bool:
    """The arguments at the places that the line speaks of are the arrays of which all is seen."""
    call = ast.parse(run.expression(), mode="eval").body
    if not run.effect.keeps or run.trial.operands or not isinstance(call, ast.Call):
        return True
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    given = [owner, *call.args] if owner is not None and run.name[:1] == "." else call.args
    names = [
        {part.id for part in ast.walk(given[at]) if isinstance(part, ast.Name)}
        for at in run.effect.of
        if at < len(given)
    ]
    return all(held & {"x", "y", "n"} for held in names if held)


def ranged(run: Run) -> bool:
    result = run.result()
    low = run.effect.low is None or bool((result >= run.effect.low - 1e-5).all())
    return low and (run.effect.high is None or bool((result <= run.effect.high + 1e-5).all()))


def claims(effect: Effect) -> dict[str, Callable[[Run], bool]]:
    """Each thing that a line says, with how it is seen."""
    found: dict[str, Callable[[Run], bool]] = {}
    if effect.keeps:
        found[effect.keeps] = KEEPS[effect.keeps]
    if effect.gives:
        found[effect.gives] = GIVES[effect.gives]
    if effect.kind:
        found[effect.kind] = KINDS[effect.kind]
    if effect.neutral is not None:
        found["neutral"] = neutral
    if effect.power is not None:
        found["power"] = lambda run: scales(run, 3.0**effect.power)
    if effect.constant is not None:
        found["constant"] = lambda run: bool((run.result() == effect.constant).all())
    if effect.low is not None or effect.high is not None:
        found["range"] = ranged
    if effect.axes:
        found["axes"] = lambda run: sizes(plain(run.bindings()["x"])) == sizes(run.result())
    if effect.ordered:
        found["ordered"] = ordered
    if effect.linear:
        found["linear"] = linear
    if effect.stops:
        found["stops"] = stops
    if effect.picks:
        found["picks"] = picks
    if effect.rises:
        found["rises"] = rises
    if effect.steepest < 1:
        found["steepest"] = steepest
    found["operands"] = placed
    if effect.reduces:
        found["reduces"] = lambda run: run.result().size < run.operands().size or "cum" in run.name.lower()
    return found


def runs(spaces: dict[str, Any], effect: Effect, name: str) -> list[Run]:
    """With which arrays a spelling is run: a method with each kind that has it, operators with both."""
    if name[:1] in ".@" and name not in ("@", ".each"):
        kinds = [(False, spaces["ms"].Tensor), (True, numpy.ndarray)]
        return [Run(spaces, effect, name, as_numpy) for as_numpy, kind in kinds if hasattr(kind, name[1:])][:1]
    return [Run(spaces, effect, name, name.startswith(("numpy.", "copy.")))]


@pytest.mark.mindspore
@pytest.mark.parametrize("effect", effects.load(), ids=lambda effect: effect.operation)
def test_each_spelling_does_what_its_line_says(spaces: dict[str, Any], effect: Effect) -> None:
    wrong = []
    for name in effect.names:
        if effect.why_untried(name):
            continue
        for run in runs(spaces, effect, name):
            try:
                wrong += [f"{name}: {claim}" for claim, holds in claims(effect).items() if not holds(run)]
            except Exception as error:
                wrong.append(f"{name}: {run.expression()}: {type(error).__name__}: {str(error).strip()[:150]}")
    assert not wrong
    assert len(claims(effect)) > 1, "a line that claims nothing"


@pytest.mark.mindspore
@pytest.mark.parametrize("effect", effects.load(), ids=lambda effect: effect.operation)
def test_what_is_not_run_cannot_be_run(spaces: dict[str, Any], effect: Effect) -> None:
    assert set(effect.untried) <= {"absent", "broken", "pytorch", "devices", "ascend"}
    for name in effect.names:
        why = effect.why_untried(name)
        if why in ("absent", "pytorch") and name[:1] == ".":
            assert not hasattr(spaces["ms"].Tensor, name[1:])
        elif why == "absent":
            assert looked_up(spaces, name) is None
        elif why in ("broken", "ascend"):
            with pytest.raises((RuntimeError, TypeError, ValueError)):
                flat(runs(spaces, effect, name)[0].whole())


def test_what_only_pytorch_has_does_what_its_line_says() -> None:
    torch = pytest.importorskip("torch")
    given = torch.tensor(ARRAYS["narrow"])
    arguments = {
        ".squeeze_": (1,),
        ".clip_": (1,),
        ".log_softmax": (1,),
        "torch.zeros": ((2, 3),),
        "torch.ones": ((2, 3),),
        "torch.linspace": (given.min(), given.max(), 5),
    }
    arguments |= {"torch.full": ((2, 3), 7.0), "torch.full_like": (given, 7.0), "torch.from_numpy": (ARRAYS["narrow"],)}
    spellings = {
        name: effect for effect in effects.load() for name in effect.untried.get("pytorch", ()) if name != ".cuda"
    }
    assert len(spellings) > 10
    for name, effect in spellings.items():
        if name[:1] == ".":
            result = getattr(given.clone(), name[1:])(*arguments.get(name, ()))
        else:
            result = getattr(torch, name.removeprefix("torch."))(*arguments.get(name, (given,)))
        if effect.constant is not None or effect.operation.startswith("full"):
            assert (result == (7.0 if effect.constant is None else effect.constant)).all(), name
        elif effect.keeps in ("same", "order"):
            assert (result.flatten() == given.flatten()).all(), name
        elif effect.keeps == "between":
            assert result.aminmax() == given.aminmax(), name
        elif effect.keeps == "limited":
            assert (result >= 1).all(), name
        elif effect.gives == "log-probabilities":
            assert torch.allclose(result.exp().sum(1), torch.ones(())), name
        else:
            assert effect.keeps == "factor" and (result == given.clamp(min=0)).all(), name


def test_each_spelling_has_one_line() -> None:
    names = [name for effect in effects.load() for name in effect.names]
    assert len(names) == len(set(names)) > 1000
    assert [effect.operation for effect in effects.load()] == list(dict.fromkeys(e.operation for e in effects.load()))
    assert TRIALS.keys() <= {effect.operation for effect in effects.load()}


#: What functions of NumPy that ask an array's methods are given beside it, where that is not two axes.
ASKED_WITH: dict[str, tuple[int, ...]] = {"numpy.transpose": (), "numpy.squeeze": (), "numpy.rollaxis": (1,)}


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("name", "args"),
    [(name, ASKED_WITH.get(name, (0, 1))) for effect in effects.load() for name in effect.asks],
)
def test_functions_of_numpy_that_ask_the_tensor_keep_its_gradient(
    spaces: dict[str, Any], name: str, args: tuple[int, ...]
) -> None:
    tensor = spaces["ms"].Tensor(WHOLE.reshape(2, 12))
    asked = getattr(numpy, name.removeprefix("numpy."))
    slope = spaces["ms"].grad(lambda given: (2 * asked(given, *args)).sum())(tensor)
    assert (slope.asnumpy() == 2).all()


def test_a_method_that_is_called_by_its_class_is_the_method() -> None:
    assert effects.find("Tensor.view") is effects.find(".view")
    assert effects.find("Tensor.nothing_of_this_name") is None
