"""The map of layers and steps that probes of a watched run show: bounded, in the order of calls, what is not finite marked."""

import math

from accucheck.probes import _watched_networks


def test_what_is_not_finite_is_marked_and_has_no_value() -> None:
    heat = _watched_networks.heat("t", "v", [("first", {1: 0.5, 2: math.nan}), ("last", {2: 2.0, 10: math.inf})])
    assert (heat.rows, heat.columns) == (["first", "last"], ["1", "2", "10"])
    assert heat.values == [[0.5, None, None], [None, 2.0, None]]
    assert heat.marked == [[0, 1], [1, 2]] and heat.total is None


def test_a_map_of_many_layers_is_bounded_and_keeps_what_is_not_finite() -> None:
    rows = [(f"layer{row}", dict.fromkeys(range(1, 500), 1.0)) for row in range(300)]
    rows[151][1][77] = math.nan
    heat = _watched_networks.heat("t", "v", rows)
    assert len(heat.rows) <= 60 and len(heat.columns) == 60 and heat.total == 300
    assert heat.rows[0] == "layer0" and heat.rows[-1] == "layer299" and "layer151" in heat.rows
    assert (heat.columns[0], heat.columns[-1]) == ("1", "499")
    assert heat.marked == [[heat.rows.index("layer151"), heat.columns.index("77")]]
