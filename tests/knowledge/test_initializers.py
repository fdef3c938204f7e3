"""What is known of initializers, against what MindSpore draws."""

from __future__ import annotations

import inspect

import pytest

from accucheck.knowledge.initializers import INITIALIZERS, by_alias

SIZE = [200, 200]


@pytest.mark.mindspore
@pytest.mark.parametrize("name", INITIALIZERS)
def test_each_draws_as_widely_as_is_said(name: str) -> None:
    import mindspore
    from mindspore.common import initializer as space

    mindspore.set_seed(1)
    known, made = INITIALIZERS[name], getattr(space, name.rpartition(".")[2])
    parameters = inspect.signature(made).parameters
    assert (list(parameters), parameters[known.of].default) == (known.parameters, known.default)
    alias = name.rpartition(".")[2].lower()
    assert by_alias(alias) is known
    for given, spread in ((made(0.5), known.factor * 0.5), (made(), known.spread), (alias, known.spread)):
        drawn = space.initializer(given, SIZE).init_data().asnumpy()
        assert drawn.std() == pytest.approx(spread, rel=0.03)
