"""The user's network as their own functions build it, with its loss, its optimizer and batches of its data.

In PyNative mode, whatever mode the training runs in, so that each step can be looked at. Nothing is written to the user's files.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

from .columns import labels_of
from .pipeline import EndRun, Node, Tell, blamed, called, returned, theirs
from .values import batched
from .versions import checkpoint, is_half

Cell = Any  # a mindspore.nn.Cell
Tensor = Any
#: A batch as it enters: one tensor a column.
Batch = list[Tensor]

#: Samples of a batch where the pipeline makes none.
SAMPLES = 32
#: Where the case names no optimizer.
OPTIMIZER: dict[str, Any] = {"call": "mindspore.nn:Momentum", "args": {"learning_rate": 0.01, "momentum": 0.9}}

#: In loss.inputs, what the network gives.
NETWORK = "network"

#: Where users find load_param_into_net.
HOLDERS = ("mindspore", "mindspore.train", "mindspore.train.serialization")


class Setup:
    """What a training consists of. `inputs` and `labels` are the columns that the network and the loss take.

    Without a loss the network gives it itself, as one that wraps network and loss does, and takes all columns.
    """

    def __init__(self, request: dict[str, Any], tell: Tell) -> None:
        """Tells "built": the seconds of a task count from there on. Raises Stop for what the user's code did wrong."""
        import mindspore

        self.root: str = request["root"]
        self.request, self.tell = request, tell
        #: How many parameters the user's function put into a network from a checkpoint.
        self.loaded = 0
        if request.get("device"):
            mindspore.set_context(device_target=request["device"])
        mindspore.set_seed(1)
        self.network: Cell = self._network()
        mindspore.set_context(mode=mindspore.PYNATIVE_MODE)  # the user's code may have set its own
        if mindspore.get_context("device_target") == "CPU":
            # Its queues of operators spin on the very processors that compute: a step of a small network takes several times as long.
            mindspore.set_context(pynative_synchronize=True)
        self.loss: Callable[..., Tensor] | None = self._loss() if request.get("loss") else None
        self.names: list[str] = []
        self.inputs: list[str] = []
        self.labels: list[str] = []
        #: What the loss takes, in order: NETWORK, NETWORK.0 and columns.
        self.fed: list[str] = [NETWORK]
        tell(event="built")

    def _network(self) -> Cell:
        from mindspore import nn

        what = self.request["network"]
        with self._seeing_what_is_loaded():
            network = returned(what, self.root, self.tell)
        if not isinstance(network, nn.Cell):
            raise EndRun(event="no-network", found=described(network))
        return network

    @contextmanager
    def _seeing_what_is_loaded(self) -> Iterator[None]:
        """Counts in `loaded`. load_checkpoint(path, net) calls load_param_into_net too."""
        from mindspore.train import serialization

        load = serialization.load_param_into_net

        def seen(net: Any, parameter_dict: Any, *more: Any, **named: Any) -> Any:
            self.loaded += len(parameter_dict)
            return load(net, parameter_dict, *more, **named)

        holders = [module for name in HOLDERS if (module := sys.modules.get(name)) is not None]
        for holder in holders:
            holder.load_param_into_net = seen  # type: ignore[attr-defined]
        try:
            yield
        finally:
            for holder in holders:
                holder.load_param_into_net = load  # type: ignore[attr-defined]

    def _loss(self) -> Callable[..., Tensor]:
        loss = returned(self.request["loss"], self.root, self.tell)
        if not callable(loss):
            raise EndRun(event="no-loss", found=described(loss))
        made: Callable[..., Tensor] = loss
        return made

    def optimizer(self, **instead: Any) -> Any:
        """The case's optimizer, or OPTIMIZER, over the trainable parameters. `instead` replaces arguments of its own."""
        from mindspore import nn

        what = self.request.get("optimizer") or OPTIMIZER
        what = {"call": what["call"], "args": {**what["args"], **instead}}
        optimizer = returned(what, self.root, self.tell, self.trained())
        if not isinstance(optimizer, nn.Optimizer) and not hasattr(optimizer, "parameters"):
            raise EndRun(event="no-optimizer", found=described(optimizer))
        return optimizer

    def trained(self) -> list[Any]:
        """The trainable parameters but for those that the phase keeps."""
        kept = self.request.get("kept") or []
        return [one for one in self.network.trainable_params() if not any(fits(one.name, pattern) for pattern in kept)]

    def weights(self, optimizer: Any) -> tuple[list[Any], list[Any]]:
        """The parameters that an optimizer holds, and these followed by those to be trained that it does not."""
        held = list(optimizer.parameters)
        known = {id(one) for one in held}
        return held, [*held, *(one for one in self.trained() if id(one) not in known)]

    def load(self, path: str) -> list[str]:
        """Put a checkpoint of MindSpore's into the network; the names of the parameters that it does not hold."""
        import mindspore

        with blamed("mindspore:load_checkpoint", self.root):
            missing, _ = mindspore.load_param_into_net(self.network, checkpoint(path))
        return list(missing)

    def batches(self, count: int) -> list[Batch]:
        """The first batches of the training pipeline; fewer where it ends. Raises Stop when there is none."""
        found = list(islice(self.each_batch(), count))
        if not found:
            raise EndRun(event="no-batch")
        return found

    def each_batch(self) -> Iterator[Batch]:
        """The batches of one epoch of the training pipeline."""
        return self.epoch(self.dataset())

    def epoch(self, dataset: Node) -> Iterator[Batch]:
        """The batches of one epoch. What reading raises is the pipeline's doing; what their use raises does not get here."""
        with blamed(self.request["pipeline"]["call"], self.root):
            for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True):
                yield tensors(row)

    def endless(self, dataset: Node) -> Iterator[Batch]:
        """Batches, epoch after epoch. Raises Stop where there is none at all."""
        given = False
        while True:
            for batch in self.epoch(dataset):
                given = True
                yield batch
            if not given:
                raise EndRun(event="no-batch", call=self.request["pipeline"]["call"])

    def dataset(self) -> Node:
        """The training pipeline, in batches; sets `names`, `inputs` and `labels`. Raises Stop."""
        pipeline = self.request["pipeline"]
        dataset = called(pipeline, self.root, self.tell)
        with blamed(pipeline["call"], self.root):
            if not batched(dataset):
                dataset = dataset.batch(SAMPLES)
            self.names = list(dataset.get_col_names())
        self._choose_columns()
        return dataset

    def _choose_columns(self) -> None:
        """Which columns network and loss take: those that the case names, else by what they are. Raises Stop where that does not fit."""
        given = self.request.get("inputs") or {}
        labels = labels_of(self.names, self.request.get("label")) if self.loss is not None else set()
        data = [name for name in self.names if name not in labels]
        self.inputs = self._known(given.get("network"), "network.inputs") or data[: takes(self.network)]
        self._require("network", self.network.construct, self.inputs)
        if self.loss is None:
            return
        self.fed = self._known(given.get("loss"), "loss.inputs")
        self.fed = self.fed or [NETWORK, *(name for name in self.names if name in labels)]
        self.labels = [name for name in self.fed if not of_network(name)]
        self._require("loss", getattr(self.loss, "construct", self.loss), self.fed)

    def _known(self, named: list[str] | None, key: str) -> list[str]:
        """The columns that the case names under a key. Raises Stop for one that there is not."""
        loss = key.startswith("loss")
        for name in named or []:
            if name not in self.names and not (loss and of_network(name)):
                more = f", {NETWORK}, {NETWORK}.0" if loss else ""
                raise EndRun(event="no-column", key=key, name=name, names=", ".join(self.names), more=more)
        return named or []

    def _require(self, what: str, function: Callable[..., Any], given: list[str]) -> None:
        """Raises Stop where a function of the user's cannot be called with so many."""
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # one that is not written in Python
            return
        try:
            signature.bind(*given)
        except TypeError:
            example = ", ".join([NETWORK, *self.names] if what == "loss" else self.names)
            told = {"takes": str(signature)[:200], "given": ", ".join(given) or "-", "names": ", ".join(self.names)}
            call = self.request[what]["call"]
            raise EndRun(event="columns", call=call, key=f"{what}.inputs", example=example, **told) from None

    def columns(self, batch: Sequence[Tensor], names: Sequence[str]) -> list[Tensor]:
        return [batch[self.names.index(name)] for name in names]

    def output(self, batch: Batch) -> Any:
        """What the network gives for a batch. What the user's code raises becomes a Stop."""
        with blamed(self.request["network"]["call"], self.root):
            return self.network(*self.columns(batch, self.inputs))

    def loss_of(self, batch: Batch) -> Tensor:
        """The loss of a batch, as a scalar tensor; the mean where the loss is one a sample. Differentiable."""
        return self.loss_from(self.network(*self.columns(batch, self.inputs)), batch)

    def loss_from(self, output: Any, batch: Batch) -> Tensor:
        """The same, of what the network gave for the batch."""
        first = self.first(output) if self.loss is None else self.loss_given(output, self.columns(batch, self.labels))
        return first if first.ndim == 0 else first.mean()

    def loss_given(self, output: Any, labels: Sequence[Tensor]) -> Tensor:
        """What the loss makes of an output of the network and of the columns `labels`. Raises Stop when that is no tensor."""
        assert self.loss is not None
        columns = iter(labels)
        given = [self._part(output, name) if of_network(name) else next(columns) for name in self.fed]
        return self.first(theirs(self.loss, *given), "loss")

    def _part(self, output: Any, name: str) -> Any:
        """The output of the network, or the one of several that the case names. Raises Stop where there is none of that number."""
        place = name.partition(".")[2]
        if not place:
            return output
        several = list(output) if isinstance(output, (tuple, list)) else []
        if int(place) >= len(several):
            names = ", ".join([NETWORK, *(f"{NETWORK}.{number}" for number in range(len(several)))])
            raise EndRun(event="no-column", key="loss.inputs", name=name, names=names, more="")
        return several[int(place)]

    def first(self, value: Any, maker: str = "network") -> Tensor:
        """A tensor, or the first of several. Raises Stop for anything else, which `maker` of the request gave."""
        import mindspore

        first = value[0] if isinstance(value, (tuple, list)) and value else value
        if not isinstance(first, mindspore.Tensor):
            raise EndRun(event="no-tensor", call=self.request[maker]["call"], found=described(first))
        return first

    def gradients(self, batch: Batch, weights: Sequence[Any] | None = None) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The loss of a batch and its gradient with respect to each of the weights, in their order: trained() unless they
        are given."""
        import mindspore

        call = (self.request.get("loss") or self.request["network"])["call"]
        with blamed(call, self.root):
            step = mindspore.value_and_grad(self.loss_of, None, list(weights or self.trained()))
            loss, grads = step(batch)
        return loss, tuple(grads)


def tensors(row: Sequence[Any]) -> Batch:
    """A row of arrays as a batch; texts stay arrays."""
    import mindspore

    return [mindspore.Tensor(column) if column.dtype.kind in "fiub" else column for column in row]


def numbers(tensor: Tensor) -> Any:
    """A copy as a numpy array; of 16-bit floats as float32, which numpy knows."""
    import mindspore

    if is_half(tensor):
        tensor = tensor.astype(mindspore.float32)
    return tensor.asnumpy().copy()


#: More classes of cells are not looked up.
CLASSES = 200


def lines_of(network: Cell, root: str) -> dict[str, list[list[int]]]:
    """Where the classes of the cells stand in the project: path relative to it -> [[first line, last line], ...]."""
    places: dict[str, list[list[int]]] = {}
    classes = dict.fromkeys(type(cell) for _, cell in network.cells_and_names())
    for cls in islice(classes, CLASSES):
        try:
            path = os.path.relpath(inspect.getsourcefile(cls) or "", root)
            lines, first = inspect.getsourcelines(cls)
        except (OSError, TypeError, ValueError):  # made at run time: it has no source
            continue
        if not path.startswith(".."):
            places.setdefault(path, []).append([first, first + len(lines) - 1])
    return places


def fits(name: str, pattern: str) -> bool:
    """Whether a pattern of the case means a parameter, by its whole name or the end of it, as the probes have it."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, "*." + pattern)


def of_network(name: str) -> bool:
    """Whether an input of the loss is the network's output, or one of several."""
    first, dot, place = name.partition(".")
    return first == NETWORK and (not dot or place.isdecimal())


def takes(network: Cell) -> int | None:
    """How many inputs construct() takes at most; None where any number."""
    parameters = inspect.signature(network.construct).parameters.values()
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return None
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)


def described(value: Any) -> str:
    """The class of a value, to show."""
    return type(value).__module__ + "." + type(value).__qualname__
