"""What a release says of itself on a package index: addresses, and a README whose links and pictures lead there.

The repository's address is given, not kept: ACCUCHECK_REPOSITORY=https://HOST/OWNER/NAME python -m build. Without it there are none, and
the links of the README stay as they are.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: Where the branch and the files lie below the address of a repository, as GitHub, GitCode, Gitee and GitLab have it.
_PAGE, _FILE = "blob/{branch}", "raw/{branch}"
_PICTURES = (".svg", ".png", ".jpg", ".gif")
_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?://|#)([^)\s]+)(\))")


class Metadata(MetadataHookInterface):
    """The fields of [project] that depend on where the repository lies."""

    def update(self, metadata: dict[str, Any]) -> None:
        address = os.environ.get("ACCUCHECK_REPOSITORY", "").rstrip("/")
        branch = os.environ.get("ACCUCHECK_BRANCH", "main")
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, address, branch) if address else text,
        }
        if address:
            page = f"{address}/{_PAGE.format(branch=branch)}"
            metadata["urls"] = {
                "Homepage": address,
                "Documentation": f"{page}/docs/README.md",
                "Source": address,
                "Issues": f"{address}/issues",
                "Changelog": f"{page}/CHANGELOG.md",
            }


def absolute(text: str, address: str, branch: str) -> str:
    """Markdown whose links and pictures of the repository begin with its address."""

    def linked(match: re.Match[str]) -> str:
        target = match[2]
        kind = _FILE if target.partition("#")[0].endswith(_PICTURES) else _PAGE
        return f"{match[1]}{address}/{kind.format(branch=branch)}/{target}{match[3]}"

    return _LINK.sub(linked, text)
