"""Reads from the scripts whether loaded checkpoints get into the network that is trained or evaluated.

Catches: a checkpoint that is loaded and never put into a network, or put into an object that nothing uses; loaded weights that
an initialisation loop overwrites; the file of another network; the saving directory given as the file. Notes where the result
of load_param_into_net is ignored: MindSpore stays silent about names that do not fit, even when nothing fits. Cannot tell: what
is in a file, which file the command line names, what code out of sight does with it. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..model import suggest as usual
from ..probe import Example
from . import _gaps, _grades, _second_place

if TYPE_CHECKING:
    from ..script.loading import Observation

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = (("scripts.train", "scripts.eval", "scripts.infer"),)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "not-applied": {
        "en": "The checkpoint {path} is loaded here, but never put into a network.",
        "zh": "此处加载了 checkpoint {path}，但从未写入任何网络。",
    },
    "wrong-network": {
        "en": "{net} gets the weights of {path}, which {saved} was saved to ({at}); {net} itself is saved elsewhere.",
        "zh": "{net} 加载的 {path} 保存的是 {saved} 的权重（{at}）；{net} 自身保存在别的文件中。",
    },
    "directory": {
        "en": "load_checkpoint gets {path}: the directory for saving checkpoints, not a file.",
        "zh": "load_checkpoint 的参数 {path} 是保存 checkpoint 的目录，而不是文件。",
    },
    "directory-possible": {
        "en": "load_checkpoint gets {path}, which is also the directory for saving checkpoints.",
        "zh": "load_checkpoint 的参数 {path} 同时又是保存 checkpoint 的目录。",
    },
    "overwritten": {
        "en": "The weights loaded into {net} are initialised again afterwards ({at}).",
        "zh": "{net} 加载的权重随后被重新初始化覆盖（{at}）。",
    },
    "overwritten-possible": {
        "en": "The weights loaded into {net} may be initialised again afterwards ({at}).",
        "zh": "{net} 加载的权重随后可能被重新初始化覆盖（{at}）。",
    },
    "another-object": {
        "en": "The weights are loaded into an object of {net} that nothing uses; another one is used instead ({at}).",
        "zh": "权重加载到了一个之后未再使用的 {net} 对象；实际使用的是另一处（{at}）创建的对象。",
    },
    "nothing-loaded": {
        "en": "An empty dict is loaded into {net}.",
        "zh": "加载到 {net} 的是空字典，没有任何参数。",
    },
    "only-output": {
        "en": "Only the checkpoint's parameters for {layer}, the output layer of {net}, are loaded ({at}): all other layers keep their "
        "initial weights.",
        "zh": "checkpoint 中只有 {net} 的输出层 {layer} 的参数被保留（{at}）：其余各层仍是创建时的初始权重。",
    },
    "fetched-for-nothing": {
        "en": "The parameters are fetched here and never used; another instance of {net}, which runs beside the trained one ({at}), "
        "keeps its initial weights.",
        "zh": "此处取出了参数却没有使用；与训练中的网络（{at}）同属 {net} 的另一个网络一直保持创建时的权重。",
    },
    "only-rebound": {
        "en": "The result computed here is only assigned to the name {name}: no parameter of the {net} that runs beside the trained "
        "network ({at}) changes, so it keeps its initial weights.",
        "zh": "此处算出的值只是改用了名字 {name}：与训练中的网络（{at}）一同运行的 {net} 没有任何参数发生变化，一直保持创建时的权重。",
    },
    "never-filled": {
        "en": "This {net} runs beside the trained one ({at}), and nothing ever loads or copies weights into it: it keeps its initial "
        "weights.",
        "zh": "此处的 {net} 与训练中的网络（{at}）一同运行，但没有任何地方给它赋权重：它一直保持创建时的权重。",
    },
    "random-target": {
        "en": "The loss at {at} is computed with this {net}, whose weights nothing loads or trains: its outputs come from random weights.",
        "zh": "{at} 处的损失用到此处的 {net}，但没有任何地方加载或训练它的权重：其输出来自随机权重。",
    },
    "evaluated-untrained": {
        "en": "This {net} is evaluated at {at}, but the training trains another network: nothing ever changes the weights of this one.",
        "zh": "{at} 处评估的是此处的 {net}，而训练的是另一个网络：它的权重始终没有变化。",
    },
    "saved-untrained": {
        "en": "{net} is saved after training, but nothing trains it: the optimizer is given the weights of another network.",
        "zh": "训练后保存的是 {net}，但它并未被训练：优化器得到的是另一个网络的权重。",
    },
    "loaded-idle": {
        "en": "Weights are loaded into {net} here, and nothing ever runs it.",
        "zh": "此处向 {net} 加载权重，但没有任何地方运行它。",
    },
    "names-changed": {
        "en": "{net} loads {path}, which these scripts saved from the same class, with '{added}' added to each name: no parameter is "
        "called so.",
        "zh": "{net} 加载的 {path} 由这些脚本自身从同一网络类保存，但此处给每个参数名加上了“{added}”，没有任何参数叫这样的名称。",
    },
    "evaluated-unfilled": {
        "en": "{net} is evaluated here with its initial weights: nothing in this script loads a checkpoint or trains.",
        "zh": "此处用创建时的初始权重评估 {net}：该脚本既没有加载 checkpoint，也没有训练。",
    },
    "evaluated-in-part": {
        "en": "Weights are loaded only into {part}, a part of the evaluated {net} ({at}): {layers} outside it keep their initial "
        "weights.",
        "zh": "权重只加载到了 {part}，而评估的是包含它的 {net}（{at}）：其余的 {layers} 仍是创建时的初始权重。",
    },
    "evaluated-before": {
        "en": "Weights are loaded into {net} only here, after its last run ({at}): it is evaluated with its initial weights.",
        "zh": "权重在最后一次运行 {net}（{at}）之后才在此加载：评估时使用的是创建时的初始权重。",
    },
    "result-ignored": {
        "en": "Nothing asks which parameters were not loaded into {net}; names that do not fit are passed over in silence.",
        "zh": "没有检查哪些参数未加载到 {net}；名称不匹配的参数会被静默跳过。",
    },
    "another-class": {
        "en": "{net} gets the weights of {path}, which was saved from {saved} ({at}): whether the names fit cannot be seen.",
        "zh": "{net} 加载的 {path} 是从 {saved} 保存的（{at}），参数名是否一致无法从代码中看出。",
    },
    "handed-on": {
        "en": "The weights loaded from {path} go through {function} ({at}), where they could not be followed any further: whether all "
        "of them reach a network is unknown.",
        "zh": "从 {path} 加载的参数经过 {function}（{at}）处理，之后未能继续跟踪，无法确定是否全部写入网络。",
    },
    "dict-unseen": {
        "en": "The parameters that were not loaded into {net} are checked, but which checkpoint they come from could not be followed "
        "beyond {at}.",
        "zh": "对未加载到 {net} 的参数做了检查，但参数来自哪个 checkpoint 在 {at} 处未能继续跟踪。",
    },
    "set-if-named": {
        "en": "The parameters of {path} are set one by one at {at}, on a condition: names that do not fit are passed over in silence.",
        "zh": "{path} 中的参数在 {at} 处按条件逐个写入网络；名称不匹配的参数会被静默跳过。",
    },
    "set-one-by-one": {
        "en": "The parameters of {path} are set one by one at {at}.",
        "zh": "{path} 中的参数在 {at} 处逐个写入网络。",
    },
    "only-read": {
        "en": "The checkpoint {path} is only read: it is not seen to be loaded into a network.",
        "zh": "脚本只读取了 checkpoint {path}，没有看到把它加载到网络中。",
    },
    "own": {
        "en": "{net} loads {path}, which these scripts saved from the same class.",
        "zh": "{net} 加载的 {path} 由这些脚本自身从同一网络类保存。",
    },
    "own-trained": {
        "en": "{net} loads weights that this project trains and saves with the same class ({at}): the names match.",
        "zh": "{net} 加载的是本项目用同一网络类训练并保存的权重（{at}），参数名一致。",
    },
    "only-if-asked": {
        "en": "{net} loads a checkpoint only if {condition}; with the current options, nothing is loaded here.",
        "zh": "只有满足 {condition} 时才会向 {net} 加载 checkpoint；按目前的选项，此处不会加载。",
    },
    "never-called": {
        "en": "{function} loads weights into {net}, and nothing in these scripts calls it.",
        "zh": "{function} 向 {net} 加载权重，但这些脚本都没有调用它。",
    },
    "checked": {
        "en": "The parameters that were not loaded into {net} are checked.",
        "zh": "对未加载到 {net} 的参数做了检查。",
    },
    "not-followed": {
        "en": "A checkpoint is loaded here, in code that could not be followed.",
        "zh": "此处加载了 checkpoint，但未能分析到这段代码的执行过程。",
    },
    "no-loading": {"en": "No checkpoint is loaded in {path}.", "zh": "{path} 中没有加载 checkpoint。"},
    "fix-apply": {
        "en": "Load it into the network with load_param_into_net(net, param_dict), and check the return value.",
        "zh": "写入网络：load_param_into_net(net, param_dict)，并检查其返回值。",
    },
    "fix-check": {
        "en": "Keep and check the result: param_not_load, ckpt_not_load = load_param_into_net(net, param_dict)",
        "zh": "保留并检查返回值：param_not_load, ckpt_not_load = load_param_into_net(net, param_dict)",
    },
    "fix-file": {
        "en": "Pass the .ckpt file itself to load_checkpoint, through a separate option.",
        "zh": "把具体的 .ckpt 文件路径传给 load_checkpoint，并使用单独的选项。",
    },
    "fix-network": {"en": "Load the file that {net} was saved to.", "zh": "改为加载 {net} 自身保存的文件。"},
    "fix-order": {
        "en": "Initialise first and load afterwards, or initialise only what the file does not have.",
        "zh": "先初始化再加载，或只初始化文件中没有的参数。",
    },
    "fix-copy": {
        "en": "Put the trained weights into it: load_param_into_net(target, trained.parameters_dict())",
        "zh": "把训练得到的权重写入该网络：load_param_into_net(target, trained.parameters_dict())",
    },
    "fix-set": {
        "en": "Write the value into the parameter: parameter.set_data(value)",
        "zh": "把该值写入参数：parameter.set_data(value)",
    },
    "fix-let-through": {
        "en": "Invert the condition if the output layer is what should be left out, and check the return value of load_param_into_net.",
        "zh": "如果要排除的是输出层，请把条件反过来，并检查 load_param_into_net 的返回值。",
    },
    "fix-names": {
        "en": "Load the names as they were saved, and check the return value of load_param_into_net.",
        "zh": "按保存时的名称加载，并检查 load_param_into_net 的返回值。",
    },
    "fix-load": {
        "en": "Load the trained weights first: load_param_into_net(net, load_checkpoint(path))",
        "zh": "先加载训练好的权重：load_param_into_net(net, load_checkpoint(path))",
    },
    "fix-first": {"en": "Load the weights before running the network.", "zh": "先加载权重，再运行网络。"},
    "fix-whole": {
        "en": "Load into the whole network that is evaluated, and check the return value of load_param_into_net.",
        "zh": "加载到被评估的整个网络中，并检查 load_param_into_net 的返回值。",
    },
    "fix-trained": {
        "en": "Use the network that the optimizer trains, or copy its weights over after each step.",
        "zh": "改用优化器所训练的网络，或在每一步之后把它的权重复制过来。",
    },
    "fix-run": {
        "en": "Call this network where its outputs are needed, or load the weights into the one that is called.",
        "zh": "在需要其输出的地方调用该网络，或把权重加载到实际调用的网络中。",
    },
    "fix-object": {
        "en": "Load into the object that is trained or evaluated.",
        "zh": "加载到实际训练或评估的网络对象中。",
    },
}
WORDS: Words = _grades.WORDS

_RANDOM = {
    "en": "The network runs with its initial weights instead of the trained ones: evaluation measures random weights, and fine-tuning "
    "starts from scratch.",
    "zh": "网络使用的仍是创建时的初始权重而不是训练好的权重：评估得到的是随机权重的结果，微调则等于从头训练。",
}
_STALE = {
    "en": "Its outputs, used as targets or results, come from random weights that never change.",
    "zh": "其输出（目标或结果）始终来自不变的随机权重。",
}
_UNTRAINED = {
    "en": "The result says nothing about the network that was trained, and its weights are lost.",
    "zh": "结果与实际训练的网络无关，训练得到的权重也没有保留下来。",
}
WHY: Words = {
    "not-applied": _RANDOM,
    "another-object": _RANDOM,
    "nothing-loaded": _RANDOM,
    "only-output": _RANDOM,
    "fetched-for-nothing": _STALE,
    "only-rebound": _STALE,
    "never-filled": _STALE,
    "random-target": _STALE,
    "evaluated-untrained": _UNTRAINED,
    "saved-untrained": _UNTRAINED,
    "loaded-idle": {
        "en": "What was learnt before has no effect on the training: another network is used in its place, or the call is missing.",
        "zh": "先前学到的权重对训练没有任何作用：实际使用的是另一个网络，或者漏掉了对它的调用。",
    },
    "evaluated-unfilled": _RANDOM,
    "evaluated-in-part": _RANDOM,
    "evaluated-before": _RANDOM,
    "names-changed": _RANDOM,
    "overwritten": {
        "en": "The learned weights are thrown away: training starts from scratch, or random weights are evaluated.",
        "zh": "已学到的权重被丢弃：训练等于从头开始，或者评估的是随机权重。",
    },
    "overwritten-possible": {
        "en": "If the loop reaches loaded weights, they are thrown away and training starts from scratch.",
        "zh": "如果该循环覆盖了已加载的权重，预训练的成果就会丢失，等于从头训练。",
    },
    "wrong-network": {
        "en": "Parameters with matching names get the weights of another network, the others keep their initial values: the result "
        "says nothing about the network that was trained.",
        "zh": "名称相同的参数得到了另一个网络的权重，其余参数保持初始值，结果不能反映所训练的网络。",
    },
    "directory": {
        "en": "A directory cannot be loaded: the script stops, or falls back to weights that are not the trained ones.",
        "zh": "目录无法作为 checkpoint 加载：脚本会报错中止，或退回到未训练的权重。",
    },
    "directory-possible": {
        "en": "One value cannot be right for both: if it is the directory, loading fails or leaves the weights unchanged.",
        "zh": "同一个值不可能同时适用于两处：若它是目录，加载会失败，权重保持原样。",
    },
}
_COMPARE = {
    "en": "Print the mean of one weight of the network before and after loading: it must change and match the file. With "
    "checkpoints.pretrained set, the file probes examine the file itself.",
    "zh": "在加载前后打印网络某个权重的均值：它应当变化，并与文件中的值一致。给出 checkpoints.pretrained 后，文件探针会检查文件本身。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _COMPARE),
    "directory": {
        "en": "Print {path} right before it is loaded, and see whether it is a file.",
        "zh": "在加载之前打印 {path}，查看它是否是文件。",
    },
    "directory-possible": {
        "en": "Check what {path} is in the command that starts the script.",
        "zh": "查看启动命令中 {path} 的取值。",
    },
}

_LEVELS = {
    "not-applied": Level.PROBLEM,
    "wrong-network": Level.PROBLEM,
    "directory": Level.PROBLEM,
    "overwritten": Level.PROBLEM,
    "another-object": Level.PROBLEM,
    "nothing-loaded": Level.PROBLEM,
    "only-output": Level.PROBLEM,
    "fetched-for-nothing": Level.PROBLEM,
    "only-rebound": Level.PROBLEM,
    "random-target": Level.PROBLEM,
    "evaluated-untrained": Level.PROBLEM,
    "saved-untrained": Level.PROBLEM,
    "loaded-idle": Level.PROBLEM,
    "evaluated-unfilled": Level.PROBLEM,
    "evaluated-in-part": Level.PROBLEM,
    "evaluated-before": Level.PROBLEM,
    "names-changed": Level.PROBLEM,
    "never-filled": Level.SUSPECT,
    "directory-possible": Level.SUSPECT,
    "overwritten-possible": Level.SUSPECT,
}
_FINE = ("own", "own-trained", "only-if-asked", "never-called", "checked", "set-one-by-one", "only-read", "no-loading")
#: What leaves a training without weights that were trained before.
_NOTHING = ("no-loading", "only-read", "only-if-asked", "never-called", "own-trained")
_FIXES = {
    "fetched-for-nothing": "fix-copy",
    "only-rebound": "fix-set",
    "never-filled": "fix-copy",
    "random-target": "fix-load",
    "evaluated-untrained": "fix-trained",
    "saved-untrained": "fix-trained",
    "loaded-idle": "fix-run",
    "evaluated-unfilled": "fix-load",
    "evaluated-in-part": "fix-whole",
    "evaluated-before": "fix-first",
    "names-changed": "fix-names",
    "only-output": "fix-let-through",
    "not-applied": "fix-apply",
    "result-ignored": "fix-check",
    "another-class": "fix-check",
    "directory": "fix-file",
    "directory-possible": "fix-file",
    "wrong-network": "fix-network",
    "overwritten": "fix-order",
    "overwritten-possible": "fix-order",
    "another-object": "fix-object",
}


@_grades.by_road_asking("not-applied", "nothing-loaded")
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import loading, unlearnt_networks
    from ..script.analysis import read_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    found = loading.examine(scripts)
    for said in chain(found, unlearnt_networks.examine(scripts)):
        if said.code != "applied":
            yield _finding(said)
    places = loading.published(scripts) if found else list(loading.mentions(scripts))
    for source, node in places[:10]:
        line = getattr(node, "lineno", 1)
        where = Where(path=source.path, line=line)
        yield Finding("not-followed", Level.INFO, where, {}, [source.code(line, line)], incomplete=True)
    if not found and not places and scripts.readings:
        path = scripts.readings[0].source.path
        yield Finding("no-loading", Level.INFO, Where(path=path), {"path": path})
    yield Progress(len(scripts.readings), len(scripts.readings), "files")


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Where nothing is loaded there is nothing to load wrongly; otherwise as usual."""
    found = list(findings)
    verdict = usual(found)
    nothing = any(finding.code in _NOTHING for finding in found)
    loaded = any(finding.code in ("own", "checked", "set-one-by-one") for finding in found)
    return Verdict.NOT_APPLICABLE if verdict is Verdict.OK and nothing and not loaded else verdict


def _finding(said: Observation) -> Finding:
    code, source = said.code, said.source
    level = _LEVELS.get(code, Level.INFO)
    sure = None
    if level is Level.PROBLEM:
        sure = Sure.LIKELY if said.likely else Sure.CERTAIN
    elif level is Level.SUSPECT:
        sure = Sure.POSSIBLE
    evidence = [source.code(said.line, said.last)]
    evidence += [other.code(first, last) for other, first, last in said.also]
    fix = _FIXES.get(code)
    data = said.data
    if said.also and "at" not in data:
        other, first, _ = said.also[0]
        data = {**data, "at": _second_place.at(other.path, first, source.path)}
    return Finding(
        code,
        level,
        Where(path=source.path, line=said.line),
        data,
        [*evidence],
        Fix(fix, source.patch(list(said.edits)) if said.edits else None) if fix else None,
        incomplete=level is Level.INFO and code not in _FINE,
        sure=sure,
    )


_HEAD = """import mindspore as ms
from mindspore import nn, ops, load_checkpoint, load_param_into_net, save_checkpoint
from mindspore.common.initializer import initializer


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(16, 4)

    def construct(self, x):
        return self.fc(x)


class Other(nn.Cell):
    def __init__(self):
        super().__init__()
        self.out = nn.Dense(16, 4)

    def construct(self, x):
        return self.out(x)


"""


_TEACHER = """
class Deep(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(16, 64), nn.Dense(64, 4)

    def construct(self, x):
        return self.b(ops.relu(self.a(x)))


net, teacher = Net(), Deep()
{loaded}
opt = nn.Adam(net.trainable_params(), 1e-3)

def cost(x):
    return ((net(x) - ops.stop_gradient({target}(x))) ** 2).mean()

step = ms.value_and_grad(cost, None, opt.parameters)
for x in data:
    loss, grads = step(x)
    opt(grads)
{after}
"""
_FILLED = 'print(load_param_into_net(teacher, load_checkpoint("teacher.ckpt")))'
_WHOLE = (
    _HEAD
    + """class Whole(nn.Cell):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = nn.Dense(4, 2)

    def construct(self, x):
        return self.head(self.body(x))


"""
)
_IMPORTS = """import mindspore as ms
from mindspore import nn, load_checkpoint, load_param_into_net, save_checkpoint
from net import Net, Whole

body = Net()
"""
_TUNED = (
    _IMPORTS
    + """print(load_param_into_net(body, load_checkpoint("before.ckpt")))
net = Whole(body)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
model.train(1, data)
save_checkpoint(net, "best.ckpt")
"""
)
_PART = (
    _IMPORTS
    + """net = Whole(body)
print(load_param_into_net(body, load_checkpoint("best.ckpt")))
net.set_train(False)
for x, y in data:
    print((net(x).argmax(1) == y).mean())
"""
)
_FROM_SCRATCH = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from net import Net, Other

net = {net}
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
data = ds.MindDataset("train.mindrecord").batch(8)
model.train(9, data, callbacks=[ms.ModelCheckpoint(prefix="net", directory="ckpt")])
"""
_EVALUATED = """import glob
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from net import Net

net = Net()
ms.load_checkpoint(max(glob.glob("ckpt/*.ckpt")), net)
model = ms.Model(net, nn.MSELoss(), metrics={"mae"})
print(model.eval(ds.MindDataset("test.mindrecord").batch(8)))
"""


_OPTION_FILE = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--file", default="/data/best.ckpt")
args = parser.parse_args()"""
_TALL_NET = "net = Net()\n"
_BROUGHT = """
from zoo import Encoder

class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder, self.out = Encoder.from_pretrained("base"), nn.Dense(16, 4)

    def construct(self, x):
        return self.out(self.encoder(x))

net = Tagger()
"""
_BEST = """
def train(epochs):
    best, path = 0, None
    for epoch in range(epochs):
        score = measure(net)
        if score > best:
            best, path = score, "out/{}.ckpt".format(round(score, 3))
            save_checkpoint(net, path)
    return path

load_param_into_net(net, load_checkpoint(train(5)))
"""
_NEVER = """
class Runner:
    def __init__(self, net):
        self.net = net

    def train(self):
        ms.Model(self.net, nn.MSELoss(), nn.Adam(self.net.trainable_params())).train(1, data)

    def restore(self, path):
        load_param_into_net(self.net, load_checkpoint(path))

runner = Runner(Net())
runner.train()
{call}
"""
_WRAPPED = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from net import Net


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.loss = net, nn.MSELoss()

    def construct(self, x, y):
        return self.loss(self.net(x), y)


whole = WithLoss(Net())
step = nn.TrainOneStepCell(whole, nn.Adam(whole.trainable_params()))
for epoch in range(9):
    for x, y in ds.MindDataset("train.mindrecord").batch(8):
        step(x, y)
    ms.save_checkpoint(whole, "out/best.ckpt")
"""
_ASKED = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--start", default="{default}")
args = parser.parse_args()
net = Net()
if args.start:
    load_param_into_net(net, load_checkpoint(args.start))
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""
_THREE_LAYERS = """
class Tall(nn.Cell):
    def __init__(self):
        super().__init__()
        self.low, self.high, self.head = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 3)

    def construct(self, x):
        return self.head(ops.relu(self.high(ops.relu(self.low(x)))))
"""
_FINE_TUNED = """
net = Tall()
loaded = load_checkpoint("before.ckpt")
{change}
load_param_into_net(net, loaded)
ms.Model(net, loss, nn.SGD(net.trainable_params())).train(1, data)
"""
_TAKEN_OUT = "for name in list(loaded.keys()):\n    if {test}:\n        loaded.pop(name)"


def _example(name: str, script: str, verdict: Verdict, *codes: str) -> Example:
    return Example(
        name,
        files={"eval.py": _HEAD + script.lstrip("\n")},
        case={"scripts": {"eval": "eval.py"}},
        verdict=verdict,
        codes=codes,
    )


EXAMPLES = [
    _example(
        "the list of what was not loaded is printed",
        """
net = Net()
param_not_load, _ = load_param_into_net(net, load_checkpoint("net.ckpt"))
print("not loaded:", param_not_load)
ms.Model(net).eval(data)
""",
        Verdict.OK,
        "checked",
    ),
    _example(
        "the result is ignored",
        """
net = Net()
param_dict = load_checkpoint("net.ckpt")
load_param_into_net(net, param_dict)
ms.Model(net).eval(data)
""",
        Verdict.UNDECIDED,
        "result-ignored",
    ),
    _example(
        "load_checkpoint with the network puts it in",
        """
net = Net()
load_checkpoint("net.ckpt", net=net)
ms.Model(net).eval(data)
""",
        Verdict.UNDECIDED,
        "result-ignored",
    ),
    Example(
        "an evaluation that loads what the project has trained from scratch",
        files={"train.py": _FROM_SCRATCH.format(net="Net()"), "eval.py": _EVALUATED, "net.py": _HEAD},
        case={"scripts": {"train": "train.py", "eval": "eval.py"}},
        verdict=Verdict.NOT_APPLICABLE,
        codes=("own-trained",),
    ),
    Example(
        "an evaluation that loads another network than the project has trained",
        files={"train.py": _FROM_SCRATCH.format(net="Other()"), "eval.py": _EVALUATED, "net.py": _HEAD},
        case={"scripts": {"train": "train.py", "eval": "eval.py"}},
        verdict=Verdict.UNDECIDED,
        codes=("result-ignored",),
    ),
    Example(
        "an evaluation that loads what was trained from weights of elsewhere",
        files={
            "train.py": _FROM_SCRATCH.format(
                net='Net()\nprint(ms.load_param_into_net(net, ms.load_checkpoint("imagenet.ckpt")))'
            ),
            "eval.py": _EVALUATED,
            "net.py": _HEAD,
        },
        case={"scripts": {"train": "train.py", "eval": "eval.py"}},
        verdict=Verdict.OK,
        codes=("checked", "own-trained"),
    ),
    Example(
        "an evaluation that loads what was trained from weights of elsewhere, which nobody looks after",
        files={
            "train.py": _FROM_SCRATCH.format(
                net='Net()\nms.load_param_into_net(net, ms.load_checkpoint("imagenet.ckpt"))'
            ),
            "eval.py": _EVALUATED,
            "net.py": _HEAD,
        },
        case={"scripts": {"train": "train.py", "eval": "eval.py"}},
        verdict=Verdict.UNDECIDED,
        codes=("own-trained", "result-ignored"),
    ),
    *(
        Example(
            f"an evaluation whose {which}",
            files={
                "train.py": _FROM_SCRATCH.format(net="Net()"),
                "eval.py": _EVALUATED.replace('max(glob.glob("ckpt/*.ckpt"))', path).replace("import glob", asked),
                "net.py": _HEAD,
            },
            case={"scripts": {"train": "train.py", "eval": "eval.py"}},
            verdict=verdict,
            codes=(code,),
        )
        for which, path, asked, verdict, code in (
            ("checkpoint an option names", "args.file", _OPTION_FILE, Verdict.NOT_APPLICABLE, "own-trained"),
            ("folder an option names", 'args.file + "/last.ckpt"', _OPTION_FILE, Verdict.NOT_APPLICABLE, "own-trained"),
            ("checkpoint lies elsewhere", '"/data/imagenet.ckpt"', "import glob", Verdict.UNDECIDED, "result-ignored"),
        )
    ),
    *(
        _example(f"weights that a package brings, {how}", text, Verdict.UNDECIDED, "not-followed")
        for how, text in (
            ("in a cell", _BROUGHT),
            ("and what is trained is loaded again", _BROUGHT + _BEST),
        )
    ),
    _example(
        "the best weights, loaded again by the path that the training returns",
        _TALL_NET + _BEST,
        Verdict.OK,
        "own",
    ),
    _example(
        "a method that loads and that nothing calls", _NEVER.format(call=""), Verdict.NOT_APPLICABLE, "never-called"
    ),
    _example(
        "a method that loads and that may be called",
        _NEVER.format(call='getattr(runner, "restore")("old.ckpt")'),
        Verdict.UNDECIDED,
        "result-ignored",
    ),
    *(
        Example(
            f"an evaluation of the network within the wrapper that a loop trains and saves, in {where}",
            files={
                "train.py": _WRAPPED,
                "eval.py": _EVALUATED.replace('max(glob.glob("ckpt/*.ckpt"))', f'"{path}"'),
                "net.py": _HEAD,
            },
            case={"scripts": {"train": "train.py", "eval": "eval.py"}},
            verdict=verdict,
            codes=codes,
        )
        for where, path, verdict, codes in (
            ("the folder that it saves to", "out/best.ckpt", Verdict.OK, ("own",)),
            ("that folder under another name", "out/last.ckpt", Verdict.NOT_APPLICABLE, ("own-trained",)),
            ("another folder", "imagenet/best.ckpt", Verdict.UNDECIDED, ("result-ignored",)),
        )
    ),
    *(
        Example(
            f"a start that an option names, which {is_}",
            files={"train.py": _HEAD + _ASKED.format(default=default)},
            case={"scripts": {"train": "train.py"}},
            verdict=verdict,
            codes=(code,),
        )
        for is_, default, verdict, code in (
            ("is left empty", "", Verdict.NOT_APPLICABLE, "only-if-asked"),
            ("has a default", "imagenet.ckpt", Verdict.UNDECIDED, "result-ignored"),
        )
    ),
    _example(
        "loaded and forgotten",
        """
net = Net()
param_dict = load_checkpoint("net.ckpt")
net.set_train(False)
ms.Model(net).eval(data)
""",
        Verdict.PROBLEM,
        "not-applied",
    ),
    _example(
        "forgotten where an option asks for it, which is off by default",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--start", default="")
args = parser.parse_args()
net = Net()
if args.start != "":
    param_dict = load_checkpoint(args.start)
ms.Model(net, loss).train(1, data)
""",
        Verdict.PROBLEM,
        "not-applied",
    ),
    _example(
        "forgotten where an option names it, which has no default",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--init-from")
options = parser.parse_args()
net = Net()
if options.init_from and options.init_from.endswith(".ckpt"):
    start = load_checkpoint(options.init_from)
ms.Model(net, loss).train(1, data)
""",
        Verdict.PROBLEM,
        "not-applied",
    ),
    _example(
        "loaded where an option names it, which has no default",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--init-from")
options = parser.parse_args()
net = Net()
if options.init_from:
    print(ms.load_param_into_net(net, load_checkpoint(options.init_from)))
ms.Model(net, loss).train(1, data)
""",
        Verdict.OK,
        "checked",
    ),
    _example(
        "evaluated without weights",
        """
net = Net()
net.set_train(False)
print(ms.Model(net, loss, metrics={"acc"}).eval(data))
""",
        Verdict.PROBLEM,
        "evaluated-unfilled",
    ),
    Example(
        "loaded into a part of what is evaluated",
        files={"net.py": _WHOLE, "train.py": _TUNED, "eval.py": _PART},
        case={"scripts": {"train": "train.py", "eval": "eval.py"}},
        verdict=Verdict.PROBLEM,
        codes=["checked", "evaluated-in-part"],
    ),
    Example(
        "loaded into all of what is evaluated",
        files={
            "net.py": _WHOLE,
            "train.py": _TUNED,
            "eval.py": _PART.replace("load_param_into_net(body", "load_param_into_net(net"),
        },
        case={"scripts": {"train": "train.py", "eval": "eval.py"}},
        verdict=Verdict.OK,
        codes=["checked", "own"],
    ),
    _example(
        "loaded after the evaluation",
        """
net = Net()
net.set_train(False)
print(ms.Model(net, loss, metrics={"acc"}).eval(data))
print(load_param_into_net(net, load_checkpoint("net.ckpt")))
""",
        Verdict.PROBLEM,
        "evaluated-before",
    ),
    _example(
        "run once before weights are loaded, and evaluated afterwards",
        """
net = Net()
net(ops.ones((1, 16)))
print(load_param_into_net(net, load_checkpoint("net.ckpt")))
print(ms.Model(net, loss, metrics={"acc"}).eval(data))
""",
        Verdict.OK,
        "checked",
    ),
    _example(
        "evaluated with weights that code that was not read may give",
        """
from weights import fill
net = Net()
fill(net)
print(ms.Model(net, loss, metrics={"acc"}).eval(data))
""",
        Verdict.NOT_APPLICABLE,
        "no-loading",
    ),
    _example(
        "its own checkpoint, with names that no parameter has",
        """
net = Net()
save_checkpoint(net, "net.ckpt")
saved = load_checkpoint("net.ckpt")
print(load_param_into_net(net, {name + ".ema": value for name, value in saved.items()}))
""",
        Verdict.PROBLEM,
        "names-changed",
    ),
    _example(
        "a prefix before all names, which MindSpore takes away again",
        """
net = Net()
save_checkpoint(net, "net.ckpt")
saved = load_checkpoint("net.ckpt")
print(load_param_into_net(net, {"model." + name: value for name, value in saved.items()}))
""",
        Verdict.OK,
        "own",
    ),
    _example(
        "all but the output layer is taken out",
        _THREE_LAYERS + _FINE_TUNED.format(change=_TAKEN_OUT.format(test='"head" not in name')),
        Verdict.PROBLEM,
        "only-output",
    ),
    _example(
        "the output layer is taken out",
        _THREE_LAYERS + _FINE_TUNED.format(change=_TAKEN_OUT.format(test='"head" in name')),
        Verdict.UNDECIDED,
        "result-ignored",
    ),
    _example(
        "only the output layer goes into the dict that is loaded",
        _THREE_LAYERS
        + _FINE_TUNED.format(change='loaded = {k: v for k, v in loaded.items() if k.startswith("head.")}'),
        Verdict.PROBLEM,
        "only-output",
    ),
    _example(
        "all is taken out",
        _THREE_LAYERS + _FINE_TUNED.format(change="for name in list(loaded):\n    del loaded[name]"),
        Verdict.PROBLEM,
        "nothing-loaded",
    ),
    _example(
        "what a list names is taken out",
        _THREE_LAYERS + _FINE_TUNED.format(change='for name in ["head.weight", "head.bias"]:\n    loaded.pop(name)'),
        Verdict.UNDECIDED,
        "result-ignored",
    ),
    _example(
        "renamed, and then forgotten",
        """
net = Net()
param_dict = load_checkpoint("net.ckpt")
renamed = {}
for key, value in param_dict.items():
    renamed[key.replace("module.", "")] = value
print("loaded", len(renamed))
ms.Model(net).eval(data)
""",
        Verdict.PROBLEM,
        "not-applied",
    ),
    _example(
        "renamed on the way into the network",
        """
def converted(path):
    renamed = {}
    for key, value in load_checkpoint(path).items():
        renamed[key.replace("module.", "")] = value
    return renamed

net = Net()
missing, unexpected = load_param_into_net(net, converted("net.ckpt"))
if missing:
    raise ValueError(missing)
ms.Model(net).eval(data)
""",
        Verdict.OK,
        "checked",
    ),
    _example(
        "set parameter by parameter",
        """
net = Net()
param_dict = load_checkpoint("net.ckpt")
for name, param in net.parameters_and_names():
    if name in param_dict:
        param.set_data(param_dict[name])
ms.Model(net).eval(data)
""",
        Verdict.UNDECIDED,
        "set-if-named",
    ),
    _example(
        "each parameter by its name",
        """
net = Net()
param_dict = load_checkpoint("net.ckpt")
for name, param in net.parameters_and_names():
    param.set_data(param_dict[name])
ms.Model(net).eval(data)
""",
        Verdict.OK,
        "set-one-by-one",
    ),
    _example(
        "assigned cell by cell, under names put together",
        """
net = Net()
param_dict = load_checkpoint("net.ckpt")
for name, cell in net.cells_and_names():
    key = "{}.weight".format(name)
    if key in param_dict:
        cell.weight = param_dict[key].data
ms.Model(net).eval(data)
""",
        Verdict.UNDECIDED,
        "set-if-named",
    ),
    _example(
        "collected name by name",
        """
net = Net()
wanted = {}
for name, value in load_checkpoint("net.ckpt").items():
    wanted.update(**{name.replace("backbone.", ""): value})
print(load_param_into_net(net, wanted))
ms.Model(net).eval(data)
""",
        Verdict.OK,
        "checked",
    ),
    _example(
        "by way of a function that is not written here",
        """
def converted(params): ...

net = Net()
params = load_checkpoint("net.ckpt")
params = converted(params)
load_param_into_net(net, params)
ms.Model(net).eval(data)
""",
        Verdict.UNDECIDED,
        "result-ignored",
    ),
    _example(
        "what is loaded comes from elsewhere",
        """
from tools import fetched
net = Net()
print(load_param_into_net(net, fetched("net")))
ms.Model(net).eval(data)
""",
        Verdict.UNDECIDED,
        "dict-unseen",
    ),
    _example(
        "given to a function out of sight",
        """
from tools import restore
net = Net()
restore(net, load_checkpoint("net.ckpt"))
ms.Model(net).eval(data)
""",
        Verdict.UNDECIDED,
        "handed-on",
    ),
    _example(
        "what the script itself saved",
        """
net = Net()
save_checkpoint(net, "./best.ckpt")
best = Net()
load_param_into_net(best, load_checkpoint("best.ckpt"))
ms.Model(best).eval(data)
""",
        Verdict.OK,
        "own",
    ),
    _example(
        "the file of another network",
        """
net, other = Net(), Other()
save_checkpoint(net, "net.ckpt")
save_checkpoint(other, "other.ckpt")
load_param_into_net(net, load_checkpoint("other.ckpt"))
ms.Model(net).eval(data)
""",
        Verdict.PROBLEM,
        "wrong-network",
    ),
    _example(
        "the directory for saving, by the same option",
        """
import argparse
from mindspore.train import ModelCheckpoint
parser = argparse.ArgumentParser()
parser.add_argument("--ckpt_path", default="./")
args = parser.parse_args()
net = Net()
model = ms.Model(net)
model.train(1, data, callbacks=[ModelCheckpoint(prefix="net", directory=args.ckpt_path)])
load_param_into_net(net, load_checkpoint(args.ckpt_path))
model.eval(data)
""",
        Verdict.PROBLEM,
        "directory",
        "result-ignored",
    ),
    _example(
        "an option with a directory as its default, for the file alone",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--ckpt_path", default="./")
args = parser.parse_args()
net = Net()
load_param_into_net(net, load_checkpoint(args.ckpt_path))
ms.Model(net).eval(data)
""",
        Verdict.UNDECIDED,
        "result-ignored",
    ),
    _example(
        "initialised again after loading",
        """
net = Net()
load_param_into_net(net, load_checkpoint("net.ckpt"))
for _, cell in net.cells_and_names():
    if isinstance(cell, nn.Dense):
        cell.weight.set_data(initializer("xavier_uniform", cell.weight.shape))
ms.Model(net).eval(data)
""",
        Verdict.PROBLEM,
        "overwritten",
    ),
    _example(
        "initialised first, loaded afterwards",
        """
net = Net()
for _, cell in net.cells_and_names():
    if isinstance(cell, nn.Dense):
        cell.weight.set_data(initializer("xavier_uniform", cell.weight.shape))
print(load_param_into_net(net, load_checkpoint("net.ckpt")))
ms.Model(net).eval(data)
""",
        Verdict.OK,
        "checked",
    ),
    _example(
        "a method that initialises, which nobody calls",
        """
class Own(Net):
    def init_weights(self):
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Dense):
                cell.weight.set_data(initializer("xavier_uniform", cell.weight.shape))

net = Own()
print(load_param_into_net(net, load_checkpoint("net.ckpt")))
ms.Model(net).eval(data)
""",
        Verdict.OK,
        "checked",
    ),
    _example(
        "either loaded or initialised",
        """
net = Net()
if config.path:
    print(load_param_into_net(net, load_checkpoint("net.ckpt")))
else:
    for _, cell in net.cells_and_names():
        cell.weight.set_data(initializer("xavier_uniform", cell.weight.shape))
ms.Model(net).eval(data)
""",
        Verdict.OK,
        "checked",
    ),
    _example(
        "loaded into one object, another one evaluated",
        """
net = Net()
print(load_param_into_net(net, load_checkpoint("net.ckpt")))
model = ms.Model(Net())
model.eval(data)
""",
        Verdict.PROBLEM,
        "another-object",
    ),
    _example(
        "an empty dict",
        """
net = Net()
print(load_param_into_net(net, {}))
ms.Model(net).eval(data)
""",
        Verdict.PROBLEM,
        "nothing-loaded",
    ),
    _example(
        "parameters that are fetched for another network, and go nowhere",
        """
net, target = Net(), Net()
opt = nn.Adam(net.trainable_params(), 1e-3)

def cost(x):
    return ((net(x) - ops.stop_gradient(target(x))) ** 2).mean()

step = ms.value_and_grad(cost, None, opt.parameters)
for x in data:
    net.parameters_dict()
    loss, grads = step(x)
    opt(grads)
""",
        Verdict.PROBLEM,
        "fetched-for-nothing",
    ),
    _example(
        "averages that only take the name of the parameters of another network",
        """
net, target = Net(), Net()
opt = nn.Adam(net.trainable_params(), 1e-3)

def cost(x):
    return ((net(x) - ops.stop_gradient(target(x))) ** 2).mean()

step = ms.value_and_grad(cost, None, opt.parameters)
for x in data:
    loss, grads = step(x)
    opt(grads)
    for new, kept in zip(net.get_parameters(), target.get_parameters()):
        kept = 0.01 * new + 0.99 * kept
""",
        Verdict.PROBLEM,
        "only-rebound",
    ),
    _example(
        "a network of the same class, to which nothing gives weights",
        """
net, target = Net(), Net()
opt = nn.Adam(net.trainable_params(), 1e-3)

def cost(x):
    return ((net(x) - ops.stop_gradient(target(x))) ** 2).mean()

step = ms.value_and_grad(cost, None, opt.parameters)
for x in data:
    loss, grads = step(x)
    opt(grads)
""",
        Verdict.UNDECIDED,
        "never-filled",
    ),
    _example(
        "a teacher that nothing is loaded into",
        _TEACHER.format(loaded="", target="teacher", after=""),
        Verdict.PROBLEM,
        "random-target",
    ),
    _example(
        "a teacher with its weights",
        _TEACHER.format(loaded=_FILLED, target="teacher", after='save_checkpoint(net, "net.ckpt")'),
        Verdict.OK,
        "checked",
    ),
    _example(
        "the teacher saved in place of the student",
        _TEACHER.format(loaded=_FILLED, target="teacher", after='save_checkpoint(teacher, "net.ckpt")'),
        Verdict.PROBLEM,
        "saved-untrained",
        "checked",
    ),
    _example(
        "a teacher that is loaded and never called",
        _TEACHER.format(loaded=_FILLED, target="net", after=""),
        Verdict.PROBLEM,
        "loaded-idle",
    ),
    _example(
        "an evaluation of a copy that was made before training",
        _TEACHER.format(
            loaded="kept = Deep()\nteacher = Deep()\nload_param_into_net(kept, teacher.parameters_dict())",
            target="net",
            after="print(kept(x))",
        ),
        Verdict.PROBLEM,
        "evaluated-untrained",
        "result-ignored",
    ),
    _example(
        "nothing is loaded",
        """
net = Net()
model = ms.Model(net, loss, nn.Adam(net.trainable_params()), metrics={"acc"})
model.train(1, data)
print(model.eval(data))
""",
        Verdict.NOT_APPLICABLE,
        "no-loading",
    ),
    _example(
        "a script that looks into a checkpoint",
        """
del Net, Other
for name in load_checkpoint("net.ckpt"):
    print(name)
""",
        Verdict.NOT_APPLICABLE,
        "only-read",
    ),
]
