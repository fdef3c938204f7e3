"""`accucheck convert REF OUT`: the weights of one framework as a checkpoint of the other, bit by bit.

With --like the names and shapes are those of a checkpoint of the network, through the parameter map; without it they follow from the
kinds of the layers. What cannot be decided is told, not guessed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from .errors import UserError
from .language import Language, Words, aligned, visible, word
from .parameter_map import (
    Framework,
    Pair,
    ParameterMap,
    framework,
    pair_parameters,
    read_map,
    renamed,
    reshaped,
    unneeded,
    views,
    written,
)
from .readers.checkpoints import Checkpoint, open_checkpoint
from .store import atomically, require_outside_links, write_atomically
from .writers import CKPT_TYPES, SAFETENSORS_TYPES, Output, write_ckpt, write_safetensors

WORDS: Words = {
    "name": {"en": "Name", "zh": "名称"},
    "from": {"en": "From", "zh": "来自"},
    "shape": {"en": "Shape", "zh": "形状"},
    "dtype": {"en": "Type", "zh": "数据类型"},
    "change": {"en": "Change", "zh": "变化"},
    "kept": {"en": "-", "zh": "-"},
    "renamed": {"en": "renamed", "zh": "改名"},
    "reshape": {"en": "reshaped", "zh": "改形状"},
    "transpose": {"en": "transposed", "zh": "转置"},
    "rows": {"en": "rows", "zh": "按行拆合"},
    "more": {"en": "{count:,} more: --all shows them", "zh": "另有 {count:,} 行，可用 --all 查看"},
    "missing": {
        "en": "parameters of {like} without a value in {path}, left out: {count:,}: {names}",
        "zh": "{like} 中有 {count:,} 个参数在 {path} 中没有对应，未写入：{names}",
    },
    "unused": {
        "en": "parameters of {path} that {like} does not have, left out: {count:,}: {names}",
        "zh": "{path} 中有 {count:,} 个参数是 {like} 没有的，未写入：{names}",
    },
    "shapes": {
        "en": "parameters whose shapes do not fit, left out: {count:,}: {names}",
        "zh": "形状不符、未写入的参数：{count:,} 个：{names}",
    },
    "ambiguous": {
        "en": "parameters that several others fit equally well, left out: {count:,}: {names}. Settle them in a file: --write-map, "
        "then --map",
        "zh": "有多种对应可能、未写入的参数：{count:,} 个：{names}。可用 --write-map 写出映射文件，改好后用 --map 指定",
    },
    "parts": {
        "en": "joined parameters with a part that is missing or has a different type, left out: {count:,}: {names}",
        "zh": "由多个参数拼接而成、但缺少一部分或类型不一致，未写入：{count:,} 个：{names}",
    },
    "unsure": {
        "en": "parameters whose layer cannot be determined (Embedding or Dense, RMSNorm or PReLU, Conv1d or Conv2d, BatchNorm3d), not "
        "converted: {count:,}: {names}. Give a checkpoint of the network with --like",
        "zh": "仅凭名称和形状无法判断层的类型（Embedding 还是 Dense、RMSNorm 还是 PReLU、Conv1d 还是 Conv2d、BatchNorm3d），"
        "有 {count:,} 个参数未作相应转换：{names}。可用 --like 给出目标网络的 checkpoint",
    },
    "unreadable": {
        "en": "parameters that cannot be read (quantised, sparse, of an unknown type), left out: {count:,}: {names}",
        "zh": "无法读取（量化、稀疏或类型未知）、未写入的参数：{count:,} 个：{names}",
    },
    "type": {
        "en": "parameters of a type that {suffix} cannot hold, left out: {count:,}: {names}",
        "zh": "类型为 {suffix} 所不支持、未写入的参数：{count:,} 个：{names}",
    },
    "empty": {
        "en": "parameters without elements, which {suffix} cannot hold, left out: {count:,}: {names}",
        "zh": "没有元素、无法存入 {suffix} 的参数：{count:,} 个：{names}",
    },
    "bad-name": {
        "en": "parameters with names that {suffix} cannot hold, left out: {count:,}: {names}",
        "zh": "名称无法存入 {suffix} 的参数：{count:,} 个：{names}",
    },
    "state": {
        "en": "state of the optimizer and the training loop, left out: {count:,}",
        "zh": "优化器和训练过程的状态未写入：{count:,} 个",
    },
    "unneeded": {
        "en": "counters of batches (num_batches_tracked), which are not needed, left out: {count:,}",
        "zh": "无需写入的批次计数（num_batches_tracked）：{count:,} 个",
    },
    "by-order": {
        "en": "paired by the order and shapes of the layers, as names differ: {count:,}. See --all, or --write-map",
        "zh": "名称不同、按层的顺序和形状配对的参数：{count:,} 个。可用 --all 或 --write-map 核对",
    },
    "map-written": {"en": "map: {path}", "zh": "映射文件：{path}"},
    "whole": {
        "en": "{path}: {count:,} {count:parameter|parameters}, {size}; no weight was left out",
        "zh": "{path}：{count:,} 个参数，{size}；权重没有遗漏",
    },
    "partly": {
        "en": "{path}: {count:,} {count:parameter|parameters}, {size}; not complete, see above",
        "zh": "{path}：{count:,} 个参数，{size}；不完整，见上",
    },
}

#: Of the table in the terminal, and of names in a line.
_ROWS, _NAMES = 20, 6
#: What is right to leave out.
_EXPECTED = ("state", "unneeded")
#: The longest name of a .ckpt that our own reader takes.
_MAX_NAME = 4096


class Row(NamedTuple):
    """A parameter that is written, what it is made of, and how."""

    output: Output
    sources: list[str]
    change: str
    how: str = "kind"


class Plan(msgspec.Struct):
    """`rows` in the order of the network; `left` are names by the reason why they are left out, or not sure (keys of WORDS)."""

    rows: list[Row]
    left: dict[str, list[str]]
    map: ParameterMap | None = None

    @property
    def complete(self) -> bool:
        return not any(names for reason, names in self.left.items() if reason not in _EXPECTED)


def command(
    reference: Path,
    output: Path,
    *,
    to: Framework | None,
    like: Path | None,
    given: Path | None,
    write_map: Path | None,
    force: bool,
    everything: bool,
    language: Language,
    echo: Callable[[str], object],
    progress: Callable[[int, int], object],
) -> tuple[int, dict[str, Any]]:
    """The exit code (0: all of it, 1: something is left out or not sure) and what --json prints; the text goes to `echo`.

    `progress` is told the bytes written and all. Raises UserError, ReadError, SaveError.
    """
    suffix = output.suffix.lower()
    if suffix not in (".ckpt", ".safetensors"):
        raise UserError("convert-format", path=str(output))
    for target in filter(None, (output, write_map)):
        require_outside_links(target)
        _require_free(target, [path for path in (reference, like, given) if path is not None], force)
    source = open_checkpoint(reference)
    _require_single(source)
    if like is None:
        to = to or _direction(source)
        plan = by_kind(source, to)
    else:
        network = open_checkpoint(like)
        _require_single(network)
        plan = by_network(source, network, given)
        to = to or _framework(network)
    metadata = {"format": "pt"} if to == "pytorch" else None
    _drop_unwritable(plan, suffix)
    if write_map is not None and plan.map is not None:
        write_atomically(write_map, written(plan.map, str(like), str(reference)).encode("utf-8", "backslashreplace"))
    if not plan.rows:
        code = "convert-nothing" if like is None else "convert-unrelated"
        raise UserError(code, path=str(reference), like=str(like))
    outputs = [row.output for row in plan.rows]
    total, done = sum(one.nbytes for one in outputs), 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(done, total)

    with atomically(output) as stream:
        if suffix == ".ckpt":
            write_ckpt(stream, outputs, advance)
        else:
            write_safetensors(stream, outputs, metadata, advance)
    names = {"path": str(reference), "like": str(like), "suffix": suffix}
    for line in _text(plan, names, output, write_map, total, everything, language):
        echo(line)
    return int(not plan.complete), _json(plan, names, output, total)


def by_network(source: Checkpoint, network: Checkpoint, given: Path | None = None) -> Plan:
    """The tensors of `source` with the names and shapes of `network`; `given` is a mapping file."""
    said = [] if given is None else [read_map(given, network.tensors, source.tensors)]
    if wrong := [error for one in said for error in one.wrong]:
        raise wrong[0]  # a file that is half converted would be taken for whole
    found = pair_parameters(network.tensors, source.tensors, *said)
    left: dict[str, list[str]] = defaultdict(list)
    together: dict[int, list[Pair]] = defaultdict(list)
    for pair in found.pairs:
        together[id(pair.left)].append(pair)
    rows = []
    for info in network.tensors:
        pairs = sorted(together[id(info)], key=lambda pair: pair.left_rows or (0, 0))
        parts = [views(pair)[1] for pair in pairs]
        if any(part.obstacle for part in parts):
            left["unreadable"].append(info.name)
        elif parts and (sum(part.size for part in parts) != info.size or len({part.dtype for part in parts}) > 1):
            left["parts"].append(info.name)
        elif parts:
            rows.append(Row(Output(info.name, parts[0].dtype, info.shape, tuple(parts)), *_origin(pairs)))
    for info in found.left:
        if info.role == "weight" and not unneeded(info):
            left["missing"].append(info.name)
    for info in found.right:
        left["unneeded" if unneeded(info) else "state" if info.role == "state" else "unused"].append(info.name)
    left["shapes"] += [f"{one.name} {list(one.shape)} / {list(other.shape)}" for one, other in found.shapes]
    left["ambiguous"] += [info.name for group in found.ambiguous for info in group.left or group.right]
    return Plan(rows, dict(left), found)


def _origin(pairs: list[Pair]) -> tuple[list[str], str, str]:
    transform = next((pair.transform for pair in pairs if pair.transform), "")
    sources = [pair.right.name for pair in pairs]
    return sources, transform or ("kept" if sources == [pairs[0].left.name] else "renamed"), pairs[0].how


def by_kind(source: Checkpoint, to: Framework) -> Plan:
    """The weights of `source` as mindspore.nn or torch.nn calls them, by the kinds of their layers."""
    left: dict[str, list[str]] = defaultdict(list)
    rows = []
    for info in source.tensors:
        if unneeded(info):
            left["unneeded"].append(info.name)
        elif info.role == "state":
            left["state"].append(info.name)
    for one in renamed(source.tensors, to):
        info = one.info
        if info.obstacle:
            left["unreadable"].append(info.name)
            continue
        change = "reshape" if one.shape != info.shape else "kept" if one.name == info.name else "renamed"
        rows.append(Row(Output(one.name, info.dtype, one.shape, (reshaped(info, one.shape),)), [info.name], change))
        if not one.sure:
            left["unsure"].append(one.name)
    names = Counter(row.output.name for row in rows)
    if repeated := [name for name, count in names.items() if count > 1]:
        raise UserError("convert-collision", path=source.path, name=repeated[0])
    return Plan(rows, dict(left))


def _direction(source: Checkpoint) -> Framework:
    """To which framework: the other than that of the file."""
    own = _framework(source)
    if own is None:
        raise UserError("convert-direction", path=source.path)
    return "mindspore" if own == "pytorch" else "pytorch"


def _framework(checkpoint: Checkpoint) -> Framework | None:
    """Whose weights a file holds, by what it is, else by their names."""
    formats: dict[str, Framework] = {"ckpt": "mindspore", "torch": "pytorch"}
    return formats.get(checkpoint.format) or framework(checkpoint.tensors)


def _drop_unwritable(plan: Plan, suffix: str) -> None:
    types = CKPT_TYPES if suffix == ".ckpt" else SAFETENSORS_TYPES
    rows = []
    for row in plan.rows:
        output = row.output
        if output.dtype not in types:
            plan.left.setdefault("type", []).append(f"{output.name} ({output.dtype})")
        elif suffix == ".ckpt" and not output.nbytes:  # load_checkpoint takes the dims [0] for a number
            plan.left.setdefault("empty", []).append(output.name)
        elif not _is_writable(output.name):
            plan.left.setdefault("bad-name", []).append(output.name)
        else:
            rows.append(row)
    plan.rows = rows


def _is_writable(name: str) -> bool:
    try:
        return 0 < len(name.encode()) <= _MAX_NAME and name != "__metadata__"
    except UnicodeEncodeError:
        return False


def _require_free(target: Path, read: list[Path], force: bool) -> None:
    if any(path.exists() and target.exists() and path.samefile(target) for path in read):
        raise UserError("convert-same", path=str(target))
    if target.exists() and not force:
        raise UserError("convert-exists", path=str(target))


def _require_single(checkpoint: Checkpoint) -> None:
    for name, count in Counter(info.name for info in checkpoint.tensors).items():
        if count > 1:
            raise UserError("convert-repeated", path=checkpoint.path, name=name)


def _text(
    plan: Plan,
    names: dict[str, str],
    output: Path,
    write_map: Path | None,
    total: int,
    everything: bool,
    language: Language,
) -> Iterator[str]:
    def say(key: str, /, **data: Any) -> str:
        return word(WORDS, key, language, **data)

    shown = plan.rows if everything else plan.rows[:_ROWS]
    cells = [[say(head) for head in ("name", "from", "shape", "dtype", "change")]]
    for row in shown:
        sources = ", ".join(_some(row.sources))
        shape = "×".join(map(str, row.output.shape)) or "-"
        cells.append([row.output.name, sources, shape, row.output.dtype, say(row.change)])
    yield from aligned(cells)
    if len(shown) < len(plan.rows):
        yield "  " + say("more", count=len(plan.rows) - len(shown))
    for reason, some in plan.left.items():
        if some:
            listed = ", ".join(some if everything else _some(some))
            yield "- " + visible(say(reason, count=len(some), names=listed, **names))
    if ordered := sum(row.how in ("order", "shape") for row in plan.rows):
        yield "- " + say("by-order", count=ordered)
    if write_map is not None:
        yield visible(say("map-written", path=str(write_map)))
    code = "whole" if plan.complete else "partly"
    yield visible(say(code, path=str(output), count=len(plan.rows), size=_size(total)))


def _some(names: list[str]) -> list[str]:
    return names[:_NAMES] + ["…"] * (len(names) > _NAMES)


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e6 else f"{count:,} B"


def _json(plan: Plan, names: dict[str, str], output: Path, total: int) -> dict[str, Any]:
    return {
        "version": 1, "reference": names["path"], "output": str(output), "complete": plan.complete, "bytes": total,
        "parameters": [
            {
                "name": row.output.name, "from": row.sources, "shape": list(row.output.shape), "dtype": row.output.dtype,
                "change": row.change, "how": row.how,
            }
            for row in plan.rows
        ],
        "left_out": {reason: some for reason, some in plan.left.items() if some and reason != "unsure"},
        "unsure": plan.left.get("unsure", []),
    }  # fmt: skip
