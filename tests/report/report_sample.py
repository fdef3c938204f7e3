"""What the report tests show: a checklist, a fake probe's words, findings, an environment; hostile text included."""

from types import SimpleNamespace
from typing import Any

from accucheck.model import (
    Code,
    Curve,
    Finding,
    Fix,
    Heatmap,
    Histogram,
    Images,
    Kind,
    Level,
    Note,
    ProbeResult,
    Status,
    Sure,
    Table,
    Where,
    suggest,
)

MOMENT = "2026-03-04T05:06:07+00:00"
#: Text that would break a report which trusted it: markup, cells, ANSI and terminal commands, direction marks, links.
HOSTILE = (
    "<b>bold</b> | a|b \x1b[31mred\x1b[0m \u202egnp.exe\u202c `tick` ``two`` **star** _us_ [x](http://evil.com) ![y](z) "
    "&lt; {{ 7*7 }} $x^2$ #12 @me ~~no~~ \x00\x07\x9b2J \ufffe 标签|错误 \\| end"
)

CHECKLIST = """
name: sample
version: 2
title: {zh: "样例清单", en: Sample checklist}
sections:
  - id: dp
    title: {zh: "数据处理", en: Data processing}
    items:
      - id: dp.03
        title: {zh: "训练时没有混洗", en: Training data is not shuffled}
        method: {zh: "1. 查看 `shuffle` 参数。\\n2. 查看采样器。", en: "1. Look for `shuffle`.\\n2. Look at the sampler."}
        conclusions:
          problem: {zh: "训练集顺序固定。", en: The order of the training set is fixed.}
          ok: {zh: "每轮顺序不同。", en: The order differs in every epoch.}
          not_applicable: {zh: "没有训练。", en: Nothing is trained.}
        remedy: {zh: "创建数据集时传入 `shuffle=True`。", en: "Pass `shuffle=True` when the data set is created."}
        applies: {zh: "所有训练。", en: any training.}
        references: [{title: {zh: "文档", en: Documentation}, url: "https://www.mindspore.cn/docs"}]
        probes: [fake_order, fake_settings]
      - id: dp.05
        title: {zh: "分片方式错误", en: Wrong sharding}
        method: {zh: "查看分片参数。", en: Look at the sharding.}
        conclusions:
          problem: {zh: "分片重叠。", en: Shards overlap.}
          ok: {zh: "分片正确。", en: Shards are right.}
          not_applicable: {zh: "单卡。", en: One device.}
        remedy: {zh: "设置 num_shards。", en: Set num_shards.}
        applies: {zh: "多卡训练。", en: training on several devices.}
        applies_when: [distributed]
        probes: [fake_order]
  - id: hp
    title: {zh: "超参", en: Hyper-parameters}
    items:
      - id: hp.02
        title: {zh: "epoch 数目不当", en: Wrong number of epochs}
        method: {zh: "看曲线。", en: Look at the curves.}
        conclusions:
          problem: {zh: "过多或过少。", en: Too many or too few.}
          ok: {zh: "合适。", en: The number fits.}
          not_applicable: {zh: "没有训练。", en: Nothing is trained.}
        remedy: {zh: "取验证 loss 最小的一轮。", en: Take the epoch of the least validation loss.}
        applies: {zh: "所有训练。", en: any training.}
        probes: [fake_curve]
      - id: hp.03
        title: {zh: "batch size 过大", en: Batch size too large}
        method: {zh: "与小 batch 对比。", en: Compare with a small batch.}
        conclusions:
          problem: {zh: "过大。", en: Too large.}
          ok: {zh: "合适。", en: It fits.}
          not_applicable: {zh: "没有训练。", en: Nothing is trained.}
        remedy: {zh: "减小。", en: Make it smaller.}
        applies: {zh: "所有训练。", en: any training.}
"""

FAKE = SimpleNamespace(
    MESSAGES={
        "fixed-order": {
            "en": "Both epochs bring the {count:,} samples in the same order.",
            "zh": "两轮的 {count:,} 个样本顺序完全相同。",
        },
        "odd-name": {"en": "The column {name} is odd.", "zh": "字段 {name} 的名字可疑。"},
        "unread": {"en": "{path} could not be read.", "zh": "无法读取 {path}。"},
        "best-epoch": {"en": "The best epoch is {epoch}.", "zh": "最佳轮次为第 {epoch} 轮。"},
        "add-shuffle": {"en": "Pass shuffle=True.", "zh": "请传入 shuffle=True。"},
    },
    WHY={
        "fixed-order": {
            "en": "Batches of {count:,} alike samples mislead.",
            "zh": "{count:,} 个样本顺序固定，梯度有偏。",
        }
    },
    PROOF={"fixed-order": {"en": "Read two epochs.", "zh": "读取两个 epoch 比较。"}},
    WORDS={
        "share": {"en": "Share per class", "zh": "各类别占比"},
        "class": {"en": "class", "zh": "类别"},
        "count": {"en": "count", "zh": "样本数"},
        "loss-curve": {"en": "Loss per epoch", "zh": "逐轮 loss 曲线"},
        "epoch": {"en": "epoch", "zh": "轮次"},
        "train": {"en": "training", "zh": "训练集"},
        "validation": {"en": "validation", "zh": "验证集"},
        "best": {"en": "best", "zh": "最佳"},
    },
)


def result(name: str, kind: Kind, findings: list[Finding], **more: Any) -> ProbeResult:
    values: dict[str, Any] = {"status": Status.DONE, "suggestion": suggest(findings), "seconds": 1.234, **more}
    return ProbeResult(probe=name, kind=kind, findings=findings, **values)


DIFF = "--- a/dataset.py\n+++ b/dataset.py\n@@ -41 +41 @@\n-    ds = Cifar10Dataset(path)\n+    ds = Cifar10Dataset(path, shuffle=True)\n"

ORDER = Finding(
    "fixed-order",
    Level.PROBLEM,
    Where(path="src/dataset.py", line=41),
    {"count": 50000},
    [
        Code("src/dataset.py", 40, "def create(path):\n    ds = Cifar10Dataset(path)\n\n\n    return ds", [41]),
        Table("share", ["class", "count", HOSTILE], [["frog", 144, HOSTILE], ["|`x`|", 0.00012345678, None]], 4000),
        Histogram("share", ["飞机", "$x$_{1}", HOSTILE, "frog"], [5000, 144, 12, 3.5]),
        Note("share", "```\n# no heading\n" + HOSTILE),
        Images("share", ["data/a.png"], ["cat"]),
    ],
    Fix("add-shuffle", DIFF),
    sure=Sure.CERTAIN,
)
EPOCHS = Finding(
    "best-epoch",
    Level.INFO,
    Where(path="logs/train.log"),
    {"epoch": 12},
    [
        Curve(
            "loss-curve",
            "epoch",
            "loss",
            [float(n) for n in range(30)],
            {
                "train": [2.3 * 0.8**n for n in range(30)],
                "validation": [
                    None if n == 3 else float("inf") if n == 4 else 1.0 + (n - 12) ** 2 / 200 for n in range(30)
                ],
            },
            {"best": 12.0},
        ),
        Heatmap(
            "share",
            "epoch",
            HOSTILE,
            "loss",
            ["飞机", "$x$_{1}", HOSTILE],
            [str(n) for n in range(30)],
            [[0.5**n * 10.0**-row if n != 3 else None for n in range(30)] for row in range(3)],
            [[2, 3]],
        ),
    ],
)

ENVIRONMENT = {
    "mindspore": "2.10.0",
    "mindspore_declared": None,
    "python": "3.10.12",
    "numpy": "1.26.4",
    "device": "Ascend",
    "device_detected": False,
    "npu": ["Ascend 910B3"] * 8,
    "gpu": [],
    "cann": "8.0.RC2",
    "driver": "24.1.rc2",
    "mode": None,
    "amp": "O2",
    "devices": 8,
    "launcher": "msrun",
    "os": "Ubuntu 22.04.4 LTS",
    "kernel": "5.15.0",
    "architecture": "aarch64",
    "processor": "Kunpeng-920",
    "cores": 192,
    "memory_bytes": 1 << 40,
    "variables": {"GLOG_v": "3", "MS_SCHED_HOST": None},
    "git_commit": "0123456789abcdef0123456789abcdef01234567",
    "git_changed": 2,
    "accucheck": "0.1.0",
}
