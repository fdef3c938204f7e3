"""Where NaN and Inf begin: in dumps of real trainings with and without planted ones, and in logs, checkpoints, summaries."""

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probe import Skip
from accucheck.probes import overflow
from dump_files import ORIGINS
from findings import found_by, of_code, told

STAMP = 1_700_000_000_000_000


def examine(root: Path, params: overflow.Params | None = None, **keys: Any) -> list[Finding]:
    """What is found with these keys of the case, dots as double underscores."""
    content: dict[str, Any] = {}
    for key, value in keys.items():
        *parents, last = key.split("__")
        level = content
        for parent in parents:
            level = level.setdefault(parent, {})
        level[last] = str(value)
    case = Case(root=str(root), spec=msgspec.convert(content, CaseFile))
    return found_by(overflow, case, params or overflow.Params())


def dump_of(root: Path, *operations: tuple[str, list[Any], list[Any]], step: int = 7, rank: int = 0) -> Path:
    """A dump of one step: of each operation its scope/type, what goes in and what comes out."""
    folder = root / "dump" / f"rank_{rank}" / "net" / "0" / str(step)
    folder.mkdir(parents=True)
    for number, (name, inputs, outputs) in enumerate(operations):
        kind = name.rsplit("/", 1)[-1]
        for io, tensors in (("input", inputs), ("output", outputs)):
            for slot, values in enumerate(tensors):
                stamp = STAMP + 100 * number + 10 * (io == "output") + slot
                file = f"{kind}.{name.replace('/', '_')}-op{number}.0.0.{stamp}.{io}.{slot}.DefaultFormat.Float32.npy"
                np.save(folder / file, np.asarray(values, np.float32))
    return root / "dump"


GOOD, NAN, LOW = [1.0, 2.0], [1.0, math.nan], [1.0, -math.inf]


@pytest.mark.mindspore
class TestRealDumps:
    @pytest.mark.parametrize("kind", [kind for kind, origin in ORIGINS.items() if origin])
    def test_the_operation_where_it_begins_is_named(self, kind, real_dumps):
        found = examine(real_dumps[kind].parent, dumps__path=kind)
        (code,) = told(found)
        finding = of_code(found, code)
        assert finding.data["type"] == ORIGINS[kind] and finding.where.step == 0
        assert code == ("dump-hidden" if kind == "rows" else "dump-origin")
        assert (finding.data["direction"]["en"] == "backward") == (kind == "backward")
        if kind in ("log", "exp"):
            assert of_code(found, "carried").data["count"] > 20

    @pytest.mark.parametrize("kind", ["clean", "masked", "unwritten"])
    def test_a_healthy_training_is_ok(self, kind, real_dumps):
        found = examine(real_dumps[kind].parent, dumps__path=kind)
        assert suggest(found) is Verdict.OK, told(found)
        assert of_code(found, "dump-clean").data["steps"] == 2
        if kind == "masked":
            assert of_code(found, "masks").data["count"] == 4
        if kind == "unwritten":
            assert of_code(found, "unwritten").data["count"] > 0

    def test_nan_in_the_data_comes_from_outside(self, real_dumps):
        finding = of_code(examine(real_dumps["data"].parent, dumps__path="data"), "dump-outside")
        assert finding.data["type"] == "Conv2D" and finding.data["slots"] == "0"

    def test_gradients_that_a_loss_scale_drops(self, real_dumps):
        root = real_dumps["scaled"]
        assert told(examine(root.parent, dumps__path="scaled")) == {"all-skipped"}
        one = examine(root.parent, dumps__path=root / "rank_0" / "net" / "0" / "1")
        assert suggest(one) is Verdict.OK and of_code(one, "dump-skipped").level is Level.INFO


class TestMadeDumps:
    def test_a_step_before_the_first_dirty_one_is_passed(self, tmp_path):
        dump_of(tmp_path, ("net/Exp", [GOOD], [GOOD]), step=9)
        dump_of(tmp_path, ("net/Exp", [GOOD], [NAN]), step=10)
        dump_of(tmp_path, ("net/Log", [NAN], [NAN]), step=11)
        found = examine(tmp_path, dumps__path="dump")
        assert told(found) == {"dump-origin"} and of_code(found, "dump-origin").where.step == 10

    def test_ranks_are_told_apart(self, tmp_path):
        dump_of(tmp_path, ("net/Exp", [GOOD], [GOOD]), rank=0)
        dump_of(tmp_path, ("net/Exp", [GOOD], [NAN]), rank=1)
        assert of_code(examine(tmp_path, dumps__path="dump"), "dump-origin").data["at"]["en"] == " at step 7 of rank 1"

    def test_many_ranks_are_told_together(self, tmp_path):
        for rank in range(30):
            dump_of(tmp_path, ("net/Exp", [GOOD], [NAN]), ("net/Mul", [NAN], [NAN]), rank=rank)
        found = examine(tmp_path, dumps__path="dump")
        assert [sum(one.code == code for one in found) for code in ("dump-origin", "carried")] == [20, 20]
        more = of_code(found, "more")
        assert more.level is Level.PROBLEM and more.data["count"] == 10

    def test_without_inputs_it_is_the_first(self, tmp_path):
        dump_of(tmp_path, ("net/Exp", [], [GOOD]), ("net/Log", [], [NAN]), ("net/Mul", [], [NAN]))
        found = examine(tmp_path, dumps__path="dump")
        assert told(found) == {"dump-alone"} and of_code(found, "dump-alone").data["type"] == "Log"

    def test_what_an_optimizer_updates(self, tmp_path):
        dump_of(tmp_path, ("net/Mul", [GOOD], [GOOD]), ("optimizer/ApplyMomentum", [NAN, GOOD], [NAN]))
        assert told(examine(tmp_path, dumps__path="dump")) == {"dump-update"}

    def test_a_weight_at_the_end_of_the_step(self, tmp_path):
        dump_of(tmp_path, ("net/Mul", [GOOD], [GOOD]), ("fc/Parameter", [], [NAN]))
        assert told(examine(tmp_path, dumps__path="dump")) == {"dump-weight"}

    def test_scores_hidden_by_adding_a_low_number(self, tmp_path):
        dump_of(tmp_path, ("net/Add", [GOOD, [0.0, -65504.0]], [LOW]), ("net/Softmax", [LOW], [[1.0, 0.0]]))
        assert suggest(examine(tmp_path, dumps__path="dump")) is Verdict.OK

    def test_a_sum_of_ordinary_numbers_that_overflows_is_no_mask(self, tmp_path):
        dump_of(tmp_path, ("net/Add", [GOOD, GOOD], [LOW]), ("net/Softmax", [LOW], [[1.0, 0.0]]))
        assert told(examine(tmp_path, dumps__path="dump")) == {"dump-origin"}

    def test_minus_infinity_without_a_softmax_is_left_open(self, tmp_path):
        dump_of(tmp_path, ("net/Select", [GOOD], [LOW]), ("net/Cast", [LOW], [LOW]))
        assert told(examine(tmp_path, dumps__path="dump")) == {"masks-alone"}

    def test_an_unwritten_output_that_is_used_after_all_is_the_origin(self, tmp_path):
        odd = [math.nan, math.nan, 3.0]
        dump_of(tmp_path, ("net/BatchNorm", [GOOD], [GOOD, odd]), ("net/Mul", [odd], [NAN]))
        found = examine(tmp_path, dumps__path="dump")
        assert of_code(found, "dump-origin").data["type"] == "BatchNorm"

    def test_a_scaled_loss_that_overflows_and_is_dropped(self, tmp_path):
        dump_of(tmp_path, ("net/Mul", [[2.0], [1e38]], [[math.inf]]), ("net/IsFinite", [[math.inf]], [[0.0]]))
        assert suggest(examine(tmp_path, dumps__path="dump")) is Verdict.OK

    def test_the_same_without_a_look_for_overflow(self, tmp_path):
        dump_of(tmp_path, ("net/Mul", [[2.0], [1e38]], [[math.inf]]))
        assert told(examine(tmp_path, dumps__path="dump")) == {"dump-origin"}

    def test_damaged_files_are_told_and_the_rest_examined(self, tmp_path):
        dump = dump_of(tmp_path, ("net/Exp", [GOOD], [GOOD]), ("net/Log", [GOOD], [NAN]))
        for path in dump.rglob("Exp.*output*"):
            path.write_bytes(path.read_bytes()[:-3])
        found = examine(tmp_path, dumps__path="dump")
        assert told(found) == {"dump-origin"} and of_code(found, "unreadable").incomplete
        shutil.rmtree(dump)
        dump = dump_of(tmp_path, ("net/Exp", [GOOD], [GOOD]))
        next(dump.rglob("*output*")).write_bytes(b"")
        with pytest.raises(ReadError):  # nothing is left to be examined
            examine(tmp_path, dumps__path="dump")

    def test_another_origin_in_the_same_step_is_counted(self, tmp_path):
        dump_of(tmp_path, ("net/Log", [GOOD], [NAN]), ("net/Mul", [NAN], [NAN]), ("net/Exp", [GOOD], [NAN]))
        found = examine(tmp_path, dumps__path="dump")
        assert told(found) == {"dump-origin"} and of_code(found, "dump-origin").data["type"] == "Log"
        more = of_code(found, "carried-more")
        assert (more.data["count"], more.data["clean"]) == (2, 1)
        (table,) = more.evidence
        assert [row[-1] for row in table.rows] == ["NaN ×1", "-"]

    def test_plain_arrays(self, tmp_path):
        for name, values in (("layer2", NAN), ("layer10", NAN), ("layer1", GOOD)):
            np.save(tmp_path / f"{name}.npy", np.asarray(values, np.float32))
        assert of_code(examine(tmp_path, dumps__path="."), "dump-alone").where.name == "layer2"

    def test_statistics_alone_name_the_origin(self, tmp_path):
        rows = [
            f"Exp,Default/net/Exp-op1,3,7,{STAMP},input,0,8,float16,(2),90,1",
            f"Exp,Default/net/Exp-op1,3,7,{STAMP + 1},output,0,8,float16,(2),inf,2.7",
        ]
        header = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value"
        (tmp_path / "statistic.csv").write_text("\n".join([header, *rows]))
        finding = of_code(examine(tmp_path, dumps__path="."), "dump-origin")
        assert finding.data["bad"] == "Inf" and finding.data["inputs"] == "0: 1 … 90"

    def test_overflow_files_of_the_device(self, tmp_path):
        content = {"AI Core": {"stream_id": 7, "task_id": 3, "status": 32}}
        (tmp_path / f"Opdebug.Node_OpDebug.1.5.{STAMP}.output.0.json").write_text(json.dumps(content))
        assert told(examine(tmp_path, dumps__path=".")) == {"device-overflow"}
        content["AI Core"]["status"] = 0
        (tmp_path / f"Opdebug.Node_OpDebug.1.5.{STAMP}.output.0.json").write_text(json.dumps(content))
        assert suggest(examine(tmp_path, dumps__path=".")) is Verdict.OK


class TestCurves:
    def log(self, folder: Path, *losses: object, head: str = "") -> Path:
        path = folder / "train.log"
        lines = (f"epoch: 1 step: {step}, loss is {loss}\n" for step, loss in enumerate(losses, 1))
        path.write_text(head + "".join(lines))
        return path

    def test_the_first_step_and_the_value_before(self, tmp_path):
        self.log(tmp_path, 2.3, 2.2, 2.125, "nan", "nan")
        finding = of_code(examine(tmp_path, curves__train="train.log"), "curve-broken")
        assert (finding.where.step, finding.data["before"], finding.data["value"]) == (4, "2.125", "NaN")
        (curve,) = finding.evidence
        assert curve.marks == {"first-bad": 4.0}

    def test_growth_before_is_told(self, tmp_path):
        self.log(tmp_path, *[2.0] * 30, 9.0, 300.0, "inf", "nan")
        assert of_code(examine(tmp_path, curves__train="train.log"), "curve-exploded").data["ratio"] == 150

    def test_nan_from_the_first_step(self, tmp_path):
        self.log(tmp_path, "nan", "nan", "nan")
        assert told(examine(tmp_path, curves__train="train.log")) == {"curve-broken"}

    def test_a_run_before_the_last_is_not_judged(self, tmp_path):
        self.log(tmp_path, *[2.0] * 9, head="".join(f"epoch: 1 step: {step}, loss is nan\n" for step in range(1, 10)))
        found = examine(tmp_path, curves__train="train.log")
        assert suggest(found) is Verdict.OK and of_code(found, "earlier-run").data["bad"] == 9

    def test_the_best_loss_begins_at_inf(self, tmp_path):
        rows = "".join(f"{step},{2 / step},{'inf' if step < 3 else 2 / step}\n" for step in range(1, 20))
        (tmp_path / "a.csv").write_text("step,loss,best_loss\n" + rows)
        found = examine(tmp_path, curves__train="a.csv")
        assert suggest(found) is Verdict.OK and not any(finding.code == "other-columns" for finding in found)

    def test_a_metric_may_be_nan(self, tmp_path):
        rows = "".join(f"{step},{2 / step},nan\n" for step in range(1, 20))
        (tmp_path / "a.csv").write_text("step,loss,iou\n" + rows)
        found = examine(tmp_path, curves__train="a.csv")
        assert suggest(found) is Verdict.OK and of_code(found, "other-columns").data["names"] == ["iou"]

    def test_infinite_norms_of_skipped_steps(self, tmp_path):
        rows = "".join(
            f"{step},2.0,{'inf' if step in (3, 9) else 1.5},{int(step in (3, 9))}\n" for step in range(1, 99)
        )
        (tmp_path / "a.csv").write_text("step,loss,grad_norm,overflow\n" + rows)
        found = examine(tmp_path, curves__train="a.csv")
        assert suggest(found) is Verdict.OK and {"gaps-explained", "overflows"} <= {finding.code for finding in found}

    def test_a_falling_scale_tells_of_overflows(self, tmp_path):
        rows = "".join(f"{step},2.0,{2.0 ** (20 - step // 4)}\n" for step in range(1, 60))
        (tmp_path / "a.csv").write_text("step,loss,loss_scale\n" + rows)
        assert told(examine(tmp_path, curves__train="a.csv")) == {"overflows-often"}
        assert not told(examine(tmp_path, overflow.Params(often=0.9), curves__train="a.csv"))

    def test_a_schedule_that_falls_is_no_loss_scale(self, tmp_path):
        rows = "".join(f"{step},2.0,{0.9**step},{0.9**step}\n" for step in range(1, 60))
        (tmp_path / "a.csv").write_text("step,loss,lr_scale,loss_scale\n" + rows)
        assert suggest(examine(tmp_path, curves__train="a.csv")) is Verdict.OK

    def test_evaluations_now_and_then(self, tmp_path):
        """What writes NaN where a step has no evaluation is no training that broke."""
        rows = "".join(f"{step},2.0,{1.5 if step % 10 == 0 else 'nan'}\n" for step in range(1, 97))
        (tmp_path / "a.csv").write_text("step,loss,val_loss\n" + rows)
        found = examine(tmp_path, curves__train="a.csv")
        assert suggest(found) is Verdict.OK and of_code(found, "evaluation-gaps").data["bad"] == 87

    def test_after_a_gap_the_step_where_it_stays_is_told(self, tmp_path):
        self.log(tmp_path, 2.3, "nan", 2.2, 2.1, 2.0, "nan", "nan", "nan")
        finding = of_code(examine(tmp_path, curves__train="train.log"), "curve-broken")
        assert (finding.where.step, finding.data["before"], finding.data["bad"]) == (6, "2", 4)

    def test_a_nan_just_before_the_scale_falls(self, tmp_path):
        rows = "".join(
            f"{step},{'inf' if step == 9 else 2.0},{65536.0 if step < 10 else 32768.0}\n" for step in range(1, 99)
        )
        (tmp_path / "a.csv").write_text("step,loss,loss_scale\n" + rows)
        found = examine(tmp_path, curves__train="a.csv")
        assert suggest(found) is Verdict.OK and of_code(found, "overflows").data["count"] == 1

    def test_a_log_without_a_loss_decides_nothing(self, tmp_path):
        (tmp_path / "a.csv").write_text("step,accuracy\n1,0.5\n2,0.6\n")
        assert suggest(examine(tmp_path, curves__train="a.csv")) is Verdict.UNDECIDED

    def test_many_columns_are_told_together(self, tmp_path):
        names = ",".join(f"loss_{number}" for number in range(50))
        rows = "".join(f"{step}" + f",{'nan' if step > 5 else 1.0}" * 50 + "\n" for step in range(1, 9))
        (tmp_path / "a.csv").write_text(f"step,{names}\n{rows}")
        found = examine(tmp_path, curves__train="a.csv")
        assert of_code(found, "more").data["count"] == 30 and len(found) == 21

    def test_a_long_curve_is_kept_small(self, tmp_path):
        self.log(tmp_path, *[2.0] * 20_000, "nan", "nan")
        (curve,) = of_code(examine(tmp_path, curves__train="train.log"), "curve-broken").evidence
        assert len(curve.x) < 600 and 20_001.0 in curve.x


class TestOtherSources:
    def test_a_mask_in_a_checkpoint_is_right(self, tmp_path):
        from accucheck.probes._checkpoints import ckpt, drawn

        weights = {"w": drawn(3, 3), "attn.mask": ([2], [0.0, -math.inf])}
        (tmp_path / "a.ckpt").write_bytes(ckpt(weights))
        assert suggest(examine(tmp_path, checkpoints__current="a.ckpt")) is Verdict.OK
        weights["v"] = ([2], [math.inf, 1.0])
        (tmp_path / "a.ckpt").write_bytes(ckpt(weights))
        found = examine(tmp_path, checkpoints__current="a.ckpt", checkpoints__previous="a.ckpt")
        assert of_code(found, "weights-broken").where.name == "v"

    def test_one_source_that_cannot_be_read_leaves_the_others(self, tmp_path):
        (tmp_path / "a.csv").write_text("step,loss\n1,0.5\n2,0.6\n")
        found = examine(tmp_path, curves__train="a.csv", dumps__path="none", checkpoints__current="none.ckpt")
        assert suggest(found) is Verdict.UNDECIDED and sum(finding.code == "unreadable" for finding in found) == 2

    def test_nothing_that_can_be_read(self, tmp_path):
        with pytest.raises(ReadError):
            examine(tmp_path, dumps__path="none")
        (tmp_path / "graphs").mkdir()
        with pytest.raises(Skip):
            examine(tmp_path, graphs__path="graphs")

    @pytest.mark.mindspore
    def test_histograms_of_a_summary(self, tmp_path):
        script = """
import sys
import mindspore as ms, numpy as np
with ms.SummaryRecord(sys.argv[1]) as record:
    for step in range(1, 5):
        values = np.ones((4, 5), np.float32)
        if step > int(sys.argv[2]):
            values[0, :2] = np.nan, np.inf
        record.add_value("histogram", "fc.weight", ms.Tensor(values))
        record.add_value("scalar", "loss", ms.Tensor(1.0 / step))
        record.record(step)
"""
        for folder, last in (("broken", 2), ("clean", 9)):
            command = [sys.executable, "-c", script, str(tmp_path / folder), str(last)]
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        finding = of_code(examine(tmp_path, curves__train="broken"), "histogram-broken")
        assert (finding.data["name"], finding.data["step"], finding.data["nan"], finding.data["inf"]) == (
            "fc.weight",
            3,
            1,
            1,
        )
        found = examine(tmp_path, curves__train="clean", graphs__path="clean")
        assert suggest(found) is Verdict.OK and of_code(found, "histograms-clean").data["count"] == 4
        (path,) = (tmp_path / "clean").glob("*summary*_MS")
        path.write_bytes(path.read_bytes()[:-5])
        assert suggest(examine(tmp_path, curves__train="clean")) is Verdict.UNDECIDED


def test_tensors_of_a_checkpoint_that_cannot_be_read_are_told(tmp_path):
    from accucheck.probes._checkpoints import ckpt, field, varint

    tensor = b"\x08" + varint(4) + field(2, "Int4") + field(3, bytes(4))
    unread = field(1, field(1, "packed.weight") + field(2, tensor))
    for content, codes in (
        (unread, {"weights-unread"}),
        (ckpt({"fc.weight": ([2], GOOD)}) + unread, {"weights-unread", "weights-clean"}),
    ):
        (tmp_path / "now.ckpt").write_bytes(content)
        found = examine(tmp_path, checkpoints__current="now.ckpt")
        assert {finding.code for finding in found} == codes and suggest(found) is Verdict.UNDECIDED
        assert of_code(found, "weights-unread").data["names"] == ["packed.weight"]
