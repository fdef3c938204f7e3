"""What accucheck-light depends on stands in [tool.accucheck] of the pyproject.toml of accucheck; the rest is the extra `full`."""

import re
import sys
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Extras of accucheck that are for its own development.
_OWN = {"dev", "fuzz", "mutation"}


class Metadata(MetadataHookInterface):
    """What is needed is said once, for both distributions."""

    def update(self, metadata: dict[str, Any]) -> None:
        whole = tomllib.loads(Path(self.root, "../../pyproject.toml").read_text(encoding="utf-8"))
        light = whole["tool"]["accucheck"]["light"]
        needed = whole["project"]["dependencies"]
        metadata["dependencies"] = light
        metadata["optional-dependencies"] = {
            "full": [one for one in needed if name(one) not in {name(other) for other in light}],
            **{key: value for key, value in whole["project"]["optional-dependencies"].items() if key not in _OWN},
        }


def name(requirement: str) -> str:
    """The distribution that a requirement is about."""
    return re.match(r"[\w.-]+", requirement)[0].lower()  # type: ignore[index]
