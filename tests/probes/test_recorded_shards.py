"""Samples by rank, as recordings hold them; what real trainings record: test_recorded_order.py."""

from accucheck import Recorder
from accucheck import case as cases
from accucheck.model import Finding, Level
from accucheck.probes import recorded_shards


def test_words_of_two_ranks_are_compared_as_they_are(tmp_path):
    names = [f"{n}.jpg" for n in range(40)]
    for rank, part in enumerate((names[:24], names[16:])):
        with Recorder(tmp_path / "run[1].jsonl", rank=rank) as recorder:
            recorder.step(loss=1.0, epoch=1, samples=part)
    case = cases.load(tmp_path, ["curves.train=run[1].rank1.jsonl"])
    found = [one for one in recorded_shards.run(case, recorded_shards.Params()) if isinstance(one, Finding)]
    assert [(one.code, one.level) for one in found] == [("overlap", Level.PROBLEM)]
    assert (found[0].data["repeated"], found[0].data["samples"]) == (8, 40)
    assert found[0].evidence[0].rows == [[0, 1, 8]]
