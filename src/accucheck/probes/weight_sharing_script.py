"""Reads from the scripts which weights are one and the same, and whether the code itself says otherwise.

Catches: siblings such as query and key that are one layer, one layer under two names, a cell whose own layer is replaced by another
cell's, one layer put n times into a list, a tie that only copies values, one that a comment announces and nobody makes, layers built
anew by a cell that takes the rest over from a trained network, a moving average that is the network itself, a table built twice;
disagreement with design.shared. Lists what is shared. Cannot tell: sharing that is meant and written nowhere, layers chosen by
names that only a run has. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import indent
from typing import Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Sure, Verdict
from ..model import suggest as usual
from ..probe import Example, script_example
from . import _gaps, _grades, _networks, _seen

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = (("scripts.train", "scripts.eval", "scripts.infer"),)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_networks.MESSAGES,
    **_seen.MESSAGES,
    "siblings-are-one": {
        "en": "In {of}, self.{second} is the same layer as self.{first} ({what}), although they are used as two layers.",
        "zh": "{of} 中的 self.{second} 与 self.{first}（{what}）是同一个层，却被当作两个层使用。",
    },
    "one-under-two-names": {
        "en": "In {of}, self.{first} and self.{second} are one and the same {what}, and both are used.",
        "zh": "{of} 中的 self.{first} 与 self.{second} 是同一个 {what}，而且两者都在使用。",
    },
    "network-under-two-names": {
        "en": "{second} is the same network as {first} ({what}), although they are used as two networks.",
        "zh": "{second} 与 {first}（{what}）是同一个网络，却被当作两个网络使用。",
    },
    "fix-two-networks": {
        "en": "Build a separate network for each name; if one should start from the other, copy its weights.",
        "zh": "为每个名称各创建一个网络；若需相同初值，再复制权重。",
    },
    "replaced-by-another": {
        "en": "{second} ({what}), which its cell builds for itself, is replaced here by {first}: both run on the same weights.",
        "zh": "{second}（{what}）本由所在 Cell 自己创建，在此处被替换为 {first}：两处使用同一组权重。",
    },
    "repeated": {
        "en": "The same {what} is put into a list several times: all of these layers share their weights.",
        "zh": "同一个 {what} 对象被多次放进列表：这些层共用一组权重。",
    },
    "tied-by-copy": {
        "en": "{second} starts as a copy of {first} here and is then trained apart: the two are equal only at the start.",
        "zh": "此处 {second} 只是复制了 {first} 的数值，之后各自训练：两者仅在开始时相等。",
    },
    "copied-on-load": {
        "en": "While weights are loaded, {second} gets the values of {first}; the two are then trained separately.",
        "zh": "加载权重时把 {first} 的数值赋给了 {second}，之后两者各自训练。",
    },
    "announced-not-tied": {
        "en": "The comment says that {second} has the weights of the embedding, but nothing ties it to {first} (line {line} of {path}).",
        "zh": "注释称 {second} 与词嵌入共用权重，但代码中没有把它与 {first}（{path} 第 {line} 行）绑定。",
    },
    "built-anew": {
        "en": "{of} takes {taken} over from {given}, but builds {names} again with the same sizes: their trained weights are lost.",
        "zh": "{of} 从 {given} 接过了 {taken}，却以相同的尺寸重新创建 {names}：这些层已训练的权重丢失了。",
    },
    "not-taken-over": {
        "en": "{of} builds self.{name} again, while {given} ({old}) carries the trained self.{kept} along, which nothing takes over.",
        "zh": "{of} 重新创建了 self.{name}，而 {given}（{old}）为此保留的、已训练的 self.{kept} 没有被接过来。",
    },
    "average-is-network": {
        "en": "{function} gets the same network as {average} and as {network}: the average is the network itself.",
        "zh": "{function} 的参数 {average} 和 {network} 得到的是同一个网络：本应跟随网络变化的平均（或目标）网络就是它自己。",
    },
    "shared-beside-unused": {
        "en": "{cells} share the same {what}, while {name}, created for one of them in line {line}, is never used.",
        "zh": "{cells} 拿到的是同一个 {what}，而第 {line} 行为其中之一创建的 {name} 没有任何用处。",
    },
    "table-twice": {
        "en": "A second table of the same size is built here and handed on, while self.{name} of {of} (line {line}) is left unused.",
        "zh": "此处又创建了一个同样大小的嵌入表并传给下层，而 {of} 的 self.{name}（第 {line} 行）没有使用。",
    },
    "table-of-two": {
        "en": "{what} has as many rows as the larger of two vocabularies and is used for both: the same id stands for two different "
        "words.",
        "zh": "{what} 的行数取两个词表中较大者，两种词的编号都在其中查找：同一个编号对应两个不同的词。",
    },
    "declared-not-shared": {
        "en": "design.shared declares {names} to be one, but they are separate.",
        "zh": "design.shared 声明 {names} 共享权重，但代码中它们各自独立。",
    },
    "declared-shared": {
        "en": "{names} are one, as design.shared declares.",
        "zh": "{names} 共享权重，与 design.shared 的声明一致。",
    },
    "shared": {"en": "{names} are one and the same ({what}).", "zh": "{names} 是同一个对象（{what}）。"},
    "tied": {"en": "{names} are tied: one Parameter in both places.", "zh": "{names} 已绑定：两处是同一个 Parameter。"},
    "nothing-shared": {
        "en": "No weights are shared in the networks that are seen.",
        "zh": "在能看到的网络中没有共享的权重。",
    },
    "no-network": {
        "en": "No network with weights was found in these scripts: it may come from another package, or be selected by a name known "
        "only at run time.",
        "zh": "脚本中没有看到带权重的网络：它可能来自其他软件包，或由运行时才确定的名称选择。",
    },
    "fix-two": {"en": "Build a separate layer for each name.", "zh": "为每个名称各创建一个层。"},
    "fix-repeat": {
        "en": "Build one for each position: [Layer(...) for _ in range(n)]",
        "zh": "为每个位置各创建一个：[Layer(...) for _ in range(n)]",
    },
    "fix-tie": {
        "en": "Use one Parameter in both places: head.weight = embedding.embedding_table",
        "zh": "让两处持有同一个 Parameter：head.weight = embedding.embedding_table",
    },
    "fix-take": {
        "en": "Take the layer over from the trained network instead of building a new one.",
        "zh": "从已训练的网络中接过该层，而不是重新创建。",
    },
    "fix-average": {
        "en": "Build a second network for the average, and copy the weights into it at the start.",
        "zh": "为平均（或目标）网络另建一个网络，并在开始时复制权重。",
    },
    "fix-table": {"en": "Hand on the table that was built for this.", "zh": "传入为此创建的那个嵌入表。"},
    "fix-declared": {
        "en": "Use one object in both places, or correct design.shared.",
        "zh": "让两处持有同一个对象，或修正 design.shared。",
    },
}
WORDS: Words = _grades.WORDS

_TOO_FEW = {
    "en": "Layers that should learn different things are one: the network has fewer weights than designed, and their gradients add up.",
    "zh": "本应各自学习的层成了同一个层：网络的权重少于设计，梯度相互叠加。",
}
_APART = {
    "en": "Weights that should stay equal drift apart: there are more of them than designed, and each gets only part of the gradient.",
    "zh": "应保持相等的权重逐渐分开：参数量多于设计，每一份只得到部分梯度。",
}
_LOST = {
    "en": "What was trained before is thrown away and starts again from random values: accuracy drops at each growth step.",
    "zh": "之前训练的成果被丢弃，从随机值重新开始：每次扩展网络后精度都会下降。",
}
WHY: Words = {
    "siblings-are-one": _TOO_FEW,
    "one-under-two-names": _TOO_FEW,
    "network-under-two-names": {
        "en": "There is one network where two are intended: they cannot learn different things, and a target network that is the "
        "trained one is no stable target.",
        "zh": "设计中的两个网络其实是一个：无法各学各的；若其中一个是目标网络，它也起不到稳定目标的作用。",
    },
    "replaced-by-another": _TOO_FEW,
    "repeated": _TOO_FEW,
    "shared-beside-unused": _TOO_FEW,
    "tied-by-copy": _APART,
    "copied-on-load": _APART,
    "announced-not-tied": _APART,
    "built-anew": _LOST,
    "not-taken-over": _LOST,
    "average-is-network": {
        "en": "Averaging with itself changes nothing: the smoothing, or the steady target, that training relies on is missing.",
        "zh": "与自身取平均不起任何作用：训练所依赖的平滑或稳定目标并不存在。",
    },
    "table-twice": {
        "en": "The table that is used is not the one that others share or load, and the other is never trained.",
        "zh": "实际使用的不是其他部分共享或加载的那个表，而另一个表得不到训练。",
    },
    "table-of-two": {
        "en": "Each row is trained by two unrelated words; only a joint vocabulary has its own id for each word.",
        "zh": "同一行由两个毫不相干的词共同训练；只有把两种文本合并成一个词表，每个词才有自己的编号。",
    },
    "declared-not-shared": _APART,
}
_IDENTITY = {
    "en": "Build the network and compare: net.a.weight is net.b.weight; or compare the number of net.get_parameters() with the design.",
    "zh": "构建网络后比较：net.a.weight is net.b.weight；或将 net.get_parameters() 的名称与数量和设计核对。",
}
_TRAINED = {
    "en": "Compare the two tensors in a checkpoint after some training (checkpoints.current): shared ones are equal bit by bit.",
    "zh": "训练一段时间后在 checkpoint（checkpoints.current）中比较这两个张量：共享的应逐位相同。",
}
_GROWN = {
    "en": "Save a checkpoint before and after the network grows: the layers that stay must be equal bit by bit.",
    "zh": "在网络扩展前后各保存一个 checkpoint：保留下来的层应逐位相同。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _IDENTITY),
    **dict.fromkeys(("tied-by-copy", "copied-on-load", "announced-not-tied", "declared-not-shared"), _TRAINED),
    **dict.fromkeys(("built-anew", "not-taken-over"), _GROWN),
}

_SUSPECTS = {"copied-on-load": Sure.POSSIBLE, "table-of-two": Sure.LIKELY}
_FIXES = {
    "siblings-are-one": "fix-two",
    "one-under-two-names": "fix-two",
    "network-under-two-names": "fix-two-networks",
    "replaced-by-another": "fix-two",
    "repeated": "fix-repeat",
    "shared-beside-unused": "fix-two",
    "tied-by-copy": "fix-tie",
    "copied-on-load": "fix-tie",
    "announced-not-tied": "fix-tie",
    "built-anew": "fix-take",
    "not-taken-over": "fix-take",
    "average-is-network": "fix-average",
    "table-twice": "fix-table",
    "table-of-two": "fix-two",
    "declared-not-shared": "fix-declared",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import aliased_networks, sharing
    from ..script.analysis import read_scripts
    from ..script.networks import layer_table

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    declared = case.get("design.shared") or []
    said = list(sharing.examine(scripts, [list(group) for group in declared]))
    said += aliased_networks.examine(scripts)
    yield from _networks.findings(said, sharing.TOLD, _SUSPECTS, _FIXES)
    networks = list(_seen.networks(scripts))
    if not said and (layer_table(scripts) or _seen.of_layers_only(scripts, networks)):
        yield Finding("nothing-shared", Level.INFO)
    elif not said and not _seen.nothing_own(scripts, networks):
        yield _seen.nothing("no-network", scripts.readings)
    yield from networks
    yield Progress(len(scripts.readings), len(scripts.readings), "files")


def suggest(findings: Iterable[Finding]) -> Verdict:
    """As usual, but not applicable where nothing is shared and nothing was to be, or the project has no network of its own."""
    found = list(findings)
    verdict = usual(found)
    nothing = any(finding.code == "nothing-shared" for finding in found) or _seen.only_published(found)
    untouched = verdict is Verdict.OK and nothing
    return Verdict.NOT_APPLICABLE if untouched else verdict


_PART = """
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

first, second = nn.Adam(there.trainable_params()), nn.Adam(back.trainable_params())
grad = ms.value_and_grad(forward, None, first.parameters)
"""
_HEAD = """
import mindspore as ms
from mindspore import nn, ops, Parameter, Tensor
"""
_TRAIN = """
net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
model.train(10, data)
"""


def _example(
    name: str,
    init: str,
    construct: str,
    verdict: Verdict,
    *codes: str,
    more: str = "",
    shared: list[list[str]] | None = None,
) -> Example:
    script = (
        f"{_HEAD}{more}\nclass Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n{indent(init.strip(), ' ' * 8)}\n\n"
        f"    def construct(self, x):\n{indent(construct.strip(), ' ' * 8)}\n{_TRAIN}"
    )
    case: dict[str, Any] = {} if shared is None else {"design": {"shared": shared}}
    return script_example("", name, script, verdict, *codes, **case)


_ATTENTION = "q = self.query(x)\nk = self.key(x)\nreturn ops.softmax(q @ k.T) @ x"
_LANGUAGE = "self.embedding = nn.Embedding(100, 8)\nself.head = nn.Dense(8, 100, has_bias=False)"
_GENERATE = "return self.head(self.embedding(x))"
_CODERS = """
class Coder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(8, 8)

    def construct(self, x):
        return self.gru(x)[0]
"""
_GIVEN = _CODERS.replace(
    "self):\n        super().__init__()", "self, table):\n        super().__init__()\n        self.table = table"
).replace("self.gru(x)", "self.gru(self.table(x))")
_GROW = """
class Start(nn.Cell):
    def __init__(self, depth):
        super().__init__()
        self.depth = depth
        self.first = nn.Conv2d(depth, depth, 3)
        self.second = nn.Dense(depth, depth)
        self.decide = nn.Dense(depth, 1)

    def construct(self, x):
        return self.decide(self.second(self.first(x)))

class Kept(nn.Cell):
    def __init__(self, start):
        super().__init__()
        self.depth = start.depth
        self.first = start.first
        self.second = start.second
        self.decide = start.decide

    def construct(self, x):
        return self.decide(self.second(self.first(x)))
"""
_AVERAGED = """
class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8)

    def construct(self, x):
        return self.dense(x)

def update(net, avg_net):
    for new, old in zip(net.trainable_params(), avg_net.trainable_params()):
        old.set_data(0.999 * old + 0.001 * new)
"""

_LAYERS_ALONE = """import mindspore as ms
import mindspore.dataset as ds
import zoo
from mindspore import nn

net = {net}
data = ds.MindDataset("train.mindrecord").batch(8)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data)
"""

EXAMPLES = [
    _example(
        "query and key of their own",
        "self.query = nn.Dense(8, 8)\nself.key = nn.Dense(8, 8)",
        _ATTENTION,
        Verdict.NOT_APPLICABLE,
        "nothing-shared",
    ),
    _example(
        "key is query",
        "self.query = nn.Dense(8, 8)\nself.key = self.query",
        _ATTENTION,
        Verdict.PROBLEM,
        "siblings-are-one",
    ),
    _example(
        "key is query, and said to be",
        "self.query = nn.Dense(8, 8)\nself.key = self.query  # shared, as in the paper",
        _ATTENTION,
        Verdict.OK,
        "shared",
    ),
    _example(
        "one activation under two names",
        "self.dense = nn.Dense(8, 8)\nself.first = nn.ReLU()\nself.second = self.first",
        "return self.second(self.dense(self.first(x)))",
        Verdict.NOT_APPLICABLE,
        "nothing-shared",
    ),
    _example(
        "two tables that are one Parameter",
        "self.words = Parameter(Tensor(table), name='words')\nself.grams = self.words",
        "return self.words[x] + self.grams[x + 1]",
        Verdict.PROBLEM,
        "one-under-two-names",
    ),
    _example(
        "one layer repeated",
        "self.layers = nn.CellList([nn.Dense(8, 8)] * 4)",
        "for layer in self.layers:\n    x = layer(x)\nreturn x",
        Verdict.PROBLEM,
        "repeated",
    ),
    _example(
        "one layer appended again and again",
        "layer = nn.Dense(8, 8)\nlayers = []\nfor _ in range(n):\n    layers.append(layer)\nself.layers = nn.SequentialCell(layers)",
        "return self.layers(x)",
        Verdict.PROBLEM,
        "repeated",
    ),
    _example(
        "layers made in a loop and in a comprehension",
        "layers = []\nfor _ in range(n):\n    layer = nn.Dense(8, 8)\n    layers.append(layer)\n"
        "self.first = nn.SequentialCell(layers)\nself.second = nn.CellList([nn.Dense(8, 8) for _ in range(n)])",
        "x = self.first(x)\nfor layer in self.second:\n    x = layer(x)\nreturn x",
        Verdict.NOT_APPLICABLE,
        "nothing-shared",
    ),
    _example(
        "output layer and embedding tied",
        _LANGUAGE + "\ntable = self.embedding.embedding_table\nself.head.weight = table",
        _GENERATE,
        Verdict.OK,
        "tied",
    ),
    _example(
        "tied by a copy",
        _LANGUAGE + "\nself.head.weight = Parameter(self.embedding.embedding_table.asnumpy())",
        _GENERATE,
        Verdict.PROBLEM,
        "tied-by-copy",
    ),
    _example(
        "a tie that the comment announces",
        _LANGUAGE.replace("self.head", "# the output weights are the same as the input embeddings\nself.head"),
        _GENERATE,
        Verdict.PROBLEM,
        "announced-not-tied",
    ),
    _example(
        "an embedding and an output layer that nobody calls tied",
        _LANGUAGE,
        _GENERATE,
        Verdict.NOT_APPLICABLE,
        "nothing-shared",
    ),
    _example(
        "the decoder gets the recurrent layer of the encoder",
        "self.encoder = Coder()\nself.decoder = Coder()\nself.decoder.gru = self.encoder.gru",
        "return self.decoder(self.encoder(x))",
        Verdict.PROBLEM,
        "replaced-by-another",
        more=_CODERS,
    ),
    _example(
        "a table handed to another cell",
        "self.table = nn.Embedding(100, 8)\nself.coder = Coder(self.table)",
        "return self.coder(x) + self.table(x)",
        Verdict.OK,
        "shared",
        more=_GIVEN,
    ),
    _example(
        "one of two tables handed to both",
        "one, other = nn.Embedding(100, 8), nn.Embedding(200, 8)\nself.coder, self.decoder = Coder(one), Decoder(one)",
        "return self.decoder(self.coder(x))",
        Verdict.PROBLEM,
        "shared-beside-unused",
        more=_GIVEN + _GIVEN.replace("Coder", "Decoder"),
    ),
    _example(
        "a table of its own for each",
        "one, other = nn.Embedding(100, 8), nn.Embedding(200, 8)\nself.coder, self.decoder = Coder(one), Decoder(other)",
        "return self.decoder(self.coder(x))",
        Verdict.NOT_APPLICABLE,
        more=_GIVEN + _GIVEN.replace("Coder", "Decoder"),
    ),
    _example(
        "a second table handed on",
        "self.table = nn.Embedding(100, 8)\nself.coder = Coder(nn.Embedding(100, 8))",
        "return self.coder(x)",
        Verdict.PROBLEM,
        "table-twice",
        more=_GIVEN,
    ),
    _example(
        "one table for the larger of two vocabularies",
        "self.words = nn.Embedding(max(len(source), len(target)), 8)",
        "return self.words(x[:, 0]) + self.words(x[:, 1])",
        Verdict.UNDECIDED,
        "table-of-two",
    ),
    _example(
        "one table for both",
        "self.words = nn.Embedding(len(both), 8)",
        "return self.words(x[:, 0]) + self.words(x[:, 1])",
        Verdict.NOT_APPLICABLE,
        "nothing-shared",
    ),
    _example(
        "a grown network takes all over",
        "self.kept = Kept(Start(8))",
        "return self.kept(x)",
        Verdict.OK,
        "shared",
        more=_GROW,
    ),
    _example(
        "a grown network builds one layer anew",
        "self.kept = Kept(Start(8))",
        "return self.kept(x)",
        Verdict.PROBLEM,
        "built-anew",
        more=_GROW.replace("self.first = start.first", "self.first = nn.Conv2d(self.depth, self.depth, 3)"),
    ),
    _example(
        "a new head of another size on a trained network",
        "self.kept = Kept(Start(8), 5)",
        "return self.kept(x)",
        Verdict.OK,
        "shared",
        more=_GROW.replace("def __init__(self, start):", "def __init__(self, start, classes):").replace(
            "self.decide = start.decide", "self.decide = nn.Dense(self.depth, classes)"
        ),
    ),
    _example(
        "an average of its own",
        "self.dense = nn.Dense(8, 8)",
        "return self.dense(x)",
        Verdict.NOT_APPLICABLE,
        "nothing-shared",
        more=_AVERAGED + "net = Part()\navg_net = Part()\nupdate(net, avg_net)\n",
    ),
    _example(
        "the average is the network",
        "self.dense = nn.Dense(8, 8)",
        "return self.dense(x)",
        Verdict.PROBLEM,
        "average-is-network",
        more=_AVERAGED + "net = Part()\navg_net = net\nupdate(net, avg_net)\n",
    ),
    _example(
        "two generators that are one",
        "self.dense = nn.Dense(8, 8)",
        "return self.dense(x)",
        Verdict.PROBLEM,
        "network-under-two-names",
        more=_PART + "there = Part()\nback = there\n" + _BOTH_WAYS,
    ),
    _example(
        "a generator for each way",
        "self.dense = nn.Dense(8, 8)",
        "return self.dense(x)",
        Verdict.NOT_APPLICABLE,
        more=_PART + "there, back = Part(), Part()\n" + _BOTH_WAYS,
    ),
    _example(
        "declared and made",
        _LANGUAGE + "\nself.head.weight = self.embedding.embedding_table",
        _GENERATE,
        Verdict.OK,
        "declared-shared",
        "tied",
        shared=[["embedding.embedding_table", "head.weight"]],
    ),
    _example(
        "declared and not made",
        _LANGUAGE,
        _GENERATE,
        Verdict.PROBLEM,
        "declared-not-shared",
        shared=[["embedding.embedding_table", "head.weight"]],
    ),
    *(
        Example(
            f"a network that is {what}",
            files={"train.py": _LAYERS_ALONE.format(net=net)},
            case={"scripts": {"train": "train.py"}},
            verdict=verdict,
            codes=codes,
        )
        for what, net, verdict, codes in (
            ("one layer", "nn.Dense(4, 2)", Verdict.NOT_APPLICABLE, ("nothing-shared", "network-seen")),
            (
                "a container of layers",
                "nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))",
                Verdict.NOT_APPLICABLE,
                ("nothing-shared", "network-seen"),
            ),
            (
                "a layer of another package in a container",
                "nn.SequentialCell(zoo.Block(4, 8), nn.Dense(8, 2))",
                Verdict.UNDECIDED,
                ("no-network", "network-unseen"),
            ),
        )
    ),
    Example(
        "a network from another package",
        files={
            "train.py": "import mindspore as ms\nfrom zoo import resnet\nnet = resnet()\nms.Model(net).train(1, data)\n"
        },
        case={"scripts": {"train": "train.py"}},
        verdict=Verdict.UNDECIDED,
        codes=["no-network"],
    ),
]
