"""Dumps as MindSpore and msprobe write them, and as a broken disk or an attacker would."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accucheck.errors import ReadError
from accucheck.language import Language
from accucheck.readers.dumps import Dump, Values, examine, open_dump, steps

STAMP = 1_700_000_000_000_000


def save(folder: Path, name: str, values: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    with path.open("wb") as file:
        np.save(file, np.asarray(values))
    return path


def named(operation: str, io: str, slot: int, stamp: int, ending: str = ".DefaultFormat.Float32") -> str:
    return f"{operation.split('-')[0]}.Default_{operation}.0.0.{STAMP + stamp}.{io}.{slot}{ending}.npy"


def codes(dump: Dump) -> list[str]:
    for problem in dump.problems:
        assert all("{" not in problem.text(language) for language in Language)
    return [problem.code for problem in dump.problems]


def refused(path: Path) -> ReadError:
    with pytest.raises(ReadError) as caught:
        open_dump(path)
    assert all("{" not in caught.value.text(language) for language in Language)
    return caught.value


@pytest.mark.mindspore
class TestRealDumps:
    def test_each_file_is_a_tensor_of_an_operation_in_the_order_of_running(self, real_dumps):
        dump = open_dump(real_dumps["clean"])
        assert not dump.problems and dump.orders == ["time"]
        files = list(real_dumps["clean"].rglob("*.npy"))
        assert sorted(tensor.path for run in dump.operations for tensor in run.tensors) == sorted(map(str, files))
        assert [(found[0].rank, found[0].step) for found in steps(dump.operations)] == [(0, 0), (0, 1)]
        first = next(steps(dump.operations))
        types = [run.type for run in first]
        places = [
            types.index(name)
            for name in ("Conv2D", "BatchNorm", "ReLU", "BiasAdd", "BatchNormGrad", "Adam", "Parameter")
        ]
        assert places == sorted(places)
        convolution = first[places[0]]
        assert convolution.name == "Default_network-WithLossCell__backbone-Net_conv-Conv2d_Conv2D-op0"
        assert [(tensor.io, tensor.slot, tensor.dtype) for tensor in convolution.tensors[:2]] == [
            ("input", 0, "Float32"),
            ("input", 1, "Float32"),
        ]

    def test_values_are_those_of_numpy(self, real_dumps):
        for kind in ("clean", "log", "rows"):
            for run in open_dump(real_dumps[kind]).operations:
                for tensor in run.tensors:
                    found, values = examine(tensor), np.load(tensor.path)
                    assert found.shape == values.shape and found.count == values.size
                    if values.dtype.kind == "f":
                        good = values[np.isfinite(values)]
                        assert found.nan == np.isnan(values).sum()
                        assert (found.positive, found.negative) == ((values == np.inf).sum(), (values == -np.inf).sum())
                        assert (found.minimum, found.maximum) == (
                            (good.min(), good.max()) if good.size else (None, None)
                        )

    def test_a_part_of_a_dump_is_one_too(self, real_dumps):
        whole = open_dump(real_dumps["log"])
        (part,) = steps(open_dump(real_dumps["log"] / "rank_0" / "net" / "0" / "1").operations)
        assert [run.name for run in part] == [run.name for run in whole.operations if run.step == 1]
        assert part[0].step == 1 and part[0].rank is None


def test_no_file_of_tensors_is_opened_before_it_is_asked_for(tmp_path):
    """The first dirty tensor of 400: opened are the outputs before it, and none after it."""
    folder = tmp_path / "rank_0" / "net" / "0" / "3"
    for number in range(100):
        for slot in range(3):
            save(folder, named(f"Add-op{number}", "input", slot, 100 * number + slot), np.ones(4, np.float32))
        dirty = np.full(4, np.nan if number >= 30 else 1, np.float32)
        save(folder, named(f"Add-op{number}", "output", 0, 100 * number + 9), dirty)
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event == "open" and str(arguments[0]).endswith(".npy"):
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    dump = open_dump(tmp_path)
    assert not opened
    outputs = (tensor for run in dump.operations for tensor in run.outputs)
    first = next(tensor for tensor in outputs if not examine(tensor).finite)
    watching = False
    assert first.op == "Default_Add-op30" and dump.operations[0].step == 3
    assert len(set(opened)) == 31


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Conv2D.Default_net_conv-op1.3.7.17000000000000.input.0.Default.Float32.npy", ("Conv2D", "Default_net_conv-op1", "input", 0)),
        ("Conv2D.Conv2D-op12.0.0.1623124369613540.output.0.DefaultFormat.npy", ("Conv2D", "Conv2D-op12", "output", 0)),
        ("Conv2D.Conv2D-op12.0.0.1623124369613540.output.0.npy", ("Conv2D", "Conv2D-op12", "output", 0)),
        ("Conv2D.Conv2D-op12.0.0.1623124369613540.input_4.0.NCHW.npy", ("Conv2D", "Conv2D-op12", "input", 4)),
        ("Add.a.b.c-op1.0.0.1623124369613540.output.1.ND.BFloat16.npy", ("Add", "a.b.c-op1", "output", 1)),
        ("output.npy", ("", "output", "output", 0)),
        ("a.input.b.npy", ("", "a.input.b", "output", 0)),
        ("output.0.npy", ("", "output.0", "output", 0)),
    ],
)  # fmt: skip
def test_names_old_and_new(name, expected, tmp_path):
    save(tmp_path, name, [1.0])
    (run,) = open_dump(tmp_path).operations
    (tensor,) = run.tensors
    assert (run.type, run.name, tensor.io, tensor.slot) == expected


def test_the_order_of_execution_goes_before_time_stamps_where_it_names_all(tmp_path):
    folder = tmp_path / "rank_1" / "net" / "5" / "2"
    for stamp, name in enumerate(("Log-op0", "Add-op1", "Mul-op2")):
        save(folder, named(name, "output", 0, 10 * (3 - stamp)), [1.0])
    assert [run.type for run in open_dump(tmp_path).operations] == ["Mul", "Add", "Log"]
    order = tmp_path / "rank_1" / "execution_order" / "ms_execution_order_graph_5.csv"
    order.parent.mkdir()
    order.write_text("NodeExecutionOrder-FullNameWithScope\nDefault/Log-op0\nDefault/Add-op1\nDefault/Mul-op2\n")
    dump = open_dump(tmp_path)
    assert [run.type for run in dump.operations] == ["Log", "Add", "Mul"] and dump.orders == ["execution"]
    order.write_text("NodeExecutionOrder-FullNameWithScope\nDefault/Log-op0\nDefault/Add-op1\nDefault/Mul-op3\n")
    assert open_dump(tmp_path).orders == ["time"]


def test_an_operation_that_runs_again_is_another_run(tmp_path):
    for again in range(3):
        save(tmp_path, named("Add-op1", "input", 0, 100 * again), [1.0])
        save(tmp_path, named("Add-op1", "output", 0, 100 * again + 1), [1.0])
    runs = open_dump(tmp_path).operations
    assert [len(run.tensors) for run in runs] == [2, 2, 2]


def test_long_names_stand_in_mapping_csv(tmp_path):
    save(tmp_path, "123456789.npy", [1.0])
    save(tmp_path, named("Add-op2", "output", 0, 5), [1.0])
    (tmp_path / "mapping.csv").write_text(f"123456789.npy,{named('Log-op1', 'output', 0, 1)}\n../x.npy,y\n\n")
    first, second = open_dump(tmp_path).operations
    assert (first.type, Path(first.tensors[0].path).name) == ("Log", "123456789.npy") and second.type == "Add"


def test_plain_arrays_come_in_the_natural_order_of_their_names(tmp_path):
    for name in ("layer_10.npy", "layer_2.npy", "layer_1.npy"):
        save(tmp_path, name, np.ones(3))
    dump = open_dump(tmp_path)
    assert [run.name for run in dump.operations] == ["layer_1", "layer_2", "layer_10"] and dump.orders == ["names"]


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.complex64, np.complex128, ">f4"])
def test_types(dtype, tmp_path):
    values = np.array([1, np.nan, 3, np.inf, -2], dtype)
    (run,) = open_dump(save(tmp_path, "a.npy", values)).operations
    found = examine(run.tensors[0])
    assert (found.nan, found.positive) == (1, 1) and found.count == (10 if values.dtype.kind == "c" else 5)


def test_bfloat16_in_words_of_16_bits(tmp_path):
    bits = (np.array([1, np.nan, -np.inf, 4], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    (run,) = open_dump(save(tmp_path, named("Add-op1", "output", 0, 1, ".ND.BFloat16"), bits)).operations
    assert examine(run.tensors[0]) == Values("BFloat16", (4,), 4, 1, 0, 1, 1.0, 4.0)


def test_empty_and_whole_numbers_are_finite(tmp_path):
    for name, values in (("a", np.ones((0, 3), np.float32)), ("b", np.arange(5)), ("c", np.array([True]))):
        save(tmp_path, f"{name}.npy", values)
    assert all(examine(run.tensors[0]).finite for run in open_dump(tmp_path).operations)


def test_the_range_of_whole_numbers_is_read_where_it_is_asked_for(tmp_path):
    for name, values in (("a", np.arange(-3, 5)), ("b", np.array([True, False])), ("c", np.ones(0, np.int32))):
        save(tmp_path, f"{name}.npy", values)
    tensors = [run.tensors[0] for run in open_dump(tmp_path).operations]
    ends = [(found.minimum, found.maximum) for found in (examine(one, integers=True) for one in tensors)]
    assert sorted(ends, key=str) == [(-3.0, 4.0), (0.0, 1.0), (None, None)]
    assert all(examine(one).minimum is None for one in tensors), "what looks for overflow does not read them"


HEADER = (
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,Avg Value,Count"
)


class TestStatistics:
    def row(self, stamp: int, io: str = "output", most: str = "2.5", least: str = "-1", mean: str = "0.5") -> str:
        return f'Log,Default/net/Log-op1,3,7,{STAMP + stamp},{io},0,64,float32,"(4,4)",{most},{least},{mean},16'

    def test_rows_are_tensors(self, tmp_path):
        folder = tmp_path / "rank_0" / "net" / "0" / "4"
        folder.mkdir(parents=True)
        rows = [
            self.row(2, most="inf"),
            self.row(1, "input"),
            self.row(3, mean="nan"),
            self.row(4, least="-inf", mean="-inf"),
        ]
        (folder / "statistic.csv").write_text("\n".join([HEADER, *rows]))
        first, second, third = open_dump(tmp_path).operations
        assert (first.name, first.step) == ("Default_net_Log-op1", 4)
        assert examine(first.inputs[0]) == Values("float32", (4, 4), 16, 0, 0, 0, -1, 2.5, False, 0.5)
        assert examine(first.outputs[0]).positive == 1 and not examine(first.outputs[0]).counted
        assert examine(second.outputs[0]).nan == 1 and examine(third.outputs[0]).negative == 1

    def test_counts_are_taken_where_they_were_counted(self, tmp_path):
        header = HEADER + ",Nan Count,Negative Inf Count,Positive Inf Count"
        (tmp_path / "statistic.csv").write_text(f"{header}\n{self.row(1, most='nan')},3,0,2\n")
        (run,) = open_dump(tmp_path).operations
        found = examine(run.tensors[0])
        assert (found.nan, found.positive, found.negative, found.counted) == (3, 2, 0, True)

    def test_the_tensors_themselves_go_before_their_statistics(self, tmp_path):
        (tmp_path / "statistic.csv").write_text(f"{HEADER}\n{self.row(1)}\n")
        save(tmp_path, named("Log-op1", "output", 0, 1), [1.0])
        (run,) = open_dump(tmp_path).operations
        assert run.tensors[0].told is None

    def test_missing_columns_are_named(self, tmp_path):
        (tmp_path / "statistic.csv").write_text("Op Type,Op Name,Max Value\nLog,a,1\n")
        error = refused(tmp_path)
        assert error.code == "dump-columns" and "IO" in str(error) and "Slot" in str(error)
        (tmp_path / "statistic.csv").write_text("Op Type,Op Name,IO,Slot,MD5\nLog,a,output,0,x\n")
        assert refused(tmp_path).code == "dump-columns"

    def test_a_row_cut_off_is_passed_over_and_told(self, tmp_path):
        (tmp_path / "statistic.csv").write_text(f"{HEADER}\n{self.row(1)}\n{self.row(2)[:-20]}")
        dump = open_dump(tmp_path)
        assert len(dump.operations) == 1 and codes(dump) == ["dump-lines"]


def overflow_file(folder: Path, stamp: int, task: int, status: int = 32) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    nothing = {"model_id": 0, "stream_id": 0, "task_id": 0, "status": 0}
    content = {
        "DHA Atomic Add": nothing,
        "L2 Atomic Add": nothing,
        "AI Core": nothing | {"stream_id": 7, "task_id": task, "status": status},
    }
    (folder / f"Opdebug.Node_OpDebug.1.5.{STAMP + stamp}.output.0.json").write_text(json.dumps(content))


def test_overflow_files_come_in_the_order_of_time_with_their_operation(tmp_path):
    folder = tmp_path / "rank_0" / "net" / "0" / "2"
    overflow_file(folder, 50, 9)
    overflow_file(folder, 20, 3)
    overflow_file(folder, 10, 3, status=0)
    save(folder, f"Exp.Default_Exp-op1.3.7.{STAMP}.output.0.ND.Float16.npy", np.ones(2, np.float16))
    found = open_dump(tmp_path).overflows
    assert [(one.task, one.stream, one.operation, one.step) for one in found] == [
        (3, 7, "Default_Exp-op1", 2),
        (9, 7, None, 2),
    ]


def test_a_damaged_overflow_file_is_one_problem(tmp_path):
    overflow_file(tmp_path, 1, 3)
    for number, content in enumerate(
        (b"", b"{", b"[1]", b'{"AI Core": 3}', b"[" * 100_000, b"\xff\xfe", b'{"AI Core": {"status": 1e300}}')
    ):
        (tmp_path / f"Opdebug.Node_OpDebug.1.5.{STAMP + 10 + number}.json").write_bytes(content)
    dump = open_dump(tmp_path)
    assert len(dump.overflows) == 1 and sorted(codes(dump)) == ["empty", *["malformed"] * 5]


class TestMsprobe:
    def entry(self, least: float = -1.0, most: float = 1.0, **more: Any) -> dict[str, Any]:
        return {
            "type": "mindspore.Tensor",
            "dtype": "Float32",
            "shape": [2, 3],
            "Max": most,
            "Min": least,
            "Mean": 0.0,
            "Norm": 1.0,
        } | more

    def write(self, folder: Path, data: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "dump.json").write_text(
            json.dumps({"task": "statistics", "level": "L1", "framework": "mindspore", "data": data})
        )

    def test_entries_are_operations_in_the_order_of_the_file(self, tmp_path):
        one = self.entry()
        data = {
            "Cell.fc.Dense.forward.0": {"input_args": [one, None, 3], "input_kwargs": {"x": [one]}, "output": [one]},
            "Functional.log.0.forward": {"input_args": [self.entry()], "output": [self.entry(-np.inf)]},
            "Functional.log.0.backward": {"input": [self.entry()], "output": [self.entry(np.nan, np.nan)]},
            "Cell.fc.Dense.parameters_grad.0": {"weight": [self.entry(most=np.inf)]},
        }  # fmt: skip
        self.write(tmp_path / "step3" / "rank1", data)
        dump = open_dump(tmp_path)
        assert dump.orders == ["file"] and not dump.problems
        assert [(run.type, run.rank, run.step) for run in dump.operations] == [
            (name, 1, 3) for name in ("Dense", "log", "log", "Dense")
        ]
        assert [len(run.inputs) for run in dump.operations] == [2, 1, 1, 0]
        bad = [examine(run.outputs[0]) for run in dump.operations]
        assert [(one.nan, one.positive, one.negative) for one in bad] == [(0, 0, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0)]

    def test_tensors_in_files_are_found_by_name_only(self, tmp_path):
        save(tmp_path / "dump_tensor_data", "a.npy", [np.nan])
        save(tmp_path.parent, "outside.npy", [np.nan])
        described = {"dtype": "Float32", "shape": [1], "data_name": "a.npy"}
        self.write(tmp_path, {"a.forward": {"output": [described, described | {"data_name": "../../outside.npy"}]}})
        (run,) = open_dump(tmp_path).operations
        inside, outside = run.outputs
        assert examine(inside).nan == 1 and Path(outside.path).parent == tmp_path / "dump_tensor_data"
        with pytest.raises(ReadError, match="does not exist"):
            examine(outside)

    @pytest.mark.parametrize(
        "content", [b"", b"{", b"[]", b"{}", b'{"data": []}', b"[" * 100_000, b'{"data": {"a": 1}}']
    )
    def test_what_is_no_dump_json_is_refused(self, content, tmp_path):
        (tmp_path / "dump.json").write_bytes(content)
        refused(tmp_path)


class TestBadInput:
    def test_truncated_at_every_byte(self, tmp_path):
        whole = save(tmp_path, "whole.npy", np.ones((3, 2), np.float32)).read_bytes()
        path = tmp_path / "a" / "cut.npy"
        path.parent.mkdir()
        for size in range(len(whole)):
            path.write_bytes(whole[:size])
            (run,) = open_dump(path.parent).operations
            with pytest.raises(ReadError) as caught:
                examine(run.tensors[0])
            assert caught.value.code in ("empty", "malformed", "truncated")
            assert str(path) in caught.value.text(Language.ZH)

    @pytest.mark.parametrize(
        "shape",
        ["(1 << 60,)", "(4611686018427387904, 4)", "(-1,)", "('a',)", "(9999999999, 9999999999, 9999999999)", "None"],
    )
    def test_absurd_shapes_allocate_nothing(self, shape, tmp_path):
        head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        (tmp_path / "a.npy").write_bytes(
            b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + b"\0" * 64
        )
        (run,) = open_dump(tmp_path).operations
        with pytest.raises(ReadError):
            examine(run.tensors[0])

    @pytest.mark.parametrize(
        "values", [np.array([{}, 1], object), np.zeros(2, "f4,i4"), np.array(["a"]), np.zeros(2, "M8[s]")]
    )
    def test_what_holds_no_numbers_is_refused_and_never_unpickled(self, values, tmp_path):
        (run,) = open_dump(save(tmp_path, "a.npy", values)).operations
        with pytest.raises(ReadError) as caught:
            examine(run.tensors[0])
        assert caught.value.code == "dump-type"

    def test_names_that_no_one_wrote(self, tmp_path):
        for name in ("a\x1b[31m.npy", "b\n.npy", "[red]c.npy", ".npy", "x" * 250 + ".npy", "٣.٣.٣.٣.٣.output.٣.npy"):
            save(tmp_path, name, [1.0])
        Path(os.fsdecode(bytes(tmp_path) + b"/\xff.npy")).write_bytes((tmp_path / ".npy").read_bytes())
        dump = open_dump(tmp_path)
        assert len(dump.operations) == 7 and all(examine(run.tensors[0]).finite for run in dump.operations)

    def test_files_of_the_device_are_refused_in_words(self, tmp_path):
        (tmp_path / f"Conv2D.Conv2D-op1.3.7.{STAMP}").write_bytes(b"\x08")
        (tmp_path / "Add.bin").write_bytes(b"\x08")
        error = refused(tmp_path)
        assert error.code == "dump-binary" and error.data["count"] == 2
        save(tmp_path, "a.npy", [1.0])
        assert codes(open_dump(tmp_path)) == ["dump-binary"]

    def test_no_dump(self, tmp_path):
        assert refused(tmp_path / "none").code == "not-found"
        assert refused(tmp_path).code == "no-dump"
        (tmp_path / "a.txt").write_text("x")
        assert refused(tmp_path / "a.txt").code == "unknown-format"

    def test_links_to_folders_are_not_followed(self, tmp_path):
        save(tmp_path, "a.npy", [1.0])
        (tmp_path / "loop").symlink_to(tmp_path)
        assert len(open_dump(tmp_path).operations) == 1

    def test_more_files_than_are_listed(self, tmp_path, monkeypatch):
        monkeypatch.setattr("accucheck.readers.dumps._FILES", 3)
        for number in range(3):
            save(tmp_path / "0", f"{number}.npy", [1.0])
            save(tmp_path / "1", f"{number}.npy", [1.0])
        dump = open_dump(tmp_path)
        assert len(dump.operations) == 3 and codes(dump) == ["dump-files"]

    @pytest.mark.mindspore
    def test_a_dump_that_is_being_written(self, real_dumps, tmp_path):
        """Its last file is not whole; the others are examined."""
        copy = tmp_path / "dump"
        shutil.copytree(real_dumps["clean"], copy)
        last = open_dump(copy).operations[-1].tensors[-1]
        Path(last.path).chmod(0o600)
        content = Path(last.path).read_bytes()
        Path(last.path).write_bytes(content[: len(content) // 2])
        bad = 0
        for run in open_dump(copy).operations:
            for tensor in run.tensors:
                try:
                    examine(tensor)
                except ReadError as error:
                    bad += error.code in ("truncated", "malformed")
        assert bad == 1
