"""What the hooks of a watched run tell of themselves."""

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
