"""What the names and shapes of columns say. Pure, so that the probes use it too."""

from __future__ import annotations

import re

#: A row of more numbers than this is a signal rather than features.
FEATURES = 4096
_LABEL = re.compile(r"(^|_)(labels?|targets?|class(es)?|category|categories|y|gt|truth|annotations?)(_|\d|$)", re.I)


def labels_of(names: list[str], named: str | None) -> set[str]:
    """The columns that are labels: the one that the case names, else those named so, else the last of several.

    The last, since a Model with a loss takes (data, label).
    """
    if named in names:
        return {named}
    found = {name for name in names if _LABEL.search(name)}
    return found or set(names[1:][-1:])


def layout_of(shape: tuple[int, ...]) -> str:
    """What the shape of one sample says: chw, hwc, features, scalar or values."""
    if len(shape) in (3, 4):
        if shape[-3] in (1, 3, 4) and (shape[-1] not in (1, 3, 4) or shape[-1] == shape[-2]):
            return "chw"
        if shape[-1] in (1, 3, 4):
            return "hwc"
    if len(shape) == 1:
        return "features" if 1 <= shape[0] <= FEATURES else "values"
    return "values" if shape else "scalar"
