"""Lists samples whose labels predicted probabilities speak against, by confident learning (Northcutt et al., 2021; cleanlab).

Catches: labels that a model trained on the other samples thinks unlikely, as scattered errors are. Cannot tell: whether such a label is
wrong (about half are), nor whether the probabilities are of a model that has not seen the sample; of one that has, they show little.
Errors that the model has learnt, such as a class that is mapped wrongly throughout, do not show.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example, Skip
from . import _labelled

if TYPE_CHECKING:
    import numpy as np

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("data.predictions", "data.train.path")


class Params(msgspec.Struct, frozen=True):
    chance: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="predictions are not used when they agree with the labels hardly more often than always naming the largest class "
            "would: by at most this part of what is left",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.1


MESSAGES: Words = {
    "issues": {
        "en": "{role} data: {count:,} of {samples:,} labels ({share:.2%}) look wrong according to the predicted probabilities; the "
        "most doubtful is {first}: {given}, likely {likely}. About half of such labels are really wrong; inspect them.",
        "zh": "{role}数据：按预测概率判断，{samples:,} 个标签中有 {count:,} 个（{share:.2%}）可能有误，最可疑的是 {first}："
        "标签为 {given}，更可能是 {likely}。此类标签约有一半确实有误，请逐个查看。",
    },
    "none": {
        "en": "{role} data: the predicted probabilities speak against none of {samples:,} labels.",
        "zh": "{role}数据：预测概率未对 {samples:,} 个标签中的任何一个提出疑问。",
    },
    "predictions": {
        "en": "{role} data: {samples:,} predictions over {classes:,} classes ({order}) agree with {agreement:.1%} of the labels. They must "
        "come from models that were not trained on these samples (cross-validation); the file cannot show that.",
        "zh": "{role}数据：{samples:,} 个样本在 {classes:,} 个类别（{order}）上的预测与 {agreement:.1%} 的标签一致。"
        "预测须来自未用这些样本训练的模型（交叉验证），文件本身无法说明这一点。",
    },
    "seen": {
        "en": "{role} data: the predictions agree with every label, as they do when a model was trained on these very samples; they "
        "show nothing. Predict each sample with a model that has not seen it.",
        "zh": "{role}数据：预测与所有标签完全一致，很可能来自用这些样本训练过的模型，无法说明任何问题。请用未见过该样本的模型进行预测。",
    },
    "not-these": {
        "en": "{role} data: the predictions agree with only {agreement:.1%} of the labels, about as many as always predicting the "
        "largest class would ({majority:.1%}): they are in a different order from the samples or the classes, or carry no information.",
        "zh": "{role}数据：预测仅与 {agreement:.1%} 的标签一致，与始终预测最大类别（{majority:.1%}）相差无几："
        "预测的样本顺序或类别顺序与数据不一致，或预测本身没有意义。",
    },
    "unreadable": {"en": "{problem}", "zh": "{problem}"},
    "no-cleanlab": {
        "en": "cleanlab cannot be imported ({problem}). Install it with: pip install 'accucheck[labels]'",
        "zh": "无法导入 cleanlab（{problem}），请安装：pip install 'accucheck[labels]'",
    },
    "rows-differ": {
        "en": "{path} has {rows:,} rows, but there are {train:,} training samples{eval}; the predictions must be in the "
        "order of the samples.",
        "zh": "{path} 有 {rows:,} 行，而训练样本有 {train:,} 个{eval}；预测须与样本一一对应且顺序一致。",
    },
    "classes-differ": {
        "en": "{path} has {columns:,} columns, which does not fit the labels ({labels:,} different ones, for instance {first}). Name the "
        "classes in their order in data.train.classes.",
        "zh": "{path} 有 {columns:,} 列，与标签（{labels:,} 种，例如 {first}）不符。请在 data.train.classes 中按顺序给出类别。",
    },
    "not-probabilities": {
        "en": "{path} does not hold probabilities ({why}): an array of samples x classes is expected, each row adding up "
        "to 1 (after softmax).",
        "zh": "{path} 不是概率（{why}）：应为 样本数 x 类别数 的数组，每行之和为 1（softmax 之后）。",
    },
    "look": {
        "en": "Look at these samples, the most doubtful first, and have wrong ones labelled again.",
        "zh": "请从最可疑的开始逐个查看这些样本，有误的重新标注。",
    },
}

WORDS: Words = {
    "doubtful": {"en": "Doubtful labels", "zh": "可疑的标签"},
    "sample": {"en": "sample", "zh": "样本"},
    "given": {"en": "label", "zh": "标签"},
    "likely": {"en": "likely", "zh": "更可能是"},
    "confidence": {"en": "probability of the label", "zh": "该标签的概率"},
}

WHY: Words = {
    "issues": {
        "en": "Wrong labels teach the network wrong answers; in evaluation data they hide how good it is.",
        "zh": "错误的标签使网络学到错误答案；若出现在评估数据中，还会掩盖真实精度。",
    }
}
PROOF: Words = {
    "issues": {
        "en": "Look at the samples named here, or mark a sample of all with accucheck labels.",
        "zh": "查看此处列出的样本，或用 accucheck labels 抽样标注。",
    }
}

_ROWS = 200
#: More probabilities than this are refused: they are held in memory, three times over.
_MOST = 500_000_000
_ORDERS = {
    "numbers": {"en": "by number", "zh": "按编号"},
    "declared": {"en": "as data.train.classes orders them", "zh": "按 data.train.classes 的顺序"},
    "sorted": {"en": "taken in sorted order of the labels", "zh": "按标签排序后的顺序"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    import numpy as np

    _require_cleanlab()
    path = case.paths("data.predictions")[0]
    name = case.relative(path)
    predictions = _predictions(path, name)
    rows, columns = predictions.shape
    found: dict[str, _labelled.OrderedLabels] = {}
    for role in _labelled.ROLES:
        if case.get(f"data.{role}.path") is not None:
            found[role] = yield from _labelled.in_order(case, role)
            if found[role].count == rows:
                break
    else:
        for labels in found.values():
            for error in labels.files.errors:
                raise error
        evaluation = found.get("eval")
        shown = evaluation.count if evaluation is not None else None
        more = (
            {"en": "", "zh": ""}
            if shown is None
            else {"en": f" and {shown:,} of evaluation", "zh": f"，评估样本有 {shown:,} 个"}
        )
        raise Skip("rows-differ", path=name, rows=rows, train=found["train"].count, eval=more)
    labels = found[role]
    column, order, classes = _columns(case, labels, columns, name)
    codes = np.concatenate([np.empty(0, np.int64), *labels.codes])
    kept = np.flatnonzero(codes >= 0)
    given = column[codes[kept]]
    yield from _judge(role, name, labels, predictions[kept], given, kept, order, classes, params)


def _require_cleanlab() -> None:
    """Raise Skip where it is not installed, or cannot be imported with what else is."""
    try:
        import cleanlab.filter  # noqa: F401
    except Exception as error:  # a package of the wrong version may raise anything
        problem = (str(error).splitlines() or ["?"])[0][:200]
        raise Skip("no-cleanlab", problem=f"{type(error).__name__}: {problem}") from None


def _predictions(path: Path, name: str) -> np.ndarray[Any, Any]:
    """The probabilities as (samples, classes). Raises Skip and ReadError."""
    import numpy as np

    from ..readers.arrays import arrays, read
    from ..readers.detect import detect

    if not path.exists():
        raise ReadError("not-found", path=name)
    if path.is_dir():
        raise ReadError("is-directory", path=name)
    kind = detect(path)
    if kind not in ("npy", "npz"):
        raise ReadError("unknown-format", path=name, expected="NPY, NPZ")
    whole = [array for array in arrays(path, kind) if len(array.shape) == 2 and array.dtype.kind in "fui"]
    if len(whole) != 1 or min(whole[0].shape) < 2:
        shapes = ", ".join(f"{array.dtype} {list(array.shape)}" for array in arrays(path, kind)[:5]) or "-"
        raise Skip("not-probabilities", path=name, why=shapes)
    array = whole[0]
    if array.size > _MOST:
        raise ReadError("too-large", path=name, size=array.size * array.dtype.itemsize, limit=_MOST * 8)
    values = np.empty(array.size, np.float64)
    for start, block in read(array, 0, array.size):
        values[start : start + len(block)] = block
    values = values.reshape(array.shape[::-1]).T if array.fortran else values.reshape(array.shape)
    _require_probabilities(values, name)
    return np.clip(values, 0, 1)


def _require_probabilities(values: np.ndarray[Any, Any], name: str) -> None:
    """Raises Skip where values are none."""
    import numpy as np

    if not np.isfinite(values).all():
        raise Skip("not-probabilities", path=name, why="NaN, Inf")
    low, high = float(values.min()), float(values.max())
    sums = values.sum(axis=1)
    if low < -1e-6 or high > 1 + 1e-6 or float(np.abs(sums - 1).max()) > 1e-2:
        why = f"{low:.3g} .. {high:.3g}, sum {float(sums.min()):.3g} .. {float(sums.max()):.3g}"
        raise Skip("not-probabilities", path=name, why=why)


def _numbers_first(label: str) -> tuple[bool, int, str]:
    return not label.isdecimal(), int(label) if label.isdecimal() else 0, label


def _is_number_below(limit: int, label: str) -> bool:
    return label.isdecimal() and len(label) < 10 and int(label) < limit


def _columns(
    case: Case, labels: _labelled.OrderedLabels, columns: int, name: str
) -> tuple[np.ndarray[Any, Any], str, list[str]]:
    """The column of each label code, how they were found, and the name of each column. Raises Skip."""
    import numpy as np

    from ..readers.labels import said

    declared = [said(one) or "" for one in case.spec.data.train.classes]
    known = list(labels.names)
    numbers = all(_is_number_below(columns, one) for one in known)
    if declared and len(declared) == columns and set(known) <= set(declared):
        order, names = "declared", declared
    elif numbers:
        order, names = "numbers", declared if len(declared) == columns else [str(at) for at in range(columns)]
    elif len(known) == columns:
        order, names = "sorted", sorted(known, key=_numbers_first)
    else:
        first = known[0] if known else "-"
        raise Skip("classes-differ", path=name, columns=columns, labels=len(known), first=first)
    places = {one: at for at, one in enumerate(names)}
    column = [int(one) if order == "numbers" else places[one] for one in known]
    return np.array(column, np.int64), order, names


def _judge(
    role: str,
    name: str,
    labels: _labelled.OrderedLabels,
    predictions: np.ndarray[Any, Any],
    given: np.ndarray[Any, Any],
    kept: np.ndarray[Any, Any],
    order: str,
    classes: list[str],
    params: Params,
) -> Iterator[Finding]:
    import numpy as np
    from cleanlab.filter import find_label_issues

    for error in labels.files.errors[:20]:
        problem = {"zh": error.text(_zh()), "en": str(error)}
        yield Finding(
            "unreadable", Level.INFO, Where(path=error.data.get("path")), {"problem": problem}, incomplete=True
        )
    guessed = predictions.argmax(axis=1)
    agreement = float((guessed == given).mean()) if len(given) else 0.0
    majority = float(np.bincount(given).max() / len(given)) if len(given) else 1.0
    said: dict[str, Any] = {
        "role": _labelled.ROLES[role],
        "samples": len(given),
        "classes": len(classes),
        "order": _ORDERS[order],
        "agreement": agreement,
        "majority": majority,
    }
    place = Where(path=name)
    yield Finding("predictions", Level.INFO, place, said)
    if agreement <= majority + params.chance * (1 - majority):
        yield Finding("not-these", Level.INFO, place, said, incomplete=True)
        return
    if agreement == 1.0:
        yield Finding("seen", Level.INFO, place, said, incomplete=True)
        return
    # prune_by_noise_rate, its default: the most doubtful of each pair of classes, as many as the confident joint counts
    issues = find_label_issues(given, predictions, return_indices_ranked_by="self_confidence", n_jobs=1)
    if not len(issues):
        yield Finding("none", Level.INFO, place, said)
        return
    rows: list[list[Plain]] = [
        [
            labels.place(int(kept[at])),
            classes[int(given[at])],
            classes[int(guessed[at])],
            float(predictions[at, given[at]]),
        ]
        for at in issues[:_ROWS].tolist()
    ]
    first, label, likely, _ = rows[0]
    data = {
        **said,
        "count": len(issues),
        "share": len(issues) / len(given),
        "first": first,
        "given": label,
        "likely": likely,
    }
    table = Table("doubtful", ["sample", "given", "likely", "confidence"], rows, len(issues), samples=True)
    where = Where(path=str(first).partition(" [")[0])
    yield Finding("issues", Level.SUSPECT, where, data, [table], Fix("look"), sure=Sure.POSSIBLE)


def _zh() -> Any:
    from ..model import Language

    return Language.ZH


# --- examples ---------------------------------------------------------------------------------------------------------


def _probabilities(wrong: str) -> Any:
    """Write probabilities for 300 samples of three classes; "order" shuffles them, "seen" agrees with every label."""

    def write(path: Path) -> None:
        import numpy as np

        generator = np.random.default_rng(0)
        true = np.arange(300) % 3
        made = generator.dirichlet((1, 1, 1), 300) * 0.4
        made[np.arange(300), true] += 0.6
        if wrong == "seen":
            made = np.eye(3)[true] * 0.9 + 1 / 30
        elif wrong == "order":
            made = made[generator.permutation(300)]
        elif wrong == "unsure":  # a few that the model cannot tell, without being sure of another class
            made[::60] = [0.33, 0.34, 0.33]
        np.save(path, made.astype(np.float32) if wrong != "short" else made[:200])

    return write


def _table(flipped: int) -> str:
    """300 rows of three labels, so many of which are of the next class."""
    labels = ["abc"[(n + (n < 10 * flipped and n % 10 == 0)) % 3] for n in range(300)]
    return "x,label\n" + "".join(f"{n},{label}\n" for n, label in enumerate(labels))


def _example(name: str, flipped: int, wrong: str, verdict: Verdict, *codes: str) -> Example:
    return Example(
        name,
        files={"train.csv": _table(flipped), "probabilities.npy": _probabilities(wrong)},
        case={"data": {"train": {"path": "train.csv"}, "predictions": "probabilities.npy"}},
        verdict=verdict,
        codes=codes,
    )


EXAMPLES = [
    _example("nothing speaks against a label", 0, "unsure", Verdict.OK, "none"),
    _example("12 labels are of another class", 12, "", Verdict.UNDECIDED, "issues"),
    _example("predictions in another order", 0, "order", Verdict.UNDECIDED, "not-these"),
    _example("predictions of the model that was trained on them", 0, "seen", Verdict.UNDECIDED, "seen"),
]
