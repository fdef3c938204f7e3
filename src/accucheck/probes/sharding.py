"""Reads from the training script whether each device gets its own part of the training data.

Catches: a distributed run whose data set gets no shards, one shard for all devices, shards that no device reads, shards cut from
an order that differs between machines (os.listdir, glob and the like without sorting), a list that each device shuffles for itself
before it is cut, seeds that differ by rank, shards on one kind of device only, and a sampler of the project that takes a part and
tells the length of all. Cannot tell how many samples really overlap: `shard_overlap` measures that. A script
for a single device, and data that all devices take whole by design, are not applicable. Never imports or runs the script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, script_example
from . import _gaps, _grades, _second_place, _seen

if TYPE_CHECKING:
    from ..script.sharding import Observation

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)
#: Scripts without any of these words run on one device.
SUBJECT = (
    *("rank", "shard", "distribut", "parallel", "communication", "device_num", "devicenum", "group_size", "world_size"),
    *("\ninit(", " init(", ".init(", "(init("),
)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "no-shards": {
        "en": "The script runs on several devices ({start}), but the training data set {dataset} is not sharded with num_shards and "
        "shard_id.",
        "zh": "脚本会在多卡上运行（{start}），而训练数据集 {dataset} 没有用 num_shards 和 shard_id 分片。",
    },
    "shards-on-one-kind": {
        "en": "{dataset} is sharded on only one kind of device; the script also runs on several devices of another kind ({start}), "
        "each of which reads all of it.",
        "zh": "{dataset} 只在一种设备上做了分片；脚本也会在另一种设备上多卡运行（{start}），那时各卡都会读取全部数据。",
    },
    "no-shards-here": {
        "en": "{dataset} of the way for several devices gets no num_shards and shard_id.",
        "zh": "多卡分支中的 {dataset} 没有设置 num_shards 和 shard_id。",
    },
    "aside": {
        "en": "The script runs on several devices ({start}), and {dataset} gets no num_shards; whether a network is fed with it "
        "cannot be seen.",
        "zh": "脚本会在多卡上运行（{start}），而 {dataset} 没有设置 num_shards；从代码中看不出它是否送入网络训练。",
    },
    "constant-shard": {
        "en": "{dataset} is divided, but its shard_id is always {value}: all devices get the same part.",
        "zh": "{dataset} 做了分片，但 shard_id 恒为 {value}，各卡读到的是同一片数据。",
    },
    "shard-written": {
        "en": "{dataset} is divided into {count} parts, and the part that is read is written down as {value}: on several devices all "
        "would read the same one.",
        "zh": "{dataset} 分为 {count} 片，而读取的那一片写死为 {value}：多卡运行时各卡会读到同一片数据。",
    },
    "shard-by-device": {
        "en": "The part of {dataset} that is read is chosen by the number of the device, not by rank: it starts again on each machine.",
        "zh": "{dataset} 读取哪一部分由设备号而不是 rank 决定，设备号在每台机器上都会从头编号。",
    },
    "shards-exchanged": {
        "en": "{dataset} gets the index of this device as num_shards and the number of devices as shard_id: the two are swapped.",
        "zh": "{dataset} 的 num_shards 得到的是本卡编号，shard_id 得到的是卡数：两者写反了。",
    },
    "parts-unread": {
        "en": "{dataset} is divided into {parts} parts, and {devices} devices read the parts {read}, by rank: not each part once.",
        "zh": "{dataset} 分为 {parts} 片，而 {devices} 张卡按 rank 依次读取第 {read} 片，并非每片恰好读取一次。",
    },
    "part-unclear": {
        "en": "Which part of {dataset} a device reads is computed from values that cannot be seen here.",
        "zh": "各卡读取 {dataset} 的哪一片，由此处看不到的内容计算得出。",
    },
    "unsorted": {
        "en": "{call} returns the files in arbitrary order, and {dataset} ({at}) is sharded by that order.",
        "zh": "{call} 返回的文件顺序不固定，而 {dataset}（{at}）正是按这个顺序分片的。",
    },
    "cut-unsorted": {
        "en": "{call} returns the files in arbitrary order, and {part} ({at}), which training uses, selects some of them by position.",
        "zh": "{call} 返回的文件顺序不固定，而训练用到的 {part}（{at}）按位置取其中一部分。",
    },
    "shuffled-apart": {
        "en": "{call} shuffles without a common seed, before {dataset} is sharded: each device takes its part from a different order.",
        "zh": "{call} 在 {dataset} 分片之前打乱数据，各卡又没有相同的种子，各自从不同的顺序中切分。",
    },
    "seed-by-rank": {
        "en": "{call} seeds each rank differently, and {dataset} is shuffled before it is divided.",
        "zh": "{call} 使各 rank 的种子不同，而 {dataset} 是先混洗、再分片的。",
    },
    "unresolved": {
        "en": "Whether {dataset} is sharded depends on arguments that cannot be seen here.",
        "zh": "{dataset} 是否分片取决于此处看不到的参数。",
    },
    "no-dataset": {
        "en": "The script runs on several devices, but no MindSpore data set for training was found to be made.",
        "zh": "脚本会在多卡上运行，但没有找到创建训练数据集的代码。",
    },
    "sharded": {"en": "{dataset} is divided among the devices.", "zh": "{dataset} 已按设备分片。"},
    "sampler-unclear": {
        "en": "{sampler} gets the index of the device. Its code does not show that each device gets its own part, or that len() is the "
        "length of that part.",
        "zh": "{sampler} 得到了设备编号，但从其代码中看不出每个设备各取一部分，且 len() 返回的是该部分的长度。",
    },
    "sampler-length": {
        "en": "{sampler} yields a part of the samples on each device, but its len() counts all of them.",
        "zh": "{sampler} 给每个设备一部分样本，而它的 len() 返回的是全部样本的数量。",
    },
    "by-rank": {
        "en": "What {dataset} reads is chosen by rank. Whether the parts are alike depends on the order of the data before that, which is "
        "not seen here.",
        "zh": "{dataset} 读取的数据按 rank 选取。各部分的分布是否一致取决于选取之前数据的顺序，这里看不到。",
    },
    "single": {"en": "The script runs on a single device.", "zh": "脚本只在单卡上运行。"},
    "whole-batch": {
        "en": "All devices take the same input by design (full_batch or a strategy for the data set).",
        "zh": "按设计各卡输入相同（设置了 full_batch 或数据集切分策略）。",
    },
    "fix-shards": {
        "en": "Pass num_shards=get_group_size(), shard_id=get_rank().",
        "zh": "传入 num_shards=get_group_size(), shard_id=get_rank()。",
    },
    "fix-rank": {"en": "Pass shard_id=get_rank().", "zh": "传入 shard_id=get_rank()。"},
    "fix-by-rank": {
        "en": "Choose the part by get_rank(): as shard_id, or in the sampler.",
        "zh": "用 get_rank() 选择读取的部分：作为 shard_id，或传给采样器。",
    },
    "fix-length": {
        "en": "Return from __len__ the number of samples that __iter__ yields on this device.",
        "zh": "让 __len__ 返回 __iter__ 给本设备的样本数。",
    },
    "fix-sort": {
        "en": "Sort the list before it is used: sorted(...).",
        "zh": "使用之前先对列表排序：sorted(...)。",
    },
    "fix-shuffle": {
        "en": "Leave the list in its order and let the data set shuffle (shuffle=True), or seed with one value on all devices before.",
        "zh": "保持列表顺序，由数据集混洗（shuffle=True）；或事先在各卡设置相同的种子。",
    },
    "fix-seed": {
        "en": "Seed all devices with the same value; use a separate seed per device only for augmentation.",
        "zh": "各卡设置相同的种子；只有数据增强才单独按 rank 设种子。",
    },
}
WORDS: Words = _grades.WORDS

_ALL = {
    "en": "Every device then trains on the same samples: an epoch repeats the data as many times as there are devices, "
    "the batch is smaller than it seems, and the learning rate no longer fits.",
    "zh": "各卡训练的是同样的样本：一个 epoch 把数据重复了卡数那么多遍，有效 batch 比看上去小，学习率也不再匹配。",
}
_OVERLAP = {
    "en": "The parts of the devices then overlap and leave samples out: some are trained on several times an epoch, others never.",
    "zh": "各卡的分片会相互重叠并有遗漏：有的样本一个 epoch 训练多次，有的从未训练到。",
}
_ONE_PART = {
    "en": "All devices train on the same part, and the rest of the data is never seen.",
    "zh": "各卡只训练同一片数据，其余数据从未参与训练。",
}
WHY: Words = {
    "no-shards": _ALL,
    "shards-on-one-kind": _ALL,
    "no-shards-here": _ALL,
    "aside": _ALL,
    "constant-shard": _ONE_PART,
    "shard-written": _ONE_PART,
    "shard-by-device": {
        "en": "On several machines, or with devices that do not start from 0, parts come twice and others never.",
        "zh": "多机训练或所用设备不是从 0 开始时，有的分片重复，有的缺失。",
    },
    "parts-unread": _OVERLAP,
    "shards-exchanged": _OVERLAP,
    "unsorted": {
        "en": "Where the devices list copies of their own (on several machines, say), their parts overlap and leave samples out: some are "
        "trained on several times an epoch, others never. From one folder, the processes of a machine mostly get one order.",
        "zh": "各卡列出的若是各自的副本（例如多机训练），分片会相互重叠并有遗漏：有的样本一个 epoch 训练多次，有的从未训练到。"
        "同一台机器上的进程列同一个目录，得到的顺序通常一致。",
    },
    "cut-unsorted": {
        "en": "Machines then use different splits: files that one sets aside for validation are training data on another.",
        "zh": "不同机器用来训练的文件因此不同：一台留作验证的文件，另一台可能用于训练。",
    },
    "shuffled-apart": _OVERLAP,
    "seed-by-rank": _OVERLAP,
    "sampler-length": {
        "en": "The steps of an epoch, and a learning rate by steps, are then as many as for a single device; a GeneratorDataset fails at "
        "the end of the epoch.",
        "zh": "一个 epoch 的步数以及按步数生成的学习率都会按单卡计算；GeneratorDataset 会在 epoch 结束时报错。",
    },
}
_SHARDS = {
    "en": "Print the sample ids of an epoch on each rank: no two may overlap, and together they must be all.",
    "zh": "在每个 rank 上打印一个 epoch 的样本编号：两两不应重叠，合起来应是全部样本。",
}
_LISTED = {
    "en": "Print the list of files on two machines, or after copying the data elsewhere, and compare the order.",
    "zh": "在两台机器上（或把数据复制到别处后）打印文件列表，比较顺序。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _SHARDS),
    **dict.fromkeys(("unsorted", "cut-unsorted"), _LISTED),
    "sampler-length": {
        "en": "Compare len(sampler) with len(list(sampler)), made for two devices.",
        "zh": "按两个设备构造采样器，比较 len(sampler) 与 len(list(sampler))。",
    },
}

_LEVELS = {
    "no-shards": Level.PROBLEM,
    "shards-on-one-kind": Level.PROBLEM,
    "no-shards-here": Level.PROBLEM,
    "constant-shard": Level.PROBLEM,
    "parts-unread": Level.PROBLEM,
    "shards-exchanged": Level.PROBLEM,
    "unsorted": Level.PROBLEM,
    "cut-unsorted": Level.SUSPECT,
    "shuffled-apart": Level.PROBLEM,
    "seed-by-rank": Level.PROBLEM,
    "sampler-length": Level.PROBLEM,
    "shard-by-device": Level.SUSPECT,
    "shard-written": Level.SUSPECT,
    "aside": Level.SUSPECT,
}
_FIXES = {
    "no-shards": "fix-shards",
    "shards-on-one-kind": "fix-shards",
    "no-shards-here": "fix-shards",
    "constant-shard": "fix-rank",
    "shard-written": "fix-rank",
    "parts-unread": "fix-rank",
    "shards-exchanged": "fix-rank",
    "shard-by-device": "fix-by-rank",
    "aside": "fix-shards",
    "unsorted": "fix-sort",
    "cut-unsorted": "fix-sort",
    "shuffled-apart": "fix-shuffle",
    "seed-by-rank": "fix-seed",
    "sampler-length": "fix-length",
}
#: Faults that rest on an order which no one promises: the processes of one machine, from one folder, mostly get one and the same.
_AS_LISTED = ("unsorted", "cut-unsorted")
#: So many devices a machine has at most.
ONE_MACHINE = 16
_GAPS = ("unresolved", "no-dataset", "sampler-unclear", "part-unclear")
_NOT_HERE = ("single", "whole-batch")


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.analysis import read_scripts
    from ..script.sharding import examine

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    if not scripts.mentions(*SUBJECT) and (case.get("runtime.distributed.devices") or 1) < 2:
        for reading in scripts.training:
            yield Finding("single", Level.INFO, Where(path=reading.source.path))
        yield from _seen.data(scripts)
        return
    for done, reading in enumerate(scripts.training, start=1):
        devices = case.get("runtime.distributed.devices")
        for said in examine(reading, scripts.sources, devices):
            yield _finding(said, (devices or 1) > ONE_MACHINE)
        yield Progress(done, len(scripts.training), "files")
    yield from _seen.data(scripts)


def _finding(said: Observation, machines: bool) -> Finding:
    """What a rule saw, as a finding; `machines`: the training is known to run on several, which list copies of their own."""
    cut = said.code == "cut-unsorted"
    level = Level.PROBLEM if cut and machines else _LEVELS.get(said.code, Level.INFO)
    line = getattr(said.node, "lineno", None)
    last = getattr(said.node, "end_lineno", line)
    where = Where(path=said.source.path, line=line, column=getattr(said.node, "col_offset", None))
    evidence = [said.source.code(line, min(last, line + 12))] if line else []
    sure = None
    if level is not Level.INFO:
        likely = said.likely or said.code in (*_AS_LISTED, "shard-by-device")
        open_ = said.code in ("aside", "shard-written") or (cut and not machines)
        sure = Sure.POSSIBLE if open_ else Sure.LIKELY if likely else Sure.CERTAIN
    fix = Fix(_FIXES[said.code], said.diff) if said.code in _FIXES else None
    data = said.data
    if "call" in data and "line" in data:
        data = {**data, "at": _second_place.at(data["path"], data["line"], said.source.path)}
    return Finding(said.code, level, where, data, [*evidence], fix, incomplete=said.code in _GAPS, sure=sure)


def suggest(findings: Sequence[Finding]) -> Verdict:
    """Not applicable when every script that was read runs on one device, or takes whole batches by design."""
    verdict = usual(findings)
    codes = {finding.code for finding in findings}
    return Verdict.NOT_APPLICABLE if verdict is Verdict.OK and codes and codes <= {*_NOT_HERE, *_seen.SEEN} else verdict


_HEAD = """import glob
import os
import random
import mindspore as ms
import mindspore.dataset as ds
from mindspore.communication import init, get_rank, get_group_size
"""
_SOURCE = """
class Pictures:
    def __init__(self, folder):
        self.files = {listing}

    def __getitem__(self, index):
        return (self.files[index],)

    def __len__(self):
        return len(self.files)

init()
train_ds = ds.GeneratorDataset(Pictures("train"), ["image"], num_shards=get_group_size(), shard_id=get_rank())
"""
_PARTS = """
import numpy as np

class DistributedPicks:
    def __init__(self, count, devices, number):
        self.count, self.devices, self.number = count, devices, number

    def __iter__(self):
        return iter(np.random.RandomState(1).permutation(self.count)[self.number::self.devices].tolist())

    def __len__(self):
        return {length}

"""
_PARTED = """
init()
train_ds = ds.ImageFolderDataset("train", sampler=DistributedPicks(1000, get_group_size(), get_rank())).batch(32)
"""


def _example(name: str, script: str, verdict: Verdict, *codes: str, **case: Any) -> Example:
    tail = "\nms.Model(net).train(1, train_ds)\n"
    return script_example(_HEAD, name, script.lstrip("\n"), verdict, *codes, tail=tail, **case)


_CUT = """
import numpy as np
from mindspore import nn
init()
names = os.listdir("a")
net = nn.Dense(4, 1)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
for name in names[:90]:
    rows = ms.Tensor(np.load(name))
    step(rows, rows[:, :1])
train_ds = []
"""
EXAMPLES = [
    _example(
        "a sampler of the project that takes its part of a permutation",
        _PARTS.format(length="self.count // self.devices") + _PARTED,
        Verdict.OK,
        "by-rank",
    ),
    _example(
        "a sampler of the project with the length of the whole",
        _PARTS.format(length="self.count") + _PARTED,
        Verdict.PROBLEM,
        "sampler-length",
    ),
    _example(
        "a sampler of the project whose length a file tells",
        _PARTS.format(length='int(open("length.txt").read())') + _PARTED,
        Verdict.UNDECIDED,
        "sampler-unclear",
    ),
    _example(
        "a sampler of the project that always takes the first part",
        _PARTS.format(length="self.count // self.devices") + _PARTED.replace("get_rank())", "0)"),
        Verdict.PROBLEM,
        "no-shards",
    ),
    _example(
        "shards by rank",
        """
init()
train_ds = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=get_rank())
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "shards where the device is an Ascend, and several of another kind",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="Ascend", choices=["Ascend", "GPU"])
parser.add_argument("--several", action="store_true")
args = parser.parse_args()
ms.set_context(device_target=args.device)
rank, size = 0, 1
if args.several:
    init()
    if args.device == "Ascend":
        rank, size = get_rank(), get_group_size()
train_ds = ds.MindDataset("train.mindrecord", num_shards=size, shard_id=rank)
""",
        Verdict.PROBLEM,
        "shards-on-one-kind",
    ),
    _example(
        "files taken by their places from a listing",
        _CUT,
        Verdict.UNDECIDED,
        "cut-unsorted",
    ),
    _example(
        "files as several machines list them, cut",
        _CUT,
        Verdict.PROBLEM,
        "cut-unsorted",
        runtime={"distributed": {"devices": 32}},
    ),
    _example(
        "rank and number of devices that have changed places",
        """
init()
where = {"num_shards": get_rank(), "shard_id": get_group_size()}
train_ds = ds.MindDataset("train.mindrecord", **where)
""",
        Verdict.PROBLEM,
        "shards-exchanged",
    ),
    _example(
        "half of the parts, each for two devices",
        """
init()
train_ds = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=get_rank() // 2)
""",
        Verdict.PROBLEM,
        "parts-unread",
    ),
    _example(
        "parts counted from one",
        """
class Place:
    def __init__(self):
        init()
        self.size, self.number = get_group_size(), get_rank() + 1

place = Place()
train_ds = ds.ImageFolderDataset("train", num_shards=place.size, shard_id=place.number)
""",
        Verdict.PROBLEM,
        "parts-unread",
    ),
    _example(
        "parts for groups of two devices, that share a network",
        """
def part(rank, per_group):
    return rank // per_group

init()
train_ds = ds.MindDataset("train.mindrecord", num_shards=get_group_size() // 2, shard_id=part(get_rank(), 2))
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "a part by what is not followed",
        """
from elsewhere import order
init()
train_ds = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=order[get_rank()])
""",
        Verdict.UNDECIDED,
        "part-unclear",
    ),
    _example(
        "a way for several devices that no caller takes",
        """
def create(path, devices=1, number=0):
    if devices == 1:
        return ds.ImageFolderDataset(path)
    return ds.ImageFolderDataset(path, num_shards=devices, shard_id=number)

train_ds = create("train")
""",
        Verdict.NOT_APPLICABLE,
        "single",
    ),
    _example(
        "one way for a single device, one for several",
        """
def create(path, device_num, rank):
    if device_num == 1:
        return ds.ImageFolderDataset(path)
    return ds.ImageFolderDataset(path, num_shards=device_num, shard_id=rank)

device_num = int(os.getenv("RANK_SIZE", "1"))
rank = 0
if device_num > 1:
    init()
    rank = get_rank()
train_ds = create("train", device_num, rank)
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "several devices leave the function before a single one comes",
        """
def create(path, device_num, rank):
    if device_num > 1:
        return ds.ImageFolderDataset(path, num_shards=device_num, shard_id=rank)
    return ds.ImageFolderDataset(path)

device_num = int(os.getenv("RANK_SIZE", "1"))
rank = 0
if device_num > 1:
    init()
    rank = get_rank()
train_ds = create("train", device_num, rank)
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "a sampler that divides",
        """
init()
sampler = ds.DistributedSampler(get_group_size(), get_rank())
train_ds = ds.ImageFolderDataset("train", sampler=sampler)
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "a sampler that divides is added to one that shuffles",
        """
init()
train_ds = ds.ImageFolderDataset("train", sampler=ds.RandomSampler())
train_ds.add_sampler(ds.DistributedSampler(get_group_size(), get_rank()))
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "whole on a CPU only",
        """
init()
if args.device_target == "CPU":
    train_ds = ds.MindDataset("train.mindrecord")
else:
    train_ds = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=get_rank())
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "an option that a function calls otherwise",
        """
parser = argparse.ArgumentParser()
parser.add_argument("--distribution_flag", default="YES")
args = parser.parse_args()

def create(several):
    if several == "YES":
        return ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=get_rank())
    return ds.MindDataset("train.mindrecord")

if args.distribution_flag == "YES":
    init()
train_ds = create(args.distribution_flag)
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "arguments from a dict",
        """
init()
train_ds = ds.MindDataset("train.mindrecord", **dict(num_shards=get_group_size(), shard_id=get_rank()))
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "files chosen by rank",
        """
init()
train_ds = ds.TFRecordDataset(f"train_{get_rank()}.tfrecord")
""",
        Verdict.OK,
        "by-rank",
    ),
    _example("a single device", 'train_ds = ds.ImageFolderDataset("train")\n', Verdict.NOT_APPLICABLE, "single"),
    _example(
        "every device takes the whole batch by design",
        """
init()
ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
train_ds = ds.MindDataset("train.mindrecord")
""",
        Verdict.NOT_APPLICABLE,
        "whole-batch",
    ),
    _example(
        "no shards",
        """
init()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
train_ds = ds.ImageFolderDataset("train", shuffle=True)
""",
        Verdict.PROBLEM,
        "no-shards",
    ),
    _example(
        "no shards on the way for several devices, which a constant turns off",
        """
device_num = 1

def create(path):
    if device_num == 1:
        return ds.ImageFolderDataset(path, shuffle=True)
    else:
        return ds.ImageFolderDataset(path, shuffle=True)

train_ds = create("train")
""",
        Verdict.PROBLEM,
        "no-shards-here",
    ),
    _example(
        "one shard for all",
        """
init()
train_ds = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=0)
""",
        Verdict.PROBLEM,
        "constant-shard",
    ),
    _example(
        "one shard for all, where options lead to several devices",
        """
def load(parts=1, part=0):
    return ds.MindDataset("train.mindrecord", num_shards=parts, shard_id=0)

train_ds = load()
""",
        Verdict.UNDECIDED,
        "shard-written",
    ),
    _example(
        "the part that is asked for",
        """
def load(parts=1, part=0):
    return ds.MindDataset("train.mindrecord", num_shards=parts, shard_id=part)

train_ds = load()
""",
        Verdict.NOT_APPLICABLE,
        "single",
    ),
    _example(
        "the number of the device instead of the rank",
        """
init()
train_ds = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=int(os.getenv("DEVICE_ID")))
""",
        Verdict.UNDECIDED,
        "shard-by-device",
    ),
    _example("files as they are listed", _SOURCE.format(listing="os.listdir(folder)"), Verdict.PROBLEM, "unsorted"),
    _example(
        "the one file that a pattern fits", _SOURCE.format(listing="read(glob.glob(folder)[0])"), Verdict.OK, "sharded"
    ),
    _example("files in order", _SOURCE.format(listing="sorted(os.listdir(folder))"), Verdict.OK, "sharded"),
    _example(
        "files put in order afterwards",
        _SOURCE.format(listing="[name for name in glob.glob(folder)]\n        self.files.sort()"),
        Verdict.OK,
        "sharded",
    ),
    _example(
        "only the number of files counts",
        """
init()
steps = len(os.listdir("train"))
train_ds = ds.MindDataset("train.mindrecord", num_samples=steps, num_shards=get_group_size(), shard_id=get_rank())
""",
        Verdict.OK,
        "sharded",
    ),
    _example(
        "a list that each device shuffles for itself",
        _SOURCE.format(listing="sorted(os.listdir(folder))\n        random.shuffle(self.files)"),
        Verdict.PROBLEM,
        "shuffled-apart",
    ),
    _example(
        "a list of which each device takes all by chance",
        "import numpy as np\n"
        + _SOURCE.format(
            listing="sorted(os.listdir(folder))\n        count = len(self.files)\n"
            "        self.files = [self.files[i] for i in np.random.choice(count, count, replace=False)]"
        ),
        Verdict.PROBLEM,
        "shuffled-apart",
    ),
    _example(
        "a list of which each device draws some with replacement",
        "import numpy as np\n"
        + _SOURCE.format(
            listing="sorted(os.listdir(folder))\n        count = len(self.files)\n"
            "        self.files = [self.files[i] for i in np.random.choice(count, count)]"
        ),
        Verdict.OK,
        "sharded",
    ),
    _example(
        "a list that all devices shuffle alike",
        "ms.set_seed(1)\n" + _SOURCE.format(listing="sorted(os.listdir(folder))\n        random.shuffle(self.files)"),
        Verdict.OK,
        "sharded",
    ),
    _example(
        "a seed for each rank",
        """
init()
ms.set_seed(get_rank())
train_ds = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=get_rank())
""",
        Verdict.PROBLEM,
        "seed-by-rank",
    ),
    _example(
        "a list that is read beside the training data",
        """
init()
def train():
    names = ds.CSVDataset("names.csv")
    return [row for row in names.create_dict_iterator()]

train_ds = train()
""",
        Verdict.UNDECIDED,
        "aside",
    ),
    _example(
        "settings out of sight",
        """
from project.settings import options
init()
train_ds = ds.MindDataset("train.mindrecord", **options)
""",
        Verdict.UNDECIDED,
        "unresolved",
    ),
]
