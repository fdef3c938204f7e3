"""What differs between the versions of MindSpore that a training may run under, in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Cell = Any  # a mindspore.nn.Cell
Handle = Any  # has remove()

#: Names of the types of half precision. MindSpore before 2.2 has no bfloat16, so that they are not compared as types.
HALF = ("Float16", "BFloat16")


def before_calls(cell: Cell, see: Callable[[Cell, Any], None]) -> Handle:
    """Have `see` told the cell and its positional inputs whenever it is called; the handle ends that.

    A hook of MindSpore before 2.4 is given a text instead of the cell. pipeline.own_place knows called_back by its name.
    """

    def called_back(_: Any, inputs: Any) -> None:
        see(cell, inputs)

    return cell.register_forward_pre_hook(called_back)


def after_calls(cell: Cell, see: Callable[[Cell, Any, Any], None]) -> Handle:
    """The same, with what the cell gave."""

    def called_back(_: Any, inputs: Any, output: Any) -> None:
        see(cell, inputs, output)

    return cell.register_forward_hook(called_back)


def is_half(tensor: Any) -> bool:
    """Whether it holds 16-bit floats."""
    return str(tensor.dtype) in HALF


def checkpoint(path: str) -> dict[str, Any]:
    """What a file of MindSpore's holds. The argument that says which format it is came with the second format."""
    import mindspore

    held: dict[str, Any] = mindspore.load_checkpoint(
        path, **({"format": "safetensors"} if path.endswith(".safetensors") else {})
    )
    return held
