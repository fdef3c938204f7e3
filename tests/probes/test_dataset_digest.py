"""dataset_digest on real trees: copies, lists, public data sets, and what must never be called a problem."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from accucheck import manifest, probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError, UserError
from accucheck.knowledge import known_datasets
from accucheck.model import Finding, Language, Level, Progress, Table, Verdict, suggest
from accucheck.probes import dataset_digest
from accucheck.probes.dataset_digest import Params
from accucheck.recorder import Recorder

DATA = {f"{kind}/{n}.jpg": f"{kind} {n}".encode() for kind in ("cat", "dog") for n in range(5)}


#: What a finding says beside its words: its level, whether something stays open, and how to mend it.
MEANS: dict[str, tuple[Level, bool, str | None]] = {
    "tree": (Level.INFO, False, None),
    "empty": (Level.SUSPECT, True, None),
    "recorded-partly": (Level.SUSPECT, True, None),
    "listed-absent": (Level.SUSPECT, True, None),
    "no-reference": (Level.INFO, True, "give-reference"),
    "same-folder": (Level.INFO, True, None),
    "missing": (Level.PROBLEM, False, "copy-again"),
    "different": (Level.PROBLEM, False, "copy-again"),
    "extra": (Level.PROBLEM, False, None),
    "renamed": (Level.SUSPECT, False, None),
    "no-data": (Level.INFO, False, None),
    "outside": (Level.INFO, False, None),
    "uncovered": (Level.INFO, True, None),
    "uncompared": (Level.SUSPECT, True, None),
    "unreadable": (Level.SUSPECT, True, None),
    "not-files": (Level.INFO, False, None),
    "duplicates": (Level.INFO, False, None),
    "recognised": (Level.INFO, False, None),
    "known-missing": (Level.PROBLEM, False, "copy-again"),
    "known-undecided": (Level.INFO, True, "give-reference"),
}


def lay(root: Path, contents: dict[str, bytes] = DATA) -> Path:
    for name, content in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (1_500_000_000.25, 1_500_000_000.25))
    time.sleep(0.02)  # a later change gets another ctime
    return root


def examine(root: Path, train: object = "data", params: Params = Params(), **reference: object) -> list[Finding]:
    spec = {"data": {"train": {"path": train}, "reference": reference}}
    events = list(dataset_digest.run(Case(root=str(root), spec=msgspec.convert(spec, CaseFile)), params))
    assert all(isinstance(event, (Finding, Progress)) for event in events)
    found = [event for event in events if isinstance(event, Finding)]
    msgspec.json.encode(found)
    for finding in found:
        means = finding.level, finding.incomplete, finding.fix and finding.fix.message
        if finding.code == "restricted":
            assert means == (Level.INFO, not finding.data["used"], None)
        elif finding.code == "equal":
            assert means == (Level.INFO, not finding.data["same"], None)
        elif finding.code == "known-different":
            assert means[0] is not Level.INFO and means[1:] == (False, None)
        else:
            assert means == MEANS[finding.code], finding.code
        for language in Language:
            text = probe.message(dataset_digest, finding.code, finding.data, language)
            assert text != finding.code and "{" not in text, text
            for key in [] if finding.fix is None else [finding.fix.message]:
                assert key in dataset_digest.MESSAGES
        for table in finding.evidence:
            assert isinstance(table, Table)
            assert {table.title, *table.columns} <= set(dataset_digest.WORDS)
            assert len(table.rows) <= 200
            assert all(len(row) == len(table.columns) for row in table.rows)
    return found


def above_info(found: list[Finding]) -> set[str]:
    return {finding.code for finding in found if finding.level is not Level.INFO}


def one(found: list[Finding], code: str) -> Finding:
    [finding] = [finding for finding in found if finding.code == code]
    return finding


@pytest.mark.parametrize("example", dataset_digest.EXAMPLES, ids=lambda example: example.name)
def test_examples(example, tmp_path):
    case = example.lay_out(tmp_path)
    params = probe.params(dataset_digest, example.params)
    found = [event for event in dataset_digest.run(case, params) if isinstance(event, Finding)]
    assert above_info(found) == set(example.codes)
    assert suggest(found) is example.verdict


def test_importing_it_loads_nothing_heavy():
    heavy = "('numpy', 'polars', 'mindspore', 'hashlib')"
    code = f"import sys, accucheck.probes.dataset_digest; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- a copy or a list


def test_an_equal_copy_is_ok_and_hashed_once(tmp_path):
    lay(tmp_path / "data")
    lay(tmp_path / "good")
    found = examine(tmp_path, path="good")
    assert suggest(found) is Verdict.OK
    assert one(found, "equal").data["same"] == 10
    tree = one(found, "tree").data
    assert (tree["files"], tree["hashed"], tree["reused"], tree["bytes"]) == (10, 10, 0, 50)
    assert (one(examine(tmp_path, path="good"), "tree").data["hashed"]) == 0
    (tmp_path / "data" / "cat" / "1.jpg").write_bytes(b"other")
    found = examine(tmp_path, path="good")
    assert (one(found, "tree").data["hashed"], one(found, "tree").data["reused"]) == (1, 9)
    assert one(found, "different").data["first"] == "cat/1.jpg"
    assert one(examine(tmp_path, params=Params(full=True)), "tree").data["reused"] == 0


def test_a_change_that_keeps_size_and_mtime_is_seen(tmp_path):
    lay(tmp_path / "data")
    lay(tmp_path / "good")
    examine(tmp_path, path="good")
    lay(tmp_path / "data", {"cat/0.jpg": b"dog 0"})
    assert above_info(examine(tmp_path, path="good")) == {"different"}


def test_nothing_but_dot_accucheck_is_written(tmp_path):
    lay(tmp_path / "data")
    lay(tmp_path / "good")
    before = set(tmp_path.rglob("*"))
    examine(tmp_path, path="good")
    after = set(tmp_path.rglob("*")) - before
    assert {path.relative_to(tmp_path).parts[0] for path in after} == {".accucheck"}
    assert not [path for path in after if path.suffix == ".journal"]


def test_without_a_place_to_write_it_works_too(tmp_path):
    lay(tmp_path / "data")
    lay(tmp_path / "good")
    (tmp_path / ".accucheck").write_text("a file where the folder should be")
    for _ in range(2):
        found = examine(tmp_path, path="good")
        assert suggest(found) is Verdict.OK
        assert one(found, "tree").data["reused"] == 0


def test_a_damaged_cache_costs_only_time(tmp_path):
    lay(tmp_path / "data")
    examine(tmp_path)
    [cache] = (tmp_path / ".accucheck").glob("manifest-*.json")
    cache.write_bytes(cache.read_bytes()[:-50])
    assert one(examine(tmp_path), "tree").data["hashed"] == 10
    assert one(examine(tmp_path), "tree").data["hashed"] == 0


def test_a_truncated_copy_is_told_with_its_size(tmp_path):
    lay(tmp_path / "good")
    lay(tmp_path / "data", {**DATA, "cat/3.jpg": b"ca", "dog/1.jpg": b"DOG 1"})
    finding = one(examine(tmp_path, path="good"), "different")
    assert (finding.level, finding.data["count"], finding.data["resized"], finding.data["size"]) == (
        Level.PROBLEM,
        2,
        1,
        2,
    )
    assert finding.evidence[0].rows[0][:3] == ["cat/3.jpg", 2, 5]


def test_missing_extra_renamed(tmp_path):
    lay(tmp_path / "good", {**DATA, "bird/0.jpg": b"bird"})
    lay(tmp_path / "data", {**DATA, "cat/new.jpg": b"new", "cat/bird.jpg": b"bird"})
    (tmp_path / "data" / "dog" / "4.jpg").unlink()
    found = examine(tmp_path, path="good")
    assert above_info(found) == {"missing", "extra", "renamed"}
    assert one(found, "missing").data["first"] == "dog/4.jpg"
    assert one(found, "extra").data["first"] == "cat/new.jpg"
    assert one(found, "renamed").level is Level.SUSPECT
    assert one(found, "renamed").evidence[0].rows[0][:2] == ["cat/bird.jpg", "bird/0.jpg"]


def test_tables_are_bounded_and_say_how_many_there_are(tmp_path):
    lay(tmp_path / "good", {f"{n:04}": b"%d" % n for n in range(500)})
    lay(tmp_path / "data", {"0000": b"0"})
    table = one(examine(tmp_path, path="good"), "missing").evidence[0]
    assert (len(table.rows), table.total) == (200, 499)


@pytest.mark.parametrize(
    "name",
    [
        "README",
        "readme.md",
        "LICENSE.txt",
        ".DS_Store",
        ".git/config",
        "x.md5",
        "data.db-journal",
        "cat/Thumbs.db",
        "__MACOSX/a",
        "cat/desktop.ini",
        "md5sums.txt",
    ],
)
def test_files_that_are_no_data_are_no_problem(tmp_path, name):
    lay(tmp_path / "data", {**DATA, name: b"1"})
    lay(tmp_path / "good")
    assert suggest(examine(tmp_path, path="good")) is Verdict.OK
    assert suggest(examine(tmp_path, train="good", path="data")) is Verdict.OK
    lay(tmp_path / "good", {name: b"2"})
    found = examine(tmp_path, path="good")
    assert suggest(found) is Verdict.OK
    assert one(found, "no-data").data["count"] == 1


@pytest.mark.parametrize("name", ["cat/9.jpg", "cat/readme.jpg.png", "logs.csv", "cat/license.jpg.part"])
def test_other_extra_files_are_a_problem(tmp_path, name):
    lay(tmp_path / "data", {**DATA, name: b"1"})
    lay(tmp_path / "good")
    assert above_info(examine(tmp_path, path="good")) == {"extra"}


@pytest.mark.skipif(shutil.which("md5sum") is None, reason="md5sum is not installed")
@pytest.mark.parametrize(
    ("command", "cwd", "into"),
    [
        ("find . -type f | sort | xargs md5sum", "data/train", "sums.md5"),
        ("find * -type f | sort | xargs md5sum -b", "data/train", "data/train/sums.md5"),
        ("find train val -type f | sort | xargs md5sum", "data", "data/sums.md5"),
        ("find $PWD/train -type f | sort | xargs md5sum --tag", "data", "sums.md5"),
        ("md5sum */* > sums.txt; cat sums.txt; md5sum sums.txt", "data/train", "data/train/sums.txt"),
    ],
)
def test_lists_that_md5sum_wrote(tmp_path, command, cwd, into):
    lay(tmp_path / "data" / "train")
    lay(tmp_path / "data" / "val", {"cat/0.jpg": b"val"})
    output = subprocess.run(command, shell=True, cwd=tmp_path / cwd, capture_output=True, check=True).stdout
    (tmp_path / into).write_bytes(output)
    found = examine(tmp_path, train="data/train", manifest=into)
    assert suggest(found) is Verdict.OK
    assert one(found, "equal").data["same"] == 10
    (tmp_path / "data" / "train" / "cat" / "2.jpg").write_bytes(b"?")
    (tmp_path / "data" / "train" / "cat" / "3.jpg").unlink()
    assert above_info(examine(tmp_path, train="data/train", manifest=into)) == {"different", "missing"}


def test_our_own_manifest(tmp_path):
    lay(tmp_path / "data")
    manifest.write(manifest.build(tmp_path / "data"), tmp_path / "good.manifest.json")
    assert suggest(examine(tmp_path, manifest="good.manifest.json")) is Verdict.OK


def test_a_list_of_a_part_leaves_the_rest_undecided(tmp_path):
    lay(tmp_path / "data" / "train")
    lay(tmp_path / "data" / "val", {"1.png": b"val"})
    lines = [f"{hashlib.md5(content).hexdigest()}  {name}" for name, content in DATA.items()]
    (tmp_path / "list").write_text("\n".join(lines))
    found = examine(tmp_path, manifest="list")
    assert above_info(found) == set()
    assert one(found, "uncovered").data["count"] == 1
    assert "equal" not in {finding.code for finding in found}
    assert suggest(found) is Verdict.UNDECIDED


def test_the_folder_itself_proves_nothing(tmp_path):
    lay(tmp_path / "data")
    (tmp_path / "good").symlink_to("data")
    found = examine(tmp_path, path="good")
    assert one(found, "same-folder").data == {"reference": "good"}
    assert suggest(found) is Verdict.UNDECIDED


def test_one_file_against_another_of_any_name(tmp_path):
    lay(tmp_path, {"train.csv": b"x,y\n1,2\n", "good.csv": b"x,y\n1,2\n", "bad.csv": b"x,y\n1,3\n"})
    assert suggest(examine(tmp_path, train="train.csv", path="good.csv")) is Verdict.OK
    assert above_info(examine(tmp_path, train="train.csv", path="bad.csv")) == {"different"}


def test_several_paths(tmp_path):
    lay(tmp_path / "data")
    lay(tmp_path / "good")
    found = examine(tmp_path, train=["data/cat", "data/dog"], path="good")
    assert suggest(found) is Verdict.OK
    assert one(found, "equal").data["same"] == 10
    found = examine(tmp_path, train=["data/cat/0.jpg", "data/cat/1.jpg"], path="good/cat")
    assert one(found, "missing").data["count"] == 3


@pytest.mark.parametrize("more", [{"train": ["memory://a", "data"]}, {"train": "memory://a", "files": "list"}])
def test_an_address_is_looked_at_alone(tmp_path, more):
    lay(tmp_path / "data")
    (tmp_path / "list").write_text("cat/0.jpg\n")
    with pytest.raises(probe.Skip) as skipped:
        examine(tmp_path, **more)
    assert (skipped.value.reason.code, skipped.value.reason.data) == ("address-alone", {"path": "memory://a"})


def test_an_empty_folder_is_suspect(tmp_path):
    (tmp_path / "data").mkdir()
    found = examine(tmp_path)
    assert above_info(found) == {"empty"}
    lay(tmp_path / "good")
    assert "missing" in above_info(examine(tmp_path, path="good"))


def test_duplicates_are_told(tmp_path):
    lay(tmp_path / "data", {"a": b"1", "b": b"1", "c": b"2", "d": b"", "e": b""})
    finding = one(examine(tmp_path), "duplicates")
    assert (finding.level, finding.data) == (Level.INFO, {"groups": 1, "files": 2})


def test_what_cannot_be_read_leaves_it_undecided(tmp_path):
    lay(tmp_path / "good")
    lay(tmp_path / "data")
    (tmp_path / "data" / "cat" / "0.jpg").unlink()
    (tmp_path / "data" / "cat" / "0.jpg").symlink_to("gone")
    os.mkfifo(tmp_path / "data" / "fifo")
    found = examine(tmp_path, path="good")
    assert above_info(found) == {"unreadable", "uncompared"}
    assert one(found, "unreadable").data["first"] == "cat/0.jpg"
    assert one(found, "not-files").level is Level.INFO
    assert suggest(found) is Verdict.UNDECIDED


def test_names_that_are_no_text(tmp_path):
    for folder in ("data", "good"):
        (tmp_path / folder).mkdir()
        for name in (b"\xd6\xd0.jpg", b"a\nb.jpg"):
            with open(os.path.join(os.fsencode(tmp_path), folder.encode(), name), "wb") as stream:
                stream.write(folder.encode())
    finding = one(examine(tmp_path, path="good"), "different")
    assert [row[0] for row in finding.evidence[0].rows] == ["a\nb.jpg", "\\xd6\\xd0.jpg"]


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ({"path": "gone"}, "not-found"),
        ({"manifest": "gone"}, "not-found"),
        ({"manifest": "data"}, "is-directory"),
        ({"files": "gone"}, "not-found"),
        ({"files": "data"}, "is-directory"),
        ({"files": "empty"}, "empty"),
        ({"manifest": "empty"}, "empty"),
    ],
)
def test_bad_input_is_named(tmp_path, reference, code):
    lay(tmp_path / "data")
    (tmp_path / "empty").touch()
    with pytest.raises(ReadError) as caught:
        examine(tmp_path, **reference)
    assert caught.value.code == code
    with pytest.raises(ReadError):
        examine(tmp_path, train=["data", "nowhere"])


# --- limited to the files a training opened


def test_a_list_of_opened_files_limits_it(tmp_path):
    lay(tmp_path / "data", {**DATA, "cat/extra.jpg": b"extra", "dog/1.jpg": b"changed"})
    lay(tmp_path / "good")
    opened = [
        "cat/0.jpg",
        str(tmp_path / "data" / "cat" / "1.jpg"),
        "data/dog/0.jpg",
        "/usr/lib/libc.so",
        "cat/gone.jpg",
        "cat",
    ]
    (tmp_path / "opened.txt").write_bytes("\r\n".join(opened).encode("utf-8-sig"))
    found = examine(tmp_path, path="good", files="opened.txt")
    assert suggest(found) is Verdict.UNDECIDED
    assert one(found, "listed-absent").evidence[0].rows == [["cat/gone.jpg"]]
    assert one(found, "equal").data["same"] == 3
    assert one(found, "tree").data["files"] == 3
    numbers = one(found, "restricted").data
    assert (numbers["listed"], numbers["used"], numbers["outside"]) == (6, 4, 1)
    (tmp_path / "opened.txt").write_text("dog/1.jpg\n")
    assert above_info(examine(tmp_path, path="good", files="opened.txt")) == {"different"}


def test_a_list_that_fits_nothing_decides_nothing(tmp_path):
    lay(tmp_path / "data")
    lay(tmp_path / "good")
    (tmp_path / "opened.txt").write_text("/elsewhere/a\n")
    found = examine(tmp_path, path="good", files="opened.txt")
    assert one(found, "restricted").incomplete
    assert suggest(found) is Verdict.UNDECIDED


# --- no standard, and the public data sets


def test_without_a_standard_the_digest_is_kept_and_nothing_decided(tmp_path):
    lay(tmp_path / "data")
    found = examine(tmp_path)
    finding = one(found, "no-reference")
    assert finding.incomplete
    assert finding.data["digest"] == manifest.tree_digest(manifest.build(tmp_path / "data"))
    assert suggest(found) is Verdict.UNDECIDED


@pytest.fixture
def pets(monkeypatch) -> dict[str, bytes]:
    """A published data set small enough for a test, beside the real ones."""
    contents = {
        "pets-py/train_1": b"one",
        "pets-py/train_2": b"two",
        "pets-py/test_batch": b"three",
        "pets.zip": b"zip",
    }
    real = known_datasets.load()
    mine = [
        known_datasets.KnownFile(
            "Pets-3",
            name,
            "archive" if name == "pets.zip" else "extracted",
            hashlib.md5(text).hexdigest(),
            "here",
            len(text),
        )
        for name, text in contents.items()
    ]
    monkeypatch.setattr(known_datasets, "load", lambda: [*real, *mine])
    return contents


def test_a_known_set_that_is_whole(tmp_path, pets):
    lay(tmp_path / "data", {**pets, "README": b"pets"})
    for reference in ({}, {"known": "pets 3"}, {"known": "PETS"}):
        found = examine(tmp_path, **reference)
        assert suggest(found) is Verdict.OK
        assert one(found, "recognised").data == {"count": 4, "dataset": ["Pets-3"]}


def test_only_the_training_part_is_needed(tmp_path, pets):
    lay(tmp_path / "data", {"a/train_1": b"one", "b/train_2": b"two"})
    assert suggest(examine(tmp_path, known="pets3")) is Verdict.OK
    (tmp_path / "data" / "b" / "train_2").unlink()
    found = examine(tmp_path, known="pets3")
    assert above_info(found) == {"known-missing"}
    assert one(found, "known-missing").data["first"] == "pets-py/train_2"
    assert suggest(examine(tmp_path)) is Verdict.UNDECIDED


def test_a_known_name_with_another_content(tmp_path, pets):
    lay(tmp_path / "pets-py", {"train_1": b"one", "train_2": b"tw"})
    finding = one(examine(tmp_path, train="pets-py", known="pets3"), "known-different")
    assert (finding.level, finding.data["size"], finding.data["expected"]) == (Level.PROBLEM, 2, "3")
    found = examine(tmp_path, train="pets-py")
    assert one(found, "known-different").level is Level.SUSPECT
    assert suggest(found) is Verdict.UNDECIDED
    lay(tmp_path / "mine", {"train_1": b"my own", "train_2": b"data"})
    assert above_info(examine(tmp_path, train="mine")) == set()
    shutil.copytree(tmp_path / "pets-py", tmp_path / "copy")
    assert suggest(examine(tmp_path, train="pets-py", path="copy")) is Verdict.OK


def test_an_archive_says_nothing_of_what_was_extracted(tmp_path, pets):
    lay(tmp_path / "data", {"pets.zip": b"zip", "cat/1.jpg": b"cat"})
    for reference in ({}, {"known": "pets3"}):
        found = examine(tmp_path, **reference)
        assert above_info(found) == set()
        assert suggest(found) is Verdict.UNDECIDED
    lay(tmp_path / "data", {"pets.zip": b"zapped"})
    assert above_info(examine(tmp_path, known="pets3")) == {"known-different"}


def test_an_archive_packed_anew_beside_a_whole_copy_is_only_suspect(tmp_path, pets):
    lay(tmp_path / "data", {**pets, "pets.zip": b"packed anew"})
    assert one(examine(tmp_path, known="pets3"), "known-different").level is Level.SUSPECT


def test_files_of_no_known_name_are_undecided(tmp_path, pets):
    lay(tmp_path / "data")
    found = examine(tmp_path, known="pets3")
    assert one(found, "known-undecided").incomplete
    assert suggest(found) is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("name", "datasets"),
    [
        ("mnist", {"MNIST"}),
        ("cifar10", {"CIFAR-10"}),
        ("ImageNet", {"ImageNet ILSVRC2012"}),
        ("fashion_mnist", {"Fashion-MNIST"}),
    ],
)
def test_names_of_known_sets(name, datasets):
    assert {entry.dataset for entry in known_datasets.of_dataset(name)} == datasets


def test_an_unknown_set_is_named_with_the_nearest():
    for name in ("CIFAR-11", "", "-"):
        with pytest.raises(UserError) as caught:
            known_datasets.of_dataset(name)
        assert caught.value.code == "unknown-dataset"
    with pytest.raises(UserError, match="CIFAR-10"):
        known_datasets.of_dataset("CIFAR-11")


def test_the_published_list_is_sound():
    known = known_datasets.load()
    assert len(known) > 100
    assert len({entry.md5 for entry in known}) == len(known)
    for entry in known:
        assert manifest._is_md5(entry.md5)
        assert entry.kind in ("archive", "extracted", "file")
        assert entry.source
        assert entry.size is None or entry.size > 0
        assert (entry.kind == "archive") == entry.file.endswith((".gz", ".zip", ".tar", ".tgz"))
    path = Path(known_datasets.__file__).with_suffix(".json")
    assert len(json.loads(path.read_text())) == len(known)
    # The size of an idx file follows from its format: 16 or 8 bytes of head, then 28 x 28 bytes or 1 byte a sample.
    sizes = {(entry.name, entry.size) for entry in known if entry.name.endswith("-ubyte")}
    assert sizes == {
        (f"{part}-{what}-ubyte", head + count * each)
        for part, count in (("train", 60_000), ("t10k", 10_000))
        for what, head, each in (("images-idx3", 16, 784), ("labels-idx1", 8, 1))
    }


def test_a_recording_names_the_opened_files(tmp_path):
    """As accucheck.Recorder wrote it, while some of the files were read; one that was not closed is told."""
    lay(tmp_path / "data")
    lay(tmp_path / "standard", {**DATA, "cat/1.jpg": b"other", "dog/4.jpg": b"never opened"})
    recorder = Recorder(tmp_path / "run.jsonl", opened=tmp_path / "data")
    for name in ("cat/0.jpg", "cat/1.jpg"):
        (tmp_path / "data" / name).read_bytes()
        recorder.step(loss=1)
    recorder.close()
    found = examine(tmp_path, path="standard", files="run.jsonl")
    assert one(found, "restricted").data["used"] == 2
    assert one(found, "tree").data["files"] == 2
    assert above_info(found) == {"different"}
    lines = (tmp_path / "run.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run.jsonl").write_bytes(b"".join(lines[:-1]))
    assert above_info(examine(tmp_path, path="standard", files="run.jsonl")) == {"different", "recorded-partly"}
    (tmp_path / "run.jsonl").write_bytes(b"".join(lines[:-2]))
    with pytest.raises(ReadError) as caught:
        examine(tmp_path, path="standard", files="run.jsonl")
    assert caught.value.code == "nothing-opened"


def test_only_the_list_itself_is_left_out_and_no_file_of_its_name_elsewhere(tmp_path):
    contents = {
        f"{folder}/{name}": f"{folder}{name}".encode() for folder in "ab" for name in ("1.bin", "checksums.txt")
    }
    lay(tmp_path / "data", contents)
    sums = {name: hashlib.md5(content).hexdigest() for name, content in contents.items()}
    own = hashlib.md5(b"").hexdigest()  # while it was written
    for prefix in ("", "data/", f"{tmp_path}/data/"):
        lines = [f"{md5}  {prefix}{name}\n" for name, md5 in sums.items()]
        (tmp_path / "data" / "checksums.txt").write_text("".join([*lines, f"{own}  {prefix}checksums.txt\n"]))
        found = examine(tmp_path, manifest="data/checksums.txt")
        assert one(found, "equal").data["same"] == 4, prefix
        assert not {finding.code for finding in found} & {"missing", "extra", "outside", "no-data", "uncovered"}
    (tmp_path / "data" / "b" / "checksums.txt").write_text("changed")
    assert one(examine(tmp_path, manifest="data/checksums.txt"), "different").data["count"] == 1


def test_files_that_are_no_data_are_told_by_what_differs(tmp_path):
    lay(tmp_path / "data", {**DATA, "README.md": b"here", "train.log": b""})
    lay(tmp_path / "copy", {**DATA, "README.md": b"there"})
    tables = one(examine(tmp_path, path="copy"), "no-data").evidence
    assert [(table.title, table.columns, table.rows) for table in tables] == [
        ("different", ["file"], [["README.md"]]),
        ("extra", ["file"], [["train.log"]]),
    ]
    assert all(table.title in dataset_digest.WORDS for table in tables)
