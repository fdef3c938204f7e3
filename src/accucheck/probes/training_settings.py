"""Reads what a script trains with: the learning rate and its schedule, the number of epochs, the batch size.

Tells each value with its place and where it comes from: written in the code, an option of the command line, a configuration
file, an API's default, or out of sight. Catches only what contradicts itself: rates that cannot be right, schedules that are
never used or last for another number of epochs, epochs counted twice, no epochs; gradients that are added up and never
cleared, or clipped to next to nothing; a huge weight decay; optimizers that are made again in each epoch or step. Batches that
are small for certain are not applicable. Cannot tell whether any other value is a good one: that needs a run.
Never imports or runs the script.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, script_example
from . import _gaps, _seen

if TYPE_CHECKING:
    from ..script.settings import Setting, SettingMessage, Settings

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    about: Annotated[
        Literal["learning_rate", "epochs", "batch_size"],
        Meta(
            description="which of the settings is told: learning_rate, epochs or batch_size",
            extra={"unit": "name", "source": "the item of the checklist"},
        ),
    ] = "learning_rate"
    small: Annotated[
        int,
        Meta(
            ge=1,
            description="a step of the training that takes this many samples at most has no large batch",
            extra={"unit": "samples", "source": "the item of the checklist: 32 is safe"},
        ),
    ] = 32


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "rate": {
        "en": "{optimizer} trains with a constant learning rate of {rate} ({how}).",
        "zh": "{optimizer} 使用固定学习率 {rate}（{how}）。",
    },
    "rate-schedule": {
        "en": "{optimizer} takes its learning rate from {schedule}.",
        "zh": "{optimizer} 的学习率由 {schedule} 给出。",
    },
    "rate-computed": {
        "en": "{optimizer} takes its learning rate from {schedule}: it starts at {first}, is {highest} at most and ends at {last}.",
        "zh": "{optimizer} 的学习率由 {schedule} 给出：起始为 {first}，最大为 {highest}，结束时为 {last}。",
    },
    "rate-groups": {
        "en": "{optimizer} uses separate learning rates for groups of parameters: {rates}.",
        "zh": "{optimizer} 为各参数组分别设置了学习率：{rates}。",
    },
    "rate-unknown": {
        "en": "The learning rate of {optimizer} is {expression}, whose value cannot be seen here.",
        "zh": "{optimizer} 的学习率为 {expression}，从脚本中看不出它的值。",
    },
    "no-optimizer": {
        "en": "No MindSpore optimizer is created in the examined files.",
        "zh": "检查范围内没有看到创建 MindSpore 优化器。",
    },
    "rate-not-positive": {
        "en": "{optimizer} trains with a learning rate of {rate}: nothing is learned.",
        "zh": "{optimizer} 的学习率为 {rate}：网络学不到任何东西。",
    },
    "rate-huge": {
        "en": "{optimizer} has a learning rate of {rate} ({how}), far above usual values.",
        "zh": "{optimizer} 的学习率设为 {rate}（{how}），远超常见范围。",
    },
    "rate-huge-step": {
        "en": "{optimizer} has a learning rate of {rate} ({how}): each step moves every weight by about that much, whatever the "
        "gradients are.",
        "zh": "{optimizer} 的学习率设为 {rate}（{how}）：无论梯度大小，每一步都会让每个权重改变大约这么多。",
    },
    "rate-for-momentum": {
        "en": "{optimizer} has a learning rate of {rate} and a momentum of {value} ({how}): the two are swapped.",
        "zh": "{optimizer} 的学习率为 {rate}，momentum 为 {value}（{how}）：两者写反了位置。",
    },
    "momentum-tiny": {
        "en": "{optimizer} gets {name}={value} ({how}), which has almost no effect: the value may be intended for another argument, "
        "such as weight_decay.",
        "zh": "{optimizer} 的 {name} 为 {value}（{how}），几乎不起作用：它可能是要传给别的参数的，例如 weight_decay。",
    },
    "betas-exchanged": {
        "en": "{optimizer} gets {name}={value} ({how}) and beta2={second}: the two are swapped.",
        "zh": "{optimizer} 的 {name} 为 {value}（{how}），beta2 为 {second}：两者写反了位置。",
    },
    "momentum-whole": {
        "en": "{optimizer} gets {name}={value} ({how}): earlier gradients never fade, and the steps grow until training diverges.",
        "zh": "{optimizer} 的 {name} 为 {value}（{how}）：历史梯度永不衰减，更新量不断变大，直到训练发散。",
    },
    "schedule-ignored": {
        "en": "The learning rates computed here by {schedule} are not used: the optimizer trains with a constant rate instead.",
        "zh": "此处 {schedule} 生成的学习率没有使用：优化器一直以固定的学习率训练。",
    },
    "schedule-unused": {
        "en": "The learning rates computed here by {schedule} are not used: no optimizer gets them.",
        "zh": "此处 {schedule} 生成的学习率没有使用：没有传给任何优化器。",
    },
    "optimizer-each-step": {
        "en": "The loop in line {line} creates a new {optimizer} for each batch: moments, step count and position in the schedule are "
        "lost each time.",
        "zh": "第 {line} 行的循环为每个 batch 重新创建 {optimizer}：它在各次更新之间保存的动量、步数和学习率进度全部丢失。",
    },
    "optimizer-each-epoch": {
        "en": "The loop in line {line} creates a new {optimizer} in each epoch: moments, step count and position in the schedule are "
        "lost each time.",
        "zh": "第 {line} 行的循环在每个 epoch 重新创建 {optimizer}：每个 epoch 开始时，动量、步数和学习率进度都从头算起。",
    },
    "clip-tiny": {
        "en": "{clip} limits the gradients to {limit} here ({how}): almost nothing of them is left.",
        "zh": "{clip} 在此处把梯度限制到 {limit}（{how}）：梯度几乎不剩。",
    },
    "decay-huge": {
        "en": "{optimizer} has a weight decay of {decay} ({how}), far above usual values.",
        "zh": "{optimizer} 的 weight_decay 设为 {decay}（{how}），远超常见范围。",
    },
    "schedule-length": {
        "en": "{schedule} computes the learning rate of the optimizer at {place} for {length} epochs, but the script trains for "
        "{epochs}.",
        "zh": "{place} 处优化器的学习率由 {schedule} 按 {length} 个 epoch 生成，而脚本训练 {epochs} 个 epoch。",
    },
    "schedule-by-epochs": {
        "en": "{schedule} reaches its end after {length} updates, which is the number of epochs: line {line} of {path} moves it at each "
        "update, several times an epoch.",
        "zh": "{schedule} 在 {length} 次更新后就到达终点，而这是 epoch 数：{path} 第 {line} 行每次更新都前进一步，一个 epoch 有多步。",
    },
    "rate-over": {
        "en": "{schedule} reaches its lowest rate after {steps} updates, whatever the number of batches in an epoch, although training "
        "runs for {epochs} epochs: it counts updates as epochs.",
        "zh": "无论一个 epoch 有多少个 batch，{schedule} 的学习率在 {steps} 次更新后就已降到最低，而训练有 {epochs} 个 epoch："
        "更新次数被当成了 epoch 数。",
    },
    "rate-fades": {
        "en": "{schedule} lowers the learning rate in the loop over batches (line {line} of {path}): after {steps} updates a "
        "thousandth of it is left.",
        "zh": "{schedule} 在遍历 batch 的循环中降低学习率（{path} 第 {line} 行）：{steps} 次更新后只剩千分之一。",
    },
    "rate-rises": {
        "en": "The learning rate of {schedule} rises until training ends, up to {highest}, and never falls.",
        "zh": "{schedule} 的学习率一直上升到训练结束（最高 {highest}），始终没有下降。",
    },
    "rate-returns": {
        "en": "The learning rate of {optimizer} falls, but rises again and ends near its highest value, {highest}: its period is shorter "
        "than the training.",
        "zh": "{optimizer} 的学习率下降后又回升，训练结束时接近最高值 {highest}：其周期短于训练长度。",
    },
    "totals-kept": {
        "en": "Gradients are accumulated here and never reset to zero: each update in line {line} of {path} includes the gradients of "
        "all earlier steps.",
        "zh": "此处累加梯度，但累加值从不清零：{path} 第 {line} 行的每次更新都包含之前所有步的梯度。",
    },
    "step-behind-loop": {
        "en": "This step stands behind the loop over the batches ({path}, line {line}): it trains with the last batch alone.",
        "zh": "这一步位于遍历 batch 的循环（{path} 第 {line} 行）之后：只用最后一个 batch 训练。",
    },
    "gradients-lost": {
        "en": "Weights are updated every {count} steps here, with the gradients of the last step alone: those of the others are computed "
        "and lost.",
        "zh": "此处每 {count} 步更新一次权重，但只用了最后一步的梯度：其余各步的梯度算完就丢弃了。",
    },
    "gradients-summed": {
        "en": "The optimizer gets the sum of the gradients of {count} steps here; it is not divided by {count}.",
        "zh": "此处优化器拿到的是 {count} 步梯度之和，没有除以 {count}。",
    },
    "epochs": {
        "en": "{call} trains for {epochs} {epochs:epoch|epochs} ({how}).",
        "zh": "{call} 训练 {epochs} 个 epoch（{how}）。",
    },
    "epochs-unknown": {
        "en": "The number of epochs of {call} is {epochs}, whose value cannot be seen here.",
        "zh": "{call} 的 epoch 数为 {epochs}，从脚本中看不出它的值。",
    },
    "epochs-zero": {
        "en": "{call} runs for {epochs} {epochs:epoch|epochs}: there is no training.",
        "zh": "{call} 运行 {epochs} 个 epoch：没有训练。",
    },
    "epochs-squared": {
        "en": "The data set is repeated for the {count} epochs of the training here, and line {line} of {path} then trains with it for as "
        "many: each sample is seen {count} times {epochs} times.",
        "zh": "此处已按训练的 epoch 数（{count}）重复数据集，而 {path} 第 {line} 行又用它训练同样多的 epoch："
        "每个样本共用到 {count} × {epochs} 次。",
    },
    "epochs-twice": {
        "en": "The data set is repeated {count} times here, and line {line} of {path} then trains with it for {epochs} "
        "{epochs:epoch|epochs}: all "
        "samples are seen as often as both multiplied.",
        "zh": "数据集在此处 repeat {count} 次，随后 {path} 第 {line} 行又用它训练 {epochs} 个 epoch：样本实际被训练的遍数是两者之积。",
    },
    "no-epochs": {
        "en": "No Model.train, Model.fit or loop over epochs was found in the examined files.",
        "zh": "检查范围内没有找到 Model.train、Model.fit 或按 epoch 的循环。",
    },
    "batch": {
        "en": "{call} has a batch size of {batch} ({how}).",
        "zh": "{call} 的 batch 大小为 {batch}（{how}）。",
    },
    "batch-devices": {
        "en": "{call} has a batch size of {batch} ({how}); on {devices} devices that is {total} per step.",
        "zh": "{call} 的 batch 大小为 {batch}（{how}），{devices} 卡每步共 {total}。",
    },
    "batch-unknown": {
        "en": "The batch size of {call} is {batch}, whose value cannot be seen here.",
        "zh": "{call} 的 batch 大小为 {batch}，从脚本中看不出它的值。",
    },
    "batch-text": {
        "en": "The batch size of {call} is {batch} ({how}), which is not a number.",
        "zh": "{call} 的 batch 大小为 {batch}（{how}），不是数字。",
    },
    "rate-text": {
        "en": "The learning rate of {optimizer} is {rate} ({how}), which is not a number.",
        "zh": "{optimizer} 的学习率为 {rate}（{how}），不是数字。",
    },
    "batch-not-positive": {
        "en": "{call} has a batch size of {batch}.",
        "zh": "{call} 的 batch 大小为 {batch}。",
    },
    "batch-huge": {
        "en": "{call} has a batch size of {batch} ({how}), far above usual values.",
        "zh": "{call} 的 batch 大小为 {batch}（{how}），远超常见范围。",
    },
    "batch-small": {
        "en": "No training step uses more than {total} {total:sample|samples}, which is not a large batch.",
        "zh": "训练的每一步最多使用 {total} 个样本，batch 不算大。",
    },
    "no-batch": {
        "en": "No batch size of training data was found in the examined files.",
        "zh": "检查范围内没有找到训练数据的 batch 大小。",
    },
    "fix-rate": {
        "en": "Set a learning rate within the bounds found by a learning rate range test.",
        "zh": "把学习率设到学习率范围实验给出的上下限之间。",
    },
    "fix-names": {
        "en": "Pass the arguments of the optimizer by name: learning_rate=..., momentum=..., weight_decay=...",
        "zh": "用参数名传给优化器：learning_rate=…、momentum=…、weight_decay=…",
    },
    "fix-momentum": {
        "en": "Set a momentum below 1, usually 0.9.",
        "zh": "momentum 应小于 1，通常取 0.9。",
    },
    "fix-schedule": {
        "en": "Pass the schedule to the optimizer as learning_rate, or remove it.",
        "zh": "把生成的学习率作为 learning_rate 传给优化器，或删去这段代码。",
    },
    "fix-length": {
        "en": "Use one variable for the epochs of the schedule and of the training.",
        "zh": "学习率的 epoch 数与训练的 epoch 数使用同一个变量。",
    },
    "fix-clear": {
        "en": "Reset the accumulated gradients after each update: self.map(ops.partial(ops.assign), self.totals, self.zeros)",
        "zh": "每次更新后将累加值清零：self.map(ops.partial(ops.assign), self.totals, self.zeros)",
    },
    "fix-within": {"en": "Move the step into the loop.", "zh": "把训练步移到循环内。"},
    "fix-add-up": {
        "en": "Add up the gradients of these steps, and update with their mean.",
        "zh": "把这几步的梯度累加起来，用其平均值更新。",
    },
    "fix-mean": {
        "en": "Divide the loss or the gradients by the number of accumulated steps, unless the learning rate was chosen for the sum.",
        "zh": "用累加的步数去除损失或梯度；若学习率就是按求和选定的，则无需修改。",
    },
    "fix-before-loop": {
        "en": "Create the optimizer and the gradient function once, before the loop.",
        "zh": "在循环之前创建一次优化器和求梯度的函数。",
    },
    "fix-limit": {
        "en": "Use a usual limit, 0.1 to 10, or print the gradient norm over some steps and clip only its peaks.",
        "zh": "使用常见的上限（0.1 至 10）；或打印若干步的梯度范数，只裁剪其峰值。",
    },
    "fix-decay": {"en": "Use a usual weight decay, 0 to 0.1.", "zh": "使用常见的 weight_decay（0 至 0.1）。"},
    "fix-updates": {
        "en": "Count the length of the schedule in updates: the number of epochs times dataset.get_dataset_size().",
        "zh": "按更新次数设置学习率的长度：epoch 数乘以 dataset.get_dataset_size()。",
    },
    "fix-move": {
        "en": "Lower the learning rate in the loop over epochs, or choose the decay factor by the number of updates.",
        "zh": "在 epoch 循环中降低学习率，或按更新次数选取衰减系数。",
    },
    "fix-come-down": {
        "en": "Limit the warm-up to a few percent of the steps, and let the learning rate fall after it.",
        "zh": "预热只占总步数的百分之几，之后让学习率下降。",
    },
    "fix-whole-period": {
        "en": "Let one period of the schedule last as long as the training, so that the rate is lowest at the end.",
        "zh": "让学习率的一个周期覆盖整个训练，使训练结束时学习率最低。",
    },
    "fix-epochs": {"en": "Set the number of epochs.", "zh": "设置训练的 epoch 数。"},
    "fix-repeat": {
        "en": "Remove .repeat(), or repeat once: the training call already sets the number of epochs.",
        "zh": "去掉 .repeat()，或只 repeat 1 次：epoch 数只应由训练接口决定。",
    },
    "fix-batch-huge": {
        "en": "Set a usual batch size, 64 to 256, or scale the learning rate and its warm-up with the batch.",
        "zh": "使用常见的 batch 大小（64 至 256），或随 batch 同步调整学习率和预热。",
    },
    "fix-batch": {"en": "Set a batch size of at least 1.", "zh": "batch 大小至少设为 1。"},
}
WORDS: Words = {
    "settings": {"en": "Settings", "zh": "参数设置"},
    "setting": {"en": "Setting", "zh": "参数"},
    "value": {"en": "Value", "zh": "取值"},
    "origin": {"en": "Set by", "zh": "来源"},
}

#: Where a value comes from, in words.
_HOW: Words = {
    "literal": {"en": "a constant, {place}", "zh": "常量，{place}"},
    "option": {
        "en": "the default of an option of the command line, {place}",
        "zh": "命令行选项的默认值，{place}",
    },
    "command": {"en": "given on the command line, option {place}", "zh": "由命令行给出，选项 {place}"},
    "words": {"en": "given on the command line", "zh": "由命令行给出"},
    "configuration": {"en": "from a configuration file, {place}", "zh": "来自配置文件，{place}"},
    "key": {"en": "from a configuration file, {place}, key {key}", "zh": "来自配置文件，{place}，键 {key}"},
    "parameter": {"en": "the default of a parameter, {place}", "zh": "函数参数的默认值，{place}"},
    "default": {"en": "the default of {place}", "zh": "{place} 的默认值"},
    "computed": {"en": "computed as the script does, {place}", "zh": "按脚本的计算得出，{place}"},
    "assumed": {"en": "computed from defaults as the script does, {place}", "zh": "按脚本由默认值计算得出，{place}"},
    "several": {"en": "one of them, depending on a condition", "zh": "取其一，由条件决定"},
    "unseen": {"en": "cannot be seen here", "zh": "从脚本中看不出"},
}

_LITTLE = {
    "en": "The weights then do not follow the gradients at all, or overshoot every minimum.",
    "zh": "这样权重完全不随梯度变化，或每一步都越过最小值，无法收敛。",
}
_KEPT = {
    "en": "The optimizer keeps its constant rate instead: there is no warm-up and no decay, and training converges less well than "
    "intended.",
    "zh": "优化器一直使用另外给定的学习率：没有预热，也没有衰减，训练末期的精度达不到预期。",
}
_OFTEN = {
    "en": "The network sees the data far more often than meant and overfits, and a schedule counted by the real size of the data "
    "set does not fit.",
    "zh": "网络看到数据的遍数远超预期，容易过拟合；按数据集大小计算的学习率也与实际步数不符。",
}
_BEGINS = {
    "en": "Momentum never builds up, the first steps of Adam-like optimizers are as large as the learning rate whatever the gradients "
    "are, and a schedule never gets past its start.",
    "zh": "动量无法积累；Adam 一类优化器最初几步的大小等于学习率，与梯度无关；学习率一直停在开头。",
}
_OVER = {
    "en": "From then on the weights hardly change: almost all of training runs at a learning rate near 0.",
    "zh": "此后权重几乎不再变化：绝大部分训练都在极小的学习率下进行。",
}
_REFUSED = {"en": "MindSpore rejects it, so training does not run.", "zh": "MindSpore 会拒绝该值，训练无法运行。"}
WHY: Words = {
    "rate-not-positive": {
        "en": "A rate of 0 changes no weight, and a negative one moves away from the minimum.",
        "zh": "学习率为 0 时权重不变，为负时朝远离最小值的方向走。",
    },
    **dict.fromkeys(("rate-huge", "rate-huge-step"), _LITTLE),
    "rate-for-momentum": _LITTLE,
    "momentum-tiny": {
        "en": "Earlier gradients hardly count, and the misplaced value is missing where it belongs.",
        "zh": "历史梯度几乎不起作用，而传错位置的值在它该在的地方缺失了。",
    },
    "betas-exchanged": {
        "en": "Steps follow gradients of hundreds of steps ago and are scaled by the last few alone: training is slow to turn and noisy.",
        "zh": "更新方向由几百步以前的梯度主导，步长却只按最近几步的梯度缩放：训练转向迟缓且波动大。",
    },
    "momentum-whole": {
        "en": "Each step repeats all earlier ones in full; the usual value is 0.9.",
        "zh": "每一步都会完整重复之前所有的更新；通常取 0.9。",
    },
    **dict.fromkeys(("schedule-ignored", "schedule-unused"), _KEPT),
    **dict.fromkeys(("optimizer-each-step", "optimizer-each-epoch"), _BEGINS),
    "clip-tiny": {
        "en": "The weights hardly move, however large the loss is.",
        "zh": "无论损失多大，权重几乎不动。",
    },
    "decay-huge": {
        "en": "The weights are pulled towards zero faster than the gradients can shape them.",
        "zh": "权重被拉向零的速度超过梯度的作用，学不到东西。",
    },
    "schedule-length": {
        "en": "If the schedule is longer than training, training stops before the rate has come down; if it is shorter, the rate stays "
        "at its end value, and the last epochs hardly train.",
        "zh": "生成的学习率比训练长，训练结束时学习率尚未降到位；比训练短，则后面的 epoch 停留在末值，几乎不再学习。",
    },
    "schedule-by-epochs": {
        "en": "The learning rate reaches its end within the first epoch or two: the rest of training hardly changes the weights; a "
        "cyclic rate goes up and down all the time.",
        "zh": "学习率在最初一两个 epoch 内就到达终点：其余的训练几乎不再改变权重；周期性的学习率则不停升降。",
    },
    "rate-over": _OVER,
    "rate-fades": _OVER,
    "rate-rises": {
        "en": "The last steps are the largest: the weights jump around the minimum instead of settling, and the saved accuracy is that "
        "of an arbitrary moment.",
        "zh": "越到最后步长越大：权重在极小值附近来回跳动而不收敛，保存下来的精度取决于停在哪一刻。",
    },
    "rate-returns": {
        "en": "The last steps are as large as the first ones: what was learned at low rates is disturbed again, and the weights that are "
        "saved at the end are not settled.",
        "zh": "最后的步长与最初一样大：低学习率阶段学到的结果又被打乱，最后保存的权重没有收敛。",
    },
    "totals-kept": {
        "en": "Updates grow from step to step and follow gradients of weights from long ago: training becomes unstable or stalls.",
        "zh": "更新量逐步增大，而且方向取决于很久以前的权重：训练不稳定或停滞。",
    },
    "step-behind-loop": {
        "en": "All other batches are read for nothing: an epoch has a single update.",
        "zh": "其余 batch 都白读了：一个 epoch 只更新一次。",
    },
    "gradients-lost": {
        "en": "All but one of {count} batches have no effect: the training sees a fraction of the data, at the batch size it already had.",
        "zh": "每 {count} 个 batch 中只有一个起作用：训练实际只用到一小部分数据，等效 batch size 也没有增大。",
    },
    "gradients-summed": {
        "en": "Each update is {count} times as large as with the mean, as if the learning rate were {count} times higher, and gradient "
        "clipping sets in sooner.",
        "zh": "每次更新是取平均时的 {count} 倍，相当于学习率放大；梯度裁剪也更容易触发。",
    },
    "epochs-zero": {"en": "The weights stay as initialised.", "zh": "权重停留在初始值。"},
    **dict.fromkeys(("epochs-squared", "epochs-twice"), _OFTEN),
    "batch-huge": {
        "en": "An epoch then has few updates, and large batches end in minima that generalise worse unless the learning rate is made for "
        "them.",
        "zh": "每个 epoch 的更新次数很少；若学习率未作相应调整，大 batch 收敛到的解泛化较差。",
    },
    **dict.fromkeys(("batch-text", "rate-text"), _REFUSED),
    "batch-not-positive": {"en": "A batch of this size cannot exist.", "zh": "不存在这样的 batch。"},
}
_PRINT_RATE = {
    "en": "Print the learning rate in effect at several steps: optimizer.get_lr(), or the LearningRateScheduler's log.",
    "zh": "在若干步打印实际生效的学习率，例如 optimizer.get_lr()。",
}
_PRINT_TOTALS = {
    "en": "Print the norm of the gradients that the optimizer receives for some updates: it should be about the norm for one step.",
    "zh": "打印若干次更新中交给优化器的梯度的范数：应与单步梯度的范数相近。",
}
_PRINT_STEPS = {
    "en": "Print dataset.get_dataset_size() and compare it with the number of samples over the batch size; watch the steps of an "
    "epoch in the log.",
    "zh": "打印 dataset.get_dataset_size()，与样本数除以 batch 大小比较，并核对日志中每个 epoch 的步数。",
}
_PRINT_TYPE = {"en": "Print the value and its type at this place.", "zh": "在此处打印该值及其类型。"}
_PRINT_COUNT = {
    "en": "Print optimizer.global_step after each epoch: it restarts instead of increasing.",
    "zh": "每个 epoch 之后打印 optimizer.global_step：它从头开始，而不是继续累加。",
}
PROOF: Words = {
    "rate-not-positive": _PRINT_RATE,
    "rate-huge": _PRINT_RATE,
    "rate-huge-step": _PRINT_RATE,
    "rate-for-momentum": _PRINT_RATE,
    "momentum-tiny": {
        "en": "Print the attributes of the optimizer after creating it, and compare them with the intended values.",
        "zh": "创建优化器后打印它的各项属性，与预期值比较。",
    },
    "betas-exchanged": {
        "en": "Print beta1 and beta2 of the optimizer after creating it; the usual values are 0.9 and 0.999.",
        "zh": "创建优化器后打印它的 beta1 和 beta2；通常取 0.9 和 0.999。",
    },
    "momentum-whole": {
        "en": "Print the norm of the change of one weight at each of the first 50 steps: it keeps growing.",
        "zh": "打印前 50 步中某个权重每步变化量的范数：会持续增大。",
    },
    "schedule-ignored": _PRINT_RATE,
    "schedule-unused": _PRINT_RATE,
    **dict.fromkeys(("optimizer-each-step", "optimizer-each-epoch"), _PRINT_COUNT),
    "clip-tiny": {
        "en": "Print the gradient norm before and after clipping for some steps.",
        "zh": "打印若干步中裁剪前后的梯度范数。",
    },
    "decay-huge": {
        "en": "Print the norm of the weights over a few hundred steps: it falls to about 0.",
        "zh": "打印几百步中权重的范数：它会降到 0 附近。",
    },
    "schedule-length": {
        "en": "Print the length of the list of learning rates and the number of steps of the whole training: they must agree.",
        "zh": "打印学习率列表的长度和整个训练的总步数，两者应一致。",
    },
    **dict.fromkeys(("schedule-by-epochs", "rate-over", "rate-fades", "rate-rises", "rate-returns"), _PRINT_RATE),
    **dict.fromkeys(("totals-kept", "gradients-summed", "gradients-lost"), _PRINT_TOTALS),
    "step-behind-loop": _PRINT_STEPS,
    "epochs-zero": _PRINT_STEPS,
    "epochs-squared": _PRINT_STEPS,
    "epochs-twice": _PRINT_STEPS,
    "batch-not-positive": _PRINT_STEPS,
    **dict.fromkeys(("batch-text", "rate-text"), _PRINT_TYPE),
    "batch-huge": {
        "en": "Train for some epochs with a batch of 64 to 256 as well, and compare the metric.",
        "zh": "另用 64 至 256 的 batch 训练若干 epoch，比较精度。",
    },
}

_FIXES = {
    "rate-not-positive": "fix-rate",
    "rate-huge": "fix-rate",
    "rate-huge-step": "fix-rate",
    "rate-for-momentum": "fix-names",
    "momentum-tiny": "fix-names",
    "momentum-whole": "fix-momentum",
    "betas-exchanged": "fix-names",
    "schedule-ignored": "fix-schedule",
    "schedule-unused": "fix-schedule",
    "optimizer-each-step": "fix-before-loop",
    "optimizer-each-epoch": "fix-before-loop",
    "clip-tiny": "fix-limit",
    "decay-huge": "fix-decay",
    "schedule-length": "fix-length",
    "schedule-by-epochs": "fix-updates",
    "rate-over": "fix-updates",
    "rate-fades": "fix-move",
    "rate-rises": "fix-come-down",
    "rate-returns": "fix-whole-period",
    "totals-kept": "fix-clear",
    "gradients-summed": "fix-mean",
    "gradients-lost": "fix-add-up",
    "step-behind-loop": "fix-within",
    "epochs-zero": "fix-epochs",
    "epochs-squared": "fix-repeat",
    "epochs-twice": "fix-repeat",
    "batch-not-positive": "fix-batch",
    "batch-huge": "fix-batch-huge",
    "batch-text": "fix-batch",
    "rate-text": "fix-rate",
}


#: What nothing out of sight makes right; the rest may be meant.
_PROBLEMS = (
    "schedule-ignored",
    "schedule-by-epochs",
    "rate-over",
    "rate-fades",
    "rate-rises",
    "rate-returns",
    "totals-kept",
    "gradients-lost",
    "step-behind-loop",
    "optimizer-each-step",
    "optimizer-each-epoch",
    "clip-tiny",
    "decay-huge",
    "rate-not-positive",
    "rate-huge-step",
    "rate-for-momentum",
    "betas-exchanged",
    "momentum-whole",
    "epochs-squared",
)
#: That nothing was found to tell.
_NOTHING = ("no-optimizer", "no-epochs", "no-batch")


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import accumulations, rate_courses, remade_optimizers, steps_behind, unused_schedules, update_limits
    from ..script.analysis import read_scripts
    from ..script.schedules import miscounted
    from ..script.settings import of_scripts

    rules = unused_schedules, accumulations, remade_optimizers, update_limits, rate_courses, steps_behind
    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    devices = case.get("runtime.distributed.devices")
    every = of_scripts(scripts, devices if isinstance(devices, int) else None)
    seen = set()
    for done, settings in enumerate(every, start=1):
        small = _small(settings, params.small) if params.about == "batch_size" else None
        if small is not None:
            yield small
        about = {"learning_rate": settings.rates, "epochs": settings.epochs, "batch_size": settings.batches}
        rates = params.about == "learning_rate"
        besides = (*(rule.examine for rule in rules), miscounted) if rates else ()
        for told in chain(about[params.about](), *(examine(settings) for examine in besides)):
            found = _seen.nothing(told.code, [settings.reading]) if told.code in _NOTHING else _finding(told)
            if small is not None and found.code in ("batch", "batch-devices"):
                found = msgspec.structs.replace(found, incomplete=False)
            key = found.code, found.where, repr(found.data)
            if key not in seen:
                seen.add(key)
                yield found
        yield Progress(done, len(every), "files")


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Batches that are small need no comparison with smaller ones; whether other values are good ones takes a run."""
    found = list(findings)
    verdict = usual(found)
    small = any(finding.code == "batch-small" for finding in found)
    return Verdict.NOT_APPLICABLE if verdict is Verdict.OK and small else verdict


def _small(settings: Settings, most: int) -> Finding | None:
    """That no step of a training takes more samples than that, shown where the largest batches are made."""
    from ..script.small_batches import largest

    found = largest(settings)
    if found is None or found[1] > most:
        return None
    call, total = found
    where = Where(path=call.source.path, line=call.line)
    return Finding("batch-small", Level.INFO, where, {"total": total}, [call.source.code(call.line)])


def _finding(told: SettingMessage) -> Finding:
    suspect = told.code in _FIXES
    data: dict[str, Any] = {key: _how(value) if key == "how" else value for key, value in told.data.items()}
    last = getattr(told.node, "end_lineno", None) or told.line
    return Finding(
        told.code,
        Level.PROBLEM if told.likely and told.code in _PROBLEMS else Level.SUSPECT if suspect else Level.INFO,
        Where(path=told.source.path, line=told.line),
        data,
        [*_table(told.rows), told.source.code(told.line, min(last, told.line + 8))],
        Fix(_FIXES[told.code]) if suspect else None,
        incomplete=not suspect,
        sure=(Sure.LIKELY if told.likely else Sure.POSSIBLE) if suspect else None,
    )


def _how(row: Setting) -> dict[str, str]:
    how = "key" if row.key else "words" if row.origin == "command" and not row.place else row.origin
    return {language: text.format(place=row.place, key=row.key) for language, text in _HOW[how].items()}


def _table(rows: list[Setting]) -> list[Any]:
    if not rows:
        return []
    cells: list[list[Plain]] = [[row.name, row.text, _origin(row)] for row in rows]
    return [Table("settings", ["setting", "value", "origin"], cells)]


def _origin(row: Setting) -> str:
    """Where a value comes from, in a form that needs no language."""
    if row.origin == "default":
        return f"{row.place}()" if row.place else "()"
    signs = {
        "option": "--",
        "command": "$ ",
        "configuration": "yaml ",
        "parameter": "def ",
        "computed": "= ",
        "assumed": "= ",
        "several": "? ",
        "unseen": "? ",
    }
    return signs.get(row.origin, "") + row.place


_HEAD = "import mindspore as ms\nimport mindspore.dataset as ds\nfrom mindspore import nn\n"


def _example(
    name: str,
    script: str,
    verdict: Verdict,
    *codes: str,
    about: str = "learning_rate",
    more: dict[str, str] | None = None,
) -> Example:
    return script_example(_HEAD, name, script.lstrip("\n"), verdict, *codes, files=more, params={"about": about})


_GATHERED = """
class Trainer:
    def __init__(self, net, loss_fn):
        self.net, self.loss_fn, self.kept = net, loss_fn, None
        self.optimizer = nn.SGD(net.trainable_params(), 0.1)
        self.grad = ms.value_and_grad(self.forward, None, self.optimizer.parameters)

    def forward(self, x, y):
        return self.loss_fn(self.net(x), y)

    def fit(self, data):
        for turn, (x, y) in enumerate(data.create_tuple_iterator()):
            loss, grads = self.grad(x, y)
            grads = [g / 4 for g in grads]
            self.kept = {kept}
            if (turn + 1) % 4 == 0:
                self.optimizer(tuple(self.kept))
                {after}


Trainer(net, nn.CrossEntropyLoss()).fit(data)
"""
_ALL_KEPT = "grads if self.kept is None else [a + b for a, b in zip(self.kept, grads)]"
_ADDED_UP = """
from mindspore import ops

class Totals:
    def __init__(self, optimizer, every):
        self.optimizer, self.every, self.map = optimizer, every, ops.HyperMap()
        self.totals = optimizer.parameters.clone(prefix="totals", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros", init="zeros")
        self.turn = 0

    def __call__(self, grads):
        self.map(ops.partial(ops.assign_add), self.totals, grads)
        self.turn += 1
        if self.turn % self.every == 0:
            self.optimizer(self.totals)
            self.map(ops.partial(ops.assign), self.totals, self.zeros)

data = ds.MnistDataset("data/train").batch(32)
net, loss_fn = nn.Dense(784, 10), nn.CrossEntropyLoss()
opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y) / 4, None, opt.parameters)
update = Totals(opt, 4)
for x, y in data.create_tuple_iterator():
    loss, grads = grad(x, y)
    update(grads)
"""
_SMALL = """
import argparse
from mindspore import mint
from mindspore.communication import init

parser = argparse.ArgumentParser()
parser.add_argument("--many", action="store_true")
args = parser.parse_args()
data = ds.MnistDataset("train").batch({size})
{start}
ms.Model(nn.Dense(2, 2)).train(1, data)
"""
_OF_YAML = """import mindspore as ms
import mindspore.dataset as ds
import yaml
from mindspore import nn

with open("run.yaml") as stream:
    given = yaml.safe_load(stream)
net = nn.Dense(2, 2)
data = ds.MnistDataset("train").batch(given["batch"])
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), given["lr"])).train(1, data)
"""
_LENET = """
train_ds = ds.MnistDataset("data/train").batch(32)
net = nn.Dense(784, 10)
"""
_ADAM = "opt = nn.Adam(net.trainable_params(), 1e-3)"
_MADE = """
data = ds.MnistDataset("data/train").batch(32)
net, loss_fn = nn.Dense(784, 10), nn.CrossEntropyLoss()
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())
{before}
for epoch in range(1, 10):
    {epoch}
    for x, y in data.create_tuple_iterator():
        {step}
        loss, grads = grad(x, y)
        opt(grads)
"""
_CLIPPED = """
from mindspore import ops

data = ds.MnistDataset("data/train").batch(32)
net, loss_fn = nn.Dense(784, 10), nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.01)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for x, y in data.create_tuple_iterator():
    loss, grads = grad(x, y)
    opt(ops.clip_by_global_norm(grads, {limit}))
"""
_BY_HAND = (
    _LENET
    + """
def main(epochs=20):
    rate = nn.CosineDecayLR(0.0, 0.1, decay_steps={length})
    opt = nn.SGD(net.trainable_params(), rate)
    grad_fn = ms.value_and_grad(lambda x, y: nn.MSELoss()(net(x), y), None, opt.parameters)
    for epoch in range(epochs):
        for data, label in train_ds.create_tuple_iterator():
            loss, grads = grad_fn(data, label)
            opt(grads)

main()
"""
)
_LISTED = (
    _LENET
    + """
steps, epochs = train_ds.get_dataset_size(), 20
rates = nn.cosine_decay_lr(0.0001, 0.1, steps * epochs, {steps}, epochs)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rates)).train(epochs, train_ds)
"""
)
_MOVED = (
    _LENET
    + """
from mindspore.experimental import optim

opt = optim.SGD(net.trainable_params(), 0.1)
schedule = optim.lr_scheduler.ExponentialLR(opt, 0.9)
grad_fn = ms.value_and_grad(lambda x, y: nn.MSELoss()(net(x), y), None, opt.parameters)
for epoch in range(20):
    for data, label in train_ds.create_tuple_iterator():
        loss, grads = grad_fn(data, label)
        opt(grads)
{deeper}    schedule.step()
"""
)
_RISING = (
    _LENET
    + """

def made(rate, total):
    rates = []
    for step in range(total):
        rates.append(rate * min((step + 1) / {warm}, {warm} / (step + 1)))
    return rates

rates = made(0.1, 1000)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rates)).train(20, train_ds)
"""
)
_COSINE = "0.001 + rate * (1 + math.cos(math.pi * step / {period})) / 2"
EXAMPLES = [
    _example(
        "rates that count updates as epochs",
        _LISTED.format(steps="1"),
        Verdict.PROBLEM,
        "rate-over",
        "rate-computed",
    ),
    _example("rates for the updates of each epoch", _LISTED.format(steps="steps"), Verdict.UNDECIDED, "rate-computed"),
    _example(
        "a schedule that each batch moves", _MOVED.format(deeper="    "), Verdict.PROBLEM, "rate-fades", "rate-schedule"
    ),
    _example("a schedule that each epoch moves", _MOVED.format(deeper=""), Verdict.UNDECIDED, "rate-schedule"),
    _example("rates that only rise", _RISING.format(warm="1000"), Verdict.PROBLEM, "rate-rises", "rate-computed"),
    *(
        _example(
            f"rates of a cosine {name}",
            "import math\n" + _RISING.replace("rate * min((step + 1) / {warm}, {warm} / (step + 1))", cosine),
            verdict,
            *codes,
            "rate-computed",
        )
        for name, cosine, verdict, codes in (
            ("that turns again", _COSINE.format(period=500), Verdict.PROBLEM, ["rate-returns"]),
            ("over the whole training", _COSINE.format(period=1000), Verdict.UNDECIDED, []),
            ("that ends after a restart, when low", _COSINE.format(period=334), Verdict.UNDECIDED, []),
        )
    ),
    _example("rates that rise at first", _RISING.format(warm="50"), Verdict.UNDECIDED, "rate-computed"),
    _example(
        "a constant rate",
        _LENET
        + "opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)\nms.Model(net, nn.MSELoss(), opt).train(10, train_ds)\n",
        Verdict.UNDECIDED,
        "rate",
    ),
    _example(
        "a schedule of the framework",
        _LENET
        + """
steps = train_ds.get_dataset_size()
lr = nn.cosine_decay_lr(0.0, 0.1, 10 * steps, steps, 10)
opt = nn.SGD(net.trainable_params(), learning_rate=lr)
ms.Model(net, nn.MSELoss(), opt).train(10, train_ds)
""",
        Verdict.UNDECIDED,
        "rate-computed",
    ),
    _example(
        "a schedule of the project that starts at 0",
        _LENET
        + """
import numpy as np

def get_lr(lr_init, lr_max, total_epochs, steps_per_epoch):
    rates = [lr_init + (lr_max - lr_init) * step / steps_per_epoch for step in range(total_epochs * steps_per_epoch)]
    return np.array(rates).astype(np.float32)

lr = ms.Tensor(get_lr(0.0, 0.1, 10, train_ds.get_dataset_size()))
opt = nn.SGD(net.trainable_params(), lr)
ms.Model(net, nn.MSELoss(), opt).train(10, train_ds)
""",
        Verdict.UNDECIDED,
        "rate-schedule",
    ),
    _example(
        "the rate is scaled by the number of devices",
        _LENET
        + "from mindspore.communication import get_group_size\nopt = nn.SGD(net.trainable_params(), 0.1 * get_group_size())\n",
        Verdict.UNDECIDED,
        "rate-unknown",
    ),
    _example(
        "a default of the optimizer",
        _LENET + "opt = nn.Adam(net.trainable_params())\n",
        Verdict.UNDECIDED,
        "rate",
    ),
    _example(
        "a configuration file that is not there",
        _LENET + "from src.config import config\nopt = nn.Adam(net.trainable_params(), config.lr)\n",
        Verdict.UNDECIDED,
        "rate-unknown",
    ),
    _example(
        "an option of the command line",
        _LENET
        + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.05)
args = parser.parse_args()
opt = nn.Adam(net.trainable_params(), args.lr)
""",
        Verdict.UNDECIDED,
        "rate",
    ),
    _example("no optimizer", "net = nn.Dense(2, 2)\n", Verdict.UNDECIDED, "no-optimizer"),
    _example(
        "groups of parameters",
        _LENET
        + """
groups = [{"params": [net.weight], "lr": 0.01, "weight_decay": 0.0}, {"params": [net.bias], "lr": 0.02}]
opt = nn.SGD(groups)
""",
        Verdict.UNDECIDED,
        "rate-groups",
    ),
    _example(
        "a rate of 0",
        _LENET + "opt = nn.SGD(net.trainable_params(), learning_rate=0.0)\n",
        Verdict.PROBLEM,
        "rate-not-positive",
    ),
    _example(
        "a rate and a momentum in each other's place",
        _LENET + "opt = nn.Momentum(net.trainable_params(), 0.9, 0.01)\n",
        Verdict.PROBLEM,
        "rate-for-momentum",
    ),
    _example(
        "a momentum of 1",
        _LENET + "opt = nn.SGD(net.trainable_params(), 0.01, momentum=1.0)\n",
        Verdict.PROBLEM,
        "momentum-whole",
    ),
    _example(
        "beta1 and beta2 in each other's places",
        _LENET + "opt = nn.Adam(net.trainable_params(), 1e-3, beta1=0.999, beta2=0.9)\n",
        Verdict.PROBLEM,
        "betas-exchanged",
    ),
    _example(
        "beta1 and beta2 of language models",
        _LENET + "opt = nn.AdamWeightDecay(net.trainable_params(), 1e-4, beta1=0.9, beta2=0.95)\n",
        Verdict.UNDECIDED,
        "rate",
    ),
    _example(
        "a weight decay where beta1 is expected",
        _LENET + "opt = nn.Adam(net.trainable_params(), 1e-3, 1e-4)\n",
        Verdict.UNDECIDED,
        "momentum-tiny",
    ),
    _example(
        "beta1 as in a GAN",
        _LENET + "opt = nn.Adam(net.trainable_params(), 2e-4, beta1=0.001)\n",
        Verdict.UNDECIDED,
        "rate",
    ),
    _example(
        "a rate of 100",
        _LENET + "opt = nn.Adam(net.trainable_params(), learning_rate=100)\n",
        Verdict.PROBLEM,
        "rate-huge-step",
    ),
    _example(
        "a schedule that no optimizer gets",
        _LENET
        + """
lr = nn.cosine_decay_lr(0.0, 0.1, 1000, 100, 10)
opt = nn.SGD(net.trainable_params(), learning_rate=0.1)
ms.Model(net, nn.MSELoss(), opt).train(10, train_ds)
""",
        Verdict.PROBLEM,
        "schedule-ignored",
        "rate",
    ),
    _example("an optimizer for all epochs", _MADE.format(before=_ADAM, epoch="", step=""), Verdict.UNDECIDED, "rate"),
    _example(
        "an optimizer for each epoch",
        _MADE.format(before="", epoch=_ADAM, step=""),
        Verdict.PROBLEM,
        "optimizer-each-epoch",
        "rate",
    ),
    _example(
        "an optimizer for each batch",
        _MADE.format(before="", epoch="", step=_ADAM),
        Verdict.PROBLEM,
        "optimizer-each-step",
        "rate",
    ),
    _example(
        "an optimizer for each epoch that has nothing to lose",
        _MADE.format(before="", epoch=_ADAM.replace("Adam", "SGD"), step=""),
        Verdict.UNDECIDED,
        "rate",
    ),
    _example(
        "an optimizer for each epoch, with another rate",
        _MADE.format(before="", epoch=_ADAM.replace("1e-3", "0.1 / epoch"), step=""),
        Verdict.UNDECIDED,
        "optimizer-each-epoch",
        "rate-unknown",
    ),
    _example(
        "an optimizer for each fold, with a network of its own",
        _MADE.format(before="", epoch="net = nn.Dense(784, 10); " + _ADAM, step=""),
        Verdict.UNDECIDED,
        "rate",
    ),
    _example(
        "an optimizer from the fifth epoch on",
        _MADE.format(before=_ADAM, epoch="\n    if epoch == 5: " + _ADAM, step=""),
        Verdict.UNDECIDED,
        "rate",
    ),
    _example("gradients clipped to 1", _CLIPPED.format(limit="1.0"), Verdict.UNDECIDED, "rate"),
    _example("gradients clipped to a millionth", _CLIPPED.format(limit="1e-6"), Verdict.PROBLEM, "clip-tiny", "rate"),
    _example(
        "gradients clipped to a millionth, which Adam makes larger",
        _CLIPPED.replace("SGD", "Adam").format(limit="1e-6"),
        Verdict.UNDECIDED,
        "clip-tiny",
        "rate",
    ),
    _example(
        "a weight decay of 5",
        _LENET + "opt = nn.SGD(net.trainable_params(), 0.001, weight_decay=5)\n",
        Verdict.UNDECIDED,
        "decay-huge",
        "rate",
    ),
    _example(
        "a weight decay that turns weights over",
        _LENET + "opt = nn.SGD(net.trainable_params(), 0.1, weight_decay=20)\n",
        Verdict.PROBLEM,
        "decay-huge",
        "rate",
    ),
    _example(
        "a weight decay that a high rate makes huge",
        _LENET
        + "rates = nn.cosine_decay_lr(0.0, 0.1, 60, 3, 20)\nopt = nn.Momentum(net.trainable_params(), rates, 0.9, weight_decay=0.5)\n",
        Verdict.PROBLEM,
        "decay-huge",
        "rate-computed",
    ),
    _example(
        "a rate of 10",
        _LENET + "opt = nn.SGD(net.trainable_params(), 10.0)\n",
        Verdict.UNDECIDED,
        "rate-huge",
        "rate",
    ),
    _example(
        "a warm-up by itself",
        _LENET
        + "opt = nn.Adam(net.trainable_params(), nn.WarmUpLR(3e-4, 1000))\nms.Model(net, nn.MSELoss(), opt).train(20, data)\n",
        Verdict.UNDECIDED,
        "rate-schedule",
    ),
    _example(
        "a rate of 1 for Adam",
        _LENET + "opt = nn.Adam(net.trainable_params(), learning_rate=1.0)\n",
        Verdict.UNDECIDED,
        "rate-huge",
        "rate",
    ),
    _example("a rate of 1 for SGD", _LENET + "opt = nn.SGD(net.trainable_params(), 1.0)\n", Verdict.UNDECIDED, "rate"),
    _example("sums of gradients that are cleared", _ADDED_UP, Verdict.UNDECIDED, "rate"),
    _example(
        "sums of gradients that go on",
        _ADDED_UP.replace("            self.map(ops.partial(ops.assign), self.totals, self.zeros)\n", ""),
        Verdict.PROBLEM,
        "totals-kept",
        "rate",
    ),
    *(
        _example(
            f"a step {told}",
            "data = ds.MnistDataset('data/train').batch(32)\nnet, loss_fn = nn.Dense(784, 10), nn.CrossEntropyLoss()\n"
            "opt, batches = nn.Momentum(net.trainable_params(), 0.01, 0.9), data.create_tuple_iterator()\n"
            "grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)\n"
            f"for epoch in range(9):\n    for x, y in data.create_tuple_iterator():\n        {inner}\n    {outer}\n",
            verdict,
            *codes,
        )
        for told, inner, outer, verdict, codes in (
            ("for each batch", "opt(grad(x, y)[1])", "pass", Verdict.UNDECIDED, ["rate"]),
            ("behind the batches", "pass", "opt(grad(x, y)[1])", Verdict.PROBLEM, ["step-behind-loop", "rate"]),
            (
                "with the next batch",
                "pass",
                "x, y = next(batches)\n    opt(grad(x, y)[1])",
                Verdict.UNDECIDED,
                ["rate"],
            ),
            ("with the first batch, to try it", "break", "opt(grad(x, y)[1])", Verdict.UNDECIDED, ["rate"]),
        )
    ),
    *(
        _example(f"gradients of four steps, {told}", _GATHERED.format(kept=kept, after=after), verdict, *codes)
        for told, kept, after, verdict, codes in (
            ("added up", _ALL_KEPT, "self.kept = None", Verdict.UNDECIDED, ["rate"]),
            ("never cleared", _ALL_KEPT, "pass", Verdict.PROBLEM, ["totals-kept", "rate"]),
            ("of which the last stay", "grads", "self.kept = None", Verdict.PROBLEM, ["gradients-lost", "rate"]),
        )
    ),
    _example(
        "sums of gradients for their mean",
        _ADDED_UP.replace("y) / 4", "y)"),
        Verdict.UNDECIDED,
        "gradients-summed",
        "rate",
    ),
    _example(
        "a schedule that no optimizer gets beside another one",
        _LENET
        + """
lr, other = nn.cosine_decay_lr(0.0, 0.1, 1000, 100, 10), nn.exponential_decay_lr(0.1, 0.9, 1000, 100, 10)
opt = nn.SGD(net.trainable_params(), learning_rate=other)
ms.Model(net, nn.MSELoss(), opt).train(10, train_ds)
""",
        Verdict.UNDECIDED,
        "schedule-unused",
        "rate-computed",
    ),
    _example(
        "a schedule as long as there are epochs, moved in each batch",
        _BY_HAND.format(length="epochs"),
        Verdict.PROBLEM,
        "schedule-by-epochs",
        "rate-schedule",
    ),
    _example(
        "a schedule as long as there are batches in all epochs",
        _BY_HAND.format(length="epochs * train_ds.get_dataset_size()"),
        Verdict.UNDECIDED,
        "rate-schedule",
    ),
    _example(
        "a schedule as long as there are epochs, moved once in each",
        _BY_HAND.format(length="epochs").replace("            opt(grads)", "        opt(grads)"),
        Verdict.UNDECIDED,
        "rate-schedule",
    ),
    _example(
        "rates for as many updates as a Model trains epochs",
        _LENET
        + """
epochs = 40
rates = nn.polynomial_decay_lr(0.1, 0.0, epochs, 1, epochs, 0.9)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rates)).train(epochs, train_ds)
""",
        Verdict.PROBLEM,
        "schedule-by-epochs",
        "rate-computed",
    ),
    _example(
        "a schedule that a helper hands to the optimizer is used",
        _LENET
        + """
def optimizer(params, settings):
    return nn.SGD(params, learning_rate=settings["lr"])

settings = {"lr": nn.cosine_decay_lr(0.0, 0.1, 1000, 100, 10)}
opt = optimizer(net.trainable_params(), settings)
""",
        Verdict.UNDECIDED,
        "rate-computed",
    ),
    _example(
        "epochs of Model.train",
        _LENET + "ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(90, train_ds)\n",
        Verdict.UNDECIDED,
        "epochs",
        about="epochs",
    ),
    _example(
        "epochs of a loop that counts from 1",
        _LENET
        + """
for epoch in range(1, 21):
    for data, label in train_ds.create_tuple_iterator():
        step(data, label)
""",
        Verdict.UNDECIDED,
        "epochs",
        about="epochs",
    ),
    _example(
        "epochs that a configuration decides",
        _LENET + "from config import cfg\nms.Model(net).train(cfg.epochs, train_ds)\n",
        Verdict.UNDECIDED,
        "epochs-unknown",
        about="epochs",
    ),
    _example(
        "repeated once, as by default of the helper",
        """
def create(path, repeat_num=1):
    return ds.MnistDataset(path).batch(32).repeat(repeat_num)

ms.Model(nn.Dense(2, 2)).train(10, create("data/train"))
""",
        Verdict.UNDECIDED,
        "epochs",
        about="epochs",
    ),
    _example(
        "repeated, with an epoch of so many steps",
        """
epochs = 10
train_ds = ds.MnistDataset("data/train").batch(32).repeat(epochs)
ms.Model(nn.Dense(2, 2)).train(epochs, train_ds, dataset_sink_mode=True, sink_size=100)
""",
        Verdict.UNDECIDED,
        "epochs",
        about="epochs",
    ),
    _example(
        "repeated, and read once without a loop over epochs",
        """
train_ds = ds.MnistDataset("data/train").batch(32).repeat(10)
for data in train_ds.create_dict_iterator():
    step(data)
""",
        Verdict.UNDECIDED,
        "no-epochs",
        about="epochs",
    ),
    _example(
        "epochs counted twice",
        """
def create(path, repeat_size):
    return ds.MnistDataset(path).batch(32).repeat(repeat_size)

epoch_size = 10
ms.Model(nn.Dense(2, 2)).train(epoch_size, create("data/train", epoch_size))
""",
        Verdict.PROBLEM,
        "epochs",
        "epochs-squared",
        about="epochs",
    ),
    _example(
        "epochs counted twice in a loop of one's own",
        """
from config import cfg
train_ds = ds.MnistDataset("data/train").batch(32).repeat(20)
for epoch in range(20):
    for data in train_ds.create_dict_iterator():
        step(data)
""",
        Verdict.UNDECIDED,
        "epochs",
        "epochs-twice",
        about="epochs",
    ),
    _example(
        "no epochs",
        _LENET + "ms.Model(net).train(0, train_ds)\n",
        Verdict.UNDECIDED,
        "epochs-zero",
        about="epochs",
    ),
    _example(
        "a schedule for fewer epochs than are trained",
        _LENET
        + """
steps = train_ds.get_dataset_size()
lr = nn.cosine_decay_lr(0.0, 0.1, 60 * steps, steps, 60)
opt = nn.SGD(net.trainable_params(), learning_rate=lr)
ms.Model(net, nn.MSELoss(), opt).train(90, train_ds)
""",
        Verdict.UNDECIDED,
        "epochs",
        "schedule-length",
        about="epochs",
    ),
    _example(
        "a warm-up that is only the first part of the rates",
        _LENET
        + """
steps = train_ds.get_dataset_size()
lr = nn.warmup_lr(0.1, 5 * steps, steps, 5) + nn.cosine_decay_lr(0.0, 0.1, 85 * steps, steps, 85)
opt = nn.SGD(net.trainable_params(), learning_rate=lr)
ms.Model(net, nn.MSELoss(), opt).train(90, train_ds)
""",
        Verdict.UNDECIDED,
        "epochs",
        about="epochs",
    ),
    _example(
        "a small batch size",
        _LENET + "ms.Model(net).train(1, train_ds)\n",
        Verdict.NOT_APPLICABLE,
        "batch",
        "batch-small",
        about="batch_size",
    ),
    *(
        _example(
            f"batches of {size}, {how}",
            _SMALL.format(size=size, start=start),
            verdict,
            "batch",
            *(("batch-small",) if verdict is Verdict.NOT_APPLICABLE else ()),
            about="batch_size",
        )
        for size, how, start, verdict in (
            (64, "on one device", "", Verdict.UNDECIDED),
            (8, "on devices that are not counted", "mint.distributed.init_process_group()", Verdict.UNDECIDED),
            (8, "on several devices only if asked", "if args.many:\n    init()", Verdict.NOT_APPLICABLE),
            (8, "made of batches", "data = data.batch(16)", Verdict.UNDECIDED),
            (
                8,
                "of a source that may make batches itself",
                "data = ds.GeneratorDataset(rows, ['x']).batch(1)",
                Verdict.UNDECIDED,
            ),
        )
    ),
    _example(
        "small batches whose gradients are added up",
        _ADDED_UP,
        Verdict.UNDECIDED,
        "batch",
        about="batch_size",
    ),
    _example(
        "a batch size on eight devices",
        _LENET
        + "ms.set_auto_parallel_context(parallel_mode='data_parallel', device_num=8)\nms.Model(net).train(1, train_ds)\n",
        Verdict.UNDECIDED,
        "batch-devices",
        about="batch_size",
    ),
    _example(
        "only the batches of the training data count",
        """
def create(path, train):
    return ds.ImageFolderDataset(path).batch(128 if train else 1, drop_remainder=train)

ms.Model(nn.Dense(2, 2)).train(1, create("data/train", True))
ms.Model(nn.Dense(2, 2)).eval(create("data/val", False))
""",
        Verdict.UNDECIDED,
        "batch",
        about="batch_size",
    ),
    _example(
        "a batch size out of sight",
        "from config import cfg\nms.Model(nn.Dense(2, 2)).train(1, ds.MnistDataset('train').batch(cfg.size))\n",
        Verdict.UNDECIDED,
        "batch-unknown",
        about="batch_size",
    ),
    _example(
        "no batches",
        "ms.Model(nn.Dense(2, 2)).train(1, ds.MnistDataset('train'))\n",
        Verdict.UNDECIDED,
        "no-batch",
        about="batch_size",
    ),
    _example(
        "a batch of no samples",
        "ms.Model(nn.Dense(2, 2)).train(1, ds.MnistDataset('train').batch(0))\n",
        Verdict.UNDECIDED,
        "batch-not-positive",
        about="batch_size",
    ),
    _example(
        "a batch of 65,536 pictures",
        "ms.Model(nn.Dense(2, 2)).train(1, ds.MnistDataset('train').batch(65536))\n",
        Verdict.UNDECIDED,
        "batch-huge",
        about="batch_size",
    ),
    *(
        Example(
            f"a batch size of {value} in a configuration",
            files={"train.py": _OF_YAML, "run.yaml": f"lr: 0.1\nbatch: {value}\n"},
            case={"scripts": {"train": "train.py"}},
            params={"about": "batch_size"},
            verdict=verdict,
            codes=(code,),
        )
        for value, code, verdict in (
            ("many", "batch-text", Verdict.UNDECIDED),
            ("32", "batch", Verdict.NOT_APPLICABLE),
        )
    ),
    _example(
        "a rate in a dict that is joined with another one",
        "start = {'learning_rate': 50.0}\nstart |= {'momentum': 0.9}\n"
        "ms.Model(nn.Dense(2, 2), nn.MSELoss(), nn.SGD(params, **start)).train(1, data)\n",
        Verdict.UNDECIDED,
        "rate-huge",
        "rate",
    ),
    _example(
        "a rate among what is unpacked and not seen",
        "from elsewhere import pick\nms.Model(nn.Dense(2, 2), nn.MSELoss(), nn.SGD(params, **pick())).train(1, data)\n",
        Verdict.UNDECIDED,
        "rate-unknown",
    ),
    *(
        Example(
            f"a rate of {value} in a configuration",
            files={"train.py": _OF_YAML, "run.yaml": f"lr: {value}\nbatch: 32\n"},
            case={"scripts": {"train": "train.py"}},
            params={"about": "learning_rate"},
            verdict=Verdict.UNDECIDED,
            codes=(code,),
        )
        for value, code in (("fast", "rate-text"), ("0.1", "rate"))
    ),
    _example(
        "a large batch, as optimizers for such are given",
        "ms.Model(nn.Dense(2, 2)).train(1, ds.MnistDataset('train').batch(32768))\n",
        Verdict.UNDECIDED,
        "batch",
        about="batch_size",
    ),
]
