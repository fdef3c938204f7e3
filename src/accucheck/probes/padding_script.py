"""Reads from the project's code how sequences are padded, and whether value, side, mask and length agree with each other.

Follows each padded column of the training data into the network and its loss, by what values are, not by what they are called.
Catches: labels whose padding the loss counts as a class; masks and lengths that are made and not used; a mask on the other side,
over everything, of another sequence, or for another value than the padding has; a length taken after padding; ids and what
goes with them padded on different sides; a pad value that is a real word or class; in networks and losses a mask that is
turned around, shifted against the labels, not handed on, or left out of the sum that it divides.
Compares with design.padding of the case. Reads the scripts, and code beside them that writes the records they read. Cannot
tell what is padded by tools or in data made elsewhere; what it finds without a contradiction or an account of it is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, script_example
from . import _gaps, _grades, _second_place, _seen

if TYPE_CHECKING:
    import ast

    from ..script.padding_facts import Padded
    from ..script.padding_rules import Observation, Result
    from ..script.source import Source

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)
#: Places of padding that are listed.
PLACES = 30


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "mask-side": {
        "en": "{mask} counts the padding {other}, but {padded} is padded {side}.",
        "zh": "{mask} 按补齐在{other}来标记，而 {padded} 补在{side}。",
    },
    "mask-everywhere": {
        "en": "{mask} is 1 everywhere, even where {padded} is padding.",
        "zh": "{mask} 全为 1，连 {padded} 的补齐部分也算作有效。",
    },
    "mask-off": {
        "en": "{mask} lies beside the data of {padded}: it leaves out the data at one end and takes padding in at the other.",
        "zh": "{mask} 与 {padded} 的数据错开：一端漏掉了数据，另一端却把补齐部分算了进去。",
    },
    "mask-off-perhaps": {
        "en": "{mask} does not begin or end where the data of {padded} do.",
        "zh": "{mask} 的起止位置与 {padded} 的数据不一致。",
    },
    "mask-of-another": {
        "en": "{mask} has the size of {padded}, but its length is that of the data in {other}.",
        "zh": "从大小看 {mask} 是 {padded} 的掩码，有效长度却取自 {other}。",
    },
    "mask-value": {
        "en": "The mask looks for {value}, but {padded} is padded with {filled} ({at}).",
        "zh": "掩码比较的是 {value}，而 {padded} 补的是 {filled}（{at}）。",
    },
    "network-mask-value": {
        "en": "The mask looks for {value}, but that is not what pads: {padded} is padded with {filled} ({place}).",
        "zh": "掩码比较的是 {value}，但没有数据用它补齐：{padded} 补的是 {filled}（{place}）。",
    },
    "unmasked-value": {
        "en": "{padded} is padded with {value}, and the mask looks for {masked} ({place}).",
        "zh": "{padded} 补的是 {value}，而掩码比较的是 {masked}（{place}）。",
    },
    "sides-differ": {
        "en": "{padded} is padded {side}, but {companion}, which goes along with it, {other}.",
        "zh": "{padded} 补在{side}，与之逐位对应的 {companion} 却补在{other}。",
    },
    "length-padded": {
        "en": "{length} is the length of {padded} after padding ({at}), so it always counts the padding too.",
        "zh": "{length} 是 {padded} 补齐之后（{at}）的长度，把补齐部分也算了进去。",
    },
    "pad-is-real": {
        "en": "{padded} is padded with {value}, which is also {word}, and nothing leaves it out again.",
        "zh": "{padded} 用 {value} 补齐，而 {value} 也是“{word}”的编号，之后也没有把补齐部分排除。",
    },
    "pad-is-mark": {
        "en": "{padded} is padded with {value}, the number of {word}, and the network has no mask: padding counts like data.",
        "zh": "{padded} 用 {word} 的编号 {value} 补齐，而网络中没有任何掩码，补齐部分与真实数据一样参与计算。",
    },
    "mask-inverted": {
        "en": "This mask is 1 at real positions but is used as if 1 meant padding: real positions are hidden, padding is visible.",
        "zh": "该掩码以 1 表示有效位置，此处却当作 1 表示补齐：有效位置被屏蔽，补齐部分反而可见。",
    },
    "mask-weak": {
        "en": "The mask of {padded} is applied to the attention scores as ones and zeros: after the softmax, padding still has weight "
        "({at}).",
        "zh": "{padded} 的掩码以 1 和 0 直接作用于注意力得分，softmax 之后补齐位置（{at}）仍然占有权重。",
    },
    "mask-late": {
        "en": "The mask of {padded} is put on the attention weights, after the softmax: its large numbers do not take padding out of the "
        "sum but enter it ({at}).",
        "zh": "{padded} 的掩码加在了 softmax 之后的注意力权重上：很大的数值没有排除补齐位置（{at}），反而进入了加权求和。",
    },
    "padding-averaged": {
        "en": "The loss at the padding of {padded} is set to 0, but these positions still count in this average.",
        "zh": "{padded} 补齐位置的损失已置为 0，却仍计入此处平均的个数。",
    },
    "mask-dropped": {
        "en": "{mask} is not used, and {function} gets none for its {parameter}.",
        "zh": "{mask} 没有用上，{function} 的参数 {parameter} 没有收到掩码。",
    },
    "mask-shifted": {
        "en": "{label} is cut to {part} and {mask} to {other}: the mask no longer matches the labels.",
        "zh": "{label} 取的是 {part}，{mask} 取的却是 {other}，掩码与标签错位。",
    },
    "mask-not-applied": {
        "en": "The sum is divided by the sum of {mask}, but {mask} was not applied to it.",
        "zh": "除数按 {mask} 求和，被除数却没有乘以 {mask}。",
    },
    "mask-unused": {
        "en": "{mask} separates data from padding in {padded}, but the loss does not depend on it.",
        "zh": "{mask} 标记了 {padded} 中哪些位置有效，但损失没有用到它。",
    },
    "mask-unread": {
        "en": "{mask} is passed to {function}, which never uses it, and nothing else uses this mask ({at}).",
        "zh": "{mask} 传给了 {function}，但其中从未读取，其他地方也没有用它参与计算（{at}）。",
    },
    "mask-loss-only": {
        "en": "{network} receives {mask}, which masks {padded}, but does not use it; only the loss does.",
        "zh": "{network} 收到了 {padded} 的掩码 {mask}，却没有使用，只有损失用到了它。",
    },
    "pad-counted": {
        "en": "{padded} is padded with {value}, and {loss} counts that as a class ({place}): nothing excludes it.",
        "zh": "{padded} 用 {value} 补齐，而 {loss} 把它当作一个类别计入损失（{place}），没有任何地方将其排除。",
    },
    "length-unused": {
        "en": "{layer} reads {padded} with its padding: neither it nor the loss gets {length}.",
        "zh": "{layer} 连补齐部分一起读取 {padded}：{length} 既没有传给它，也没有用于损失。",
    },
    "backward-from-padding": {
        "en": "{layer} also reads {padded} backward, and does not get {length}: it starts in the padding.",
        "zh": "{layer} 还会反向读取 {padded}，却没有传入 {length}：反向从补齐部分开始。",
    },
    "places-averaged": {
        "en": "This average runs over all positions of {padded}, padding included.",
        "zh": "此处对 {padded} 的全部位置求平均，包括补齐部分。",
    },
    "length-of-another": {
        "en": "{length}, the length used in line {line} of {path}, is also used here for a different sequence, while {of} receives "
        "{unread} and never uses it.",
        "zh": "{path} 第 {line} 行的长度 {length} 在此处又用于另一条序列，而 {of} 收到的 {unread} 从未读取。",
    },
    "word-is-pad": {
        "en": "{padded} is padded with {value} ({place}), an id that is also assigned to a word here.",
        "zh": "{padded} 用 {value} 补齐（{place}），而此处也会把这个编号分配给一个词。",
    },
    "design-value": {
        "en": "{padded} is padded with {value}; the case declares {wanted}.",
        "zh": "{padded} 用 {value} 补齐，而 accucheck.yaml 声明的补齐值是 {wanted}。",
    },
    "design-side": {
        "en": "{padded} is padded {side}; the case declares {wanted}.",
        "zh": "{padded} 补在{side}，而 accucheck.yaml 声明的是补在{wanted}。",
    },
    "design-mask": {
        "en": "The case declares a mask named {mask}; no such mask is made.",
        "zh": "accucheck.yaml 声明了名为 {mask} 的掩码，但代码中没有生成它。",
    },
    "hidden": {
        "en": "{padded} is padded {side} with {value}; a mask, a length or a dedicated value accounts for that.",
        "zh": "{padded} 在{side}用 {value} 补齐，已有相应的掩码、长度或专用取值。",
    },
    "found": {
        "en": "{padded} is padded {side} with {value}; what keeps it out of the result cannot be seen here.",
        "zh": "{padded} 在{side}用 {value} 补齐；从代码中看不出结果如何排除补齐部分。",
    },
    "left-out": {
        "en": "Column {padded} is padded {side} with {value}; {place} excludes that from the loss.",
        "zh": "列 {padded} 在{side}用 {value} 补齐；{place} 把补齐部分排除在损失之外。",
    },
    "stopped": {
        "en": "Column {padded} is padded {side} with {value}; how it is used at {place} could not be followed.",
        "zh": "列 {padded} 在{side}用 {value} 补齐；{place} 处对它的处理无法继续跟踪。",
    },
    "pipeline": {
        "en": "{call} pads in the data pipeline; whether masks and losses agree with it cannot be seen here.",
        "zh": "{call} 在数据管道中做了补齐；从代码中看不出掩码和损失是否与之一致。",
    },
    "pictures-only": {
        "en": "The training gets pictures and single numbers only ({columns}), so no sequences are padded; masks in the network are of "
        "something else.",
        "zh": "训练数据只有图像和单个数值（{columns}），没有需要补齐的序列；网络中的掩码另有用途。",
    },
    "masks-only": {
        "en": "Masks or lengths are used, but no code was found that pads: the data are made elsewhere.",
        "zh": "代码中使用了掩码或长度，但没有找到做补齐的代码，数据应是在别处生成的。",
    },
    "no-padding": {
        "en": "No padding of sequences was found, and no mask.",
        "zh": "没有发现对序列的补齐，也没有掩码。",
    },
    "fix-mask": {
        "en": "Build the mask from the length before padding, on the side where the data are.",
        "zh": "用补齐之前的长度生成掩码，并与数据所在的一侧一致。",
    },
    "fix-value": {
        "en": "Compare with the padding value; define it once and use it in both places.",
        "zh": "用补齐值做比较；把它定义成一个常量，两处共用。",
    },
    "fix-side": {"en": "Pad both on the same side.", "zh": "补在同一侧。"},
    "fix-length": {"en": "Take the length before padding.", "zh": "在补齐之前取长度。"},
    "fix-word": {
        "en": "Give padding a dedicated id, and exclude it from loss and attention (mask, ignore_index).",
        "zh": "为补齐单独分配一个编号，并在损失和注意力中排除它（掩码、ignore_index）。",
    },
    "fix-ignore": {
        "en": "Pad labels with a number that is not a class and let the loss ignore it (ignore_index), or mask the loss.",
        "zh": "用不属于任何类别的编号补齐标签，并让损失忽略它（ignore_index），或对损失使用掩码。",
    },
    "fix-given": {
        "en": "Pass the lengths before padding (seq_length) to the layer, or use its outputs only at real positions.",
        "zh": "把补齐之前的长度传给该层（seq_length），或只取有效位置的输出。",
    },
    "fix-average": {
        "en": "Multiply by the mask, add up, and divide by the number of real positions: (x * mask).sum(1) / mask.sum(1).",
        "zh": "乘以 mask 求和后除以有效位置数：(x * mask).sum(1) / mask.sum(1)。",
    },
    "fix-own-length": {"en": "Use each sequence's own length.", "zh": "每条序列使用各自的长度。"},
    "fix-inverted": {
        "en": "Hide what is not real: (1 - mask) * -10000.",
        "zh": "应屏蔽无效位置：(1 - mask) * -10000。",
    },
    "fix-late": {"en": "Add the mask to the scores, before the softmax.", "zh": "在 softmax 之前把掩码加到得分上。"},
    "fix-dropped": {"en": "Pass the mask on.", "zh": "把掩码传下去。"},
    "fix-shift": {"en": "Cut mask and labels alike.", "zh": "掩码与标签取相同的切片。"},
    "fix-applied": {
        "en": "Multiply by the mask before summing: (loss * mask).sum() / mask.sum().",
        "zh": "求和之前先乘以掩码：(loss * mask).sum() / mask.sum()。",
    },
    "fix-design": {
        "en": "Bring code and design.padding of the case together.",
        "zh": "使代码与 accucheck.yaml 中的 design.padding 一致。",
    },
}
WORDS: Words = _grades.WORDS

_SEEN = {
    "en": "Padding then counts as data: attention, pooling and the loss include it, and what is learned depends on the longest sample "
    "of a batch.",
    "zh": "补齐部分会被当作数据：注意力、池化和损失都把它算进去，学到的东西随最长样本的长度而变。",
}
_LOST = {
    "en": "Real positions are then excluded and padding is included: part of each sample never counts.",
    "zh": "真实位置被排除，补齐部分反而参与计算，每个样本都有一部分从未起作用。",
}
_DESIGN = {
    "en": "The network's input is not what the design, and perhaps a pretrained model, expects.",
    "zh": "网络实际收到的数据与设计（或预训练模型的要求）不符。",
}
WHY: Words = {
    "mask-side": _LOST,
    "mask-everywhere": _SEEN,
    "mask-off": _LOST,
    "mask-off-perhaps": _LOST,
    "mask-of-another": _LOST,
    "mask-value": _LOST,
    "network-mask-value": _LOST,
    "unmasked-value": _SEEN,
    "sides-differ": {
        "en": "Ids, segments and positions no longer match, and whatever counts from the first position reads padding.",
        "zh": "词、段、位置编码互相错位，从首位取值的部分读到的是补齐。",
    },
    "length-padded": _SEEN,
    "pad-is-real": {
        "en": "Each padded position counts as a real one: the network sees this word or class far too often.",
        "zh": "每个补齐位置都算作真实的词或类别，网络会过多地学到它。",
    },
    "pad-is-mark": _SEEN,
    "mask-inverted": _LOST,
    "mask-weak": _SEEN,
    "mask-late": _SEEN,
    "mask-dropped": _SEEN,
    "mask-shifted": {
        "en": "One real position in each sample is left out, and one padded position counts.",
        "zh": "每个样本都有真实位置被漏掉、补齐位置被计入。",
    },
    "mask-not-applied": {
        "en": "Padding counts in the loss but not in its divisor: short samples weigh more, and the loss is too large.",
        "zh": "补齐部分计入了损失，却不计入除数：短样本的权重偏大，损失偏高。",
    },
    "padding-averaged": {
        "en": "The more padding, the smaller the loss and its gradients: batches of short samples hardly count.",
        "zh": "补齐越多，损失及其梯度就越小：短样本多的 batch 几乎不起作用。",
    },
    "mask-unused": _SEEN,
    "mask-unread": _SEEN,
    "mask-loss-only": {
        "en": "Computations across positions, such as attention, pooling or recurrence, then include padding.",
        "zh": "注意力、池化、循环等跨位置的计算会把补齐部分也算进去。",
    },
    "pad-counted": {
        "en": "Each padded position counts as a sample of that class: the network learns to predict it, and loss and accuracy look "
        "better than they are.",
        "zh": "每个补齐位置都算作该类别的一个样本：网络会学着输出它，损失和准确率看起来都比实际要好。",
    },
    "length-unused": {
        "en": "The last state is then the one after the padding, and a backward layer starts in the padding: results depend on the "
        "amount of padding.",
        "zh": "最终状态取自补齐之后，反向层则从补齐部分开始读，结果会随补齐的多少而变。",
    },
    "backward-from-padding": {
        "en": "What it gives at the real positions depends on how much padding follows them.",
        "zh": "真实位置上的输出会随后面补齐的多少而变。",
    },
    "places-averaged": {
        "en": "The shorter a sequence, the nearer its average is to that of the padding: results depend on the longest of the batch.",
        "zh": "序列越短，其平均值越接近补齐部分的值：结果取决于补齐到多长。",
    },
    "length-of-another": {
        "en": "Where the two sequences differ in length, real steps are left out or padding is read.",
        "zh": "两条序列长度不同时，要么漏掉真实的步，要么把补齐部分读了进去。",
    },
    "word-is-pad": {
        "en": "Padding and this word look the same to the network; an embedding that keeps padding at zero never learns the word.",
        "zh": "网络无法区分补齐与这个词；若嵌入层把补齐固定为零，这个词就永远学不到。",
    },
    "design-value": _DESIGN,
    "design-side": _DESIGN,
    "design-mask": _DESIGN,
}
_PRINT = {
    "en": "Print one short sample as the network receives it: ids, mask, length. Add some padding to it: neither the sample's output "
    "nor its loss may change.",
    "zh": "打印一条短样本送入网络时的编号、掩码和长度；再把补齐加长几位，该样本的输出和损失都不应改变。",
}
PROOF: Words = dict.fromkeys(WHY, _PRINT)

_SUSPECTS = ("mask-off-perhaps", "padding-averaged", "mask-loss-only")
_LEVELS = {**dict.fromkeys(WHY, Level.PROBLEM), **dict.fromkeys(_SUSPECTS, Level.SUSPECT)}
_FIXES = {
    "mask-side": "fix-mask",
    "mask-everywhere": "fix-mask",
    "mask-off": "fix-mask",
    "mask-off-perhaps": "fix-mask",
    "mask-of-another": "fix-mask",
    "mask-value": "fix-value",
    "network-mask-value": "fix-value",
    "unmasked-value": "fix-value",
    "sides-differ": "fix-side",
    "length-padded": "fix-length",
    "pad-is-real": "fix-word",
    "pad-is-mark": "fix-word",
    "mask-inverted": "fix-inverted",
    "mask-weak": "fix-inverted",
    "mask-late": "fix-late",
    "mask-dropped": "fix-dropped",
    "mask-shifted": "fix-shift",
    "mask-not-applied": "fix-applied",
    "mask-unused": "fix-applied",
    "mask-unread": "fix-applied",
    "padding-averaged": "fix-applied",
    "mask-loss-only": "fix-dropped",
    "pad-counted": "fix-ignore",
    "length-unused": "fix-given",
    "backward-from-padding": "fix-given",
    "places-averaged": "fix-average",
    "length-of-another": "fix-own-length",
    "word-is-pad": "fix-word",
    "design-value": "fix-design",
    "design-side": "fix-design",
    "design-mask": "fix-design",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import shared_lengths, unread_masks
    from ..script.analysis import read_scripts
    from ..script.padding_rules import examine

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    if not scripts.training:
        return
    result = examine(scripts, Path(case.root), case.get("design.padding"))
    result.said += unread_masks.examine(scripts)
    result.said += shared_lengths.examine(scripts)
    for said in result.said:
        yield _finding(said)
    found = [*_places(result), *_columns(result), *_pipelines(result)]
    yield from found
    if not found and not result.said:
        path = scripts.training[0].source.path
        code = "no-padding" if not result.masks else "pictures-only" if result.pictures else "masks-only"
        data = {"columns": result.pictures} if code == "pictures-only" else {}
        if code == "masks-only":
            yield _seen.nothing(code, scripts.training)
        else:
            yield Finding(code, Level.INFO, Where(path=path), data)
    yield from _seen.data(scripts)
    yield Progress(len(scripts.training), len(scripts.training), "files")


def _finding(said: Observation) -> Finding:
    sure = Sure.POSSIBLE if said.code in _SUSPECTS else Sure.LIKELY if said.likely else Sure.CERTAIN
    where, evidence = _at(said.source, said.node)
    fix = Fix(_FIXES[said.code])
    data = said.data
    if "line" in data:
        data = {**data, "at": _second_place.at(data["path"], data["line"], said.source.path)}
    return Finding(said.code, _LEVELS[said.code], where, data, [evidence], fix, sure=sure)


def _at(source: Source, node: ast.AST) -> tuple[Where, Any]:
    line = getattr(node, "lineno", 1)
    last = getattr(node, "end_lineno", None) or line
    return Where(source.path, line, getattr(node, "col_offset", 0)), source.code(line, min(last, line + 12))


def _places(result: Result) -> Iterator[Finding]:
    from ..script.padding_rules import side_words

    hidden = {id(pad) for pad in result.hidden}

    def data(pad: Padded) -> dict[str, Any]:
        name = pad.names[0] if pad.names else pad.function
        return {"padded": name, "side": side_words(pad.side), "value": pad.text if pad.value is None else pad.value}

    for pad in sorted(result.pads, key=lambda pad: id(pad) in hidden)[:PLACES]:
        where, evidence = _at(pad.source, pad.node)
        code = "hidden" if id(pad) in hidden else "found"
        yield Finding(code, Level.INFO, where, data(pad), [evidence], incomplete=code == "found")


def _columns(result: Result) -> Iterator[Finding]:
    """The padded columns that were followed to where a mask, a length or the loss leaves their padding out, and the others."""
    from ..script.padded_columns import shown
    from ..script.padding_rules import side_words

    for column in sorted(result.columns, key=lambda column: column.hidden is not None)[:PLACES]:
        at = column.form.at
        where, evidence = _at(at.source, at.node)
        side = side_words(column.form.side) if column.form.side else {"en": "up", "zh": "空位"}
        end = column.hidden or column.stopped
        data: dict[str, Any] = {"padded": column.name, "side": side, "value": shown(column.form.fill)}
        if end is not None:
            data["place"] = _second_place.at(end.source.path, getattr(end.node, "lineno", 1), at.source.path)
        code = "left-out" if column.hidden else "stopped" if column.stopped else "found"
        yield Finding(code, Level.INFO, where, data, [evidence], incomplete=column.hidden is None)


def _pipelines(result: Result) -> Iterator[Finding]:
    for call in result.pipelines[:PLACES]:
        where, evidence = _at(call.source, call.node)
        yield Finding("pipeline", Level.INFO, where, {"call": call.last}, [evidence], incomplete=True)


def suggest(findings: Sequence[Finding]) -> Verdict:
    verdict = usual(findings)
    codes = {finding.code for finding in findings}
    return (
        Verdict.NOT_APPLICABLE
        if verdict is Verdict.OK and codes <= {"no-padding", "pictures-only", *_gaps.UNKNOWN, *_seen.SEEN} and codes
        else verdict
    )


_TRAIN = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from {module} import {name}

train_ds = ds.GeneratorDataset({name}, ["ids", "mask"])
ms.Model(net).train(1, train_ds)
"""
_HEAD = "import numpy as np\n\n"


def _example(name: str, data: str, verdict: Verdict, *codes: str, network: str = "", **case: Any) -> Example:
    train = _TRAIN.format(module="data", name="rows")
    return Example(
        name,
        files={"data.py": _HEAD + data.lstrip("\n"), "train.py": train.lstrip("\n") + network},
        case={"scripts": {"train": "train.py"}, **case},
        verdict=verdict,
        codes=codes,
    )


_BUFFER = """
def rows(sample, size):
    ids = np.zeros(size, np.int32)
    ids[{filled}] = sample
    mask = np.zeros(size, np.int32)
    mask[{masked}] = 1
    return {{"ids": ids, "mask": mask}}
"""
_LIST = """
def rows(sample, size):
    ids = convert(sample)
    {first}
    {second}
    return {{"ids": ids, "mask": mask}}
"""
_ATTENTION = """
class Attention(nn.Cell):
    def construct(self, scores, ids, mask=None):
        if mask is None:
            mask = ops.ones_like(ids)
        return ops.softmax(scores + {term} * -10000.0)
"""
_LOSS = """
class Loss(nn.Cell):
    def construct(self, logits, label, mask=None):
        each = -(logits * label).sum(-1)
        return ({sum}).sum() / mask.sum()

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.loss = Loss()

    def construct(self, logits, label, mask):
        label = label[:, 1:]
        mask = mask[:, {cut}]
        return self.loss(logits[:, :-1], label{given})

Net()(1, 2, 3)
"""

_TAGS = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

SIZE = 24

class Lines:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, place):
        words, tags = self.rows[place]
        out = {fill}
        out[:len(tags)] = tags
        return np.mean(words), out

    def __len__(self):
        return len(self.rows)

class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.out = nn.Dense(1, 9)

    def construct(self, x):
        return self.out(x)

data = ds.GeneratorDataset(Lines([]), ["x", "tags"]).batch(8)
net = Tagger()
ms.Model(net, {loss}, nn.Adam(net.trainable_params())).train(1, data)
"""


def _followed(name: str, fill: str, loss: str, verdict: Verdict, codes: tuple[str, ...]) -> Example:
    return Example(
        name,
        files={"train.py": _TAGS.lstrip("\n").format(fill=fill, loss=loss)},
        case={"scripts": {"train": "train.py"}},
        verdict=verdict,
        codes=codes,
    )


_POOLED = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

SIZE = 24

class Lines:
    def __init__(self, rows, kinds, table):
        self.rows, self.kinds, self.table = rows, kinds, table

    def __getitem__(self, place):
        words = [self.table[word] for word in self.rows[place].split()][:SIZE]
        count = len(words)
        out = np.zeros(SIZE, np.int32)
        out[:count] = words
        here = {mask}
        {write}
        return out, here, self.kinds[place]

    def __len__(self):
        return len(self.rows)

class Pooled(nn.Cell):
    def __init__(self, size):
        super().__init__()
        self.table, self.out = nn.Embedding(size, 32), nn.Dense(32, 4)

    def construct(self, words, here, kind):
        here = {used}.expand_dims(-1)
        return ops.cross_entropy(self.out((self.table(words) * here).sum(1) / here.sum(1)), kind)

rows = open("rows.txt").read().splitlines()
table = {start}
for row in rows:
    for word in row.split():
        table.setdefault(word, len(table))
data = ds.GeneratorDataset(Lines(rows, np.load("kinds.npy"), table), ["words", "here", "kind"]).batch(8)
net = Pooled(len(table))
opt = nn.Adam(net.trainable_params())
step = ops.value_and_grad(net, None, opt.parameters)
for words, here, kind in data:
    loss, grads = step(words, here, kind)
    opt(grads)
"""


def _pooled(
    name: str,
    verdict: Verdict,
    *codes: str,
    mask: str = "np.zeros(SIZE, np.float32)",
    write: str = "here[:count] = 1",
    used: str = "here",
    start: str = '{"<pad>": 0}',
) -> Example:
    changes = {"{mask}": mask, "{write}": write, "{used}": used, "{start}": start}
    script = _POOLED.lstrip("\n")
    for place, text in changes.items():
        script = script.replace(place, text)
    return Example(
        name, files={"train.py": script}, case={"scripts": {"train": "train.py"}}, verdict=verdict, codes=codes
    )


#: Labels as long as the sentences they belong to, whose padding the mask of the words says nothing of.
_REGRESSED = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

SIZE = 24

class Lines:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, place):
        words, levels = self.rows[place]
        rest = SIZE - len(words)
        here = [1] * len(words) + [0] * rest
        return np.array(words + [0] * rest), np.array(here, np.float32), np.array(levels + [0] * rest, np.float32)

    def __len__(self):
        return len(self.rows)

class Levels(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.run, self.out = nn.Embedding(500, 32), nn.LSTM(32, 32, batch_first=True), nn.Dense(32, 1)

    def construct(self, words, here):
        x, _ = self.run({given})
        return self.out(x).squeeze(-1)

net = Levels()
opt = nn.Adam(net.trainable_params())

def forward(words, here, levels):
    return {loss}

step = ms.value_and_grad(forward, None, opt.parameters)
for words, here, levels in ds.GeneratorDataset(Lines(read()), ["words", "here", "levels"]).batch(8):
    loss, grads = step(words, here, levels)
    opt(grads)
"""


def _regressed(
    name: str, verdict: Verdict, *codes: str, loss: str, given: str = "self.table(words) * here.expand_dims(-1)"
) -> Example:
    script = _REGRESSED.lstrip("\n").replace("{loss}", loss).replace("{given}", given)
    return Example(
        name, files={"train.py": script}, case={"scripts": {"train": "train.py"}}, verdict=verdict, codes=codes
    )


_AVERAGE = "return ops.cross_entropy(self.out((self.table(words) * here).sum(1) / here.sum(1)), kind)"
_ATTENDED = """x = self.table(words)
        scores = x @ self.key(x).swapaxes(1, 2) / 32**0.5
        weights = ops.softmax({masked}, axis=-1){behind}
        return ops.cross_entropy(self.out((weights @ x)[:, 0]), kind)"""


def _attended(name: str, verdict: Verdict, *codes: str, masked: str, behind: str = "") -> Example:
    script = _POOLED.replace("{mask}", "np.zeros(SIZE, np.float32)").replace("{write}", "here[:count] = 1")
    script = script.replace("{start}", '{"<pad>": 0}').replace("{used}.expand_dims(-1)", "here.expand_dims(1)")
    script = script.replace(_AVERAGE, _ATTENDED.format(masked=masked, behind=behind))
    script = script.replace("self.table, self.out = ", "self.key, self.table, self.out = nn.Dense(32, 32), ")
    case = {"scripts": {"train": "train.py"}}
    return Example(name, files={"train.py": script.lstrip("\n")}, case=case, verdict=verdict, codes=codes)


_MASKED = "scores = scores.masked_fill(mask, -1e9)"
_ATTENDING = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Attention(nn.Cell):
    def construct(self, q, k, v, mask):
        scores = ops.matmul(q, k.swapaxes(1, 2))
        {masked}
        return ops.matmul(ops.softmax(scores, -1), v)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.head, self.attention = nn.Embedding(50, 8), nn.Dense(8, 2), Attention()

    def construct(self, words):
        mask = ops.equal(words, 0).expand_dims(1)
        mask = ops.broadcast_to(mask, (-1, words.shape[1], -1))
        x = self.table(words)
        return self.head(self.attention(x, x, x, mask)[:, 0])

net = Net()
data = ds.MindDataset("words.mindrecord", columns_list=["words", "label"]).batch(16)
ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(3, data)
"""
_TWO_TEXTS = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.rnn, self.head = nn.Embedding(50, 8), nn.GRU(8, 8, batch_first=True), nn.Dense(8, 2)

    def construct(self, text, query, text_length, query_length):
        _, a = self.rnn(self.table(text), seq_length=text_length)
        _, b = self.rnn(self.table(query), seq_length={length})
        return self.head(a[-1] + b[-1])

net, loss_fn = Net(), nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params())
data = ds.MindDataset("texts.mindrecord", ["text", "query", "n", "m", "label"], shuffle=True).batch(16)
grad = ms.value_and_grad(lambda text, query, n, m, label: loss_fn(net(text, query, n, m), label), None, opt.parameters)
for text, query, n, m, label in data.create_tuple_iterator():
    loss, grads = grad(text, query, n, m, label)
    opt(grads)
"""
EXAMPLES = [
    script_example(
        "", "a length of another text", _TWO_TEXTS.format(length="text_length"), Verdict.PROBLEM, "length-of-another"
    ),
    script_example(
        "", "each text with its length", _TWO_TEXTS.format(length="query_length"), Verdict.UNDECIDED, "masks-only"
    ),
    script_example(
        "", "a mask that attention applies", _ATTENDING.format(masked=_MASKED), Verdict.UNDECIDED, "masks-only"
    ),
    script_example(
        "", "a mask that attention never reads", _ATTENDING.format(masked=""), Verdict.PROBLEM, "mask-unread"
    ),
    _regressed(
        "a mask of the words, and none of their labels",
        Verdict.UNDECIDED,
        "found",
        "left-out",
        loss="ops.mse_loss(net(words, here), levels)",
    ),
    _regressed(
        "a mask that the loss takes and the network does not read",
        Verdict.UNDECIDED,
        "mask-loss-only",
        loss="((net(words, here) - levels) ** 2 * here).sum() / here.sum()",
        given="self.table(words)",
    ),
    _regressed(
        "a mask of the words and of the loss of their labels",
        Verdict.OK,
        "left-out",
        loss="((net(words, here) - levels) ** 2 * here).sum() / here.sum()",
    ),
    _attended("a mask of ones added to the scores", Verdict.PROBLEM, "mask-weak", masked="scores + here"),
    _attended("a mask that makes padding vanish", Verdict.OK, "left-out", masked="scores + (1 - here) * -1e9"),
    _attended("a mask that raises the scores of data", Verdict.OK, "left-out", masked="scores + here * 1e9"),
    _attended(
        "a mask that raises the scores of padding", Verdict.PROBLEM, "mask-inverted", masked="scores + (1 - here) * 1e9"
    ),
    _attended(
        "a mask behind the softmax",
        Verdict.PROBLEM,
        "mask-late",
        masked="scores",
        behind=" + (1 - here) * -1e9",
    ),
    _pooled("words pooled by a mask of their own", Verdict.OK, "left-out"),
    _pooled("a mask one place beside the words", Verdict.PROBLEM, "mask-off", write="here[1:count + 1] = 1"),
    _pooled(
        "a mask that ends before the words do", Verdict.UNDECIDED, "mask-off-perhaps", write="here[:count - 1] = 1"
    ),
    _pooled("a mask of ones", Verdict.PROBLEM, "mask-everywhere", mask="np.ones(SIZE, np.float32)", write="pass"),
    _pooled(
        "a mask of the places behind the words",
        Verdict.PROBLEM,
        "mask-inverted",
        mask="(np.arange(SIZE) > count).astype(np.float32)",
        write="pass",
    ),
    _pooled(
        "the first word has the number that is filled in, and is masked with it",
        Verdict.PROBLEM,
        "word-is-pad",
        used="(words != 0).astype(ms.float32)",
        start="{}",
    ),
    _pooled(
        "words that are masked by a number of their own", Verdict.OK, "left-out", used="(words != 0).astype(ms.float32)"
    ),
    _example(
        "a mask from the length", _BUFFER.format(filled=":len(sample)", masked=":len(sample)"), Verdict.OK, "hidden"
    ),
    _example(
        "lists, and a mask made before",
        _LIST.format(
            first="mask = [1] * len(ids) + [0] * (size - len(ids))", second="ids = ids + [0] * (size - len(ids))"
        ),
        Verdict.OK,
        "hidden",
    ),
    _example(
        "a network that masks by the value of the padding",
        "def rows(sample, size):\n    ids = list(sample)\n    ids += [0] * (size - len(ids))\n    return ids\n",
        Verdict.OK,
        "hidden",
        network="\ndef pad_mask(ids):\n    return ops.equal(ids, 0)\n",
    ),
    _example("nothing is padded", "rows = [1, 2, 3]\n", Verdict.NOT_APPLICABLE, "no-padding"),
    _example(
        "padding, and nothing more to be seen",
        "def rows(sample, size):\n    while len(sample) < size:\n        sample.append(0)\n    return sample\n",
        Verdict.UNDECIDED,
        "found",
    ),
    _example(
        "an image filled up to a square",
        "def rows(image, size):\n    canvas = np.zeros((size, size, 3))\n"
        "    canvas[:image.shape[0], :image.shape[1]] = image\n    return canvas\n",
        Verdict.NOT_APPLICABLE,
        "no-padding",
    ),
    _example(
        "data at the end, mask at the start",
        _BUFFER.format(filled="-len(sample):", masked=":len(sample)"),
        Verdict.PROBLEM,
        "mask-side",
    ),
    _example(
        "a mask over everything", _BUFFER.format(filled=":len(sample)", masked=":"), Verdict.PROBLEM, "mask-everywhere"
    ),
    _example(
        "a mask of ids that are padded already",
        _LIST.format(first="ids = ids + [0] * (size - len(ids))", second="mask = [1] * len(ids)"),
        Verdict.PROBLEM,
        "mask-everywhere",
    ),
    _example(
        "a mask as long as another sequence",
        """
def rows(feature, label):
    features = np.zeros((MOST, 39))
    features[:feature.shape[0], :] = feature
    mask = np.zeros((MOST, 39))
    mask[:label.shape[0], :] = 1
    labels = np.full(LABELS, -1)
    labels[:label.shape[0]] = label
    return features, mask, labels
""",
        Verdict.PROBLEM,
        "mask-of-another",
    ),
    _example(
        "a mask for another value",
        _LIST.format(
            first="ids = ids + [1] * (size - len(ids))", second="mask = [1 if number != 0 else 0 for number in ids]"
        ),
        Verdict.PROBLEM,
        "mask-value",
    ),
    _example(
        "a length taken after padding",
        """
def rows(sample, size):
    ids = sample + [0] * (size - len(sample))
    return {"ids": ids, "seq_len": len(ids)}
""",
        Verdict.PROBLEM,
        "length-padded",
    ),
    _example(
        "a length taken before",
        """
def rows(sample, size):
    length = len(sample)
    ids = sample + [0] * (size - length)
    assert len(ids) == size
    return {"ids": ids, "seq_len": length}
""",
        Verdict.OK,
        "hidden",
    ),
    _example(
        "ids and segments on different sides",
        """
def rows(ids, segment_ids, size):
    ids = [0] * (size - len(ids)) + ids
    segment_ids = segment_ids + [0] * (size - len(segment_ids))
    return ids, segment_ids
""",
        Verdict.PROBLEM,
        "sides-differ",
    ),
    _example(
        "padded with a class",
        """
CLASSES = {"a": 0, "b": 1, "blank": 2}

def rows(words, size):
    label = np.asarray([CLASSES[word] for word in words])
    labels = np.full(size, 0)
    labels[:label.shape[0]] = label
    return labels
""",
        Verdict.PROBLEM,
        "pad-is-real",
    ),
    _example(
        "padded with a number of its own",
        """
CLASSES = {"a": 0, "b": 1}

def rows(words, size):
    label = np.asarray([CLASSES[word] for word in words])
    labels = 2 * np.ones(size)
    labels[:label.shape[0]] = label
    return labels
""",
        Verdict.OK,
        "hidden",
    ),
    _example(
        "padded with the end mark, and no mask anywhere",
        """
EOS = "<eos>"

def rows(sentence, words, size):
    numbers = {word: i for i, word in enumerate([EOS] + list(words))}
    ids = [numbers[word] for word in sentence]
    ids += [0] * (size - len(ids))
    return ids
""",
        Verdict.PROBLEM,
        "pad-is-mark",
    ),
    _example(
        "a network that masks another value",
        "def rows(sample, size):\n    ids = list(sample)\n    ids += [0] * (size - len(ids))\n    return ids\n",
        Verdict.PROBLEM,
        "network-mask-value",
        "found",
        network="\ndef pad_mask(ids):\n    return ops.equal(ids, 1)\n",
    ),
    _example(
        "one of two sequences with a value that the network does not mask",
        """
def rows(sample, other, size):
    ids = sample + [1] * (size - len(sample))
    more = other + [0] * (size - len(other))
    return ids, more
""",
        Verdict.PROBLEM,
        "unmasked-value",
        network="\ndef pad_mask(ids):\n    return ops.equal(ids, 0)\n",
    ),
    _example(
        "a mask turned around",
        "rows = [1]\n",
        Verdict.PROBLEM,
        "mask-inverted",
        network=_ATTENTION.format(term="mask"),
    ),
    _example(
        "a mask as it should be",
        "rows = [1]\n",
        Verdict.UNDECIDED,
        "masks-only",
        network=_ATTENTION.format(term="(1.0 - mask)"),
    ),
    Example(
        "a mask of windows in a network that gets pictures",
        files={
            "train.py": """
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
from mindspore import nn

class Window(nn.Cell):
    def __init__(self):
        super().__init__()
        self.out = nn.Dense(768, 10)

    def construct(self, x, window_mask=None):
        if window_mask is not None:
            x = x + window_mask
        return self.out(x.flatten(start_dim=1))

data = ds.ImageFolderDataset("data/train", decode=True).map([vision.Resize((16, 16)), vision.HWC2CHW()], "image").batch(8)
net = Window()
ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(1, data)
""".lstrip("\n")
        },
        case={"scripts": {"train": "train.py"}},
        verdict=Verdict.NOT_APPLICABLE,
        codes=("pictures-only",),
    ),
    _example(
        "a loss over real places only",
        "rows = [1]\n",
        Verdict.UNDECIDED,
        "masks-only",
        network=_LOSS.format(sum="each * mask", cut="1:", given=", mask"),
    ),
    _example(
        "a mask left out of the sum",
        "rows = [1]\n",
        Verdict.PROBLEM,
        "mask-not-applied",
        network=_LOSS.format(sum="each", cut="1:", given=", mask"),
    ),
    _example(
        "a mask one step behind the labels",
        "rows = [1]\n",
        Verdict.PROBLEM,
        "mask-shifted",
        network=_LOSS.format(sum="each * mask", cut=":-1", given=", mask"),
    ),
    _example(
        "a mask that is not handed on",
        "rows = [1]\n",
        Verdict.PROBLEM,
        "mask-dropped",
        network=_LOSS.format(sum="each * mask", cut="1:", given=""),
    ),
    _example(
        "not as declared",
        _BUFFER.format(filled=":len(sample)", masked=":len(sample)"),
        Verdict.PROBLEM,
        "design-value",
        "design-side",
        "design-mask",
        design={"padding": {"value": 1, "side": "left", "mask": "attention_mask"}},
    ),
    _example(
        "padded in the pipeline",
        "rows = [1]\n",
        Verdict.UNDECIDED,
        "found",
        network='\ntrain_ds = train_ds.padded_batch(32, pad_info={"ids": ([128], 0)})\n',
    ),
    _followed(
        "labels padded with a class that the loss counts",
        fill="np.zeros(SIZE, np.int32)",
        loss="nn.CrossEntropyLoss()",
        verdict=Verdict.PROBLEM,
        codes=("pad-counted",),
    ),
    _followed(
        "labels padded with what the loss ignores",
        fill="np.full(SIZE, -100)",
        loss="nn.CrossEntropyLoss()",
        verdict=Verdict.OK,
        codes=("left-out",),
    ),
]
