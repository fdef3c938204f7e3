import gzip
import json

import numpy as np
import polars as pl
import pytest
from PIL import Image

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.language import fill
from accucheck.model import Finding, Language, Level, Progress, Verdict, suggest
from accucheck.probes import missing_values
from accucheck.probes._missing_counts import sentinels


def examine(root, path="data", params=None, **train):
    """Findings by code, of a case whose training data are at `path`."""
    import msgspec

    case = Case(root=str(root), spec=msgspec.convert({"data": {"train": {"path": path, **train}}}, CaseFile))
    events = list(missing_values.run(case, params or missing_values.Params()))
    progress = [event for event in events if isinstance(event, Progress)]
    assert [p.done for p in progress] == sorted(p.done for p in progress)
    assert all(p.done <= p.total for p in progress)
    findings = [event for event in events if isinstance(event, Finding)]
    for finding in findings:
        for language in Language:
            text = probe.message(missing_values, finding.code, finding.data, language)
            assert "{" not in text, text
        msgspec.json.encode(finding)
        for table in finding.evidence:
            assert len(table.rows) <= 200 <= max(200, table.total)
    found = {finding.code: finding for finding in findings}
    found["verdict"] = suggest(findings)
    return found


def odd(found):
    return {code for code, finding in found.items() if code != "verdict" and finding.level is not Level.INFO}


def write(root, name, content):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def fields(finding):
    """Field -> (count, first rows) of the table of a finding."""
    return {row[1]: (row[3], row[5]) for row in finding.evidence[0].rows}


@pytest.mark.parametrize("example", missing_values.EXAMPLES, ids=lambda e: e.name)
def test_examples(example, tmp_path):
    case = example.lay_out(tmp_path)
    findings = [
        e for e in missing_values.run(case, probe.params(missing_values, example.params)) if isinstance(e, Finding)
    ]
    codes = {f.code for f in findings}
    assert {f.code for f in findings if f.level is not Level.INFO} == {
        c for c in example.codes if any(f.code == c and f.level is not Level.INFO for f in findings)
    }
    assert set(example.codes) <= codes
    assert suggest(findings) is example.verdict


# --- tables -----------------------------------------------------------------------------------------------------------


def test_every_kind_of_gap_in_a_csv_with_its_rows(tmp_path):
    lines = [f"{i},{i / 3:.3f},{'ab'[i % 2]},{i % 3}" for i in range(100)]
    lines[10] = ",1.5,a,0"
    lines[20] = "20,NA,a,1"
    lines[21] = "21,n/a,a,1"
    lines[30] = "30,nan,a,2"
    lines[40] = "40,-inf,a,2"
    lines[50] = "50,1.5,?,2"
    lines[60] = "60,1.5,a,"
    lines[70] = "70,oops,a,1"
    write(tmp_path, "train.csv", "id,x,kind,label\n" + "\n".join(lines) + "\n")
    found = examine(tmp_path, "train.csv", label="label")
    assert fields(found["empty-values"]) == {"id": (1, "10"), "label": (1, "60")}
    assert fields(found["words-in-numbers"]) == {"x": (2, "20, 21")}
    assert fields(found["nan-values"]) == {"x": (1, "30")}
    assert fields(found["infinite-values"]) == {"x": (1, "40")}
    assert fields(found["words-in-text"]) == {"kind": (1, "50")}
    assert found["words-in-text"].level is Level.SUSPECT
    assert fields(found["not-numbers"]) == {"x": (1, "70")}
    assert found["verdict"] is Verdict.PROBLEM


def test_counts_agree_with_polars_over_many_batches(tmp_path, monkeypatch):
    from accucheck.readers import tables

    monkeypatch.setattr(tables, "_ROWS", 2000)
    random = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "a": pl.Series(np.where(random.random(30_000) < 0.01, "NA", random.integers(0, 50, 30_000).astype(str))),
            "b": pl.Series(np.where(random.random(30_000) < 0.02, "", random.normal(size=30_000).round(3).astype(str))),
            "c": pl.Series(np.where(random.random(30_000) < 0.03, "null", "word")),
        }
    )
    frame.write_csv(tmp_path / "a.csv", quote_style="never")
    found = examine(tmp_path, "a.csv")
    assert found["words-in-numbers"].data["count"] == (frame["a"] == "NA").sum()
    assert found["empty-values"].data["count"] == (frame["b"] == "").sum()
    assert found["words-in-text"].data["count"] == (frame["c"] == "null").sum()
    rows = fields(found["words-in-numbers"])["a"][1]
    assert rows == ", ".join(str(i) for i in (frame["a"] == "NA").arg_true().head(5))


def test_spaces_after_separators(tmp_path):
    """As in UCI's adult.data: no header, and a space after each comma."""
    lines = [f"{20 + i % 50}, Private, {i % 9}, {'?' if i % 10 == 0 else 'Sales'}" for i in range(60)]
    lines[7] = "?, Private, 3, Sales"
    write(tmp_path, "adult.data", "\n".join(lines) + "\n")
    found = examine(tmp_path, "adult.data")
    assert odd(found) == {"words-in-numbers", "words-in-text"}
    assert fields(found["words-in-text"])["column_3"][0] == 6
    assert fields(found["words-in-numbers"]) == {"column_0": (1, "7")}


@pytest.mark.parametrize("encoding", ["gbk", "utf-16", "utf-8-sig"])
def test_chinese_tables(tmp_path, encoding):
    content = "城市,温度\n" + "".join(f"上海,{i}\n" for i in range(30)) + "深圳,\n"
    write(tmp_path, "a.csv", content.encode(encoding))
    found = examine(tmp_path, "a.csv")
    assert fields(found["empty-values"]) == {"温度": (1, "30")}


def test_declared_markers_are_told_apart_from_the_rest(tmp_path):
    lines = "".join(f"{20 + i % 40},{'unknown' if i == 5 else 'a'}\n" for i in range(50)) + "-999.0,a\n-999,a\n" * 3
    write(tmp_path, "a.csv", "age,kind\n" + lines)
    declared = {"age": {"missing": [-999]}, "kind": {"missing": ["unknown"]}}
    found = examine(tmp_path, "a.csv", fields=declared)
    assert odd(found) == {"declared-markers"}
    assert fields(found["declared-markers"]) == {"age": (6, "50, 51, 52, 53, 54"), "kind": (1, "5")}


def test_identifiers_of_mixed_form_are_text(tmp_path):
    write(tmp_path, "a.csv", "id\n" + "".join(f"{'A' if i % 4 == 0 else ''}{i}\n" for i in range(200)))
    assert odd(examine(tmp_path, "a.csv")) == set()


def test_parquet_with_lists_and_structs(tmp_path):
    pl.DataFrame(
        {
            "x": [1.0, None, float("nan")],
            "n": [1, 2, None],
            "v": [[1.0, 2.0], [float("inf")], []],
            "s": [{"a": 1, "b": "q"}, {"a": None, "b": "q"}, {"a": 3, "b": "q"}],
            "t": ["a", "b", ""],
        }
    ).write_parquet(tmp_path / "a.parquet")
    found = examine(tmp_path, "a.parquet")
    assert fields(found["null-values"]) == {"x": (1, "1"), "n": (1, "2"), "s.a": (1, "1")}
    assert fields(found["nan-values"]) == {"x": (1, "2")}
    assert fields(found["infinite-values"]) == {"v": (1, "1")}
    assert fields(found["empty-text"]) == {"t": (1, "2")}


def test_ndjson(tmp_path):
    rows = [{"x": float(i), "y": "a"} for i in range(30)]
    rows[3]["x"] = None
    del rows[4]["y"]
    rows[5]["x"] = float("nan")
    write(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    found = examine(tmp_path, "a.jsonl")
    assert fields(found["null-values"]) == {"x": (1, "3"), "y": (1, "4")}
    assert fields(found["nan-values"]) == {"x": (1, "5")}


def test_a_key_that_appears_late_was_missing_until_then(tmp_path):
    lines = [json.dumps({"x": i}) for i in range(10_000)] + [json.dumps({"x": 1, "late": 2})] * 10
    write(tmp_path, "a.jsonl", "\n".join(lines) + "\n")
    found = examine(tmp_path, "a.jsonl")
    assert found["verdict"] is Verdict.PROBLEM
    assert fields(found["null-values"])["late"][0] == 10_000


# --- sentinels --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-999, -99, 9999, 1e20, -1e30, 2**31 - 1])
def test_sentinels_are_found_and_counted(tmp_path, value):
    random = np.random.default_rng(0)
    ages = random.integers(18, 90, 5000).astype(float)
    ages[[7, 100, 2000, 2001, 2002, 4000]] = value
    pl.DataFrame({"age": ages, "x": random.normal(size=5000)}).write_csv(tmp_path / "a.csv")
    found = examine(tmp_path, "a.csv")
    assert odd(found) == {"unmarked-sentinels"}
    assert fields(found["unmarked-sentinels"]) == {"age": (6, "7, 100, 2000, 2001, 2002")}
    assert found["verdict"] is Verdict.UNDECIDED


def test_a_rare_sentinel_outside_the_sample_is_found_by_the_ends_of_the_whole(tmp_path):
    values = np.tile(np.arange(1000.0), 100)
    values[[17, 33, 51, 777, 99_999]] = -9999
    pl.DataFrame({"x": values}).write_csv(tmp_path / "a.csv")
    assert fields(examine(tmp_path, "a.csv")["unmarked-sentinels"])["x"][0] == 5


def test_two_sentinels_in_one_column():
    values = np.concatenate([np.random.default_rng(0).normal(50, 10, 1000).round(1), [-99.0] * 5, [9999.0] * 8])
    assert sorted(sentinels(values)) == [-99, 9999]


@pytest.mark.parametrize(
    "values",
    [
        np.tile([-1, 0, 1], 50),
        np.tile([0, 1], 50),
        np.tile([0, 255], 50),
        np.tile(np.arange(-1, 10), 20),
        np.linspace(-1, 1, 200).round(2),
        np.append(np.random.default_rng(0).lognormal(0, 3, 5000), 1e6),
        np.random.default_rng(0).standard_cauchy(5000),
        np.random.default_rng(0).zipf(1.5, 5000).astype(float),
        np.random.default_rng(0).poisson(0.1, 5000),
        np.maximum(np.random.default_rng(0).normal(0, 1, 5000), 0),
        np.clip(np.random.default_rng(0).normal(0, 1, 5000), -2, 2),
        np.where(
            np.random.default_rng(0).random(5000) < 0.8, 0, np.random.default_rng(1).normal(1000, 30, 5000).round()
        ),
        np.full(100, -999.0),
        np.random.default_rng(0).integers(0, 256, 5000),
    ],
    ids=lambda v: f"{v.min():g}..{v.max():g}",
)
def test_ordinary_values_are_no_sentinels(values):
    assert sentinels(values) == []


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits", "linnerud"])
def test_real_tables_without_gaps_are_ok(tmp_path, name):
    from sklearn import datasets

    table = getattr(datasets, f"load_{name}")()
    columns = np.column_stack([table.data, table.target])
    pl.DataFrame(columns).write_csv(tmp_path / "train.csv")
    np.save(tmp_path / "train.npy", columns)
    found = examine(tmp_path, ["train.csv", "train.npy"])
    assert odd(found) == set()
    assert found["verdict"] is Verdict.OK


# --- arrays -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "c8", "c16"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_nan_and_inf_in_arrays(tmp_path, dtype, order):
    values = np.asarray(np.random.default_rng(0).normal(size=(500, 30)).astype(dtype), order=order)
    values[3, 4] = np.nan
    values[100, 0] = np.inf
    values[499, 29] = -np.inf
    np.save(tmp_path / "a.npy", values)
    found = examine(tmp_path, "a.npy")
    assert fields(found["nan-values"]) == {"a": (1, "3")}
    assert found["infinite-values"].data["count"] == 2
    assert {row[5] for row in found["infinite-values"].evidence[0].rows} == {"100", "499"}


def test_arrays_larger_than_a_part_agree_with_numpy(tmp_path, monkeypatch):
    from accucheck.probes import _missing_counts

    monkeypatch.setattr(_missing_counts.parts, "__defaults__", (1 << 16,))
    values = np.random.default_rng(0).normal(size=(40_000, 7)).astype("f4")
    values[np.random.default_rng(1).random(values.shape) < 0.001] = np.nan
    np.save(tmp_path / "a.npy", values)
    found = examine(tmp_path, "a.npy")
    rows = np.flatnonzero(np.isnan(values).any(axis=1))[:3]
    assert found["nan-values"].data["count"] == np.isnan(values).sum()
    assert fields(found["nan-values"])["a"][1].startswith(", ".join(map(str, rows)))


def test_structured_dates_texts_and_objects(tmp_path):
    table = np.zeros(50, dtype=[("x", "f4"), ("when", "M8[D]"), ("v", "f8", (2,)), ("name", "U4")])
    table["x"] = np.arange(50)
    table["name"] = "abc"
    table["x"][4] = np.nan
    table["when"][5] = "NaT"
    table["v"][6, 1] = np.inf
    table["name"][7] = "NA"
    table["name"][8] = ""
    np.save(tmp_path / "a.npy", table)
    np.save(tmp_path / "b.npy", np.array([None, {}], dtype=object))
    found = examine(tmp_path, ["a.npy", "b.npy"])
    assert fields(found["nan-values"]) == {"a.x": (1, "4")}
    assert fields(found["null-values"]) == {"a.when": (1, "5")}
    assert fields(found["infinite-values"]) == {"a.v": (1, "6")}
    assert fields(found["words-in-text"]) == {"a.name": (1, "7")}
    assert fields(found["empty-text"]) == {"a.name": (1, "8")}
    assert found["not-examined"].incomplete


def test_a_sentinel_in_one_column_of_an_array(tmp_path):
    random = np.random.default_rng(0)
    values = np.column_stack([random.integers(18, 90, 4000), random.normal(50_000, 20_000, 4000)]).astype("f4")
    values[[1, 5, 3000], 0] = -999
    np.save(tmp_path / "a.npy", values)
    found = examine(tmp_path, "a.npy")
    assert fields(found["unmarked-sentinels"]) == {"a": (3, "1, 5, 3000")}
    declared = examine(tmp_path, "a.npy", fields={"a": {"missing": [-999]}})
    assert odd(declared) == {"declared-markers"}
    assert fields(declared["declared-markers"]) == {"a": (3, "1, 5, 3000")}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path, save):
    x = np.random.default_rng(0).normal(size=(300_000, 3)).astype("f4")
    x[200_000, 1] = np.nan
    save(tmp_path / "a.npz", x=x, y=np.arange(300_000) % 10)
    found = examine(tmp_path, "a.npz")
    assert fields(found["nan-values"]) == {"x": (1, "200000")}
    assert found["examined"].data["cells"] == 1_200_000


# --- MindRecord -------------------------------------------------------------------------------------------------------


@pytest.mark.mindspore
def test_mindrecord(tmp_path):
    from mindspore.mindrecord import FileWriter

    schema = {
        "label": {"type": "int32"},
        "score": {"type": "float64"},
        "name": {"type": "string"},
        "feat": {"type": "float32", "shape": [-1]},
        "image": {"type": "bytes"},
    }
    (tmp_path / "data").mkdir()
    for name, shards, faulty in (("bad.mindrecord", 1, True), ("good.mindrecord", 2, False)):
        writer = FileWriter(str(tmp_path / "data" / name), shard_num=shards, overwrite=True)
        writer.add_schema(schema, "test")
        writer.add_index(["label"])  # MindSpore itself aborts when a scalar that it indexes is NaN
        for i in range(40):
            feat = np.array([1, 2, np.inf if faulty and i == 7 else 3], np.float32)
            score = float("nan") if faulty and i == 9 else i / 7
            image = b"" if faulty and i == 11 else b"abc"
            writer.write_raw_data([{"label": i % 3, "score": score, "name": "n", "feat": feat, "image": image}])
        writer.commit()
    found = examine(tmp_path, "data/bad.mindrecord")
    assert fields(found["infinite-values"]) == {"feat": (1, "7")}
    assert fields(found["nan-values"]) == {"score": (1, "9")}
    assert fields(found["empty-values"]) == {"image": (1, "11")}
    good = [f"data/good.mindrecord{i}" for i in range(2)]
    assert examine(tmp_path, good)["verdict"] is Verdict.OK
    (tmp_path / "data/good.mindrecord1").unlink()
    found = examine(tmp_path, good[:1])
    assert found["unreadable"].level is Level.PROBLEM


# --- folders ----------------------------------------------------------------------------------------------------------


def test_a_folder_of_everything(tmp_path):
    write(tmp_path, "data/a/train.csv", "x,y\n1,2\n3,4\n")
    write(tmp_path, "data/README.md", "about\n")
    write(tmp_path, "data/make.py", "pass\n")
    write(tmp_path, "data/list.md5", "x\n")
    write(tmp_path, "data/.hidden.csv", "x\n,\n")
    (tmp_path / "data/loop").symlink_to(tmp_path / "data")
    np.save(tmp_path / "data/x.npy", np.ones(5))
    Image.new("RGB", (8, 8)).save(tmp_path / "data/cat.jpg")
    found = examine(tmp_path)
    assert found["verdict"] is Verdict.OK
    assert (found["examined"].data["files"], found["examined"].data["images"]) == (3, 1)
    write(tmp_path, "data/notes.txt", "free text\n")
    write(tmp_path, "data/table.csv.gz", gzip.compress(b"x,y\n1,2\n3,4\n"))
    found = examine(tmp_path)
    assert (found["verdict"], found["examined"].data["files"]) == (Verdict.OK, 5)
    write(tmp_path, "data/archive.zip", b"PK\x03\x04" + bytes(40))
    write(tmp_path, "data/config.json", '{"a": 1}')
    write(tmp_path, "data/annotations.json", '{"a": 1}')
    found = examine(tmp_path)
    assert found["verdict"] is Verdict.UNDECIDED
    assert found["not-examined"].data["count"] == 2


def test_images_of_all_states(tmp_path):
    for i in range(70):
        (tmp_path / f"data/c{i % 2}").mkdir(parents=True, exist_ok=True)
        Image.effect_noise((40, 40), 50).save(tmp_path / f"data/c{i % 2}/{i:02}.jpg")
    path = tmp_path / "data/c0/04.jpg"
    path.write_bytes(path.read_bytes()[:300])
    write(tmp_path, "data/c1/05.jpg", b"")
    write(tmp_path, "data/c0/06.jpg", b"<html>404</html>")
    found = examine(tmp_path)
    assert odd(found) == {"images-truncated", "images-empty", "images-undecodable"}
    assert found["images-truncated"].evidence[0].rows[0][0] == "data/c0/04.jpg"
    assert found["images-truncated"].data["files"] == 70


def test_damaged_files_are_problems_and_doubtful_ones_gaps(tmp_path):
    pl.DataFrame({"x": [1, 2]}).write_parquet(tmp_path / "a.parquet")
    write(tmp_path, "data/a.parquet", (tmp_path / "a.parquet").read_bytes()[:-20])
    found = examine(tmp_path)
    assert found["unreadable"].level is Level.PROBLEM
    assert "不完整" in probe.message(missing_values, "unreadable", found["unreadable"].data, Language.ZH)
    (tmp_path / "data/a.parquet").unlink()
    write(tmp_path, "data/a.csv", "a,b\n1,2\n3,4,5\n")
    found = examine(tmp_path)
    assert found["unreadable"].incomplete
    assert found["unreadable"].where.line == 3
    assert found["verdict"] is Verdict.UNDECIDED


def test_many_unreadable_files_are_told_together(tmp_path):
    for i in range(30):
        write(tmp_path, f"data/{i}.npy", b"\x93NUMPY")
    found = examine(tmp_path)
    assert found["unreadable-more"].data["count"] == 10
    assert found["verdict"] is not Verdict.OK


def test_missing_path_empty_folder_and_address(tmp_path):
    with pytest.raises(ReadError) as error:
        examine(tmp_path, "nowhere")
    assert error.value.code == "not-found"
    (tmp_path / "data").mkdir()
    assert examine(tmp_path)["no-data"].incomplete


def test_the_same_file_for_two_roles_is_read_once(tmp_path):
    write(tmp_path, "a.csv", "x\n1\n2\n")
    case = Case(root=str(tmp_path), spec=CaseFile())
    assert probe.missing(missing_values, case) == ["data.train.path | data.eval.path"]
    import msgspec

    spec = msgspec.convert({"data": {"train": {"path": "a.csv"}, "eval": {"path": "a.csv"}}}, CaseFile)
    events = missing_values.run(Case(root=str(tmp_path), spec=spec), missing_values.Params())
    assert [e.code for e in events if isinstance(e, Finding)] == ["examined"]


def test_importing_the_probe_loads_nothing_heavy():
    import subprocess
    import sys

    code = "import sys, accucheck.probes.missing_values; print({'numpy', 'polars', 'PIL'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def test_blank_lines_are_told_apart_from_samples_without_text_or_label(tmp_path):
    lines = [f"__label__{'ab'[n % 2]} number {n}" for n in range(100)]
    lines[10] = lines[20] = ""
    lines[30] = "__label__a "
    lines[40] = "no label here"
    write(tmp_path, "data/train.txt", "\n".join(lines) + "\n\n")
    found = examine(tmp_path)
    assert odd(found) == {"blank-lines", "empty-text", "null-values"}
    assert fields(found["blank-lines"]) == {"text": (2, "10, 20")}
    assert fields(found["empty-text"]) == {"text": (1, "30")}
    assert fields(found["null-values"]) == {"label": (1, "40")}
    lines = ["\t".join((f"第{n}条新闻", ("体育", "财经")[n % 2])) for n in range(200)]
    lines[70] = ""
    lines[50] = lines[50].replace("体育", "")
    write(tmp_path, "data/train.txt", "\n".join(lines))
    found = examine(tmp_path, label="label")
    assert fields(found["blank-lines"]) == {"text": (1, "70")}
    assert fields(found["empty-values"]) == {"label": (1, "50")}


def test_one_field_of_three_files_is_one_field(tmp_path):
    rows = "age,b\n" + "".join(f"{20 + n % 40},{n}\n" for n in range(60)) + ",3\n"
    for number in range(3):
        write(tmp_path, f"data/{number}.csv", rows)
    found = examine(tmp_path)
    said = found["empty-values"]
    assert (said.data["count"], said.data["fields"], len(said.evidence[0].rows)) == (3, 1, 3)
    assert "3 empty values in 1 field;" in probe.message(missing_values, said.code, said.data, Language.EN)


def test_a_table_of_numbers_as_pandas_writes_it_is_in_order(tmp_path):
    rows = "".join(f"{n},{n * 1.5},{n * 2.5},{n % 7}.5\n" for n in range(60))
    assert examine(tmp_path, write(tmp_path, "train.csv", f",0,1,2\n{rows}"))["verdict"] is Verdict.OK


def test_members_of_a_shard_are_counted_once(tmp_path):
    import io
    import tarfile

    with tarfile.open(tmp_path / "train.tar", "w") as archive:
        for number in range(20):
            for name, content in (("cls", b"1"), ("txt", b"words %d" % number)):
                info = tarfile.TarInfo(f"{number:03}.{name}")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    found = examine(tmp_path, "train.tar")
    assert found["verdict"] is Verdict.OK
    assert (found["examined"].data["cells"], found["examined"].data["fields"]) == (40, 2)


def test_one_of_a_thing_is_told_in_the_singular_and_a_column_without_a_name_as_a_dash(tmp_path):
    rows = "".join(f"{n},{n * 2},\n" for n in range(60))
    found = examine(tmp_path, write(tmp_path, "train.csv", f"a,b,\n{rows}"))
    texts = {
        code: probe.message(missing_values, code, one.data, Language.EN)
        for code, one in found.items()
        if code != "verdict"
    }
    assert any("most in - (100.00%)" in text for text in texts.values()), texts
    assert texts["examined"] == "Training data: 1 file was examined: 180 values in 3 fields."
    rows = "".join(f"{n % 40},{n}\n" for n in range(60))
    found = examine(tmp_path, write(tmp_path, "train.csv", f"age,b\n{rows},3\n"))
    text = probe.message(missing_values, "empty-values", found["empty-values"].data, Language.EN)
    assert "1 empty value in 1 field;" in text


@pytest.mark.parametrize(
    ("counts", "en", "zh"),
    [
        (
            {"files": 1, "cells": 116805, "fields": 4, "images": 0},
            "116,805 values in 4 fields.",
            "4 个字段，116,805 个值。",
        ),
        (
            {"files": 3, "cells": 0, "fields": 0, "images": 2000},
            "3 files were examined, 2,000 images.",
            "3 个文件，2,000 张图像。",
        ),
    ],
)
def test_nothing_is_said_of_what_there_is_none_of(counts, en, zh):
    told = missing_values.MESSAGES["examined"]
    assert fill(told["en"], {"role": "Training", **counts}).endswith(en)
    assert fill(told["zh"], {"role": "训练", **counts}).endswith(zh)
