"""The network as it is built, before any training: its parameters and where each of them stands; on request, saved as a checkpoint."""

from __future__ import annotations

from typing import Any

from .network import Cell, Setup, lines_of
from .pipeline import Tell, blamed, kinds

#: A network in which cells share cells may have more places than anybody can look at.
MOST = 200_000


class ParameterPlaces:
    """Where each Parameter stands: cells that are held several times count at each place."""

    def __init__(self, network: Cell) -> None:
        self.found: dict[int, dict[str, Any]] = {}
        self.twice: list[dict[str, Any]] = []
        self.count = 0
        self.seen: set[int] = set()
        self._walk(network, "", ())

    @property
    def whole(self) -> bool:
        return self.count < MOST

    def _walk(self, cell: Cell, prefix: str, above: tuple[int, ...]) -> None:
        if id(cell) in above or not self.whole:
            return
        held = {name: one for name, one in cell._params.items() if one is not None}
        for name, one in held.items():
            self.count += 1
            entry = self.found.setdefault(id(one), {"name": one.name, "places": [], **_facts(one)})
            entry["places"].append(prefix + name)
        if id(cell) not in self.seen:
            self.seen.add(id(cell))
            self._twice(cell, prefix, held)
            cells = {name: one for name, one in cell._cells.items() if one is not None}
            self._twice(
                cell, prefix, {name: one for name, one in cells.items() if any(True for _ in one.get_parameters())}
            )
        for name, one in cell._cells.items():
            if one is not None:
                self._walk(one, f"{prefix}{name}.", (*above, id(cell)))

    def _twice(self, cell: Cell, prefix: str, held: dict[str, Any]) -> None:
        """What stands in one cell under several names."""
        names: dict[int, list[str]] = {}
        for name, one in held.items():
            names.setdefault(id(one), []).append(name)
        for same in names.values():
            if len(same) > 1:
                listed = bool({"CellList", "SequentialCell"} & set(kinds(cell)))
                what = type(held[same[0]]).__name__
                self.twice.append({"where": prefix.rstrip("."), "names": same, "what": what, "listed": listed})


def _facts(parameter: Any) -> dict[str, Any]:
    dtype = str(parameter.dtype).lower()
    return {"shape": list(parameter.shape), "dtype": dtype, "trainable": bool(parameter.requires_grad)}


def examine(request: dict[str, Any], tell: Tell) -> None:
    """Tells "parameters"; with request["save"], a path, saves them there first."""
    import mindspore

    setup = Setup(request, tell)
    with blamed(request["network"]["call"], request["root"]):
        setup.network.init_parameters_data()
        places = ParameterPlaces(setup.network)
        if request.get("save"):
            mindspore.save_checkpoint(setup.network, request["save"])
    lines = lines_of(setup.network, request["root"])
    tell(event="parameters", found=list(places.found.values()), twice=places.twice, whole=places.whole, lines=lines)
