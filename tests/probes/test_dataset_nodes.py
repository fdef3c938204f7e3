"""dataset_nodes on the manifests of machines: how many it takes, and what stays open."""

import msgspec
import pytest

from accucheck import manifest, probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Language, Level, Verdict, suggest
from accucheck.probe import Skip
from accucheck.probes import dataset_nodes

WHOLE = "0cc175b9c0f1b6a831c399e269772661  a.jpg\n92eb5ffee6ae2fec3ad71c777531578f  b.jpg\n"


def examine(folder, *lists):
    for number, text in enumerate(lists):
        (folder / f"node{number}.md5").write_text(text)
    spec = {"data": {"nodes": [f"node{number}.md5" for number in range(len(lists))]}}
    case = Case(root=str(folder), spec=msgspec.convert(spec, CaseFile))
    return [event for event in dataset_nodes.run(case, dataset_nodes.Params()) if isinstance(event, Finding)]


def test_one_machine_is_compared_with_nothing(tmp_path):
    with pytest.raises(Skip) as skipped:
        examine(tmp_path, WHOLE)
    assert skipped.value.reason.code == "one-node"


def test_without_lists_and_without_a_cluster_it_says_what_it_needs(tmp_path):
    (tmp_path / "data").mkdir()
    case = Case(root=str(tmp_path), spec=msgspec.convert({"data": {"train": {"path": "data"}}}, CaseFile))
    with pytest.raises(Skip) as skipped:
        list(dataset_nodes.run(case, dataset_nodes.Params()))
    assert skipped.value.reason.code == "needs-nodes"


def test_two_machines_are_enough(tmp_path):
    (found,) = examine(tmp_path, WHOLE, WHOLE)
    assert (found.code, found.level, found.data) == (
        "nodes",
        Level.INFO,
        {"same": 2, "count": 2, "names": "node0, node1"},
    )
    assert suggest([found]) is Verdict.OK


def test_of_two_machines_one_may_have_no_list(tmp_path):
    (found,) = examine(tmp_path, WHOLE, "no list\n")
    assert (found.code, found.level, found.incomplete) == ("node-failed", Level.SUSPECT, True)
    assert suggest([found]) is Verdict.UNDECIDED


def test_a_file_that_a_machine_could_not_read_leaves_it_open(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.jpg").write_text("a")
    (data / "b.jpg").symlink_to("gone")
    for number in range(2):
        manifest.write(manifest.build(data), tmp_path / f"made{number}.json")
    texts = [(tmp_path / f"made{number}.json").read_text() for number in range(2)]
    found = examine(tmp_path, *texts)
    unread = [finding for finding in found if finding.code == "node-unread"]
    assert [(one.level, one.incomplete, one.data["first"]) for one in unread] == [(Level.SUSPECT, True, "b.jpg")] * 2
    assert suggest(found) is Verdict.UNDECIDED


def test_what_differs_has_a_table_for_each_kind(tmp_path):
    other = "8" * 32 + "  b.jpg\n" + "9" * 32 + "  c.jpg\n"
    found, _ = examine(tmp_path, WHOLE, other, WHOLE)
    assert [(table.title, table.columns, table.rows) for table in found.evidence] == [
        ("missing", ["file"], [["a.jpg"]]),
        ("different", ["file"], [["b.jpg"]]),
        ("extra", ["file"], [["c.jpg"]]),
    ]
    assert found.data["first"] == "a.jpg" and {table.title for table in found.evidence} <= dataset_nodes.WORDS.keys()
    text = probe.message(dataset_nodes, "node-differs", found.data, Language.EN)
    assert "1 file missing, 1 different, 1 extra" in text


def test_data_at_an_address_have_no_copies_to_compare(tmp_path, monkeypatch):
    monkeypatch.setattr("accucheck.scan.cluster", object)
    spec = {"data": {"train": {"path": "s3://bucket/train"}}}
    case = Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))
    with pytest.raises(Skip) as skipped:
        list(dataset_nodes.run(case, dataset_nodes.Params()))
    assert skipped.value.reason.code == "address-alone"
    assert skipped.value.reason.data == {"path": "s3://bucket/train"}
