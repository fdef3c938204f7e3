"""The methods that knowledge/methods.py names, asked of MindSpore itself."""

import inspect
from typing import Any

import pytest

from accucheck.knowledge import methods

#: What a method has to be given.
GIVEN = {".to_float": "float16", ".set_broadcast_flag": True, ".set_comm_fusion": 1, ".set_boost": "less_bn"}


@pytest.mark.mindspore
@pytest.mark.part(1)
def test_methods_are_those_of_mindspore() -> None:
    import mindspore
    from mindspore import dataset, nn

    cell = nn.Dense(2, 2)

    def gives(name: str) -> Any:
        given = GIVEN.get(name)
        arguments = [] if given is None else [mindspore.float16 if given == "float16" else given]
        return getattr(cell, name.removeprefix("."))(*arguments)

    assert all(gives(name) is cell for name in methods.RETURN_SELF)
    listed = {
        name: [each for each in _flat(gives(name)) if isinstance(each, mindspore.Parameter)]
        for name in methods.PARAMETERS
    }
    assert {name for name, found in listed.items() if not found} == {".untrainable_params"}
    outer = nn.SequentialCell(cell)
    assert all(any(each is cell for each in _flat(getattr(outer, name[1:])())) for name in methods.CELLS)

    def parameters(of: type, name: str) -> list[str]:
        return list(inspect.signature(getattr(of, name.removeprefix("."))).parameters)[1:]

    for name, known in methods.MODEL_RUNS.items():
        assert [one for one in parameters(mindspore.Model, name) if one in known] == known, name
    for name, known in methods.BATCHES.items():
        assert parameters(dataset.Dataset, name)[: len(known)] == known, name
    for name in methods.CHECKPOINT_READERS:
        assert "net" in inspect.signature(getattr(mindspore, name)).parameters
    for name in methods.WEIGHT_SETTERS:
        assert next(iter(inspect.signature(getattr(mindspore, name)).parameters)) in ("net", "network")


def _flat(listed: Any) -> list[Any]:
    """What a method lists, pairs of a name and what it stands for taken apart."""
    each = list(listed.items()) if isinstance(listed, dict) else list(listed)
    return [part for one in each for part in (one if isinstance(one, tuple) else (one,))]
