"""The arithmetic of live probes on arrays and tensors of every form, apart from what trains and loads."""

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from accucheck.live.child import LINE_LIMIT
from accucheck.live.inside import classes, dependence, identity, modes, padding, pipeline, samples, targets

pytestmark = pytest.mark.mindspore


def tensor(values: Any, dtype: str = "float32") -> Any:
    import mindspore

    return mindspore.Tensor(np.asarray(values, dtype))


SCORES = [[0.1, 0.9, 0.0], [0.8, 0.1, 0.1]]
LABELS = [1, 0]


@pytest.mark.parametrize(
    "wrap", [lambda one: one, lambda one: (one, 1), lambda one: [one], lambda one: {"logits": one}]
)
def test_the_first_scores_of_an_output(wrap: Any) -> None:
    scores = targets.first_scores(wrap(tensor(SCORES)))
    assert scores is not None and scores.dtype == np.float64
    np.testing.assert_allclose(scores, SCORES, rtol=1e-6)
    assert np.array_equal(modes.first_tensor(wrap(tensor(SCORES))).asnumpy(), np.float32(SCORES))
    assert [one.shape for one in dependence.floats(wrap(tensor(SCORES)))] == [(2, 3)]


@pytest.mark.parametrize("output", ["text", (), {}, [3]])
def test_outputs_without_a_tensor(output: Any) -> None:
    assert targets.first_scores(output) is None
    assert modes.first_tensor(output) is None
    assert dependence.floats(output) == []


def test_whole_numbers_are_no_scores() -> None:
    assert targets.first_scores(tensor([1, 2], "int32")) is None
    assert dependence.floats(tensor([1, 2], "int32")) == []


def test_answers_and_labels_in_one_form() -> None:
    kind, answers, truth = targets.paired(tensor(SCORES), [tensor([1, 0], "int32")]) or ("", None, None)
    assert (kind, answers.shape, truth.tolist()) == ("classes", (2, 3), [1, 0])
    # One class a row in a column of its own, and one-hot.
    assert targets.paired(tensor(SCORES), [tensor([[1], [0]], "int32")])[2].tolist() == [1, 0]  # type: ignore[index]
    kind, _, truth = targets.paired(tensor(SCORES), [tensor([[0, 1, 0], [1, 0, 0]])]) or ("", None, None)
    assert (kind, truth.tolist()) == ("classes", [1, 0])
    # Pictures: classes in the second dimension.
    kind, answers, truth = (
        targets.paired(tensor(np.ones((2, 3, 4, 5))), [tensor(np.zeros((2, 4, 5)), "int32")]) or ("",) * 3
    )
    assert (kind, answers.shape, len(truth)) == ("classes", (40, 3), 40)
    kind, _, truth = targets.paired(tensor([[0.2], [0.9]]), [tensor([0.0, 1.0])]) or ("", None, None)
    assert (kind, truth.tolist()) == ("binary", [False, True])
    kind, answers, _ = targets.paired(tensor([0.2, 0.9]), [tensor([[0.5], [1.5]])]) or ("", None, None)
    assert (kind, answers.shape) == ("values", (2, 1))


@pytest.mark.parametrize(
    ("output", "labels"),
    [
        ("text", [LABELS]),
        (SCORES, []),
        (SCORES, [LABELS, LABELS]),
        (SCORES, [[]]),
        (1.0, [LABELS]),
        (SCORES, [[1, 0, 1]]),
        (SCORES, [[[1, 2], [0, 1]]]),
        (SCORES, [[7, -1]]),
    ],
)
def test_answers_that_do_not_go_with_labels(output: Any, labels: list[Any]) -> None:
    given = output if isinstance(output, str) else tensor(output)
    assert targets.paired(given, [tensor(one, "int32") for one in labels]) is None


def test_classes_of_samples_and_places() -> None:
    scores = np.float32(SCORES)
    assert modes.predicted(scores, np.int32([1, 0])).tolist() == [1, 0]
    places = np.moveaxis(np.float32([SCORES, SCORES]), -1, 1)  # (2, 3 classes, 2)
    assert modes.predicted(places, np.int32([[1, 0], [1, 0]])).tolist() == [[1, 0], [1, 0]]
    for output, label in [
        (None, np.int32([1])),
        (scores, None),
        (scores[:, 0], np.int32([1, 0])),
        (scores, np.float32([1, 0])),
        (scores[:, :1], np.int32([1, 0])),
        (scores, np.int32([1, 0, 1])),
        (np.float32(np.ones((2, 1, 4))), np.int32(np.ones((2, 4)))),
    ]:
        assert modes.predicted(output, label) is None


def test_rates_of_dropout() -> None:
    held = [SimpleNamespace(p=0.25), SimpleNamespace(keep_prob=0.75), SimpleNamespace(p=True), SimpleNamespace()]
    assert modes.rates([(str(place), one) for place, one in enumerate(held)]) == [0.25, 0.25]  # type: ignore[misc]


def test_two_results_of_a_mode() -> None:
    outputs = [np.float32(SCORES), None]
    one = modes.Result([1.0], outputs, [np.int32([1, 0]), None])
    assert one.same(modes.Result([1.0], outputs, [np.int32([1, 0]), None]))
    assert one.agreement(one) == 1.0
    assert one.difference(modes.Result([1.0], [np.float32(SCORES), np.ones(1)], [None, None])) == float("inf")
    assert one.difference(modes.Result([1.0], [np.float32(SCORES)[:1], None], [None, None])) == float("inf")
    half = modes.Result([1.0], [np.float32(SCORES) / 2, None], [None, None])
    assert half.difference(one) == pytest.approx(0.5)
    assert half.agreement(one) is None
    endless = modes.Result([1.0], [np.full((2, 3), np.inf, np.float32), None], [None, None])
    with np.errstate(invalid="ignore"):
        assert one.difference(endless) == float("inf")


def test_changes_of_outputs() -> None:
    one = np.array([1.0, 2.0])
    assert dependence.change([one], [one]) == 0
    assert dependence.change([one], [one / 2]) == pytest.approx(0.5)
    assert dependence.change([one], [one[:1]]) == dependence.TOTAL
    assert dependence.change([one], [np.array([np.nan, 2.0])]) == dependence.TOTAL
    assert dependence.change([one[:0]], [one[:0]]) == 0


@pytest.mark.parametrize(
    ("column", "dtype", "others"),
    [
        ([1.0, 2.0], "float32", [[0.0, 0.0], [2.0, 1.0]]),
        ([0.0, 0.0], "float32", [[1.0, 1.0]]),
        ([1, 2], "int32", [[2, 1]]),
        ([5, 5], "int32", [[0, 5]]),
        ([0, 0], "int32", [[1, 0]]),
    ],
)
def test_other_values_of_a_column(column: list[float], dtype: str, others: list[list[float]]) -> None:
    assert [one.asnumpy().tolist() for one in dependence.instead(tensor(column, dtype))] == others


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ([1, 2], [1, 2], ("same", None)),
        ([1, 2], [2, 1], ("other", None)),
        ([1, 2], [[1, 2]], ("other", None)),
        (1, [1], ("other", None)),
        ([1, 2], [1, 2, 0], ("right", [0])),
        ([1, 2], [0, 0, 1, 2], ("left", [0, 0])),
        ([1, 2, 3], [1, 2], ("cut-right", None)),
        ([1, 2, 3], [2, 3], ("cut-left", None)),
        ([1, 2], [0, 1, 2, 0], ("other", None)),
        ([[1, 2, 3]], [[1, 2], [1, 2]], ("other", None)),
    ],
)
def test_what_a_step_did_to_an_array(before: Any, after: Any, told: tuple[str, list[int] | None]) -> None:
    what, rest = padding.change(np.array(before), np.array(after))
    assert (what, None if rest is None else rest.tolist()) == told


def test_padding_of_many_values() -> None:
    found = padding.Padded("ids", "pad", integer=False, inferred=False)
    found.fill(np.arange(200) / 7)
    assert len(found.values) == 100 and found.filled == 200
    empty = [{"ids": np.zeros(0, np.int32)}, {"ids": np.array([1], np.int32)}]
    full = [{"ids": np.zeros(2, np.int32)}, {"ids": np.array([1, 0], np.int32)}]
    stepped = padding.stepped(empty, full, "ids", "pad")
    assert stepped is not None and stepped.side == "right" and stepped.lengths == [0, 1]
    assert padding.stepped(full, full, "ids", "map") is None
    assert padding.stepped(full[:1], full, "ids", "batch") is None


def rows(*values: Any) -> list[dict[str, Any]]:
    return [{"image": np.asarray(one)} for one in values]


def test_columns_are_compared_value_by_value() -> None:
    def told(one: Any, other: Any) -> tuple[bool, float | None]:
        (found,) = samples.compared(rows(*one), rows(*other), [("image", "image")])
        return found["shapes"], found["difference"]

    assert told([[1.0, 2.0]], [[1.0, 2.5]]) == (True, 0.5)
    assert told([[1.0, 2.0]], [[1.0]]) == (False, 0.0)
    assert told([[1.0, np.nan]], [[1.0, 2.0]]) == (True, None)
    assert told([["a", "b"]], [["a", "c"]]) == (True, None)
    assert told([["a", "b"]], [["a", "b"]]) == (True, 0.0)
    assert told([[[1.0]]], [1.0]) == (True, 0.0)  # axes of one


def test_a_column_is_described() -> None:
    told = samples.described_values("image", rows([1, 3], [5, 7]))
    assert (told["shape"], told["low"], told["high"], told["mean"]) == ([2], 1.0, 7.0, 4.0)
    assert samples.described_values("image", rows([1.0], [1.0, 2.0]))["shape"] is None
    assert "low" not in samples.described_values("image", rows(["a"], ["b"]))
    assert "low" not in samples.described_values("image", rows([np.nan], [np.inf]))


def test_rows_that_are_equal() -> None:
    assert samples.equal(rows([1.0, np.nan]), rows([1.0, np.nan]))
    assert not samples.equal(rows([1.0]), rows([1.0], [2.0]))
    assert not samples.equal(rows([1.0]), rows([1]))


def test_rows_of_another_source() -> None:
    side: Any = SimpleNamespace(own=[{"image": np.ones((2, 2), np.float32), "label": np.int32(3)}], label="label")
    (fed,) = samples.fed([{"picture": np.zeros((2, 2), np.float32)}], side)
    assert fed["image"].sum() == 0 and fed["label"] == 3  # type: ignore[index, call-overload]
    assert samples.fed([{"label": np.int32(1)}], side) == "image"  # nothing that could be the picture
    assert samples.fed([{"image": np.ones(4, np.float32)}], side) == "image"  # other dimensions


def test_channels_of_pictures_only() -> None:
    picture = np.zeros((8, 9, 3), np.uint8) + np.uint8([1, 2, 3])
    assert samples.channels(picture).tolist() == [1, 2, 3]
    assert samples.channels(np.moveaxis(picture, -1, 0)).tolist() == [1, 2, 3]
    assert samples.channels(np.zeros(5)) is None
    assert samples.coloured([{"image": np.float32(picture)}], "image") is None
    assert samples.coloured([{"image": np.frombuffer(b"no picture", np.uint8)}], "image") is None
    assert {one["image"].shape for one in samples.coloured([{"image": picture}], "image") or []} == {(8, 9, 3)}


def test_the_first_step_that_differs() -> None:
    def step(text: str, values: Any) -> dict[str, Any]:
        return {"text": text, "values": values and rows(values)}

    decode, resize = step("Decode", None), step("Resize", [1.0])
    assert samples.first_difference([decode, resize], [decode, resize]) is None
    assert samples.first_difference([decode], [step("Rescale", None)]) == {
        "step": 1,
        "one": "Decode",
        "other": "Rescale",
    }
    other = step("Resize", [2.0])
    assert samples.first_difference([decode, resize], [decode, other]) == {
        "step": 2,
        "one": "Resize",
        "other": "Resize",
    }
    assert samples.first_difference([decode, resize], [decode]) == {"step": 2, "one": "Resize", "other": "-"}


def test_codes_of_labels() -> None:
    codes = identity.Codes()
    assert [codes.of(np.array(one, object)) for one in ("cat", "dog", "cat")] == [0, 1, 0]
    for number in range(100_000):
        codes.of(np.int64(number))
    assert codes.of(np.array("cat", object)) == 0 and codes.of(np.int64(200_000)) == -1


def test_classes_of_labels_of_every_form() -> None:
    def counted(values: Any) -> Any:
        found = classes.Count()
        found.add(np.asarray(values))
        return found

    assert counted([[1], [2], [1]]).found == {"1": 2, "2": 1}
    assert counted([1.0, 2.0]).found == {"1": 1, "2": 1}
    assert counted([b"cat", b"dog"]).found == {"cat": 1, "dog": 1}
    assert counted([0.5, 1.0]).numbers
    assert counted(np.zeros((2, 3, 4))).shape == [3, 4]
    assert counted([[1.5, 2.0]]).shape == [2]
    assert counted([[0, 1], [1, 0]]).samples == 2
    assert counted(np.arange(classes.MOST + 5)).over


@pytest.mark.parametrize("sign", ["a", "狗", "🐕", "\x01"])
def test_classes_fit_into_one_line_of_the_channel(sign: str) -> None:
    found = classes.Count()
    for start in range(0, 60_000, 5000):
        found.add(np.array([f"{sign * 60}{number}" for number in range(start, start + 5000)]))
    assert len(json.dumps({"found": dict(found.found)})) < LINE_LIMIT - 1000
    assert found.over == (sign != "a") and found.samples == 60_000
    first = f"{sign * 60}0"
    found.add(np.array([first]))
    assert found.found[first] == 2, "those that are known are still counted"


def test_the_project_ends_where_its_name_does(tmp_path: Path) -> None:
    for name in ("proj", "proj-env"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lib.py").write_text("def f():\n    raise ValueError('x')\n")
        spec = importlib.util.spec_from_file_location("lib", tmp_path / name / "lib.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        with pytest.raises(ValueError) as raised:
            module.f()
        lines = pipeline.last_lines(raised.value, str(tmp_path / "proj"))
        assert bool(lines) == (name == "proj")
