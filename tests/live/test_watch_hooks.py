"""What the hooks of a watched run tell of themselves, and which cells they look at."""

import pytest

from accucheck.live.inside.watch.hooks import shown


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            RuntimeError("The kernel DropoutExt unregistered.\n\n----\n- C++ Call Stack:\nfile.cc:244 Create\n"),
            "RuntimeError('The kernel DropoutExt unregistered.')",
        ),
        (ValueError("one line"), "ValueError('one line')"),
        (KeyError(), "KeyError()"),
    ],
)
def test_an_error_is_told_without_the_stack_of_c_plus_plus(error, told):
    assert shown(error) == told


def test_layers_with_weights_are_told_from_what_only_holds_them():
    """A first layer that is passed over makes the second one the first, and inputs out of range then look as if the network scaled them."""
    nn = pytest.importorskip("mindspore.nn")
    from accucheck.live.inside.watch.passes import mixes

    layers = [nn.Dense(3, 2), nn.Dense(3, 2, activation="relu"), nn.Conv2d(1, 2, 3), nn.LSTM(3, 2), nn.GRU(3, 2)]
    others = [nn.SequentialCell(layers[:2]), nn.LayerNorm((3,)), nn.BatchNorm1d(3), nn.ReLU()]
    assert [mixes(cell) for cell in layers] == [True] * len(layers)
    assert not any(mixes(cell) for cell in others)
