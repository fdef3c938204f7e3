"""Which weights are one and the same, and whether that is meant, in the ways people write it."""

import textwrap
from pathlib import Path

import pytest

from accucheck.script.analysis import Reading, Scripts
from accucheck.script.networks import Observation
from accucheck.script.project import Project
from accucheck.script.sharing import examine
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = "import copy\nimport mindspore as ms\nfrom mindspore import nn, ops, Parameter, Tensor\n"
NET = """
class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 8)

    def construct(self, x):
        return self.fc(x)

class Net(nn.Cell):
    def __init__(self, cfg):
        super().__init__()
{init}

    def construct(self, x):
        return {construct}

net = Net(load())
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""


def said(folder: Path, text: str, declared: list[list[str]] | None = None) -> list[Observation]:
    (folder / "train.py").write_text(HEAD + text, encoding="utf-8")
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return list(examine(Scripts([Reading("train", "train", source, trace, project)]), declared))


def network(init: str, construct: str = "x") -> str:
    return NET.format(init=textwrap.indent(init, " " * 8), construct=construct)


def told(found: list[Observation]) -> list[str]:
    """Each code with the line that it stands at."""
    return [f"{one.code}: {one.source.lines[one.line - 1].strip()}" for one in found]


A, Q = "self.a = nn.Dense(8, 8)\n", "self.query = nn.Dense(8, 8)\n"
ALIASES: dict[tuple[str, str], str | None] = {
    (A + "self.b = self.a", "self.b(self.a(x))"): "one-under-two-names: self.b = self.a",
    (A + "self.b = nn.Dense(8, 8)", "self.b(self.a(x))"): None,
    (A + "self.b = copy.deepcopy(self.a)", "self.b(self.a(x))"): None,
    (A + "self.b = self.a", "self.b(x)"): "shared: self.b = self.a",
    (A + "self.b = self.a  # shared", "self.b(self.a(x))"): "shared: self.b = self.a  # shared",
    (A + "if cfg.tied:\n    self.b = self.a", "self.b(self.a(x))"): "shared: self.b = self.a",
    (A + "if cfg.deep:\n    self.b = self.a", "self.b(self.a(x))"): "one-under-two-names: self.b = self.a",
    (A + "self.b = None\nself.b = self.a", "self.b(self.a(x))"): None,
    (A + "self.b: nn.Cell = self.a", "self.b(self.a(x))"): None,
    ("self.block1 = Block()\nself.block2 = self.block1", "self.block2(self.block1(x))"): (
        "siblings-are-one: self.block2 = self.block1"
    ),
    (Q + "self.key = self.query", "self.query(x) @ self.key(x)"): "siblings-are-one: self.key = self.query",
    ("self.q_in = nn.Dense(8, 8)\nself.k_out = self.q_in", "self.q_in(x) @ self.k_out(x)"): (
        "one-under-two-names: self.k_out = self.q_in"
    ),
    ("self.query = self.key = nn.Dense(8, 8)", "self.query(x) @ self.key(x)"): (
        "siblings-are-one: self.query = self.key = nn.Dense(8, 8)"
    ),
    ("self.act1 = nn.ReLU()\nself.act2 = self.act1", "self.act2(self.act1(x))"): None,
    ("self.mask1 = Parameter(m, requires_grad=False)\nself.mask2 = self.mask1", "x + self.mask1 + self.mask2"): None,
}


@pytest.mark.parametrize("init, construct", ALIASES)
def test_one_layer_under_two_names(tmp_path: Path, init: str, construct: str) -> None:
    expected = ALIASES[init, construct]
    assert told(said(tmp_path, network(init, construct))) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("init", "meant"), [("self.k = nn.Dense(8, 8)\nself.q = self.k", False), ("self.q = self.k = nn.Dense(8, 8)", True)]
)
def test_two_names_in_one_statement_may_well_be_meant(tmp_path: Path, init: str, meant: bool) -> None:
    (one,) = said(tmp_path, network(init, "self.q(x) @ self.k(x)"))
    assert (one.possible, one.certain) == (meant, not meant)


M = "one = nn.Dense(8, 8)\n"
#: How layers come into a list -> (whether it is one layer many times, the line that is offered for it).
REPEATED: dict[str, tuple[str, str | None] | None] = {
    "self.all = nn.CellList([nn.Dense(8, 8)] * 3)": (
        "repeated",
        "self.all = nn.CellList([nn.Dense(8, 8) for _ in range(3)])",
    ),
    "self.all = nn.CellList([nn.Dense(8, 8)] * cfg.n)  # 层": ("repeated", None),
    "self.all = nn.CellList([nn.Dense(8, 8)] *\n    cfg.n)": ("repeated", None),
    M + "self.all = nn.CellList([one] * 3)": ("repeated", None),
    M + "self.all = nn.CellList(3 * [one])": ("repeated", None),
    "self.all = nn.CellList([nn.Dense(8, 8)] * 1)": None,
    "self.all = nn.CellList([nn.ReLU()] * 3)": None,
    "self.all = nn.CellList([nn.Dense(8, 8) for _ in range(3)])": None,
    M + "self.all = nn.CellList([one for _ in range(3)])": ("repeated", None),
    M + "self.all = nn.CellList([copy.deepcopy(one) for _ in range(3)])": None,
    "self.all = nn.CellList([block for block in blocks(nn.Dense(8, 8))])": None,
    M + "self.all = nn.SequentialCell([one, nn.ReLU(), one])": ("repeated", None),
    M + "self.all = nn.SequentialCell(one, nn.ReLU(), one)": ("repeated", None),
    "relu = nn.ReLU()\nself.all = nn.SequentialCell(nn.Dense(8, 8), relu, nn.Dense(8, 8), relu)": None,
    M + "self.all = nn.SequentialCell([one, nn.ReLU(), one])  # weights are shared": ("shared", None),
    M + "self.all = nn.CellList()\nfor i in range(3):\n    self.all.append(one)": ("repeated", None),
    M + "self.all = nn.CellList([one])\none = nn.Dense(8, 8)\nfor i in range(3):\n    self.all.append(one)": (
        "repeated",
        None,
    ),
    M + "self.all = nn.CellList()\nfor i in range(3):\n    self.all.append(one)  # tied": None,
    M + "self.all = nn.CellList()\nfor i in range(3):\n    if i == 0:\n        self.all.append(one)": None,
    M + "self.all = nn.CellList()\nfor i in range(3):\n    self.all.append(one)\n    break": None,
    "self.all = nn.CellList()\nfor i in range(3):\n    one = nn.Dense(8, 8)\n    self.all.append(one)": None,
    "self.all = nn.CellList()\nfor i in range(3):\n    self.all.append(nn.Dense(8, 8))": None,
}


@pytest.mark.parametrize("init", REPEATED)
def test_one_layer_many_times_in_a_list(tmp_path: Path, init: str) -> None:
    found = said(tmp_path, network(init, "self.all[0](x)"))
    expected = REPEATED[init]
    assert [(one.code, one.edit and one.edit[1].strip()) for one in found] == ([] if expected is None else [expected])


STACK = """
def stack(layer, number):
    layers = []
    for _ in range(number):
        {}layers.append(layer)
    return nn.SequentialCell(layers)
"""


@pytest.mark.parametrize(("fresh", "codes"), [("", ["repeated"]), ("layer = nn.Dense(8, 8)\n        ", [])])
def test_a_layer_that_a_function_is_given_and_appends_in_each_round(
    tmp_path: Path, fresh: str, codes: list[str]
) -> None:
    text = STACK.format(fresh) + network("self.all = stack(nn.Dense(8, 8), 3)", "self.all(x)")
    assert [one.code for one in said(tmp_path, text)] == codes


E = "self.embed = nn.Embedding(99, 8)\n"
TIES: dict[str, tuple[str, str | None] | None] = {
    E + "self.head = nn.Dense(8, 99)\nself.head.weight = self.embed.embedding_table": ("tied", None),
    E + "self.head = nn.Dense(8, 99)": None,
    E + "self.head = nn.Dense(8, 99)\nself.head.weight = Parameter(self.embed.embedding_table.asnumpy())": (
        "tied-by-copy",
        "self.head.weight = self.embed.embedding_table",
    ),
    E + "self.head = nn.Dense(8, 99)\nself.head.weight = Parameter(self.embed.embedding_table.value())  # 表": (
        "tied-by-copy",
        None,
    ),
    E + "self.head = nn.Dense(8, 99)\nself.head.weight.set_data(self.embed.embedding_table)": ("tied-by-copy", None),
    E + "self.head = nn.Dense(8, 99, weight_init=self.embed.embedding_table)": ("tied-by-copy", None),
    E + "self.head = nn.Dense(8, 99, weight_init=Tensor(load()))": None,
    E + "self.head = nn.Dense(8, 99)  # same weights as the embedding, tied to it": ("announced-not-tied", None),
    E + "self.head = nn.Dense(8, 99)  # not tied to the embedding": None,
    E + "self.head = nn.Dense(8, 10)  # weights tied to the embedding": None,
    "self.embed = nn.Embedding(cfg.vocab, cfg.size)\n"
    "self.head = nn.Dense(cfg.size, cfg.vocab)  # weights tied to the embedding": ("announced-not-tied", None),
    "self.embed = nn.Embedding(cfg.vocab, cfg.size)\n"
    "self.head = nn.Dense(cfg.size, cfg.labels)  # weights tied to the embedding": None,
    "self.embed = nn.Embedding(cfg.vocab, 8)\nself.head = nn.Dense(8)  # weights tied to the embedding": None,
    E
    + "w = Parameter(load())\nself.head = nn.Dense(8, 99)  # weights tied to the embedding\nself.head.weight = w": None,
}


@pytest.mark.parametrize("init", TIES)
def test_what_a_tie_is(tmp_path: Path, init: str) -> None:
    found = said(tmp_path, network(init, "self.head(self.embed(x))"))
    expected = TIES[init]
    assert [(one.code, one.edit and one.edit[1].strip()) for one in found] == ([] if expected is None else [expected])


HALVES = """
class Half(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3)
        self.embed = nn.Embedding(9, 8)
        self.act = nn.ReLU()

    def construct(self, x):
        return self.act(self.conv(self.embed(x)))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.left, self.right = Half(), Half()
        {inside}

    def construct(self, x):
        return self.left(x) + self.right(x)

net = Net()
left, right = net.left, net.right
{outside}
"""


@pytest.mark.parametrize(
    ("inside", "outside", "code"),
    [
        ("self.right.conv = self.left.conv", "", "replaced-by-another"),
        ("self.right.conv = self.left.conv  # siamese", "", "shared"),
        ("self.right.embed = self.left.embed", "", "shared"),
        ("pass", "right.conv = left.conv", "replaced-by-another"),
        ("pass", "net.right.conv = net.left.conv", "replaced-by-another"),
        ("pass", "setattr(right, 'conv', left.conv)", None),
        ("self.right.act = self.left.act", "", None),
        ("self.right.conv = nn.Conv2d(8, 8, 3)", "", None),
    ],
)
def test_a_layer_that_is_put_in_the_place_of_another(
    tmp_path: Path, inside: str, outside: str, code: str | None
) -> None:
    line = inside if outside == "" else outside
    expected = [] if code is None else [f"{code}: {line}"]
    assert told(said(tmp_path, HALVES.format(inside=inside, outside=outside))) == expected


CARRIED = """
class Trained(nn.Cell):
    def __init__(self):
        super().__init__()
        self.size = 8
        self.body, self.head = nn.Dense(8, 8), nn.Dense(8, 3)

    def construct(self, x):
        return self.head(self.body(x))

class Middle(nn.Cell):
    def __init__(self, trained):
        super().__init__()
        self.size = trained.size
        self.body = trained.body
        {middle}

    def construct(self, x):
        return {use}

class Last(nn.Cell):
    def __init__(self, old):
        super().__init__()
        {last}

    def construct(self, x):
        return x

net = Last(Middle(Trained()))
"""
OWN = "self.old = old; self.last_head = nn.Dense(old.size, 3)"


@pytest.mark.parametrize(
    ("middle", "use", "last", "code"),
    [
        ("self.head = trained.head", "self.body(x)", OWN, "not-taken-over"),
        ("self.head = trained.head", "self.head(self.body(x))", OWN, None),
        ("self.head = nn.Dense(8, 3)", "self.body(x)", OWN, None),
        ("self.head = nn.Dense(trained.size, 3)", "self.head(self.body(x))", "pass", "built-anew"),
        ("self.head = nn.Dense(self.size, 3)", "self.head(self.body(x))", "pass", "built-anew"),
        ("self.head = nn.Dense(self.width, 3)", "self.head(self.body(x))", "pass", None),
        ("self.head = trained.head", "self.body(x)", "self.old = old; self.last_head = nn.ReLU(old.size)", None),
        ("self.head = trained.head", "self.body(x)", "self.old = old; self.other = nn.Dense(old.size, 3)", None),
        ("self.head = trained.head", "self.body(x)", "self.old = old.body; self.last_head = nn.Dense(8, 3)", None),
    ],
)
def test_layers_that_are_built_anew(tmp_path: Path, middle: str, use: str, last: str, code: str | None) -> None:
    found = said(tmp_path, CARRIED.format(middle=middle, use=use, last=last))
    assert [one.code for one in found if one.code != "shared"] == ([] if code is None else [code])


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("ema = net\ndef update(ema, model):\n    pass\nupdate(ema, net)", ["average-is-network: ema = net"]),
        ("def update(ema, model):\n    pass\nupdate(net, net)", ["average-is-network: update(net, net)"]),
        (
            "def run(target, model):\n    for p in target.get_parameters():\n        p.set_data(model.w)\nrun(net, net)",
            ["average-is-network: run(net, net)"],
        ),
        ("def run(target, model):\n    return target(model(x))\nrun(net, net)", []),
        ("ema = copy.deepcopy(net)\ndef update(ema, model):\n    pass\nupdate(ema, net)", []),
        ("def update(net, model):\n    pass\nupdate(net, net)", []),
    ],
)
def test_an_average_that_is_the_network(tmp_path: Path, script: str, expected: list[str]) -> None:
    assert told(said(tmp_path, network(A, "self.a(x)") + script + "\n")) == expected


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("params['head.weight'] = params['embed.embedding_table']", "copied-on-load"),
        ("params[prefix + '.head.weight'] = params[prefix + '.embed.embedding_table']", "copied-on-load"),
        ("params['head.weight'] = load()", None),
        ("params[0] = params[1]", None),
        ("params['embed.embedding_table'] = params['old.embedding_table']", None),
    ],
)
def test_a_table_that_is_copied_among_loaded_weights(tmp_path: Path, line: str, code: str | None) -> None:
    found = said(tmp_path, f"params = ms.load_checkpoint('a.ckpt')\n{line}\n")
    assert told(found) == ([] if code is None else [f"{code}: {line}"])


@pytest.mark.parametrize(
    ("init", "second", "code"),
    [
        ("self.head.weight = self.embed.embedding_table", "head.weight", "declared-shared"),
        ("self.head.weight = Parameter(self.embed.embedding_table)", "head.weight", "declared-not-shared"),
        ("self.free = Parameter(load())", "free", "declared-not-shared"),
        ("self.many = nn.CellList([nn.Dense(8, 8), nn.Dense(8, 8)])", "many.1.weight", "declared-not-shared"),
        ("pass", "nothing", None),
    ],
)
def test_weights_that_are_declared_to_be_one(tmp_path: Path, init: str, second: str, code: str | None) -> None:
    text = network(E + "self.head = nn.Dense(8, 99)\n" + init, "self.head(self.embed(x))")
    found = said(tmp_path, text, [["embed.embedding_table", second]])
    assert [one.code for one in found if one.code.startswith("declared")] == ([] if code is None else [code])


@pytest.mark.parametrize(
    ("init", "construct", "code"),
    [
        (E + "table = nn.Embedding(99, 8)\nself.part = run(table(cfg))", "x", "table-twice"),
        (E + "table = nn.Embedding(99, 8)\nself.part = run(table(cfg))", "self.embed(x)", None),
        (E + "table = nn.Embedding(9, 8)\nself.part = run(table(cfg))", "x", None),
        (E + "table = nn.Embedding(99, 8)\nself.part = run(table(cfg), self.embed)", "x", None),
    ],
)
def test_a_table_that_is_built_twice(tmp_path: Path, init: str, construct: str, code: str | None) -> None:
    assert [one.code for one in said(tmp_path, network(init, construct))] == ([] if code is None else [code])


_TOWERS = """
import mindspore as ms
from mindspore import nn, ops

class Tower(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(8, 8), nn.Dense(8, 4)

    def construct(self, x):
        return self.second(ops.relu(self.first(x)))

class Pair(nn.Cell):
    def __init__(self):
        super().__init__()
        self.left = Tower()
        self.right = self.left
        self.before = nn.Dense(8, 8)

    def construct(self, a, b):
        {lines}

net = Pair()
opt = nn.Adam(net.trainable_params())
step = ms.value_and_grad(lambda a, b, y: ops.square(net(a, b) - y).mean(), None, opt.parameters)
for a, b, y in data.create_tuple_iterator():
    loss, grads = step(a, b, y)
    opt(grads)
"""


@pytest.mark.parametrize(
    ("lines", "possible"),
    [
        ("return self.left(a) - self.right(b)", True),  # a siamese network
        ("return self.left(a) * self.right(a)", False),
        ("x = self.before(a)\n        return self.left(x) - self.right(ops.tanh(x))", False),
    ],
)
def test_one_network_for_two_inputs_may_well_be_meant(tmp_path: Path, lines: str, possible: bool) -> None:
    found = said(tmp_path, _TOWERS.format(lines=lines))
    assert [(one.code, one.possible) for one in found if one.code == "one-under-two-names"] == [
        ("one-under-two-names", possible)
    ]
