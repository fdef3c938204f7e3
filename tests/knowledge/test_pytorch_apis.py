"""What pytorch_apis.json says is there is there, in MindSpore and in PyTorch themselves, and is found by the names that code uses."""

import importlib
import re

import pytest

from accucheck.knowledge import api
from accucheck.knowledge.pytorch_apis import known, look_up

pytestmark = pytest.mark.part(1)

KNOWN = known()
NOW = "2.10.0"


def there(name: str) -> bool:
    """Whether a full dotted name leads to something: modules are imported on the way."""
    parts = name.split(".")
    place = importlib.import_module(parts[0])
    for depth, part in enumerate(parts[1:], start=2):
        if not hasattr(place, part):
            try:
                importlib.import_module(".".join(parts[:depth]))
            except ImportError:
                return False
        place = getattr(place, part)
    return True


@pytest.mark.mindspore
def test_every_counterpart_is_in_mindspore() -> None:
    names = {one.api for row in KNOWN.table.values() for one in (*row.now, *row.then)}
    names |= {row.same for row in KNOWN.table.values() if row.same} | {name for way in KNOWN.ways for name in way.api}
    assert len(names) > 1000
    assert [name for name in sorted(names) if not there(f"mindspore.{name}")] == []


def test_every_name_is_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    names = [name for name in KNOWN.table if name.startswith("torch.")]
    assert [name for name in names if not there(name)] == []
    assert KNOWN.methods["torch.Tensor"] == {
        name for name in dir(torch.Tensor) if name[0] != "_" and callable(getattr(torch.Tensor, name))
    }


def test_words_are_there_in_both_languages() -> None:
    used = {kind for row in KNOWN.table.values() for one in (*row.now, *row.then) for kind in one.differs or ()}
    assert used <= set(KNOWN.kinds)
    for words in (*KNOWN.kinds.values(), *(way.says for way in KNOWN.ways)):
        assert set(words) == {"zh", "en"}
        assert re.search("[\u4e00-\u9fff]", words["zh"])
        assert not re.search("[\u4e00-\u9fff]", words["en"])
    names = [name for way in KNOWN.ways for name in way.torch]
    assert len(names) == len(set(names)), "a name has two ways"


@pytest.mark.parametrize("version", [NOW, "2.4.10"])
def test_what_is_known_to_differ_is_not_called_consistent(version: str) -> None:
    found = {
        (name, one.api)
        for name, row in KNOWN.table.items()
        for one in (*row.now, *row.then)
        for difference in api.differences(one.api, version)
        if one.differs is None and name in difference.torch and difference.effect != "functional-dropout"
    }
    assert found == set()


@pytest.mark.parametrize(
    ("api", "version", "status", "first"),
    [
        ("torch.nn.Conv2d", NOW, "consistent", "mint.nn.Conv2d"),
        ("torch.nn.Conv2d", "2.4.10", "differs", "nn.Conv2d"),
        ("torch.nn.modules.conv.Conv2d", NOW, "consistent", "mint.nn.Conv2d"),
        ("torch.optim.adam.Adam", NOW, "consistent", "mint.optim.Adam"),
        ("torch.optim.lr_scheduler.StepLR", NOW, "consistent", "experimental.optim.lr_scheduler.StepLR"),
        ("torch.relu", NOW, "consistent", "mint.nn.functional.relu"),
        ("torch.nn.functional.sigmoid", NOW, "consistent", "mint.nn.functional.sigmoid"),
        ("torch.nn.MaxPool2d", NOW, "differs", "nn.MaxPool2d"),
        ("torch.abs.__name__", NOW, "consistent", "mint.abs"),
        ("torch.fft.fft2", NOW, "otherwise", "ops.fft2"),
        ("torch.optim.SGD.step", NOW, "otherwise", None),
        ("torch.nn.Module", NOW, "otherwise", None),
        ("torch.Tensor.abs_", NOW, "otherwise", None),
        ("torch.distributed.fsdp.FullyShardedDataParallel.parameters", NOW, "otherwise", None),
        ("torch.distributed.rpc.RRef.to_here", NOW, "missing", None),
        ("torch.special.digamma", NOW, "consistent", "ops.digamma"),
        ("torch.Tensor.mv", NOW, "otherwise", "mint.mv"),
        ("torch.exp2_", NOW, "otherwise", None),
        ("torch.no_such_thing", NOW, "missing", None),
    ],
)
def test_an_api_is_found(api: str, version: str, status: str, first: str | None) -> None:
    found = look_up(api, version)
    assert found is not None
    assert found.status == status
    assert [one.api for one in found.counterparts[:1]] == ([first] if first else [])


@pytest.mark.parametrize(
    "name", ["torch.float32", "torch.long", "torch.__version__", "torch.nn", "torch.Tensor.my_own"]
)
def test_what_is_no_api_is_left_out(name: str) -> None:
    assert look_up(name, NOW) is None
