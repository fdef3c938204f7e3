"""Manifests of several machines: which machine differs from most, and in what."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from accucheck import manifest, nodes
from accucheck.hashing import UnreadEntry
from accucheck.manifest import File, Manifest
from accucheck.nodes import Node, compare


def made(unread: str = "", **files: str) -> Manifest:
    return Manifest(
        "data", [File(name, md5, 1) for name, md5 in files.items()], unread=[UnreadEntry(unread, "x")] if unread else []
    )


def differing(*manifests: Manifest) -> tuple[dict[str, Node], int]:
    result = compare([(f"n{number}", one) for number, one in enumerate(manifests)])
    return {node.name: node for node in result.nodes if node.differs or node.unread}, result.same


def test_what_most_machines_hold_counts() -> None:
    usual = {"a": "1", "b": "2", "c": "3"}
    assert differing(made(**usual), made(**usual), made(**usual)) == ({}, 3)
    odd, same = differing(made(**usual), made(**usual | {"b": "9", "d": "4"}), made(a="1", b="2"))
    assert odd == {"n1": Node("n1", extra=["d"], different=["b"]), "n2": Node("n2", missing=["c"])} and same == 1


@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_order_of_the_machines_does_not_matter(first: int) -> None:
    machines = [made(a="1", b="2"), made(a="1", b="2"), made(a="7", c="3")]
    machines[0], machines[first] = machines[first], machines[0]
    odd, same = differing(*machines)
    (node,) = odd.values()
    assert (node.different, node.missing, node.extra, same) == (["a"], ["b"], ["c"], 0)


def test_two_machines_that_disagree_are_both_named_and_a_file_on_one_is_missing_on_the_other() -> None:
    odd, _ = differing(made(a="1", b="2"), made(a="7"))
    assert odd == {"n0": Node("n0", different=["a"]), "n1": Node("n1", different=["a"], missing=["b"])}


def test_what_could_not_be_read_does_not_vote() -> None:
    odd, same = differing(made("b", a="1"), made(a="1", b="2"), made(a="1", b="2"))
    assert odd == {"n0": Node("n0", unread=["b"])} and same == 1
    odd, _ = differing(made("b"), made("b"))
    assert all(node.unread == ["b"] and not node.differs for node in odd.values())


def test_files_of_a_folder_that_could_not_be_read_are_not_missing() -> None:
    usual = {"a": "1", "x/1": "2", "x/2": "3"}
    odd, same = differing(made(**usual), made(**usual), made("x/", a="1"))
    assert odd == {"n2": Node("n2", unread=["x/", "x/1", "x/2"])} and same == 1


def test_what_is_no_file_counts_nowhere() -> None:
    one = msgspec.structs.replace(
        made(a="1"), unread=[UnreadEntry("socket", "not-regular"), UnreadEntry("up", "link-loop")]
    )
    assert differing(one, one) == ({}, 1)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "accucheck", "manifest", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def cluster(tmp_path: Path) -> list[str]:
    """Three copies of a tree, of which the third lost one file, got another, and has a third changed; their manifests."""
    paths = []
    for number in (1, 2, 3):
        root = tmp_path / f"machine{number}"
        root.mkdir()
        for name in range(20):
            (root / f"{name}.bin").write_bytes(b"%d" % name)
        if number == 3:
            (root / "3.bin").write_bytes(b"?")
            (root / "4.bin").unlink()
            (root / "new\x1b[31m.bin").write_bytes(b"n")
        paths.append(str(tmp_path / f"node{number}.json"))
        assert run(str(root), "--output", paths[-1]).returncode == 0
        shutil.rmtree(root)
    return paths


def test_the_command_names_the_machine_and_the_files(cluster: list[str]) -> None:
    done = run("--compare", *cluster)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert "node3  missing  4.bin" in lines and "node3  different  3.bin" in lines
    assert "node1: 0 missing, 0 different, 0 extra, 0 not read" in lines and "\x1b" not in done.stdout
    assert lines[-1] == "18 files are the same on all 3 machines; 1 machine differs from most"
    plain = json.loads(run("--compare", "--json", *cluster).stdout)
    assert plain["same"] == 18 and plain["nodes"][2]["missing"] == ["4.bin"] and plain["nodes"][0]["missing"] == []
    done = run("--compare", *cluster[:2])
    assert done.returncode == 0 and "20 files are the same on all 2 machines" in done.stdout
    assert "台机器" in run("--compare", "--lang", "zh", *cluster).stdout


def test_wrong_uses_say_what_to_do(cluster: list[str], tmp_path: Path) -> None:
    for arguments, said in (
        (["--compare", cluster[0]], "two or more machines"),
        (["--compare", "--full", *cluster], "--compare takes manifests only"),
        ([str(tmp_path), str(tmp_path)], "one folder at a time"),
        (["--compare", cluster[0], str(tmp_path / "none.json")], "none.json"),
    ):
        done = run(*arguments)
        assert done.returncode == 2 and said in done.stderr and not done.stdout, arguments


def test_lists_of_md5sum_are_manifests_too(tmp_path: Path) -> None:
    (tmp_path / "a.md5").write_text(f"{'0' * 32}  x\n{'1' * 32}  y\n")
    (tmp_path / "b.md5").write_text(f"{'0' * 32}  x\n{'2' * 32}  y\n")
    said: list[str] = []
    code = nodes.command(
        [str(tmp_path / "a.md5"), str(tmp_path / "b.md5")],
        as_json=False,
        language=manifest.Language.EN,
        echo=said.append,
    )
    assert code == 1 and "b  different  y" in said
