"""What the probes of networks in scripts share: each remark about a layer as a finding, and how many of them are told."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..language import Words
from ..model import Finding, Fix, Level, Sure, Where
from . import _gaps

if TYPE_CHECKING:
    from ..script.networks import Observation

#: No person reads more.
MAX_FINDINGS = 100
#: Words for what all these probes may have to say.
MESSAGES: Words = {
    **_gaps.MESSAGES,
    "more": {"en": "{count:,} more findings are left out.", "zh": "另有 {count:,} 条发现未列出。"},
}


def findings(
    said: Sequence[Observation],
    told: Container[str],
    suspects: Mapping[str, Sure],
    fixes: Mapping[str, str],
    whole: bool = False,
    unseen: Container[str] = (),
) -> Iterator[Finding]:
    """The remarks as findings: those in `told` are info, those in `suspects` as sure as it says, the others problems.

    Evidence is the first line of a remark's place, or with `whole` all of it. Those in `unseen` leave the probe undecided.
    """
    for one in said[:MAX_FINDINGS]:
        level, sure = Level.PROBLEM, Sure.CERTAIN if one.certain else Sure.LIKELY
        if one.code in suspects or one.possible:
            level, sure = Level.SUSPECT, suspects.get(one.code, Sure.POSSIBLE)
        fix = fixes.get(one.code)
        last = getattr(one.node, "end_lineno", None) if whole else one.line
        yield Finding(
            one.code,
            Level.INFO if one.code in told else level,
            Where(path=one.source.path, line=one.line, column=getattr(one.node, "col_offset", None)),
            one.data,
            [one.source.code(one.line, last)],
            Fix(fix, one.source.diff(*one.edit) if one.edit else None) if fix else None,
            sure=None if one.code in told else sure,
            incomplete=one.code in unseen,
        )
    if len(said) > MAX_FINDINGS:
        yield Finding("more", Level.INFO, data={"count": len(said) - MAX_FINDINGS})
