"""frozen_weights_script on scripts with several optimizers: what is declared frozen may be so for one of them alone."""

from pathlib import Path

from accucheck import probe
from accucheck.model import Level, Verdict, suggest
from accucheck.probe import script_example
from findings import found_by

SCRIPT = """
import mindspore as ms
from mindspore import nn, ops

class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8)

    def construct(self, x):
        return self.dense(x)

class Loss(nn.Cell):
    def __init__(self, g, d):
        super().__init__()
        self.g, self.d = g, d

    def construct(self, z):
        return self.d(self.g(z)).mean()

g, d = Part(), Part()
loss = Loss(g, d)
one = nn.Adam({one})
{other}
step = ms.value_and_grad(loss, None, one.parameters)
for z in data:
    value, grads = step(z)
    one(grads)
"""


def judged(root: Path, one: str, other: str) -> tuple[Verdict, dict[str, Level]]:
    script = SCRIPT.replace("{one}", one).replace("{other}", other)
    example = script_example("", "", script, Verdict.OK, design={"frozen": ["d.*"]})
    module = probe.load("frozen_weights_script")
    findings = found_by(module, example.lay_out(root), module.Params())
    return suggest(findings), {finding.code: finding.level for finding in findings}


def test_what_another_optimizer_trains_in_its_turn_is_frozen_by_phase(tmp_path: Path) -> None:
    verdict, found = judged(tmp_path, "g.trainable_params()", "other = nn.Adam(d.trainable_params())")
    assert verdict is Verdict.OK and found["declared-by-phase"] is Level.INFO and "declared-not-frozen" not in found


def test_what_the_only_optimizer_trains_is_not_frozen(tmp_path: Path) -> None:
    verdict, found = judged(tmp_path, "loss.trainable_params()", "")
    assert verdict is Verdict.PROBLEM and found["declared-not-frozen"] is Level.PROBLEM
