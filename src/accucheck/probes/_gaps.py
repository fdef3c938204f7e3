"""What kept a static probe from seeing everything, as findings: the same words in all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..language import Words
from ..model import Finding, Level, Where

if TYPE_CHECKING:
    from ..script.analysis import Scripts
    from ..script.folder import Folder

#: Part of the MESSAGES of every static probe.
MESSAGES: Words = {
    "unreadable": {"en": "{problem}", "zh": "{problem}"},
    "no-config": {
        "en": "{name}, which is loaded here, is not there or cannot be read below the project: its values are unknown.",
        "zh": "此处加载的 {name} 不存在或无法在工程目录下读取，其中的取值未知。",
    },
    "too-complex": {
        "en": "{path} is too deeply nested or too long to be followed to its end.",
        "zh": "{path} 嵌套过深或过长，未能完整分析。",
    },
    "too-many-files": {
        "en": "There are more than {limit:,} Python files; the rest was not read.",
        "zh": "Python 文件超过 {limit:,} 个，其余未读取。",
    },
}


def findings(scripts: Scripts | Folder) -> Iterator[Finding]:
    """A gap leaves the probe undecided unless it finds a problem. A missing configuration does not: what it would give is
    unknown, and told so where it matters."""
    for gap in scripts.gaps:
        where = Where(path=gap.path, line=gap.line)
        yield Finding(gap.code, Level.INFO, where, dict(gap.data), incomplete=gap.code != "no-config")
