"""What static probes say is complete in both languages: no gap where a name should be, no bare sign, no table that is not shown."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from accucheck import probe
from accucheck.language import Language
from accucheck.model import Finding, Kind, Table

STATIC = [name for name in probe.names() if probe.load(name).KIND is Kind.STATIC]
WRONG = {
    "a gap": r"  |^\s|\s$|（\s*）|(?<!\w)\(\s*\)|“”|: ?[.,;](?:\s|$)|：[。，；]",
    "a blank that nothing fills": r"\{\w*\}",
    "a sign as a name": r"(?:^|[ :：])(?:-|\*\*|\[\])(?=[.,;。，；]|$)",
    "an operator as a name": r"\bWhat \W+ computes\b",
    "a gap before a stop": r"\w [,;](?:\s|$)",
    "one of several": r"(?<![\d.,])1 (?:classes|layers|places|rows|steps|values|parameters|inputs|lines|scripts|weights|samples)\b",
    "a path of this machine": r"(?<![\w.])/(?:tmp|root|home|private|Users)/",
}


def spoken(name: str, folder: Path) -> Iterator[tuple[str, Finding, str]]:
    module = probe.load(name)
    for number, example in enumerate(module.EXAMPLES):
        root = folder / str(number)
        root.mkdir()
        for event in module.run(example.lay_out(root), probe.params(module, example.params)):
            if isinstance(event, Finding):
                for language in Language:
                    yield example.name, event, probe.message(module, event.code, event.data, language)


@pytest.mark.part(40)
@pytest.mark.parametrize("name", STATIC)
def test_each_text_is_complete(name: str, tmp_path: Path) -> None:
    seen = 0
    for example, finding, text in spoken(name, tmp_path):
        seen += 1
        assert text, (example, finding.code)
        for what, pattern in WRONG.items():
            assert not re.search(pattern, text), f"{what}: {example}: {finding.code}: {text!r}"
        if re.search(r"(?<![\w.])table\b(?! of)|见表|下表", text):
            assert any(isinstance(part, Table) for part in finding.evidence), (example, finding.code, text)
    assert seen, "no example says anything"
