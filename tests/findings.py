"""What a probe tells of a case, for the tests of probes; each finding with words in both languages."""

from __future__ import annotations

from typing import Any

import msgspec

from accucheck import probe
from accucheck.case import Case
from accucheck.model import Finding, Language, Level


def found_by(module: Any, case: Case, params: Any) -> list[Finding]:
    found = [event for event in module.run(case, params) if isinstance(event, Finding)]
    msgspec.json.encode(found)
    for finding in found:
        for language in Language:
            for code in [finding.code, *([finding.fix.message] if finding.fix else [])]:
                text = probe.message(module, code, finding.data, language)
                assert text != code and "{" not in text, text
    return found


def told(found: list[Finding]) -> set[str]:
    """The codes above info."""
    return {finding.code for finding in found if finding.level is not Level.INFO}


def of_code(found: list[Finding], code: str) -> Finding:
    (finding,) = (finding for finding in found if finding.code == code)
    return finding
