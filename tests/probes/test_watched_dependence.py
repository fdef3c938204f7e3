"""What the outputs of networks of watched trainings depend on."""

import pytest

from accucheck.model import Level
from watched_trainings import judged


@pytest.mark.mindspore
@pytest.mark.parametrize(("kind", "codes"), [("joined", {"depends", "apart"}), ("lost", {"depends", "mixing"})])
def test_samples_that_act_on_each_other(watched_runs, kind, codes):
    found = judged(watched_runs[kind], "watched_dependence")
    assert found.keys() == codes
    assert found["depends"].data["names"] == ["x"]
    assert all((one.level is Level.SUSPECT) is (code == "mixing") for code, one in found.items())
    assert found["depends"].where.path == "train.py"
