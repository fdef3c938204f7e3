"""Profiles as MindSpore writes them on a CPU, as its description says they look on Ascend, and as a broken disk or an attacker would."""

import json
import os
from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.language import Language
from accucheck.readers import profiles
from accucheck.readers.profiles import PipelineStage, Profile, read

OUTPUT = "rank0_ascend_ms/ASCEND_PROFILER_OUTPUT"
FRAMEWORK = "rank0_ascend_ms/FRAMEWORK"


def put(root: Path, name: str, content: str | bytes) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def codes(profile: Profile) -> list[str]:
    for problem in profile.problems:
        assert all("{" not in problem.text(language) for language in Language)
    return [problem.code for problem in profile.problems]


@pytest.mark.mindspore
class TestARealRun:
    def test_the_operators_of_the_network_and_their_times(self, profiled_runs):
        (profile,) = read(profiled_runs["slow map"])
        assert not profile.problems
        by_name = {operator.name: operator for operator in profile.operators}
        assert {"MatMul", "BiasAdd", "Adam"} <= set(by_name)
        assert by_name["Adam"].calls == 40 * 4  # steps, parameters
        assert [one.ms for one in profile.operators] == sorted((one.ms for one in profile.operators), reverse=True)
        assert 0 < sum(one.ms for one in profile.operators) < 60_000

    def test_a_slow_map_is_the_bottleneck_and_training_waits_for_it(self, profiled_runs):
        (profile,) = read(profiled_runs["slow map"])
        assert [stage.name for stage in profile.stages] == ["Batch", "Map", "Generator"]
        assert profile.bottleneck is not None and profile.bottleneck.name == "Map"
        assert profile.bottleneck.workers == 1
        waiting = profile.waiting
        assert waiting is not None and not waiting.sunk and len(waiting.waits) == 40 - 17
        assert sum(waiting.waits) / waiting.ms > 0.3 and waiting.empty > 0.5

    def test_a_slow_step_does_not_wait(self, profiled_runs):
        (profile,) = read(profiled_runs["slow step"])
        assert profile.waiting is not None
        assert sum(profile.waiting.waits) / profile.waiting.ms < 0.1
        assert profile.waiting.ms / len(profile.waiting.waits) >= 100


class TestAscend:
    def test_the_statistic_counts_and_the_details_are_summed_where_there_is_none(self, tmp_path):
        details = "Step ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n"
        details += (
            "0,a,MatMulV2,AI_CORE,1.5\t,100.5,1\n0,b,Cast,AI_VECTOR_CORE,2,49.5,1\n1,a,MatMulV2,AI_CORE,9,99.5,1\n"
        )
        path = put(tmp_path, f"{OUTPUT}/kernel_details.csv", details)
        (profile,) = read(tmp_path)
        assert [(one.name, one.core, one.calls, one.ms) for one in profile.operators] == [
            ("MatMulV2", "AI_CORE", 2, 0.2),
            ("Cast", "AI_VECTOR_CORE", 1, 0.0495),
        ]
        head = "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n"
        put(tmp_path, f"{OUTPUT}/op_statistic.csv", head + "0,MatMulV2,AI_CORE,7,700,1,1,1,100\n")
        (profile,) = read(tmp_path)
        assert [(one.name, one.calls, one.ms) for one in profile.operators] == [("MatMulV2", 7, 0.7)]
        (alone,) = read(path)
        assert len(alone.operators) == 2

    def test_steps(self, tmp_path):
        head = "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n"
        put(tmp_path, f"{OUTPUT}/step_trace_time.csv", head + "3,1000,200,10,210,300\n")
        (profile,) = read(tmp_path)
        assert [(step.number, step.ms) for step in profile.steps] == [("3", 1.5)]

    def test_batches_that_are_sunk(self, tmp_path):
        lines = "".join(f"0 0 {n} 7 {1000 + 10 * n}\n1 16 {n} {n % 2} {1000 + 10 * n}\n" for n in range(1, 6))
        put(tmp_path, f"{FRAMEWORK}/device_queue_profiling_0.txt", lines)
        (profile,) = read(tmp_path)
        assert profile.waiting == profiles.DataWaits([7.0] * 4, 40.0, 0.5, True)

    def test_each_device_is_a_run_of_its_own(self, tmp_path):
        head = "Step,Computing,Communication(Not Overlapped),Free\n"
        for rank in range(3):
            put(tmp_path, f"rank{rank}_ascend_ms/ASCEND_PROFILER_OUTPUT/step_trace_time.csv", head + f"{rank},1,2,3\n")
        assert [profile.steps[0].number for profile in read(tmp_path)] == ["0", "1", "2"]


def test_the_bottleneck_looks_past_stages_without_a_queue():
    def stage(number: int, name: str, children: tuple[int, ...], filled: float | None) -> PipelineStage:
        return PipelineStage(number, name, 1, children, filled, None)

    stages = [stage(0, "Batch", (1,), 0.0), stage(1, "Repeat", (2,), None), stage(2, "Map", (), 0.9)]
    found = Profile("run", stages=stages).bottleneck
    assert found is not None and found.name == "Batch"
    assert Profile("run", stages=[stage(0, "Map", (), 1.0)]).bottleneck is None
    assert Profile("run").bottleneck is None
    ring = [stage(0, "A", (1,), 0.5), stage(1, "B", (2,), None), stage(2, "C", (1,), None)]
    assert Profile("run", stages=ring).bottleneck is not None


class TestBadInput:
    def refused(self, place: Path) -> str:
        with pytest.raises(ReadError) as caught:
            read(place)
        assert all("{" not in caught.value.text(language) for language in Language)
        return caught.value.code

    def test_no_profile(self, tmp_path):
        assert self.refused(tmp_path) == "unknown-format"
        assert self.refused(tmp_path / "nowhere") == "not-found"
        put(tmp_path, "notes.csv", "a,b\n")
        assert self.refused(tmp_path / "notes.csv") == "unknown-format"

    @pytest.mark.parametrize(
        ("name", "content", "code"),
        [
            ("cpu_op_type_info_0.csv", "", "empty"),
            ("cpu_op_type_info_0.csv", "a,b\n1,2\n", "profile-columns"),
            ("cpu_op_type_info_0.csv", b"\xff\xfe\x00\x01", "profile-columns"),
            ("pipeline_profiling_0.json", "{", "profile-json"),
            pytest.param("pipeline_profiling_0.json", "[" * 100_000, "profile-json", id="deep"),
            ("pipeline_profiling_0.json", '{"op_info":[{"op_id":"one","op_type":"MapOp"}]}', "profile-json"),
            ("dataset_iterator_profiling_0.txt", "0 0 one 2 3\n", "profile-row"),
            ("device_queue_profiling_0.txt", "0 0\n", "profile-row"),
            pytest.param(
                "device_queue_profiling_0.txt",
                f"0 0 2 7 10\n1 16 1 0 1\n1 16 2 0 {'9' * 400}\n",
                "profile-row",
                id="long",
            ),
            ("step_trace_time.csv", "Step,Computing,Communication(Not Overlapped),Free\n1,nan,0,0\n", "profile-row"),
        ],
    )
    def test_a_file_that_is_damaged_is_told_and_the_rest_counts(self, tmp_path, name, content, code):
        put(tmp_path, f"{FRAMEWORK}/{name}", content)
        good = "device_queue_profiling_0.txt" if "queue" not in name else "cpu_op_type_info_0.csv"
        text = "0 0 2 7 10\n1 16 1 0 1\n1 16 2 0 10\n"
        if good.endswith("csv"):
            text = "op_type,type_occurrences,total_compute_time\nMatMul,1,2.5\n"
        put(tmp_path, f"{FRAMEWORK}/{good}", text)
        (profile,) = read(tmp_path)
        assert codes(profile) == [code]
        assert profile.operators or profile.waiting

    def test_rows_before_a_cut_count(self, tmp_path):
        text = "op_type,type_occurrences,total_compute_time\nMatMul,1,2.5\nCast,1,1.5\nAda"
        put(tmp_path, f"{FRAMEWORK}/cpu_op_type_info_0.csv", text)
        (profile,) = read(tmp_path)
        assert [one.name for one in profile.operators] == ["MatMul", "Cast"]
        assert codes(profile) == ["profile-row"]

    def test_sizes_are_bounded(self, tmp_path, monkeypatch):
        monkeypatch.setattr(profiles, "_TABLE", 50)
        monkeypatch.setattr(profiles, "_TYPES", 1)
        monkeypatch.setattr(profiles, "_ENTRIES", 5)
        put(
            tmp_path,
            f"{FRAMEWORK}/cpu_op_type_info_0.csv",
            "op_type,type_occurrences,total_compute_time\n" + "a,1,1\n" * 9,
        )
        assert codes(read(tmp_path)[0]) == ["too-large"]
        monkeypatch.setattr(profiles, "_TABLE", 1 << 20)
        rows = "".join(f"{name},1,1\n" for name in "abc")
        put(tmp_path, f"{FRAMEWORK}/cpu_op_type_info_0.csv", "op_type,type_occurrences,total_compute_time\n" + rows)
        (profile,) = read(tmp_path)
        assert codes(profile) == ["profile-limit"] and len(profile.operators) == 1
        for number in range(9):
            put(tmp_path, f"many/{number}", "")
        assert self.refused(tmp_path / "many") == "profile-limit"

    def test_what_is_no_file_is_left_alone(self, tmp_path):
        put(
            tmp_path,
            f"{FRAMEWORK}/cpu_op_type_info_1.csv",
            "op_type,type_occurrences,total_compute_time\nMatMul,1,2.5\n",
        )
        os.mkfifo(tmp_path / FRAMEWORK / "cpu_op_type_info_0.csv")
        (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
        (profile,) = read(tmp_path)
        assert [one.name for one in profile.operators] == ["MatMul"]


def test_two_devices_in_one_folder_are_runs_of_their_own(tmp_path):
    head = "op_type,type_occurrences,total_compute_time\n"
    for device, kind in enumerate(("Conv2D", "Add")):
        put(tmp_path, f"{FRAMEWORK}/cpu_op_type_info_{device}.csv", f"{head}{kind},10,500\n")
        queue = {"length": 10, "size": [1 + 8 * device] * 5}
        operation = {"op_id": 0, "op_type": "Batch", "metrics": {"output_queue": queue}}
        put(tmp_path, f"{FRAMEWORK}/pipeline_profiling_{device}.json", json.dumps({"op_info": [operation]}))
    put(tmp_path, f"{OUTPUT}/step_trace_time.csv", "Step,Computing,Communication(Not Overlapped),Free\n1,1000,0,0\n")
    first, second = read(tmp_path)
    assert [one.name for one in first.operators] == ["Conv2D"] and [one.filled for one in first.stages] == [0.1]
    assert [one.name for one in second.operators] == ["Add"] and [one.filled for one in second.stages] == [0.9]
    assert first.steps and not second.steps, "what tells no device is of the first"
    assert Path(first.path).is_dir() and Path(second.path).name == "cpu_op_type_info_1.csv"
