"""What becomes of checkpoints that scripts load, in the ways people write it."""

from dataclasses import replace
from pathlib import Path

import pytest

from accucheck.script.analysis import Reading, Scripts
from accucheck.script.loading import Observation, examine, mentions
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = """
import argparse
import os
import re
import mindspore as ms
import numpy as np
from mindspore import nn, ops, load_checkpoint, load_param_into_net, save_checkpoint, Parameter
from mindspore.train import ModelCheckpoint
from mindspore.common.initializer import initializer, Normal
from settings import FILE, make
class Net(nn.Cell):
    def __init__(self, backbone=None):
        super().__init__()
        self.fc, self.backbone = nn.Dense(8, 8), backbone

    def construct(self, x):
        return self.fc(x)

class Other(Net):
    pass

p = argparse.ArgumentParser()
p.add_argument("--ckpt_dir", default="out")
p.add_argument("--ckpt", default="")
args = p.parse_args()
"""
NET, RUN = "net = Net()\n", "ms.Model(net, loss, opt).train(1, data)\n"
LOAD, PUT = "params = load_checkpoint('a.ckpt')\n", "load_param_into_net(net, params)\n"


def scripts(folder: Path, text: str, head: str = HEAD) -> Scripts:
    (folder / "train.py").write_text(head + text, encoding="utf-8")
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return Scripts([Reading("train", "train", source, trace, project)])


def said(folder: Path, text: str, head: str = HEAD) -> list[Observation]:
    return examine(scripts(folder, text, head))


def of_load(found: list[Observation]) -> list[str]:
    return [one.code for one in found if one.node and "load_checkpoint" in one.source.lines[one.line - 1]]


#: What stands between the load and the training -> what becomes of the loaded dict.
USES: dict[str, str] = {
    PUT: "applied",
    "": "not-applied",
    "print(len(params))\n": "not-applied",
    "new = {}\nfor k, v in params.items():\n    new['net.' + k] = v\nload_param_into_net(net, new)\n": "applied",
    "new = {k: v for k, v in params.items() if 'head' not in k}\nload_param_into_net(net, new)\n": "applied",
    "new = {k: v for k, v in params.items() if 'head' not in k}\n": "not-applied",
    "for p in net.get_parameters():\n    p.set_data(params[p.name])\n": "set-one-by-one",
    "net.fc.weight = params['fc.weight']\n": "set-one-by-one",
    "net.fc.weight.data = params['fc.weight'].data\n": "set-one-by-one",
    "ops.assign(net.fc.weight, params['fc.weight'])\n": "set-one-by-one",
    "ops.Assign()(net.fc.weight, params['fc.weight'])\n": "set-one-by-one",
    "w = Parameter(params['fc.weight'])\n": "not-applied",
    "net.own = Parameter(params['fc.weight'])\n": "set-one-by-one",
    "new = {k: Parameter(v) for k, v in params.items()}\n": "not-applied",
    "new = {k: Parameter(v) for k, v in params.items()}\nload_param_into_net(net, new)\n": "applied",
    "net._params['fc.weight'] = Parameter(params['fc.weight'])\n": "handed-on",
    "net.insert_param_to_cell('fc', Parameter(params['fc.weight']))\n": "handed-on",
    "new = {re.sub('x', '', k): v for k, v in params.items()}\n": "not-applied",
    "new = {}\nfor k, v in params.items():\n    n = int(re.search('a', k).group(1))\n    new[str(n)] = Parameter(v)\n": "not-applied",
    "if 'fc.weight' in params:\n    net.fc.weight = params['fc.weight']\n": "set-if-named",
    "new = {}\nfor k, v in params.items():\n    new.update(**{k: v})\nload_param_into_net(net, new)\n": "applied",
    "new = {}\nfor k, v in params.items():\n    new.setdefault(k, v)\nload_param_into_net(net, new)\n": "applied",
    "new = dict(**{k[4:]: v for k, v in params.items()})\nload_param_into_net(net, new)\n": "applied",
    "new = {**params}\nload_param_into_net(net, new)\n": "applied",
    "new = {}\nfor k, v in params.items():\n    new.update(**{k: v})\n": "not-applied",
    "def as_ours(p): ...\nparams = as_ours(params)\nload_param_into_net(net, params)\n": "applied",
    "def as_ours(p):\n    raise NotImplementedError\nload_param_into_net(net, as_ours(params))\n": "applied",
    "def as_ours(p): ...\nas_ours(params)\n": "handed-on",
    "fill(net, params)\n": "handed-on",
    "new = {}\nfor k, v in params.items():\n    new[k[4:]] = v\n    log(f'found {k}')\n": "not-applied",
    "new = {}\nfor k, v in params.items():\n    new[k[4:]] = v\n    log(k, v)\n": "handed-on",
    "net.params = params\n": "handed-on",
    "held = get()\nheld.params = params\n": "handed-on",
    "held = get()\nheld['params'] = params\n": "handed-on",
    "nowhere.params = params\n": "handed-on",
    "held = [get(), params]\nfill(held)\n": "handed-on",
    "held = list(get())\nheld.append(params)\nfill(held)\n": "handed-on",
    "held = list(get())\nheld.append(params)\n": "not-applied",
    "class Keep:\n    def __init__(self, p):\n        self.p = [p]\nkeep = Keep(params)\n": "not-applied",
    "class Keep:\n    def __init__(self, p):\n        self.p = [p]\nfill(Keep(params))\n": "handed-on",
    "class Keep(fetch()):\n    def __init__(self, p):\n        self.p = [p]\nkeep = Keep(params)\n": "handed-on",
    "class Keep:\n    def __init__(self, p):\n        self.p = [p]\nfill(net, Keep(params).p)\n": "handed-on",
    "class Keep:\n    def __init__(self, p):\n        self.p = [p]\nfill(net, getattr(Keep(params), 'p'))\n": "handed-on",
    "own = net.parameters_dict()\nown.update(params)\n": "not-applied",
    "own = net.parameters_dict()\nfor k in params:\n    own[k] = params[k]\n": "not-applied",
    "for k in params:\n    net.parameters_dict()[k] = params[k]\n": "not-applied",
    "load_param_into_net(net, net.parameters_dict())\n": "not-applied",
    "own = net.parameters_dict()\nown.update(params)\nload_param_into_net(net, own)\n": "applied",
    "own = net.parameters_dict()\nfor k in params:\n    own[k].set_data(params[k])\n": "set-one-by-one",
    "own = net.parameters_dict()\nown.update(params)\nfill(net, own)\n": "handed-on",
    "def give():\n    return {'p': params}\n": "handed-on",
    "other = fetch()\nload_param_into_net(net, other)\n": "handed-on",
    "def later(net, p):\n    load_param_into_net(net, p)\n": "not-applied",
    "for p in net.get_parameters():\n    p.set_data(unknown[p.name])\n": "handed-on",
}


@pytest.mark.parametrize("use", USES)
def test_what_becomes_of_a_loaded_dict(tmp_path: Path, use: str) -> None:
    assert of_load(said(tmp_path, LOAD + NET + use + RUN)) == [USES[use]]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (NET + "load_checkpoint('a.ckpt', net)\n" + RUN, ["applied", "result-ignored"]),
        (NET + "load_checkpoint('a.ckpt', net=None)\n" + RUN, ["not-applied"]),
        (NET + "load_checkpoint('ckpt/', net)\n" + RUN, ["directory", "result-ignored"]),
        (
            NET + "def fill(path='ckpt/'):\n    if os.path.isdir(path):\n        pass\n    else:\n"
            "        load_checkpoint(path, net)\nfill()\n" + RUN,
            ["applied", "result-ignored"],
        ),
        (
            NET + "if os.path.exists('ckpt/'):\n    load_checkpoint('ckpt/', net)\n" + RUN,
            ["directory", "result-ignored"],
        ),
        *(
            (
                NET + f"def fill(told):\n    if 'url' not in told or not told['url']:\n        return\n"
                f"    load_checkpoint('ckpt/', net)\nfill({{'url': {url}}})\n" + RUN,
                [*code, found],
            )
            for url, code, found in (
                ("''", ["applied"], "only-if-asked"),
                ("'a'", ["directory"], "result-ignored"),
            )
        ),
        (
            NET + LOAD + "names = list(filter(lambda name: 'body' in name, load_checkpoint('b.ckpt').keys()))\n"
            "load_param_into_net(net, dict(filter(lambda pair: pair[0] in names, params.items())))\n" + RUN,
            ["applied", "only-read", "result-ignored"],
        ),
        (NET + "for name in load_checkpoint('b.ckpt').keys():\n    print(name)\n" + RUN, ["not-applied"]),
        (NET + "ModelCheckpoint(directory='out')\nload_checkpoint('out', net)\n", ["directory", "result-ignored"]),
        (NET + "ModelCheckpoint(directory='out')\nload_checkpoint('old', net)\n", ["applied", "result-ignored"]),
        (NET + "ModelCheckpoint(directory=get())\nload_checkpoint('out', net)\n", ["applied", "result-ignored"]),
        (
            NET + "ModelCheckpoint(directory=args.ckpt_dir)\nload_checkpoint(args.ckpt_dir, net)\n",
            ["directory", "result-ignored"],
        ),
        (
            NET + "ModelCheckpoint(directory=args.ckpt_dir)\nif a:\n    load_checkpoint(args.ckpt_dir, net)\n",
            ["directory-possible", "result-ignored"],
        ),
        (
            NET + "ModelCheckpoint(directory=args.ckpt_dir)\nload_checkpoint(args.ckpt, net)\n",
            ["applied", "result-ignored"],
        ),
        (NET + LOAD + "load_param_into_net(net, {})\n" + RUN, ["not-applied", "nothing-loaded"]),
        (NET + "new = {}\nload_param_into_net(net, new)\n" + RUN, ["nothing-loaded"]),
        (NET + "new = {}\nprint(len(new))\nload_param_into_net(net, new)\n" + RUN, ["nothing-loaded"]),
        (NET + "new = {}\nfilled(new, 'a.ckpt')\nload_param_into_net(net, new)\n" + RUN, ["result-ignored"]),
        (NET + "new = {}\nnew.update(fetched())\nload_param_into_net(net, new)\n" + RUN, ["result-ignored"]),
        (NET + "new = {}\nnew |= fetched()\nload_param_into_net(net, new)\n" + RUN, ["result-ignored"]),
        (NET + "print(load_param_into_net(net, fetched()))\n" + RUN, ["dict-unseen"]),
        (
            NET
            + "read, params = {}, {}\nfor key in archive:\n    read[key.replace('_W', '.weight')] = archive[key]\n"
            + "for name in read:\n    params[name] = ms.Parameter(read[name])\nload_param_into_net(net, params)\n"
            + RUN,
            ["result-ignored"],
        ),
    ],
)
def test_what_is_loaded(tmp_path: Path, text: str, codes: list[str]) -> None:
    assert [one.code for one in said(tmp_path, text)] == codes


#: The statement that loads into a network, and what follows -> what is said of it.
PUTS: dict[str, str] = {
    PUT: "result-ignored",
    "print(load_param_into_net(net, params))\n": "checked",
    "missing, _ = load_param_into_net(net, params)\nif missing:\n    raise ValueError\n": "checked",
    "missing = load_param_into_net(net, params)\nassert not missing\n": "checked",
    "missing = load_param_into_net(net, params)\nif missing:\n    pass\n": "checked",
    "missing = load_param_into_net(net, params)\n": "result-ignored",
    "def load(net):\n    return load_param_into_net(net, params)\n": "checked",
    "load_param_into_net(net, params)\nother = Net()\nms.Model(other, loss, opt).train(1, data)\n": "result-ignored",
    "if given.goes_on:\n    "
    + PUT.strip().replace("\n", "\n    ")
    + "\nif not given.goes_on:\n    for p in net.get_parameters():\n        p.set_data(initializer(Normal(), p.shape))\n": "result-ignored",
    PUT + "for p in net.get_parameters():\n    p.set_data(initializer(Normal(), p.shape))\n": "overwritten",
    PUT + "for _, cell in net.cells_and_names():\n    if isinstance(cell, nn.Dense):\n"
    "        cell.weight.set_data(initializer(Normal(), cell.weight.shape))\n": "overwritten",
    PUT + "if a:\n    for p in net.get_parameters():\n        p.set_data(ms.Tensor(np.random.rand(3)))\n": (
        "overwritten-possible"
    ),
    PUT
    + "for p in net.get_parameters():\n    if 'head' in p.name:\n        p.set_data(initializer(Normal(), p.shape))\n": (
        "result-ignored"
    ),
    **{
        PUT
        + f"for n, p in net.parameters_and_names():\n    if {chosen}:\n        p.set_data(initializer(Normal(), p.shape))\n": (
            "result-ignored"
        )
        for chosen in ("n.endswith('weight')", "re.match('fc', n)", "len(n) > 9", "p.name in heads")
    },
    PUT + "for _, cell in net.cells_and_names():\n    cell.bias.set_data(initializer(Normal(), cell.bias.shape))\n": (
        "result-ignored"
    ),
    PUT + "for p in Net().get_parameters():\n    p.set_data(initializer(Normal(), p.shape))\n": "result-ignored",
    PUT + "net.fc.weight.set_data(initializer(Normal(), [8, 8]))\n": "result-ignored",
    PUT + "for p in net.get_parameters():\n    p.set_data(params[p.name])\n": "result-ignored",
    "for p in net.get_parameters():\n    p.set_data(initializer(Normal(), p.shape))\n" + PUT: "result-ignored",
    "if a:\n    load_param_into_net(net, params)\nelse:\n    for p in net.get_parameters():\n"
    "        p.set_data(initializer(Normal(), p.shape))\n": "result-ignored",
}


def test_a_network_of_convolutions_gets_a_new_head(tmp_path: Path) -> None:
    again = (
        "for _, cell in net.cells_and_names():\n    if isinstance(cell, {}):\n"
        "        cell.weight.set_data(initializer(Normal(), cell.weight.shape))\n"
    )
    net = (
        "class Deep(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        "        self.conv, self.fc = nn.Conv2d(3, 8, 3), nn.Dense(8, 2)\n"
        "    def construct(self, x):\n        return self.fc(self.conv(x))\nnet = Deep()\n"
    )
    for kind, code in (("nn.Dense", "overwritten-possible"), ("(nn.Conv2d, nn.Dense)", "overwritten")):
        found = said(tmp_path, LOAD + net + PUT + again.format(kind) + RUN)
        assert code in [one.code for one in found]


@pytest.mark.parametrize(("after", "code"), [("", "result-ignored"), ("        deep.anew()\n", "overwritten")])
def test_a_method_that_starts_weights_anew_counts_where_it_runs(after: str, code: str, tmp_path: Path) -> None:
    nets = """
class Deep(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 2)

    def construct(self, x):
        return self.fc(x)

    def anew(self):
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Dense):
                cell.weight.set_data(initializer(Normal(), cell.weight.shape))


class Features(nn.Cell):
    def __init__(self):
        super().__init__()
        deep = Deep()
        load_param_into_net(deep, params)
"""
    ends = """
        self.fc = deep.fc

    def construct(self, x):
        return self.fc(x)


def begin():
    ms.Model(Features(), loss, opt).train(1, data)
"""
    found = said(tmp_path, LOAD + nets + after + ends)
    assert code in [one.code for one in found]


@pytest.mark.parametrize("put", PUTS)
def test_what_is_put_into_a_network(tmp_path: Path, put: str) -> None:
    found = said(tmp_path, LOAD + NET + put + RUN)
    lines = {one.source.lines[one.line - 1].strip(): one.code for one in found}
    (code,) = [code for line, code in lines.items() if "load_param_into_net" in line]
    assert code == PUTS[put]


@pytest.mark.parametrize(
    ("after", "code"),
    [
        ("other = Net()\nms.Model(other, loss, opt).train(1, data)\n", "another-object"),
        ("other = Other()\nms.Model(other, loss, opt).train(1, data)\n", "result-ignored"),
        (
            "other = Net()\nload_checkpoint('b.ckpt', other)\nms.Model(other, loss, opt).train(1, data)\n",
            "result-ignored",
        ),
        ("other = Net(backbone=net)\nms.Model(other, loss, opt).train(1, data)\n", "result-ignored"),
        ("net.set_train(False)\nother = Net()\nms.Model(other, loss, opt).train(1, data)\n", "another-object"),
        ("net(x)\nother = Net()\nother(x)\n", "result-ignored"),
        (
            "outer = Net(backbone=Net())\nload_checkpoint('b.ckpt', outer)\nnet.fc(x)\nother = Net()\nother(x)\n",
            "result-ignored",
        ),
        ("net.backbone = Other()\nnet.backbone.construct(x)\nother = Net()\nother(x)\n", "result-ignored"),
        ("other = Net()\nother(x)\n", "another-object"),
        ("other = Net()\n", "result-ignored"),
    ],
)
def test_the_object_that_is_used(tmp_path: Path, after: str, code: str) -> None:
    found = said(tmp_path, LOAD + NET + PUT + after)
    assert [one.code for one in found if "into_net(net" in one.source.lines[one.line - 1]] == [code]


@pytest.mark.parametrize(
    ("loaded", "codes"),
    [
        ("load_param_into_net(backbone(), params)", ["another-object"]),
        ("load_param_into_net(net, params)", ["result-ignored"]),
        ("load_param_into_net(other_backbone(), params)", ["result-ignored"]),
        ("load_checkpoint('b.ckpt', net)\nload_param_into_net(backbone(), params)", ["result-ignored"]),
    ],
)
def test_an_object_out_of_sight_that_is_made_for_the_weights_alone(
    tmp_path: Path, loaded: str, codes: list[str]
) -> None:
    text = LOAD + f"from elsewhere import backbone, other_backbone\nnet = backbone()\n{loaded}\n" + RUN
    found = said(tmp_path, text)
    assert [one.code for one in found if "into_net(" in one.source.lines[one.line - 1] or "net)" in loaded][
        -1:
    ] == codes


def test_a_network_that_a_function_makes_and_loads(tmp_path: Path) -> None:
    text = "def make():\n    net = Net()\n    load_checkpoint('a.ckpt', net)\n    return net\nnet = make()\nother = Net()\nother(x)\n"
    assert [one.code for one in said(tmp_path, text)] == ["applied", "result-ignored"]


@pytest.mark.parametrize(
    ("save", "load", "code"),
    [
        ("save_checkpoint(net, 'a.ckpt')", "load_checkpoint('a.ckpt', net)", "own"),
        ("save_checkpoint(net, './a.ckpt')", "load_checkpoint('a.ckpt', Net())", "own"),
        ("save_checkpoint(net.set_train(), 'a.ckpt')", "load_checkpoint('a.ckpt', net)", "own"),
        ("save_checkpoint(net, 'a.ckpt')", "load_checkpoint('b.ckpt', net)", "result-ignored"),
        ("save_checkpoint(net, FILE)", "load_checkpoint(FILE, net)", "own"),
        ("save_checkpoint(net, make(FILE))", "load_checkpoint(make(FILE), net)", "own"),
        ("save_checkpoint(net, make(x))", "load_checkpoint(make(x), net)", "result-ignored"),
        ("save_checkpoint(net, make(a=FILE))", "load_checkpoint(make(a=FILE), net)", "result-ignored"),
        ("save_checkpoint(build(), 'a.ckpt')", "load_checkpoint('a.ckpt', net)", "result-ignored"),
        ("save_checkpoint(net, 'a.ckpt')", "load_checkpoint('a.ckpt', build())", "result-ignored"),
        ("save_checkpoint(net, 'a.ckpt')", "load_checkpoint('a.ckpt', Other())", "another-class"),
        (
            "save_checkpoint(net, 'a.ckpt')\nsave_checkpoint(Other(), 'b.ckpt')",
            "load_checkpoint('a.ckpt', Other())",
            "wrong-network",
        ),
        (
            "save_checkpoint(net, FILE)\nsave_checkpoint(Other(), 'b.ckpt')",
            "load_checkpoint(FILE, Other())",
            "another-class",
        ),
    ],
)
def test_what_the_script_saved_itself(tmp_path: Path, save: str, load: str, code: str) -> None:
    found = said(tmp_path, NET + save + "\n" + load + "\n")
    assert [one.code for one in found if one.code != "applied"] == [code]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("'a.ckpt'", "a.ckpt"),
        ("args.ckpt", "ckpt"),
        ("FILE", "FILE"),
        ("name", "name"),
        ("find(1)", "find(1)"),
        ("1", "…"),
    ],
)
def test_what_a_path_is_called(tmp_path: Path, path: str, shown: str) -> None:
    (one,) = said(tmp_path, f"load_checkpoint({path})\n")
    assert one.data["path"] == shown


#: The load and the network, as written -> the line that is offered after them.
EDITS: dict[str, str | None] = {
    LOAD + NET: "load_param_into_net(net, params)",
    NET + LOAD: "load_param_into_net(net, params)",
    NET + "params = ms.load_checkpoint('a.ckpt')\n": "ms.load_param_into_net(net, params)",
    NET + "from mindspore import load_checkpoint as load\nparams = load('a.ckpt')\n": None,
    NET + "from mindspore import load_checkpoint_async\nparams = load_checkpoint_async('a.ckpt')\n": None,
    NET + "load_checkpoint('a.ckpt')\n": None,
    NET + "one = two = load_checkpoint('a.ckpt')\n": None,
    NET + LOAD + "print(params)\n": None,
    NET + "second = Net()\n" + LOAD: None,
    "if a:\n    net = Net()\n    params = load_checkpoint('a.ckpt')\n": "    load_param_into_net(net, params)",
    "def main():\n    params = load_checkpoint('a.ckpt')\n    net = Net()\n    net(x)\nmain()\n": (
        "    load_param_into_net(net, params)"
    ),
}


@pytest.mark.parametrize("text", EDITS)
def test_the_line_that_puts_it_into_the_network(tmp_path: Path, text: str) -> None:
    (one,) = [one for one in said(tmp_path, text) if one.code == "not-applied"]
    assert [line for _, _, lines in one.edits for line in lines] == ([] if EDITS[text] is None else [EDITS[text]])


def test_a_line_is_offered_only_where_its_name_is_imported(tmp_path: Path) -> None:
    (one,) = said(tmp_path, NET + LOAD, "from mindspore import nn, load_checkpoint\n" + HEAD.split("make\n")[1])
    assert (one.code, one.edits) == ("not-applied", ())


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "only-read"), ("print(nn.Dense(8, 8))\n", "not-applied"), ("ms.Model(build())\n", "not-applied")],
)
def test_a_script_without_a_network_only_reads(tmp_path: Path, text: str, code: str) -> None:
    head = "import mindspore as ms\nfrom mindspore import nn\n"
    assert [one.code for one in said(tmp_path, "ms.load_checkpoint('a.ckpt')\n" + text, head)] == [code]


def test_the_places_in_the_text(tmp_path: Path) -> None:
    found = mentions(scripts(tmp_path, LOAD + NET + PUT + "if False:\n    ms.load_checkpoint('b.ckpt', net)\n"))
    assert [source.lines[node.lineno - 1].strip() for source, node in found] == [
        LOAD.strip(),
        PUT.strip(),
        "ms.load_checkpoint('b.ckpt', net)",
    ]


TWIN = """
net, target = Net(), Net()
opt = nn.Adam(net.trainable_params(), 1e-3)

def cost(x):
    return ((net(x) - target(x)) ** 2).mean()

step = ms.value_and_grad(cost, None, opt.parameters)
for x in data:
    loss, grads = step(x)
    opt(grads)
"""
#: What is done besides -> what is said of the network that no optimizer updates.
TWINS = {
    "": ["never-filled"],
    "target.set_train(False)\n": ["never-filled"],
    "net.parameters_dict()\n": ["fetched-for-nothing"],
    "other = nn.Adam(target.trainable_params(), 1e-3)\n": [],
    "print(load_param_into_net(target, net.parameters_dict()))\n": ["dict-unseen"],
    "for p, q in zip(net.get_parameters(), target.get_parameters()):\n    q = 0.1 * p + 0.9 * q\n": ["only-rebound"],
    "for p, q in zip(net.get_parameters(), target.get_parameters()):\n    q.set_data(0.1 * p + 0.9 * q)\n": [],
    "for p, q in zip(net.get_parameters(), target.get_parameters()):\n    q = 0.1 * p + 0.9 * q\n    keep(q)\n": [],
    "for p, q in zip(net.get_parameters(), target.get_parameters()):\n    q.data = 0.1 * p + 0.9 * q\n": [],
    "for q in target.get_parameters():\n    q += 1\n": [],
    "for p in target.get_parameters():\n    p.set_data(value)\n": [],
    "for p, q in zip(target.get_parameters(), net.get_parameters()):\n    ops.assign(p, q)\n": [],
    "restore(target)\n": [],
    "both = nn.SequentialCell(net, target)\n": [],
}


@pytest.mark.parametrize("more", TWINS)
def test_a_network_beside_a_trained_one_of_its_class(tmp_path: Path, more: str) -> None:
    assert [one.code for one in said(tmp_path, TWIN + more)] == TWINS[more]


@pytest.mark.parametrize(("first", "code"), [(True, "not-applied"), (False, "handed-on")])
def test_weights_that_are_set_before_a_load_hold_nothing_of_it(tmp_path: Path, first: bool, code: str) -> None:
    parts = ["for p in net.get_parameters():\n    p.set_data(unknown[p.name])\n", LOAD]
    found = said(tmp_path, NET + "".join(parts if first else parts[::-1]) + RUN)
    assert of_load(found) == [code]


#: A script that evaluates -> whether its network is evaluated with the weights that it was made with.
EVALUATIONS: dict[str, bool] = {
    "ms.Model(net, loss).eval(data)\n": True,
    "model = ms.Model(nn.SequentialCell(net, nn.Softmax()), loss)\nnet.set_train(False)\nprint(model.predict(x))\n": True,
    "print(net(x))\n": False,
    "fill(net)\nms.Model(net, loss).eval(data)\n": False,
    "net.fc.weight.set_data(weight)\nms.Model(net, loss).eval(data)\n": False,
    "net.fc.weight = weight\nms.Model(net, loss).eval(data)\n": False,
    "def later(path):\n    return load_checkpoint(path)\nms.Model(net, loss).eval(data)\n": False,
    "ms.Model(net, loss, nn.SGD(net.trainable_params())).train(1, data)\nms.Model(net, loss).eval(data)\n": False,
    "net = make()\nms.Model(net, loss).eval(data)\n": False,
    "net.head = nn.Dense(8, 8, weight_init=make())\nms.Model(net, loss).eval(data)\n": False,
    PUT.replace("params", "make()") + "ms.Model(net, loss).eval(data)\n": False,
}


@pytest.mark.parametrize("text", EVALUATIONS)
def test_a_network_that_is_evaluated_without_weights(tmp_path: Path, text: str) -> None:
    """Neither what is out of sight nor a training gives it weights."""
    reading = scripts(tmp_path, NET + text).readings[0]
    found = examine(Scripts([replace(reading, role="eval", view="eval")]))
    assert ("evaluated-unfilled" in [one.code for one in found]) is EVALUATIONS[text]
    assert "evaluated-unfilled" not in [one.code for one in examine(Scripts([reading]))]


@pytest.mark.parametrize(
    ("run", "told"),
    [
        ("print(net(x))\n", True),
        ("net = nn.SequentialCell(net, nn.Softmax())\nprint(net(x))\n", True),
        ("fill(net)\nprint(net(x))\n", False),
        ("ms.load_checkpoint('a.ckpt', net)\nprint(net(x))\n", False),
    ],
)
def test_a_network_that_runs_without_the_weights_of_its_training(tmp_path: Path, run: str, told: bool) -> None:
    """A script that trains it tells that it is not only tried."""
    training = scripts(tmp_path, NET + RUN).readings[0]
    alone = replace(scripts(tmp_path, NET + run).readings[0], role="eval", view="eval")
    found = [one.code for one in examine(Scripts([training, alone]))]
    assert ("evaluated-unfilled" in found) is told
    assert "evaluated-unfilled" not in [one.code for one in examine(Scripts([alone]))]


WHOLE = """
class Whole(nn.Cell):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        return self.head(self.body(x))

whole = Whole(net)
"""
INTO = PUT.replace("params", "load_checkpoint('best.ckpt')")
#: A script that evaluates a network around one -> whether a part of it is evaluated with the weights that it was made with, or what else
#: is said.
PARTS: dict[str, bool | str] = {
    INTO + "print(whole(x))\n": True,
    INTO + "ms.Model(whole, loss).eval(data)\n": True,
    INTO + "print(net(x))\n": False,
    INTO.replace("(net", "(whole") + "print(whole(x))\n": False,
    INTO + INTO.replace("(net", "(whole.head") + "print(whole(x))\n": False,
    INTO + "load_checkpoint('head.ckpt', net=whole)\nprint(whole(x))\n": False,
    INTO + "fill(whole)\nprint(whole(x))\n": False,
    INTO + "whole.head.weight.set_data(weight)\nprint(whole(x))\n": False,
    INTO + "def later(net):\n    load_param_into_net(net, params)\nprint(whole(x))\n": False,
    INTO + "fill(whole.head)\nprint(whole(x))\n": False,
    "print(net(x))\n" + INTO: "evaluated-before",
    "print(net(x))\n" + INTO + "print(net(x))\n": False,
    "for x in data:\n    print(net(x))\n    " + INTO + "print(net(x))\n": False,
    "def ask(x):\n    return net(x)\nprint(ask(x))\n" + INTO: "evaluated-before",
    "def ask(x):\n    return net(x)\n" + INTO + "print(ask(x))\n": False,
    "print(net(x))\n" + INTO + "show(net)\n": False,
    INTO + "whole.head = nn.Dense(8, 2, weight_init=make())\nprint(whole(x))\n": False,
    INTO + "ms.Model(whole, loss, nn.SGD(whole.trainable_params())).train(1, data)\nprint(whole(x))\n": False,
}


@pytest.mark.parametrize("text", PARTS)
def test_a_part_of_what_is_evaluated_without_weights(tmp_path: Path, text: str) -> None:
    reading = scripts(tmp_path, NET + WHOLE + text).readings[0]
    found = [one.code for one in examine(Scripts([replace(reading, role="eval", view="eval")]))]
    expected = "evaluated-in-part" if PARTS[text] is True else PARTS[text]
    assert [code for code in found if code.startswith("evaluated")] == ([expected] if expected else [])


#: How the names of a checkpoint that the script saved itself are changed on the way back -> what is said.
RENAMED = {
    "{k + '.x': v for k, v in params.items()}": "names-changed",
    "{k + '.x': params[k] for k in params}": "names-changed",
    "{k + '.x': params[k] for k in params.keys()}": "names-changed",
    "{'x.' + k: v for k, v in params.items()}, strict_load=True": "names-changed",
    "{'x.' + k: v for k, v in params.items()}": "own",
    "{k + end(): v for k, v in params.items()}, strict_load=True": "own",
    "{k: v for k, v in params.items()}, strict_load=True": "own",
    "{str(v) + '.x': v for k, v in params.items()}": "own",
}


@pytest.mark.parametrize("given", RENAMED)
def test_names_that_no_parameter_has(tmp_path: Path, given: str) -> None:
    found = said(tmp_path, NET + f"save_checkpoint(net, 'a.ckpt')\n{LOAD}load_param_into_net(net, {given})\n" + RUN)
    assert [one.code for one in found if "load_param" in one.source.lines[one.line - 1]] == [RENAMED[given]]


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("before", "behind", "strict", "missing"), [("x.", "", False, 0), ("x.", "", True, 2), ("", ".x", False, 2)]
)
def test_which_names_mindspore_finds(before: str, behind: str, strict: bool, missing: int) -> None:
    """A prefix of all names is taken away unless strict_load is set; what stands behind them is not."""
    mindspore = pytest.importorskip("mindspore")
    net = mindspore.nn.Dense(2, 2)
    given = {before + name + behind: parameter for name, parameter in net.parameters_dict().items()}
    assert len(mindspore.load_param_into_net(net, given, strict_load=strict)[0]) == missing


@pytest.mark.parametrize(("called", "expected"), [("load(None)\n", 0), ("", 2)], ids=["settled", "not called"])
def test_a_load_that_a_settled_condition_leads_past_is_not_mentioned(
    tmp_path: Path, called: str, expected: int
) -> None:
    text = "def load(path):\n    if path is not None:\n        load_param_into_net(net, load_checkpoint(path))\n"
    assert len(list(mentions(scripts(tmp_path, NET + text + called + RUN)))) == expected


@pytest.mark.parametrize(("given", "expected"), [("True", 1), ("False", 0)])
def test_published_weights_of_a_package_are_mentioned(tmp_path: Path, given: str, expected: int) -> None:
    text = f"from package import create\nbody = create('resnet50', pretrained={given})\n"
    assert len(list(mentions(scripts(tmp_path, NET + text + RUN)))) == expected


@pytest.mark.parametrize(
    "change",
    [
        "params.clear()\nparams = load_checkpoint('a.ckpt')\n",
        "kept = dict(params)\nparams.clear()\nfor k, v in kept.items():\n    params[k.replace('x.', '')] = v\n",
        "bias = params['bias']\nparams.clear()\nparams['bias'] = bias\n",
        "kept = dict(params)\nparams.clear()\nparams |= kept\n",
        "kept = dict(params)\nparams.clear()\nput_back(kept, params)\n",
        "for k in list(params):\n    params['net.' + k] = params.pop(k)\n",
        "for k in list(params):\n    v = params.pop(k)\n    params.__setitem__(k[4:], v)\n",
        "params = {k: v for k, v in params.items() if k.startswith('last')}\nparams = load_checkpoint('b.ckpt')\n",
    ],
    ids=["read again", "renamed", "by hand", "merged", "by a function", "in a loop", "by a method", "narrowed before"],
)
def test_what_is_filled_again_after_it_was_emptied_is_loaded(tmp_path: Path, change: str):
    told = {one.code for one in said(tmp_path, NET + LOAD + change + PUT + RUN)}
    assert not told & {"nothing-loaded", "only-output"}
    emptied = {one.code for one in said(tmp_path, NET + LOAD + "params.clear()\n" + PUT + RUN)}
    assert "nothing-loaded" in emptied


def test_a_network_that_sets_its_first_weights_is_not_used_by_that(tmp_path: Path) -> None:
    prepared = """
class Prepared(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 8)
        self.start()

    def start(self):
        self.fc.weight.set_data(initializer(Normal(0.1), self.fc.weight.shape))

    def construct(self, x):
        return self.fc(x)

net = Prepared()
"""
    again = "net = Prepared()\nms.Model(net, loss, opt).train(1, data)\n"
    found = said(tmp_path, prepared + LOAD + PUT + again)
    assert [one.code for one in found if one.code != "applied"] == ["another-object"]
    found = said(tmp_path, prepared + LOAD + PUT + RUN)
    assert [one.code for one in found if one.code != "applied"] == ["result-ignored"]
    asked = "def evaluate(x):\n    return net(x)\nother = Prepared()\nms.Model(other, loss, opt).train(1, data)\n"
    found = said(tmp_path, prepared + LOAD + PUT + asked)
    assert [one.code for one in found if one.code != "applied"] == ["result-ignored"]
