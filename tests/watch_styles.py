"""The same small training in every style that people write: each prints its losses as they are, and a digest of the weights at the end."""

HEAD = """
import hashlib
import sys

import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import amp, nn, ops

STEPS, BATCH = 12, 8
MODE = ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE
ms.set_context(mode=MODE)
ms.set_seed(3)


def data(steps=STEPS):
    dice = np.random.default_rng(0)
    label = np.arange(steps * BATCH) % 3
    point = dice.standard_normal((len(label), 6)).astype(np.float32) + label[:, None].astype(np.float32)
    columns = {"point": point, "label": label.astype(np.int32)}
    return ds.NumpySlicesDataset(columns, shuffle=True).batch(BATCH)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(6, 16)
        self.norm = nn.BatchNorm1d(16)
        self.drop = nn.Dropout(p=0.0)  # two runs of MindSpore on a CPU drop different values, whatever the seed
        self.last = nn.Dense(16, 3)

    def construct(self, point):
        return self.last(self.drop(ops.relu(self.norm(self.first(point)))))


def told(network, *losses):
    for loss in losses:
        print("loss", repr(float(loss)))
    held = b"".join(one.asnumpy().tobytes() for one in network.get_parameters())
    print("weights", hashlib.blake2b(held, digest_size=8).hexdigest())
"""

_CALLBACK = """
from mindspore import Model
from mindspore.train import Callback, LossMonitor

losses = []


class Keep(Callback):
    def on_train_step_end(self, run_context):
        losses.append(run_context.original_args().net_outputs)
"""

STYLES = {
    "model.train": _CALLBACK
    + """
net = Net()
model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
model.train(1, data(), callbacks=[Keep()], dataset_sink_mode=False)
told(net, *losses)
""",
    "model.fit": _CALLBACK
    + """
net = Net()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"accuracy"})
model.fit(2, data(6), data(2), callbacks=[Keep()], dataset_sink_mode=False)
told(net, *losses)
""",
    "value_and_grad": """
net, loss_fn = Net(), nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), 0.1)


def forward(point, label):
    logits = net(point)
    return loss_fn(logits, label), logits


step = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
net.set_train()
losses = []
for point, label in data().create_tuple_iterator():
    (loss, _), grads = step(point, label)
    optimizer(grads)
    losses.append(loss)
told(net, *losses)
""",
    "jit": """
net, loss_fn = Net(), nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.01)


@ms.jit
def forward(point, label):
    return loss_fn(net(point), label)


step = ms.value_and_grad(forward, None, optimizer.parameters)


def train_step(point, label):
    loss, grads = step(point, label)
    optimizer(grads)
    return loss


net.set_train()
told(net, *[train_step(row["point"], row["label"]) for row in data().create_dict_iterator()])
""",
    "grad operation": """
class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer = network, optimizer
        self.weights = optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, *batch):
        loss = self.network(*batch)
        return ops.depend(loss, self.optimizer(self.grad(self.network, self.weights)(*batch)))


net = Net()
step = Step(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))
step.set_train()
told(net, *[step(*batch) for batch in data().create_tuple_iterator()])
""",
    "one step cell": """
net = Net()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))
step.set_train()
told(net, *[step(*batch) for batch in data().create_tuple_iterator()])
""",
    "own step cell with a scale": """
class Step(nn.TrainOneStepCell):
    def __init__(self, network, optimizer):
        super().__init__(network, optimizer, sens=1024.0)

    def construct(self, *batch):
        loss = self.network(*batch)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        grads = self.grad(self.network, self.weights)(*batch, sens)
        grads = tuple(one / self.sens for one in grads)
        return ops.depend(loss, self.optimizer(ops.clip_by_global_norm(grads, 1.0)))


net = Net()
step = Step(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))
step.set_train()
told(net, *[step(*batch) for batch in data().create_tuple_iterator()])
""",
    "scaler": """
net, loss_fn = amp.auto_mixed_precision(Net(), "O2"), nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.01)
scaler = amp.DynamicLossScaler(1024.0, 2, 4)


def forward(point, label):
    return scaler.scale(loss_fn(net(point).astype(ms.float32), label))


step = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
losses = []
for point, label in data().create_tuple_iterator():
    loss, grads = step(point, label)
    losses.append(float(scaler.unscale(loss)))
    grads = scaler.unscale(grads)
    if amp.all_finite(grads):
        optimizer(grads)
    scaler.adjust(amp.all_finite(grads))
told(net, *losses)
""",
    "mint": """
from mindspore import mint


class Mint(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.last = mint.nn.Linear(6, 16), mint.nn.Linear(16, 3)

    def construct(self, point):
        return self.last(mint.nn.functional.relu(self.first(point)))


net = Mint()
optimizer = nn.AdamWeightDecay(net.trainable_params(), nn.cosine_decay_lr(0.0, 0.01, STEPS, 1, STEPS))
step = ms.value_and_grad(
    lambda point, label: ops.cross_entropy(net(point), label), None, optimizer.parameters
)
losses = []
for point, label in data().create_tuple_iterator():
    loss, grads = step(point, label)
    optimizer(grads)
    losses.append(loss)
told(net, *losses)
""",
    "two optimizers": """
class Judge(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(6, 8), nn.LeakyReLU(), nn.Dense(8, 1))

    def construct(self, point):
        return self.layers(point)


maker, judge = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 6)), Judge()
bce = nn.BCEWithLogitsLoss()
of_maker, of_judge = nn.Adam(maker.trainable_params(), 1e-3), nn.Adam(judge.trainable_params(), 1e-3)


def judged(point, noise):
    true, made = judge(point), judge(ops.stop_gradient(maker(noise)))
    return bce(true, ops.ones_like(true)) + bce(made, ops.zeros_like(made))


def made(noise):
    score = judge(maker(noise))
    return bce(score, ops.ones_like(score))


step_judge = ms.value_and_grad(judged, None, of_judge.parameters)
step_maker = ms.value_and_grad(made, None, of_maker.parameters)
losses = []
for point, _ in data().create_tuple_iterator():
    noise = ms.Tensor(np.random.randn(BATCH, 4).astype(np.float32))
    loss, grads = step_judge(point, noise)
    of_judge(grads)
    losses.append(loss)
    _, grads = step_maker(noise)
    of_maker(grads)
told(judge, *losses)
told(maker)
""",
    "accumulation": """
net, loss_fn = Net(), nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), 0.1)
step = ms.value_and_grad(lambda point, label: loss_fn(net(point), label), None, optimizer.parameters)
net.set_train()
losses, kept = [], None
for number, (point, label) in enumerate(data().create_tuple_iterator(), 1):
    loss, grads = step(point, label)
    kept = grads if kept is None else tuple(one + other for one, other in zip(kept, grads))
    if number % 3 == 0:
        optimizer(tuple(one / 3 for one in kept))
        kept = None
        losses.append(loss)
told(net, *losses)
""",
    "callback that evaluates": _CALLBACK
    + """
class Look(Callback):
    def __init__(self, network):
        self.network, self.batches = network, list(data(2).create_tuple_iterator())

    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num % 4 == 0:
            self.network.set_train(False)
            right = sum(int((self.network(point).argmax(1) == label).sum()) for point, label in self.batches)
            self.network.set_train(True)
            print("right", right)


net = Net()
model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
model.train(1, data(), callbacks=[Keep(), Look(net), LossMonitor(6)], dataset_sink_mode=False)
told(net, *losses)
""",
    "trainer": """
class Trainer:
    def __init__(self, network, optimizer, loss_fn, train, evaluation, epochs):
        self.network, self.optimizer, self.loss_fn = network, optimizer, loss_fn
        self.train_set, self.eval_set, self.epochs, self.losses = train, evaluation, epochs, []

    def compute_loss(self, batch):
        logits = self.network(batch["point"])
        return self.loss_fn(logits, batch["label"])

    def train(self):
        step = ms.value_and_grad(self.compute_loss, None, self.optimizer.parameters)
        for _ in range(self.epochs):
            self.network.set_train(True)
            for batch in self.train_set.create_dict_iterator(num_epochs=1):
                loss, grads = step(batch)
                self.optimizer(grads)
                self.losses.append(loss)
            self.evaluate()

    def evaluate(self):
        self.network.set_train(False)
        hits = [
            int((self.network(batch["point"]).argmax(1) == batch["label"]).sum())
            for batch in self.eval_set.create_dict_iterator(num_epochs=1)
        ]
        print("right", sum(hits))


net = Net()
trainer = Trainer(net, nn.Adam(net.trainable_params(), 0.01), nn.CrossEntropyLoss(), data(6), data(2), 2)
trainer.train()
told(net, *trainer.losses)
""",
    "trainer with arguments and callbacks": """
from dataclasses import dataclass


@dataclass
class TrainingArguments:
    num_train_epochs: int = 2
    learning_rate: float = 0.05
    weight_decay: float = 0.01
    max_grad_norm: float = 1.0
    gradient_accumulation_steps: int = 2


@dataclass
class TrainerState:
    global_step: int = 0
    epoch: int = 0


class TrainerCallback:
    def on_step_end(self, args, state, loss):
        pass

    def on_epoch_end(self, args, state, trainer):
        pass


class Log(TrainerCallback):
    def __init__(self):
        self.losses = []

    def on_step_end(self, args, state, loss):
        self.losses.append(loss)


class Evaluate(TrainerCallback):
    def on_epoch_end(self, args, state, trainer):
        print("right", trainer.evaluate()["right"])


class Model(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net, self.loss_fn = Net(), nn.CrossEntropyLoss()

    def construct(self, point, label=None):
        logits = self.net(point)
        return {"loss": None if label is None else self.loss_fn(logits, label), "logits": logits}


class Trainer:
    def __init__(self, model, args, train_dataset, eval_dataset, callbacks):
        self.model, self.args, self.state = model, args, TrainerState()
        self.train_dataset, self.eval_dataset, self.callbacks = train_dataset, eval_dataset, callbacks
        bare = [one for one in model.trainable_params() if one.ndim == 1]
        rest = [one for one in model.trainable_params() if one.ndim > 1]
        groups = [{"params": rest, "weight_decay": args.weight_decay}, {"params": bare, "weight_decay": 0.0}]
        self.optimizer = ms.experimental.optim.AdamW(groups, lr=args.learning_rate)
        self.scheduler = ms.experimental.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: 1 - step / STEPS)
        self.grad_fn = ms.value_and_grad(self.compute_loss, None, self.optimizer.parameters)

    def compute_loss(self, inputs):
        return self.model(**inputs)["loss"] / self.args.gradient_accumulation_steps

    def training_step(self, inputs):
        self.model.set_train()
        return self.grad_fn(inputs)

    def _inputs(self, dataset):
        for row in dataset.create_dict_iterator(num_epochs=1):
            yield {"point": row["point"], "label": row["label"]}

    def train(self):
        args, total, kept = self.args, 0.0, None
        for epoch in range(args.num_train_epochs):
            self.state.epoch = epoch
            for number, inputs in enumerate(self._inputs(self.train_dataset), 1):
                loss, grads = self.training_step(inputs)
                total += float(loss)
                kept = grads if kept is None else tuple(one + other for one, other in zip(kept, grads))
                if number % args.gradient_accumulation_steps == 0:
                    self.optimizer(ops.clip_by_global_norm(kept, args.max_grad_norm))
                    self.scheduler.step()
                    self.state.global_step += 1
                    for one in self.callbacks:
                        one.on_step_end(args, self.state, loss)
                    total, kept = 0.0, None
            for one in self.callbacks:
                one.on_epoch_end(args, self.state, self)

    def evaluate(self):
        self.model.set_train(False)
        found = [
            int((self.model(**inputs)["logits"].argmax(1) == inputs["label"]).sum())
            for inputs in self._inputs(self.eval_dataset)
        ]
        return {"right": sum(found)}


model, log = Model(), Log()
trainer = Trainer(model, TrainingArguments(), data(), data(2), [log, Evaluate()])
trainer.train()
told(model, *log.losses)
""",
    "sink mode": _CALLBACK
    + """
net = Net()
model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
model.train(2, data(6), callbacks=[Keep()], dataset_sink_mode=True)
told(net, *losses)
""",
}
#: Steps that each trains, where it is another number than STEPS.
UPDATES = {"accumulation": 4}
STEPS = 12
