"""The live probes that load the current checkpoint ask first whether it is a file."""

from pathlib import Path

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import UserError


@pytest.mark.parametrize("name", ["activations", "batch_size_live", "input_dependence", "mode_switch"])
@pytest.mark.parametrize(("folder", "code"), [(False, "not-found"), (True, "is-directory")])
def test_a_checkpoint_that_is_no_file_is_told_before_anything_runs(
    tmp_path: Path, name: str, folder: bool, code: str
) -> None:
    if folder:
        (tmp_path / "net.ckpt").mkdir()
    keys = {"network": {"call": "net:Net"}, "checkpoints": {"current": "net.ckpt"}}  # there is no net.py to run
    case = Case(root=str(tmp_path), spec=msgspec.convert(keys, CaseFile))
    module = probe.load(name)
    with pytest.raises(UserError) as told:
        list(module.run(case, probe.params(module, {})))
    assert (told.value.code, told.value.data["path"]) == (code, str(tmp_path / "net.ckpt"))
