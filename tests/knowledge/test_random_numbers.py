"""What knowledge/random_numbers.py says of the functions of numpy.random and random, against what they do."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest

from accucheck.knowledge.random_numbers import (
    DRAWS_AGAIN,
    DRAWS_ONCE,
    GENERATORS,
    IN_PLACE,
    OF_VECTORS,
    sets_state,
    shared_generator,
)

ROWS = 50
MODULES: dict[str, Any] = {"numpy.random": numpy.random, "random": random}
#: What functions are given that need arguments.
GIVEN: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("numpy.random.chisquare", "numpy.random.geometric", "numpy.random.logseries"), (0.5,)),
    **dict.fromkeys(("numpy.random.pareto", "numpy.random.power", "numpy.random.weibull"), (0.5,)),
    **dict.fromkeys(("numpy.random.standard_gamma", "numpy.random.standard_t", "numpy.random.gamma"), (0.5,)),
    **dict.fromkeys(("numpy.random.beta", "numpy.random.f", "numpy.random.vonmises", "numpy.random.wald"), (1.0, 2.0)),
    "numpy.random.binomial": (9, 0.5),
    "numpy.random.bytes": (4,),
    "numpy.random.choice": (ROWS,),
    "numpy.random.dirichlet": ((1.0, 2.0),),
    "numpy.random.hypergeometric": (5, 5, 3),
    "numpy.random.multinomial": (9, (0.5, 0.5)),
    "numpy.random.multivariate_normal": ((0.0, 0.0), ((1.0, 0.0), (0.0, 1.0))),
    "numpy.random.negative_binomial": (5, 0.5),
    "numpy.random.noncentral_chisquare": (1.0, 2.0),
    "numpy.random.noncentral_f": (1.0, 2.0, 3.0),
    "numpy.random.permutation": (ROWS,),
    "numpy.random.randint": (9,),
    "numpy.random.random_integers": (9,),
    "numpy.random.shuffle": (list(range(ROWS)),),
    "numpy.random.triangular": (0.0, 1.0, 2.0),
    "numpy.random.zipf": (2.0,),
    **dict.fromkeys(("random.choice", "random.choices", "random.shuffle"), (list(range(ROWS)),)),
    "random.sample": (list(range(ROWS)), ROWS),
    **dict.fromkeys(("random.expovariate", "random.paretovariate"), (1.0,)),
    **dict.fromkeys(("random.betavariate", "random.gammavariate", "random.lognormvariate"), (1.0, 2.0)),
    **dict.fromkeys(("random.normalvariate", "random.vonmisesvariate", "random.weibullvariate"), (1.0, 2.0)),
    **dict.fromkeys(("random.gauss", "random.uniform", "random.randint"), (1, 2)),
    "random.binomialvariate": (9, 0.5),
    **dict.fromkeys(("random.getrandbits", "random.randbytes", "random.randrange"), (9,)),
}
PUBLIC = [
    f"{module}.{name}" for module, held in MODULES.items() for name in held.__all__ if callable(getattr(held, name))
]
DRAWN = [name for name in PUBLIC if shared_generator(name)]


def call(name: str) -> Any:
    module, _, last = name.rpartition(".")
    given = GIVEN.get(name, ())
    return getattr(MODULES[module], last)(*(list(one) if isinstance(one, list) else one for one in given))


def states() -> dict[str, str]:
    return {"numpy": repr(numpy.random.get_state()), "python": repr(random.getstate())}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", DRAWN)
def test_what_draws_from_a_shared_generator_moves_it_and_no_other(name: str) -> None:
    before = states()
    for _ in range(3):  # some numbers are kept for the next draw
        call(name)
    assert [kind for kind, state in states().items() if state != before[kind]] == [shared_generator(name)]


def test_each_public_function_draws_or_sets_a_state() -> None:
    assert {name for name in PUBLIC if sets_state(name)} == set(PUBLIC) - set(DRAWN)
    assert shared_generator("sampling.random.choice") == "" and not sets_state("seed")


@pytest.mark.parametrize("name", sorted(DRAWS_ONCE | DRAWS_AGAIN))
def test_draws_give_elements_once_or_several_times(name: str) -> None:
    random.seed(1)
    numpy.random.seed(1)
    given = {"numpy.random.choice": (ROWS, ROWS), "random.choices": (range(ROWS), None)}.get(name)
    if given is None:
        found = list(call(name))
    else:
        found = list(numpy.random.choice(*given)) if name.startswith("numpy") else random.choices(given[0], k=ROWS)
    assert len(found) == ROWS and found != sorted(found)
    assert (len(set(found)) == ROWS) == (name in DRAWS_ONCE)


@pytest.mark.parametrize("name", sorted(IN_PLACE))
def test_what_shuffles_in_place_gives_nothing(name: str) -> None:
    rows = list(range(ROWS))
    module, _, last = name.rpartition(".")
    assert getattr(MODULES[module], last)(rows) is None
    assert rows != sorted(rows) == list(range(ROWS))


def test_generators_of_ones_own_leave_the_shared_ones_alone() -> None:
    before = states()
    for name in GENERATORS:
        module, _, last = name.rpartition(".")
        own = getattr(MODULES[module], last)(*([numpy.random.PCG64(1)] if last == "Generator" else [1]))
        own.random()
    assert states() == before


def test_distributions_of_vectors_give_a_further_axis() -> None:
    generator = numpy.random.default_rng(1)
    given: dict[str, tuple[Any, ...]] = {"choice": (numpy.eye(3),), "multivariate_hypergeometric": ((3, 4), 2)}
    for name in OF_VECTORS:
        arguments = given.get(name) or GIVEN[f"numpy.random.{name}"]
        assert getattr(generator, name)(*arguments, size=(7,)).ndim == 2, name
