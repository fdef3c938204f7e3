"""Networks that are used as two and are one, and second names for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.aliased_networks import examine
from case_scripts import scripts

_NET = """
import mindspore as ms
from mindspore import nn, ops

class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(8, 8)

    def construct(self, x):
        return self.inner(x)

"""
_BOTH_WAYS = """
def forward(x):
    return ops.abs(back(there(x)) - x).mean()

one, other = nn.Adam(there.trainable_params()), nn.Adam(back.trainable_params())
grad = ms.value_and_grad(forward, None, one.parameters)
for x in data:
    loss, grads = grad(x)
    one(grads)
"""
_FOLLOWS = """
class Agent:
    def __init__(self):
        self.critic = Part()
        {}
        self.opt = nn.Adam(self.critic.trainable_params())

    def train(self, x, y):
        wanted = y + 0.9 * self.target(x)
        loss = ((self.critic(x) - wanted) ** 2).mean()
        for a, b in zip(self.critic.get_parameters(), self.target.get_parameters()):
            b.set_data(0.01 * a + 0.99 * b)
        return loss

Agent().train(x, y)
"""
_EVALUATES = """
net = Part()
eval_net = net
opt = nn.Adam(net.trainable_params())
net.set_train()
loss = net(x).mean()
eval_net.set_train(False)
print(eval_net(x))
"""
_SHORTENED = """
class Trainer:
    def __init__(self):
        self.model = Part()
        self.opt = nn.Adam(self.model.trainable_params())

    def train(self, x):
        loss = self.model(x).mean()
        save(self.model)
        return loss

    def validate(self, x):
        model = self.model
        return model(x)

def save(model):
    ms.save_checkpoint(model, "last.ckpt")
    model.trainable_params()

trainer = Trainer()
trainer.train(x)
trainer.validate(x)
"""
_CLOSURE = """
def main():
    there = Part()
    back = there

    def step(x):
        nonlocal back
        back = back or Part()
        back.trainable_params()
        return back(there(x))

    there.trainable_params()
    return step(x)

main()
"""
#: What is written behind the class of a network -> whether two names stand for one network that is used as two.
_TEXTS = {
    "there = Part()\nback = there\n" + _BOTH_WAYS: True,
    "there = back = Part()\n" + _BOTH_WAYS: False,  # both at once: meant, as far as that is seen
    "there, back = Part(), Part()\n" + _BOTH_WAYS: False,
    "there = Part()\nback = there if one_way else Part()\n" + _BOTH_WAYS: False,
    "there = Part()\nback = there  # both ways share their weights\n" + _BOTH_WAYS: False,
    _FOLLOWS.format("self.target = self.critic"): True,
    _FOLLOWS.format("self.target = Part()"): False,
    _EVALUATES: False,
    _CLOSURE: True,
    _SHORTENED: False,  # the parameter of another function is another variable
    _SHORTENED.replace("save(self.model)", "ms.save_checkpoint(self.model, 'last.ckpt')"): False,
}


@pytest.mark.parametrize("text", _TEXTS)
def test_one_network_that_is_used_as_two(tmp_path: Path, text: str) -> None:
    found = [one.code for one in examine(scripts(tmp_path, _NET + text))]
    assert found == ["network-under-two-names"] * _TEXTS[text]
