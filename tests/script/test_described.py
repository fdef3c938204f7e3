"""Packages that are known by a description of what they do."""

import ast
import importlib
from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile, Runtime
from accucheck.knowledge import suites
from accucheck.model import Finding, Level, Sure, Verdict
from accucheck.probes import (
    clip_order,
    graph_connectivity_script,
    loss_scale_script,
    shuffle_settings,
    train_mode,
    training_settings,
    weight_sharing_script,
)
from accucheck.script import described
from accucheck.script.analysis import read_scripts
from accucheck.script.project import MODULES
from accucheck.script.settings import Definitions, Settings

RUN = """import yaml
from mindformers import MindFormerConfig, Trainer
config = MindFormerConfig("run.yaml")
trainer = Trainer(config)
trainer.train()
"""
YAML = """seed: 42
model:
  model_config: {type: LlamaConfig, compute_dtype: DTYPE}
train_dataset:
  data_loader: {type: MindDataset, dataset_dir: data, shuffle: SHUFFLE}
  input_columns: [input_ids]
runner_config:
  epochs: 4
  batch_size: 16
runner_wrapper: {use_clip_grad: true, scale_sense: SCALE}
lr_schedule:
  type: CosineWithWarmUpLR
  learning_rate: 0.0002
optimizer: {type: AdamW, weight_decay: 0.1}
"""


def case(root: Path, script: str = RUN, **settings: str) -> Case:
    (root / "train.py").write_text(script)
    given = {"DTYPE": "bfloat16", "SHUFFLE": "true", "SCALE": "1.0", **settings}
    text = YAML
    for name, value in given.items():
        text = text.replace(name, value)
    (root / "run.yaml").write_text(text)
    return Case(root=str(root), spec=msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile))


def codes(probe: object, made: Case) -> set[str]:
    found = probe.run(made, probe.Params())  # type: ignore[attr-defined]
    return {one.code for one in found if isinstance(one, Finding)}


def numbers(made: Case) -> dict[str, tuple[float | None, str, str]]:
    """What the settings are told as: the number, its place, and the key there."""
    scripts = read_scripts(made)
    told = Settings(scripts.training[0], Definitions(scripts.sources, scripts.configurations), None)
    rows = [row for one in (*told.rates(), *told.epochs(), *told.batches()) for row in one.rows]
    return {row.name.rpartition(".")[2]: (row.number, row.place, row.key) for row in rows if row.number is not None}


def test_a_configuration_is_told_as_what_the_suite_does_with_it(tmp_path: Path) -> None:
    found = numbers(case(tmp_path))
    assert found["epoch"] == (4, "run.yaml:8", "runner_config.epochs")
    assert found["batch_size"] == (16, "run.yaml:9", "runner_config.batch_size")
    assert found["learning_rate"] == (0.0002, "run.yaml:13", "lr_schedule.learning_rate")
    assert found["weight_decay"] == (0.1, "run.yaml:14", "optimizer.weight_decay")


@pytest.mark.parametrize(
    ("probe", "settings", "code"),
    [
        (shuffle_settings, {"SHUFFLE": "false"}, "off-by-default"),
        (loss_scale_script, {"DTYPE": "float16"}, "no-scale"),
        (training_settings, {"0.0002": "50.0"}, "rate-huge-step"),
    ],
)
def test_faults_of_a_configuration(tmp_path: Path, probe: object, settings: dict[str, str], code: str) -> None:
    assert code in codes(probe, case(tmp_path, **settings))
    assert code not in codes(probe, case(tmp_path))


def test_float16_with_a_scale_is_no_fault(tmp_path: Path) -> None:
    scaled = {
        "DTYPE": "float16",
        "SCALE": "{type: DynamicLossScaleUpdateCell, loss_scale_value: 4096, scale_window: 1000}",
    }
    assert "no-scale" not in codes(loss_scale_script, case(tmp_path, **scaled))


def test_a_finding_stands_where_the_package_is_called_and_edits_nothing(tmp_path: Path) -> None:
    made = case(tmp_path, SHUFFLE="false")
    found = shuffle_settings.run(made, shuffle_settings.Params())
    told = [one for one in found if isinstance(one, Finding) and one.code == "off-by-default"]
    assert {(one.where.path, one.where.line) for one in told} == {("train.py", 4)}
    assert all(one.fix is None or one.fix.diff is None for one in told)


def test_what_a_description_says_is_no_surer_than_likely(tmp_path: Path) -> None:
    made = case(tmp_path, DTYPE="float16")
    command = CaseFile(scripts=made.spec.scripts, runtime=Runtime(command="python train.py"))
    found = loss_scale_script.run(Case(root=str(tmp_path), spec=command), loss_scale_script.Params())
    (one,) = [one for one in found if isinstance(one, Finding) and one.code == "no-scale"]
    assert (one.level, one.sure) == (Level.PROBLEM, Sure.LIKELY)


def test_the_network_of_a_package_is_taken_as_published(tmp_path: Path) -> None:
    made = case(tmp_path)
    assert "network-published" in codes(train_mode, made) and "network-unseen" not in codes(train_mode, made)


def test_a_network_that_a_package_makes_leaves_nothing_to_connect_and_to_share(tmp_path: Path) -> None:
    made = case(tmp_path)
    for probe in (graph_connectivity_script, weight_sharing_script):
        found = [one for one in probe.run(made, probe.Params()) if isinstance(one, Finding)]
        assert (probe.suggest(found), {one.code for one in found}) == (Verdict.NOT_APPLICABLE, {"network-published"})


OWN = """import mindspore as ms
from mindnlp.core import nn
from mindnlp.engine import Trainer, TrainingArguments
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(4, 2)
    def forward(self, x):
        return self.dense(x)
Trainer(model=Head(), args=TrainingArguments("out"), train_dataset=ms.dataset.TextFileDataset("train.txt")).train()
"""


def test_a_network_of_layers_of_a_package_is_the_projects_own(tmp_path: Path) -> None:
    made = case(tmp_path, OWN)
    assert "no-network" in codes(graph_connectivity_script, made) & codes(weight_sharing_script, made)


MIXED = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindcv import create_model
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = create_model("resnet18")
        self.head, self.other, self.third = nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4)
    def construct(self, x):
        return CONSTRUCT
net = Net()
optimizer = nn.Adam(net.trainable_params())
ms.Model(net, nn.MSELoss(), optimizer).train(1, ds.MnistDataset("data").batch(32))
"""


@pytest.mark.parametrize(
    ("construct", "codes_"),
    [
        ("self.third(self.other(self.head(self.body(x))))", {"network-published", "network-seen"}),
        ("getattr(self, choose())(self.body(x))", {"network-unseen"}),
        ("unknown(self.body(x))", {"network-unseen"}),
        ("self.body(x)", {"network-published", "network-partly"}),
    ],
)
def test_a_network_around_that_of_a_package(tmp_path: Path, construct: str, codes_: set[str]) -> None:
    told = codes(train_mode, case(tmp_path, MIXED.replace("CONSTRUCT", construct)))
    assert codes_ <= told
    assert ("network-seen" in told) is ("network-seen" in codes_)


def test_a_package_of_the_project_is_followed_itself(tmp_path: Path) -> None:
    own = tmp_path / "mindformers"
    own.mkdir()
    (own / "__init__.py").write_text("class Trainer:\n    pass\ndef MindFormerConfig(path):\n    return path\n")
    assert numbers(case(tmp_path)) == {}


def test_a_package_with_too_many_modules_is_known_by_what_it_does_but_not_what_it_computes(tmp_path: Path) -> None:
    own = tmp_path / "mindformers"
    own.mkdir()
    (own / "__init__.py").write_text("from .trainer import Trainer\n")
    for number in range(MODULES + 1):
        (own / f"part{number}.py").touch()
    made = case(tmp_path)
    assert numbers(made)["batch_size"][0] == 16
    assert "network-unseen" in codes(train_mode, made)
    assert "network-unseen" not in codes(clip_order, made)


TRAINER = """import mindspore.dataset as ds
import yaml
from mindone.transformers import BertModel
from mindone.transformers.trainer import Trainer
from mindone.transformers.training_args import TrainingArguments
args = TrainingArguments(learning_rate=0.001, per_device_train_batch_size=32, num_train_epochs=5, bf16=True)
Trainer(model=BertModel.from_pretrained("bert"), args=args, train_dataset=rows()).train()
"""
OPTIONS = (
    TRAINER[: TRAINER.index("args = ")]
    + """from dataclasses import dataclass
from mindone.transformers.mindspore_adapter import MindSporeArguments, init_environment
from transformers import HfArgumentParser
@dataclass
class Own(MindSporeArguments, TrainingArguments):
    learning_rate: float = 0.001
    per_device_train_batch_size: int = 32
    num_train_epochs: float = 5
args = HfArgumentParser(Own).parse_args_into_dataclasses()[0]
init_environment(args)
"""
    + TRAINER[TRAINER.index("Trainer(model") :]
)
STEPS = """import mindspore as ms
import mindspore.dataset as ds
from mindone.trainers.lr_schedule import create_scheduler
from mindone.trainers.optim import create_optimizer
from mindone.trainers.zero import prepare_train_network
data = ds.TextFileDataset("train.txt").batch(32)
net = ms.nn.Dense(4, 2)
optimizer = create_optimizer(net.trainable_params(), "adamw", lr=0.001)
ms.Model(prepare_train_network(ms.nn.WithLossCell(net, ms.nn.CrossEntropyLoss()), optimizer, clip_grad=True)).train(5, data)
"""
BUILDERS = """import mindspore as ms
from mindcv import create_dataset, create_loader, create_loss, create_model, create_optimizer, create_transforms
data = create_loader(create_dataset("cifar10", "data"), 32, is_training=True, transform=create_transforms("cifar10", is_training=True))
network = create_model("resnet18", num_classes=10)
optimizer = create_optimizer(network.trainable_params(), "momentum", lr=0.001)
ms.Model(network, create_loss("CE"), optimizer).train(5, data)
"""


@pytest.mark.parametrize(
    "script",
    [
        TRAINER,
        STEPS,
        TRAINER.replace("mindone.transformers", "mindnlp.engine").replace("rows()", 'ds.TextFileDataset("train.txt")'),
        BUILDERS,
    ],
    ids=["mindone", "mindone builders", "mindnlp", "mindcv"],
)
def test_trainers_and_builders(tmp_path: Path, script: str) -> None:
    found = numbers(case(tmp_path, script))
    assert found["batch_size"][0] == 32
    assert found["learning_rate"][0] == 0.001
    assert {found[name][0] for name in ("epoch", "range") if name in found} == {5}
    assert not codes(shuffle_settings, case(tmp_path, script)) & {"not-shuffled", "off-by-default"}


def test_options_of_trainers_are_those_of_the_command(tmp_path: Path) -> None:
    words = "--learning_rate 0.01 --per_device_train_batch_size 16 --output_dir out --num_train_epochs"
    for more, epochs in (("2", {2}), ("2 --max_steps 50", set())):
        made = case(tmp_path, OPTIONS)
        made = msgspec.structs.replace(
            made, spec=msgspec.structs.replace(made.spec, runtime=Runtime(command=f"python train.py {words} {more}"))
        )
        found = numbers(made)
        assert (found["learning_rate"][0], found["batch_size"][0]) == (0.01, 16)
        assert {found[name][0] for name in ("epoch", "range") if name in found} == epochs


OLDER = """import mindspore.dataset as ds
from mindspore import nn
from mindnlp.engine import Trainer
net = nn.Dense(4, 4)
Trainer(network=net, loss_fn=nn.MSELoss(), optimizer=nn.Adam(net.trainable_params(), 0.5), train_dataset=rows(), epochs=7).train()
"""
NAMED = """from mindformers import Trainer
Trainer(task="text_generation", model="gpt2", train_dataset="data").train()
"""


@pytest.mark.parametrize(("script", "told"), [(OLDER, {"learning_rate": 0.5}), (NAMED, {})], ids=["older", "by name"])
def test_settings_that_are_not_given_are_not_told(tmp_path: Path, script: str, told: dict[str, float]) -> None:
    """Neither the defaults of another release nor those of a file that only the package has."""
    found = {name: row[0] for name, row in numbers(case(tmp_path, script)).items()}
    wanted = ("learning_rate", "epoch", "range", "batch_size")
    assert {name: found[name] for name in wanted if name in found} == told


NATIVE = """import mindspore as ms
import mindspore.dataset as ds
from PACKAGE import TrainOneStepWrapper
net = ms.nn.Dense(4, 2)
optimizer = ms.nn.Adam(net.trainable_params(), 0.001)
step = TrainOneStepWrapper(ms.nn.WithLossCell(net.to_float(ms.float16), ms.nn.CrossEntropyLoss()), optimizer)
for x, y in ds.TextFileDataset("train.txt").batch(32).create_tuple_iterator():
    step(x, y)
"""


def test_parts_of_a_package_have_other_things_under_one_name(tmp_path: Path) -> None:
    """The step of mindone.transformers scales the loss by itself, that of mindone.trainers by what it is given."""
    told = {
        part: codes(loss_scale_script, case(tmp_path, NATIVE.replace("PACKAGE", part)))
        for part in ("mindone.transformers.mindspore_adapter", "mindone.trainers.train_step")
    }
    assert ["scale-one" in found or "no-scale" in found for found in told.values()] == [False, True]
    assert not any({"step-unseen", "no-step"} & found for found in told.values())


@pytest.mark.parametrize("package", sorted(suites.parts()))
@pytest.mark.mindspore
def test_descriptions_call_what_mindspore_has(package: str) -> None:
    """Each name that a description takes from MindSpore exists there; what it takes from the package itself it does not define."""
    tree = ast.parse(suites.path(package).read_text("utf-8"))
    bound = dict(_imports(tree))
    defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        name = _dotted(node)
        first, _, rest = name.partition(".")
        if first == package.partition(".")[0]:
            assert rest.rpartition(".")[2] not in defined, name
        elif rest and first in bound and bound[first].startswith("mindspore"):
            assert _exists(f"{bound[first]}.{rest}"), name
    assert all(_exists(name) for name in bound.values() if name.startswith("mindspore"))


def _imports(tree: ast.Module) -> list[tuple[str, str]]:
    found = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [(alias.asname or alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


def _exists(name: str) -> bool:
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def test_a_package_without_a_description_has_none() -> None:
    assert not described.is_described("mindspore") and not described.is_described("numpy")
