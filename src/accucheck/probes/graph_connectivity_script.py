"""Reads from the scripts whether every layer of a network is connected: built and used, and its result used in turn.

Catches: layers with weights, Dropout and whole blocks that are built in __init__ and never asked for; a layer applied twice while
its twin is not applied at all; results that are never used, overwritten, discarded, or thrown away by a caller that switched them
on; inputs that construct ignores although the other input was made from them; a residual sum that skips the one before; heads that
a reshape cuts out of several positions; a state that a loop does not carry from step to step. Unused
operators without weights are only listed. Cannot tell: connections to the wrong tensor that leave everything in use, layers chosen
by names that only a run has. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import indent
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Plain, Progress, Sure, Table, Verdict
from ..model import suggest as usual
from ..probe import Example, script_example
from . import _gaps, _grades, _networks, _seen

if TYPE_CHECKING:
    from ..script.analysis import Scripts

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = (("scripts.train", "scripts.eval", "scripts.infer"),)
MAX_ROWS = 200


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_networks.MESSAGES,
    **_seen.MESSAGES,
    "unused-layer": {
        "en": "{of} builds self.{name} ({what}), which has weights, and never uses it.",
        "zh": "{of} 创建了带权重的 self.{name}（{what}），却从未使用。",
    },
    "loop-calls-one": {
        "en": "This loop goes over self.{name} of {of}, and each turn calls {text}: the other layers of the list are never used.",
        "zh": "该循环遍历 {of} 的 self.{name}，但每一轮调用的都是 {text}：列表中的其他层从未使用。",
    },
    "twin-used-twice": {
        "en": "{of} never uses self.{name} ({what}), while self.{twin} is applied twice (lines {lines}).",
        "zh": "{of} 从未使用 self.{name}（{what}），而 self.{twin} 被调用了两次（第 {lines} 行）。",
    },
    "names-exchanged": {
        "en": "{function} is given {first} for its parameter {second}, and {second} for {first}.",
        "zh": "{function} 的参数 {second} 得到的是 {first}，参数 {first} 得到的却是 {second}。",
    },
    "joined-with-itself": {
        "en": "{text} concatenates a result with itself along the features: the layer after it gets no new information.",
        "zh": "{text} 把同一个结果与自身沿特征维拼接：其后的层得不到任何新的信息。",
    },
    "added-to-itself": {
        "en": "{text}: both operands are the same value.",
        "zh": "{text}：两个操作数是同一个值。",
    },
    "added-to-itself-once": {
        "en": "{text}: on one of the paths that lead here, both operands are the same value.",
        "zh": "{text}：在通向此处的一条分支上，两个操作数是同一个值。",
    },
    "branches-differ": {
        "en": "Two parallel branches apply the same layers, but here {name} is applied again, where the other branch applies {other} "
        "(line {line} of {path}).",
        "zh": "汇合的两条支路经过相同的层，但此处再次调用了 {name}，而另一条支路调用的是 {other}（{path} 第 {line} 行）。",
    },
    "unused-dropout": {
        "en": "{of} builds self.{name} ({what}) but never applies it: nothing is dropped there.",
        "zh": "{of} 创建了 self.{name}（{what}），却从未调用，此处的 Dropout 不起作用。",
    },
    "unused-cell": {
        "en": "{of} builds self.{name} ({what}), a block used only here, but never calls it.",
        "zh": "{of} 创建了 self.{name}（{what}），这个模块只用在此处，却从未调用。",
    },
    "unused-parameter": {
        "en": "{of} makes the trainable Parameter self.{name} and never uses it.",
        "zh": "{of} 创建了可训练的 Parameter self.{name}，却从未使用。",
    },
    "result-unused": {
        "en": "What {name} computes here ends in {result} (line {line}), which is never used.",
        "zh": "{name} 在此处的计算结果最终存入 {result}（第 {line} 行），之后再未使用。",
    },
    "result-tail": {
        "en": "What {name} computes here is not used (line {line}): features are taken before this output layer, and a checkpoint that "
        "is loaded may need it.",
        "zh": "{name} 在此处的计算结果没有使用（第 {line} 行）：特征取自这个输出层之前，保留它可能是为了与加载的 checkpoint 对应。",
    },
    "result-again": {
        "en": "What {name} computes here is not used: line {line} of {path} computes the same again, and that is used.",
        "zh": "{name} 在此处的计算结果没有使用：{path} 第 {line} 行对相同输入重新做了同样的计算，使用的是后者。",
    },
    "loop-overwrites": {
        "en": "Each iteration of this loop overwrites {name} without using its previous value: only the last layer counts.",
        "zh": "该循环每次都覆盖 {name}，且没有用到上一次的结果：只有最后一层起作用。",
    },
    "fix-turn": {
        "en": "Give each layer the result of the one before: x = layer(x).",
        "zh": "把上一层的结果交给下一层：x = layer(x)。",
    },
    "result-overwritten": {
        "en": "The result of {name} here ends up in {result} (line {line}), which is overwritten before anything uses it.",
        "zh": "{name} 在此处的计算结果存入 {result}（第 {line} 行），还没有使用就被覆盖。",
    },
    "result-perhaps-replaced": {
        "en": "The tensor {result} (line {line}) is overwritten before anything uses it.",
        "zh": "张量 {result}（第 {line} 行）还没有使用就被赋了别的值。",
    },
    "result-discarded": {
        "en": "The result of {name} is thrown away: the call is on its own and changes nothing.",
        "zh": "{name} 的返回值被丢弃：这是一条独立的调用语句，不改变任何结果。",
    },
    "result-ignored": {
        "en": "What {name} computes here is handed to {callee} (line {line} of {path}), which ignores its parameter {result}.",
        "zh": "{name} 的计算结果传给了 {callee}（{path} 第 {line} 行），而后者没有使用参数 {result}。",
    },
    "result-underscore": {
        "en": "What {name} computes here is thrown away under the name {result}.",
        "zh": "{name} 在此处的计算结果被赋给 {result} 后丢弃。",
    },
    "asked-and-dropped": {
        "en": "What {name} computes here is thrown away by the caller (line {line} of {path}), which had switched this layer on: it "
        "gets no gradient.",
        "zh": "{name} 在此处的计算结果被调用方丢弃（{path} 第 {line} 行），而该层正是由调用方开启的：它得不到梯度。",
    },
    "caller-unread": {
        "en": "The caller (line {line} of {path}) stores the result of {name} in {result} and never uses it: the layer gets no "
        "gradient from there.",
        "zh": "{name} 在此处的计算结果在调用方（{path} 第 {line} 行）赋给了 {result}，之后无人读取：该层在那里得不到梯度。",
    },
    "caller-drops": {
        "en": "What {name} computes here is not taken by the caller (line {line} of {path}): the layer gets no gradient there.",
        "zh": "调用方没有取用 {name} 在此处的计算结果（{path} 第 {line} 行），该层由此得不到梯度。",
    },
    "input-ignored": {
        "en": "construct of {of} ignores its input {name}, although the other input was computed from it: this connection is missing.",
        "zh": "{of} 的 construct 没有使用输入 {name}，而另一个输入正是由它计算得到的：这条连接（如残差）缺失。",
    },
    "residual-left-out": {
        "en": "construct of {of} puts {name} aside here and never uses it: the direct connection is missing.",
        "zh": "{of} 的 construct 在此处保存了 {name}，之后却没有使用：缺少直连通路。",
    },
    "input-perhaps-ignored": {
        "en": "construct of {of} ignores its input {name}, although the other input was computed from it.",
        "zh": "{of} 的 construct 没有使用输入 {name}，而另一个输入正是由它计算得到的。",
    },
    "skip-missing": {
        "en": "{of} adds a residual connection in line {line}, but none around the block of this normalisation, and the block's input "
        "is used nowhere else: the residual connection is missing.",
        "zh": "{of} 在第 {line} 行把一个子层的输入与其输出相加，而此处归一化所在的子层没有相加，该输入也没有用在别处：缺少残差连接。",
    },
    "skips-a-sum": {
        "en": "This residual sum adds what the sum in line {line} of {path} has already added, and skips that sum's own result.",
        "zh": "此处残差相加的输入，在 {path} 第 {line} 行的残差中已经加过；前一个残差的结果被跳过了。",
    },
    "call-discarded": {
        "en": "{name} ({what}) is called and its result thrown away: the input stays as it is.",
        "zh": "调用了 {name}（{what}）却没有接收返回值，输入没有任何变化。",
    },
    "unused-operators": {
        "en": "{of} builds but never uses {names}: no weights are lost, but these operations are not applied.",
        "zh": "{of} 创建后未使用：{names}。它们不含权重，但相应的运算没有执行。",
    },
    "unused-tail": {
        "en": "{of} builds self.{name} ({what}) at its end and never uses it: features are taken before it, and it may be there to "
        "match a checkpoint.",
        "zh": "{of} 末尾创建的 self.{name}（{what}）没有使用：特征取自它之前，保留它可能是为了与 checkpoint 对应。",
    },
    "unused-commented": {
        "en": "{of} builds self.{name} ({what}) and does not use it: the line that did is commented out.",
        "zh": "{of} 创建了 self.{name}（{what}）但没有使用：使用它的那一行已被注释掉。",
    },
    "unused-untrained": {
        "en": "{of} builds self.{name} ({what}) and never uses it; nothing in these scripts trains it either.",
        "zh": "{of} 创建了 self.{name}（{what}）却从未使用；这些脚本中也没有训练它。",
    },
    "connected": {
        "en": "Followed: {cells} {cells:class|classes} of cells; layers with weights in them: {layers}. Each was checked for being "
        "built, called and its result used; whether order and inputs match the design was not checked.",
        "zh": "已检查 {cells} 个 Cell 类，其中带权重的层共 {layers} 个。检查的是各层是否创建、是否调用、结果是否使用；"
        "层的顺序和输入是否符合设计未作检查。",
    },
    "no-network": {
        "en": "No network with weights was found in these scripts: it may come from another package, or be selected by a name known "
        "only at run time.",
        "zh": "脚本中没有看到带权重的网络：它可能来自其他软件包，或由运行时才确定的名称选择。",
    },
    "fix-use": {
        "en": "Use the layer in construct, or do not build it, so that its parameters stay out of optimizer and checkpoint.",
        "zh": "在 construct 中使用该层；若确实不需要，则不要创建，以免其参数混入优化器和 checkpoint。",
    },
    "fix-triangle": {
        "en": "Mask everything above the diagonal: triu(ones, 1) marks what to hide, tril(ones) what to keep.",
        "zh": "应遮住对角线以上的部分：triu(ones, 1) 表示要遮住的，tril(ones) 表示要保留的。",
    },
    "fix-branch": {
        "en": "Apply {other} here, as on the other way.",
        "zh": "此处改为调用 {other}，与另一条支路一致。",
    },
    "fix-each-layer": {"en": "Call what the loop goes through.", "zh": "改为调用循环变量所指的层。"},
    "fix-other-operand": {
        "en": "Use the result that should be concatenated or added here, such as that of the skip connection.",
        "zh": "换成原本要拼接或相加的另一个结果，例如跳跃连接的输出。",
    },
    "fix-arguments": {
        "en": "Give the arguments in the order of the parameters, or by keyword.",
        "zh": "按形参的顺序传入实参，或改用关键字传入。",
    },
    "fix-twin": {
        "en": "Call self.{name} at one of the two places.",
        "zh": "把其中一处改为调用 self.{name}。",
    },
    "fix-result": {
        "en": "Use the result where it belongs, or drop the computation.",
        "zh": "在应有的位置使用该结果，或删去这部分计算。",
    },
    "fix-keep": {
        "en": "Keep the result: x = layer(x).",
        "zh": "接收返回值：x = layer(x)。",
    },
    "fix-input": {
        "en": "Use the input, for instance add it before the normalisation as in a residual block.",
        "zh": "使用该输入，例如像残差块那样在归一化之前相加。",
    },
    "softmax-other-axis": {
        "en": "This softmax of attention scores runs along a different axis from the one that line {line} sums up (axis {axis}).",
        "zh": "此处注意力得分的 softmax 所沿的维度，与第 {line} 行矩阵乘法求和的维度（axis {axis}）不同。",
    },
    "softmax-over-samples": {
        "en": "This softmax runs along the first axis, over the samples of the batch.",
        "zh": "此处的 softmax 沿第一维，也就是在一个 batch 的各个样本之间做归一化。",
    },
    "rows-paired-otherwise": {
        "en": "This loss compares predictions with labels of other samples: one of the two has the samples along the first axis and the "
        "other along the second when they are flattened.",
        "zh": "这个损失把预测与其他样本的标签相比：展平时，一方的样本在第一维，另一方的样本在第二维。",
    },
    "norm-over-samples": {
        "en": "This normalisation runs along the first axis, over the samples of the batch.",
        "zh": "此处的归一化沿第一维，也就是在一个 batch 的各个样本之间进行。",
    },
    "future-open": {
        "en": "This attention has no causal mask: each position sees the token that it is trained to predict (loss: {path}:{line}).",
        "zh": "此处的注意力没有任何遮挡：每个位置都能看到它要预测的那个词（损失：{path}:{line}）。",
    },
    "softmax-of-one": {
        "en": "This softmax runs along a single output: {layer} in line {at} gives one score, so the result is always 1.",
        "zh": "此处沿单个输出做 softmax：第 {at} 行的 {layer} 只给出一个得分，结果恒为 1。",
    },
    "scores-scaled-up": {
        "en": "Attention scores (the product in line {line}) are multiplied here by the root of the length of a head instead of divided.",
        "zh": "此处把注意力得分（第 {line} 行的乘积）乘以了每个头维度的平方根，而不是除以它。",
    },
    "future-seen": {
        "en": "The mask of this attention softmax is inverted: each position sees what comes after it, not what came before.",
        "zh": "该注意力 softmax 的掩码方向颠倒：每个位置看到的是其后的内容，而不是之前的内容。",
    },
    "itself-hidden": {
        "en": "The mask of this attention softmax hides each position from itself; the first position sees nothing at all.",
        "zh": "该注意力 softmax 的掩码把每个位置自身也遮住了；第一个位置什么也看不到。",
    },
    "axis-torn": {
        "en": "This reshape moves the size of axis {axis} to position {place}, but not its elements: only a transpose moves those.",
        "zh": "该 reshape 把 axis {axis} 的大小放到了第 {place} 位，元素却没有随之移动：应当用 transpose 交换维度。",
    },
    "parts-torn": {
        "en": "This reshape splits the last axis into chunks but puts another axis between the number of chunks (axis {place}) and the "
        "chunks: each chunk mixes several positions.",
        "zh": "该 reshape 把最后一维拆成若干段，段数（第 {place} 位）与段之间却隔着另一维：每一段都混入了多个位置的片段。",
    },
    "state-not-carried": {
        "en": "Each iteration of the loop in line {line} starts {name} from the same {state}: the state of the previous iteration is "
        "lost.",
        "zh": "第 {line} 行的循环每一步都让 {name} 从同一个 {state} 开始：上一步算出的状态没有传下去。",
    },
    "samples-as-steps": {
        "en": "{layer} (line {line}) is built without batch_first=True, but its input has the samples along the first axis: it treats "
        "them as the time steps of one sequence.",
        "zh": "{layer}（第 {line} 行）没有设置 batch_first，而此处输入的第一维是样本：各个样本被当作同一条序列的各个时间步。",
    },
    "first-layer-state": {
        "en": "This uses the state of the first of {layers} layers (line {line} of {path}); the outputs of the layers above it are "
        "never used.",
        "zh": "此处取的是 {layers} 层中第一层的状态（{path} 第 {line} 行），其上各层的结果无人使用。",
    },
    "last-step-padded": {
        "en": "The call in line {line} passes the length of each sequence, so outputs past the end are 0; this takes the last time "
        "step of every sequence, padded or not.",
        "zh": "第 {line} 行的调用给出了每条序列的长度，其后的输出都是 0；此处却取了最后一个时间步，不论是否为补齐。",
    },
    "state-exchanged": {
        "en": "The state is returned as ({back}) but passed in as ({given}): hidden state and cell state are swapped at each call.",
        "zh": "返回的状态是（{back}），传入的却是（{given}）：隐藏状态与单元状态每次都对调。",
    },
    "tables-added": {
        "en": "{tables} are looked up with the same indices and added: together they are no more than one embedding.",
        "zh": "{tables} 用同样的编号查表后相加：两张表等同于一张。",
    },
    "features-compared": {
        "en": "This compares the output of {layer} (line {line} of {path}) with {value}: computed features are almost never exactly "
        "equal to a number.",
        "zh": "此处把 {layer} 的输出（{path} 第 {line} 行）与 {value} 比较是否相等：计算得到的特征几乎不会恰好等于某个数。",
    },
    "fix-batch-first": {
        "en": "Set batch_first=True on the layer, or swap the first two axes of its input.",
        "zh": "为该层设置 batch_first=True，或交换输入的前两维。",
    },
    "fix-last-layer": {"en": "Use the state of the last layer: h[-1].", "zh": "取最后一层的状态：h[-1]。"},
    "fix-last-state": {
        "en": "Use the final state that the layer returns, h[-1], or the output at the end of each sequence.",
        "zh": "取该层返回的最终状态 h[-1]，或各序列自身末尾处的输出。",
    },
    "fix-order": {
        "en": "Pass the state in the order in which it is returned: (h, c).",
        "zh": "按返回的次序传入状态：(h, c)。",
    },
    "fix-positions": {
        "en": "Look up the second table with its own indices, such as ops.arange(x.shape[1]) for positions.",
        "zh": "第二张表应使用各自的编号查找，例如位置用 ops.arange(x.shape[1])。",
    },
    "fix-ids": {"en": "Compare the ids before the lookup: ids == 0.", "zh": "应比较查表前的编号：ids == 0。"},
    "keys-of-another": {
        "en": "The keys (product in line {line}) and the values weighted here come from different sequences, one of them the sequence "
        "of the queries.",
        "zh": "key（第 {line} 行的乘积）与此处被加权的 value 取自不同的序列，其中之一是 query 所在的序列。",
    },
    "fix-memory": {
        "en": "Compute keys and values from the same sequence: attend(x, memory, memory).",
        "zh": "key 与 value 应取自同一序列：attend(x, memory, memory)。",
    },
    "linear-twice": {
        "en": "This layer takes the output of the layer in line {line} of {path} directly, without the activation that other layers "
        "have in between: with {width} features in the middle, the two are no more expressive than one layer.",
        "zh": "该层直接作用于 {path} 第 {line} 行的层的输出，缺少其他层之间都有的激活函数："
        "中间有 {width} 个特征，两层能表达的并不比一层多。",
    },
    "fix-activation": {
        "en": "Add an activation between the two layers, such as nn.ReLU(), or remove one of them.",
        "zh": "在两层之间加上激活函数（如 nn.ReLU()），或去掉其中一层。",
    },
    "mask-even": {
        "en": "This mask is the same for all keys of a query, so the softmax in line {line} hides none of them: the mask is built from "
        "the queries instead of the keys.",
        "zh": "该掩码对同一个 query 的所有 key 都相同，第 {line} 行的 softmax 没有遮住任何一个 key：掩码取自 query，而应取自 key。",
    },
    "fix-keys": {
        "en": "Build the mask from the keys, along the last axis of the scores: (keys == 0).expand_dims(1).",
        "zh": "掩码应由 key 得到，并位于得分的最后一维：(keys == 0).expand_dims(1)。",
    },
    "fix-carry": {
        "en": "Pass the state returned by each step to the next one, and initialise it before the loop: h, c = cell(x, (h, c)).",
        "zh": "在循环之前设好初始状态，并把每一步返回的状态交给下一步：h, c = cell(x, (h, c))。",
    },
    "fix-scale": {
        "en": "Divide the scores by the root: scores / length ** 0.5.",
        "zh": "应除以平方根：scores / length ** 0.5。",
    },
    "fix-exchange": {
        "en": "Split the axis in place, then transpose: x.reshape(batch, steps, heads, -1).transpose(0, 2, 1, 3).",
        "zh": "先在原位拆分，再转置：x.reshape(batch, steps, heads, -1).transpose(0, 2, 1, 3)。",
    },
    "fix-axis": {
        "en": "Take the softmax along the axis of the keys, which the product sums up: usually axis=-1.",
        "zh": "沿 key 所在的维度（即矩阵乘法求和的维度）做 softmax，通常为 axis=-1。",
    },
    "fix-other-axis": {
        "en": "Apply the softmax along the axis whose elements compete within one sample, usually axis=-1.",
        "zh": "应沿单个样本内部相互竞争的那一维做 softmax，通常为 axis=-1。",
    },
    "fix-same-order": {
        "en": "Exchange the first two axes of one of them before flattening: swapaxes(0, 1).",
        "zh": "展平之前交换其中一方的前两维：swapaxes(0, 1)。",
    },
    "fix-hide-later": {
        "en": "Mask later positions with a triangle: scores.masked_fill(ops.triu(ops.ones(...), 1).bool(), -1e9).",
        "zh": "用三角掩码遮住之后的位置：scores.masked_fill(ops.triu(ops.ones(...), 1).bool(), -1e9)。",
    },
    "fix-one": {
        "en": "Name the axis over which the scores compete, or use a sigmoid for a single score.",
        "zh": "指定得分相互竞争的维度；若只有一个得分，请改用 sigmoid。",
    },
    "fix-sum": {
        "en": "Add the result of the sum before, not its input.",
        "zh": "应与前一个残差的结果相加，而不是与它的输入相加。",
    },
}
WORDS: Words = {
    **_grades.WORDS,
    "layers": {"en": "Layers with weights", "zh": "带权重的层"},
    "cell": {"en": "Cell", "zh": "Cell"},
    "attribute": {"en": "Attribute", "zh": "属性"},
    "layer": {"en": "Layer", "zh": "层"},
    "place": {"en": "Place", "zh": "位置"},
}

_NO_GRADIENT = {
    "en": "Its weights get no gradient and keep their initial values: the network is smaller than designed, and the dead weights still "
    "go into optimizer and checkpoint.",
    "zh": "这些权重得不到梯度，一直停留在初值：网络比设计的小，而无用的权重仍会进入优化器和 checkpoint。",
}
_LOST = {
    "en": "What the layer computes does not reach the output: the network does less than designed, and layers that feed only this "
    "result are not trained.",
    "zh": "这一层的计算到不了输出：网络的实际结构少于设计，只供给该结果的层也得不到训练。",
}
_RESIDUAL = {
    "en": "Without the direct connection the gradient has to pass all layers of the block: deep networks train worse or not at all.",
    "zh": "缺少直连通路，梯度必须穿过块内所有层，深层网络训练变差甚至不收敛。",
}
_FUTURE = {
    "en": "A model that should predict the next token can see it: the loss falls to almost nothing, and what the model generates is "
    "useless.",
    "zh": "预测后文的模型在训练时看到了后文：loss 会降到接近 0，生成的内容却毫无用处。",
}
_TORN = {
    "en": "A reshape keeps the order of the elements: each slice along the new axis mixes several samples, steps or channels, and the "
    "network works on scrambled features.",
    "zh": "reshape 不改变元素的先后次序：新的这一维是由多个样本、步或通道的片段拼成的，网络处理的是错乱的特征。",
}
WHY: Words = {
    "unused-layer": _NO_GRADIENT,
    "unused-parameter": _NO_GRADIENT,
    "loop-calls-one": {
        "en": "The network has one layer that is applied again and again, not as many as its list holds.",
        "zh": "网络实际上只是反复使用同一层，而不是列表中的那么多层。",
    },
    "twin-used-twice": {
        "en": "Two paths that should differ compute the same thing with the same weights, and the weights of the unused layer are never "
        "trained.",
        "zh": "本应不同的两条通路用同一组权重做了相同的计算，未使用的层则始终得不到训练。",
    },
    "names-exchanged": {
        "en": "Each of the two is then used as the other: ids are looked up as a mask, say, or a mask hides by segment.",
        "zh": "两者各被当作对方使用，例如把掩码当作编号去查表，或按分段去屏蔽位置。",
    },
    "joined-with-itself": {
        "en": "What the other path should deliver, such as the details from a skip connection, never reaches the layers after it.",
        "zh": "本应从另一条通路到来的信息（如跳跃连接中的细节）到不了其后的层。",
    },
    "added-to-itself": {
        "en": "Adding a value to itself only doubles it, and subtracting it from itself gives 0: the intended other operand is missing.",
        "zh": "与自身相加只是把数值放大，与自身相减恒为 0：本应参与运算的另一项缺失了。",
    },
    "added-to-itself-once": {
        "en": "On that path the sum only doubles the value: the input that the shortcut was to bring here is missing.",
        "zh": "走这条分支时，相加只是把数值放大：捷径本应带来的输入缺失了。",
    },
    "branches-differ": {
        "en": "The branches are joined after different computations, so equal inputs do not yield equal features.",
        "zh": "汇合的特征由不同的计算得到，相同的输入得不到相同的特征。",
    },
    "unused-dropout": {
        "en": "The regularisation that was designed is missing: the network overfits more.",
        "zh": "缺少设计中的正则化，网络更容易过拟合。",
    },
    "unused-cell": _LOST,
    "result-unused": _LOST,
    "result-overwritten": _LOST,
    "loop-overwrites": _LOST,
    "result-perhaps-replaced": _LOST,
    "result-discarded": _LOST,
    "result-ignored": _LOST,
    "result-underscore": _LOST,
    "asked-and-dropped": _NO_GRADIENT,
    "caller-unread": _NO_GRADIENT,
    "input-ignored": _RESIDUAL,
    "input-perhaps-ignored": _RESIDUAL,
    "residual-left-out": _RESIDUAL,
    "skip-missing": _RESIDUAL,
    "skips-a-sum": _RESIDUAL,
    "call-discarded": _LOST,
    "softmax-other-axis": {
        "en": "The weights with which values are added up do not sum up to 1 for each query, and a mask of the keys no longer keeps "
        "padding out: the network learns less than it could.",
        "zh": "对每个 query 而言，加权求和的权重之和不为 1，针对 key 的掩码也不再能排除填充部分，网络学到的比应有的少。",
    },
    "scores-scaled-up": {
        "en": "The scores grow by a factor of the head size, so the softmax picks a single key for each query and passes hardly any "
        "gradient.",
        "zh": "得分被放大了，倍数等于每个头的维度，softmax 于是几乎只选中一个 key，梯度也难以传回。",
    },
    "future-seen": _FUTURE,
    "future-open": _FUTURE,
    "itself-hidden": {
        "en": "The first position then spreads its weight equally over all positions, including later ones, and no other position sees "
        "its own input.",
        "zh": "第一个位置的权重会均分到所有位置（包括其后的），其余位置则缺少自身的输入。",
    },
    "axis-torn": _TORN,
    "parts-torn": _TORN,
    "keys-of-another": {
        "en": "The attention weights say how much each position of one sequence counts, but they are applied to the positions of "
        "another.",
        "zh": "权重衡量的是一条序列中各位置的重要程度，却被用在了另一条序列的位置上。",
    },
    "samples-as-steps": {
        "en": "The result for a sample depends on the samples before it in the batch, and within a sample no step sees any other.",
        "zh": "每个样本的结果取决于同一 batch 中排在前面的样本，而样本内部各步互不相见。",
    },
    "first-layer-state": _NO_GRADIENT,
    "last-step-padded": {
        "en": "For all but the longest sequences this is 0, whatever their content: only sequences of full length contribute to "
        "learning.",
        "zh": "除最长的序列外，此处取到的都是 0，与内容无关：只有满长的序列参与学习。",
    },
    "state-exchanged": {
        "en": "The memory that should last many steps is gated as if it were the output, and the output is kept as memory.",
        "zh": "本应长期保存的内容被当作输出参与门控，输出则被当作记忆。",
    },
    "tables-added": {
        "en": "The second table adds no information: the encoding of positions, segments or the like is missing.",
        "zh": "第二张表没有提供任何新的信息：缺少位置、段等编码。",
    },
    "features-compared": {
        "en": "The mask is the same everywhere, so what it should hide still counts.",
        "zh": "该掩码处处相同，本应遮住的部分仍参与计算。",
    },
    "linear-twice": {
        "en": "The product of two matrices is just another matrix: this part of the network stays linear, however many layers it has.",
        "zh": "两个矩阵的乘积仍是矩阵：这部分网络本应是非线性的，实际上只是线性变换。",
    },
    "mask-even": {
        "en": "Padded keys keep their weight, so results depend on the amount of padding.",
        "zh": "key 中的补齐位置仍占有权重，结果随补齐的多少而变。",
    },
    "state-not-carried": {
        "en": "Without its state, a recurrent layer sees each step in isolation: it cannot learn anything that spans more than one "
        "step.",
        "zh": "状态没有传下去，循环部分每一步只看到当前输入，跨步的规律无法学到。",
    },
    "rows-paired-otherwise": {
        "en": "Most rows are trained towards labels that have nothing to do with them; the loss stays near that of a guess.",
        "zh": "大多数行学习的是与自己无关的标签，loss 停留在随机猜测的水平附近。",
    },
    "norm-over-samples": {
        "en": "The vector of a sample depends on the other samples in its batch and does not have length 1, unless the design normalises "
        "each feature over the batch.",
        "zh": "每个样本的向量取决于同一 batch 里的其他样本，长度也不为 1；除非设计上就是按 batch 对每个特征做归一化。",
    },
    "softmax-over-samples": {
        "en": "The weights of a sample depend on the other samples in its batch, and within a sample they do not sum to 1: predictions "
        "change with the batch, and a single sample gets weights of 1.",
        "zh": "每个样本得到的权重取决于同一 batch 里的其他样本，样本内部的权重之和并不为 1：预测随 batch 而变，单样本推理时权重恒为 1。",
    },
    "softmax-of-one": {
        "en": "A softmax over one number is always 1: nothing before it is trained, and none of it reaches the result.",
        "zh": "对单个数做 softmax 恒为 1：它之前的层得不到训练，其计算也到不了结果。",
    },
}
_GRADIENTS = {
    "en": "Run one training step and compare two checkpoints (checkpoints.previous, checkpoints.current): weights without a connection "
    "do not change.",
    "zh": "训练一步后比较前后两个 checkpoint（checkpoints.previous、checkpoints.current）：没有接入的权重不会变化。",
}
_OUTPUT = {
    "en": "Change the weights of this layer, or leave the call out: an output that stays the same proves it.",
    "zh": "改变该层的权重，或去掉这次调用：若输出不变即可证实。",
}
_REFERENCE = {
    "en": "Load equal weights into the reference network and compare the outputs layer by layer (outputs.path, outputs.reference): the "
    "first difference is here.",
    "zh": "与标杆网络加载相同的权重，逐层比较输出（outputs.path、outputs.reference）：首个差异应出现在此处。",
}
_TRIANGLE = {
    "en": "Change the last position of an input: the outputs at earlier positions must not change. Print one row of the attention "
    "weights.",
    "zh": "改变输入的最后一个位置：之前各位置的输出不应变化。打印一行注意力权重。",
}
_ALONG = {
    "en": "Change one element of the input along that axis, and see which positions of the result change.",
    "zh": "改变输入在该维上的一个元素，观察结果中哪些位置随之变化。",
}
PROOF: Words = {
    **dict.fromkeys(
        ("unused-layer", "unused-parameter", "twin-used-twice", "asked-and-dropped", "caller-unread"), _GRADIENTS
    ),
    **dict.fromkeys(("unused-dropout", "unused-cell", "call-discarded"), _OUTPUT),
    **dict.fromkeys(
        (
            "result-unused",
            "result-overwritten",
            "loop-overwrites",
            "result-perhaps-replaced",
            "result-discarded",
            "result-ignored",
            "result-underscore",
        ),
        _OUTPUT,
    ),
    "names-exchanged": _REFERENCE,
    "joined-with-itself": _REFERENCE,
    "loop-calls-one": _REFERENCE,
    "added-to-itself": _REFERENCE,
    "added-to-itself-once": _REFERENCE,
    "branches-differ": _REFERENCE,
    "input-ignored": _REFERENCE,
    "input-perhaps-ignored": _REFERENCE,
    "residual-left-out": _REFERENCE,
    "skip-missing": _REFERENCE,
    "skips-a-sum": _REFERENCE,
    "softmax-other-axis": {
        "en": "Sum the weights up along the axis that the product sums up: each sum has to be 1.",
        "zh": "沿矩阵乘法求和的那一维对权重求和：每个和都应为 1。",
    },
    "scores-scaled-up": {
        "en": "Print the largest softmax weight of each query at the first step: it is close to 1.",
        "zh": "在第一步打印 softmax 为每个 query 给出的最大权重：接近 1。",
    },
    "future-seen": _TRIANGLE,
    "future-open": _TRIANGLE,
    "itself-hidden": _TRIANGLE,
    "axis-torn": _ALONG,
    "parts-torn": _ALONG,
    "keys-of-another": _REFERENCE,
    "samples-as-steps": {
        "en": "Run one sample alone and within a batch, in inference mode: the results differ.",
        "zh": "在推理模式下，分别单独和放在一个 batch 中计算同一个样本：结果不同。",
    },
    "first-layer-state": _GRADIENTS,
    "last-step-padded": {
        "en": "Print what this line takes for a batch of sequences of different lengths: all rows except those of full length are 0.",
        "zh": "用长度不一的一批序列打印此处取到的值：除满长的序列外全是 0。",
    },
    "state-exchanged": _REFERENCE,
    "tables-added": {
        "en": "Shuffle the input: the features are the same, only in a different order.",
        "zh": "打乱输入的次序：特征只是换了次序，数值不变。",
    },
    "features-compared": {
        "en": "Print how many elements of the mask are True.",
        "zh": "打印该掩码中为真的元素个数。",
    },
    "linear-twice": {
        "en": "Without biases, double the input of the first layer: the result of the second doubles too.",
        "zh": "不计偏置，把第一层的输入加倍：第二层的输出也恰好加倍。",
    },
    "mask-even": {
        "en": "Print one row of the weights after the softmax: padded keys have weights above 0.",
        "zh": "打印 softmax 之后的一行权重：补齐的 key 仍有权重。",
    },
    "state-not-carried": {
        "en": "Feed two inputs that differ only in the first step: the results of all later steps are the same.",
        "zh": "输入两条仅第一步不同的序列：之后各步的结果完全相同。",
    },
    "softmax-over-samples": {
        "en": "Run the network on one sample alone and within a batch, in inference mode: the results differ.",
        "zh": "在推理模式下，分别单独和放在一个 batch 中计算同一个样本：结果不同。",
    },
    "rows-paired-otherwise": {
        "en": "Print the shapes of predictions and labels before they are flattened: samples and steps must be in the same order.",
        "zh": "打印展平之前预测与标签的形状：样本维与时间步维的顺序必须一致。",
    },
    "norm-over-samples": {
        "en": "Run the network on one sample alone and within a batch, in inference mode: the results differ.",
        "zh": "在推理模式下，分别单独和放在一个 batch 中计算同一个样本：结果不同。",
    },
    "softmax-of-one": {
        "en": "Print the result of the softmax: every value is 1.",
        "zh": "打印该 softmax 的结果：其中全是 1。",
    },
}

_SUSPECTS = dict.fromkeys(
    (
        "result-underscore",
        "result-perhaps-replaced",
        "input-perhaps-ignored",
        "softmax-other-axis",
        "caller-unread",
        "linear-twice",  # some networks are meant so
        "norm-over-samples",  # so are losses that decorrelate features
    ),
    Sure.POSSIBLE,
)
_TOLD = (
    "unused-operators",
    "unused-commented",
    "unused-tail",
    "unused-untrained",
    "result-tail",
    "result-again",
    "caller-drops",
)
_FIXES = {
    "unused-layer": "fix-use",
    "unused-parameter": "fix-use",
    "unused-dropout": "fix-use",
    "unused-cell": "fix-use",
    "twin-used-twice": "fix-twin",
    "names-exchanged": "fix-arguments",
    "joined-with-itself": "fix-other-operand",
    "loop-calls-one": "fix-each-layer",
    "added-to-itself": "fix-other-operand",
    "added-to-itself-once": "fix-other-operand",
    "branches-differ": "fix-branch",
    "result-unused": "fix-result",
    "result-overwritten": "fix-result",
    "result-perhaps-replaced": "fix-result",
    "result-ignored": "fix-result",
    "asked-and-dropped": "fix-result",
    "caller-unread": "fix-result",
    "result-discarded": "fix-keep",
    "call-discarded": "fix-keep",
    "input-ignored": "fix-input",
    "input-perhaps-ignored": "fix-input",
    "residual-left-out": "fix-input",
    "skip-missing": "fix-input",
    "skips-a-sum": "fix-sum",
    "softmax-other-axis": "fix-axis",
    "softmax-of-one": "fix-one",
    "softmax-over-samples": "fix-other-axis",
    "norm-over-samples": "fix-other-axis",
    "rows-paired-otherwise": "fix-same-order",
    "axis-torn": "fix-exchange",
    "parts-torn": "fix-exchange",
    "state-not-carried": "fix-carry",
    "mask-even": "fix-keys",
    "linear-twice": "fix-activation",
    "samples-as-steps": "fix-batch-first",
    "keys-of-another": "fix-memory",
    "first-layer-state": "fix-last-layer",
    "last-step-padded": "fix-last-state",
    "state-exchanged": "fix-order",
    "tables-added": "fix-positions",
    "features-compared": "fix-ids",
    "future-seen": "fix-triangle",
    "future-open": "fix-hide-later",
    "itself-hidden": "fix-triangle",
    "scores-scaled-up": "fix-scale",
    "loop-overwrites": "fix-turn",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import (
        attention,
        branches,
        even_masks,
        exact_comparisons,
        exchanged_names,
        linear_chains,
        list_places,
        open_attention,
        operand_twice,
        overwritten_layers,
        recurrence,
        recurrent_results,
        reshapes,
        sample_axis,
        triangles,
    )
    from ..script.analysis import read_scripts
    from ..script.connections import examine

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    said = list(examine(scripts))
    said += branches.examine(scripts)
    said += list_places.examine(scripts)
    said += attention.examine(scripts)
    said += even_masks.examine(scripts)
    said += exact_comparisons.examine(scripts)
    said += exchanged_names.examine(scripts)
    said += linear_chains.examine(scripts)
    said += open_attention.examine(scripts)
    said += sample_axis.examine(scripts)
    said += operand_twice.examine(scripts)
    said += operand_twice.tables(scripts)
    said += reshapes.examine(scripts)
    said += triangles.examine(scripts)
    said += overwritten_layers.examine(scripts)
    said += recurrence.examine(scripts)
    said += recurrent_results.examine(scripts)
    yield from _networks.findings(said, _TOLD, _SUSPECTS, _FIXES)
    networks = list(_seen.networks(scripts))
    yield from _layers(scripts, networks)
    yield from networks
    yield Progress(len(scripts.readings), len(scripts.readings), "files")


def suggest(findings: Iterable[Finding]) -> Verdict:
    """As usual, but not applicable where the network is a published one and the project has none of its own."""
    found = list(findings)
    verdict = usual(found)
    untouched = verdict is Verdict.OK and _seen.only_published(found)
    return Verdict.NOT_APPLICABLE if untouched else verdict


def _layers(scripts: Scripts, networks: list[Finding]) -> Iterator[Finding]:
    """The layers with weights of each class of cells, in the order of their definition."""
    from ..script.networks import layer_table

    rows = layer_table(scripts)
    if not rows:
        if not (_seen.nothing_own(scripts, networks) or _seen.of_layers_only(scripts, networks)):
            yield _seen.nothing("no-network", scripts.readings)
        return
    shown: list[list[Plain]] = [[cell, attribute, layer, place] for cell, attribute, layer, place in rows[:MAX_ROWS]]
    table = Table("layers", ["cell", "attribute", "layer", "place"], shown, len(rows))
    yield Finding(
        "connected", Level.INFO, data={"cells": len({row[0] for row in rows}), "layers": len(rows)}, evidence=[table]
    )


_THREE = "self.first, self.second, self.third = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)"


_NEXT_WORD = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.look, self.out = nn.Embedding(50, 8), nn.Dense(8, 8), nn.Dense(8, 50)

    def construct(self, words):
        x = self.table(words)
        scores = ops.matmul(self.look(x), x.swapaxes(-1, -2)) / 8 ** 0.5
        {mask}
        return self.out(ops.matmul(ops.softmax(scores, -1), x))

net, loss_fn = Net(), nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params())
data = ds.NumpySlicesDataset(np.load("rows.npy"), ["words"], shuffle=True).batch(16)
grad = ms.value_and_grad(
    lambda words: loss_fn(net(words[:, :-1]).reshape(-1, 50), words[:, 1:].reshape(-1)), None, opt.parameters
)
for (words,) in data.create_tuple_iterator():
    loss, grads = grad(words)
    opt(grads)
"""
_GATE = """
class Gate(nn.Cell):
    def construct(self, values, gates):
        return values * ops.sigmoid(gates)
"""
_STEPS_FIRST = """
import mindspore as ms
from mindspore import nn, ops

class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.layer, self.out = nn.Embedding(500, 32), nn.GRU(32, 32, batch_first=True), nn.Dense(32, 9)

    def construct(self, x):
        return self.out(self.layer(self.table(x))[0]).swapaxes(0, 1)

data = ms.dataset.MindDataset("tags.mindrecord", ["x", "y"], shuffle=True).batch(8)
net = Tagger()
optimizer = nn.Adam(net.trainable_params())

def forward(x, y):
    return ops.cross_entropy(net(x).reshape(-1, 9), y[:, :20].reshape(-1))

step = ms.value_and_grad(forward, None, optimizer.parameters)
for x, y in data.create_tuple_iterator():
    loss, grads = step(x, y)
    optimizer(grads)
"""
_BATCHES = "import mindspore.dataset as ds\n\ndata = ds.MindDataset('train.mindrecord').batch(32)"


_DECODER = """
class Decoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.own, self.other = nn.MultiheadAttention(8, 2), nn.MultiheadAttention(8, 2)

    def construct(self, x, memory):
        y, _ = self.own(x, x, x)
        x = x + y
        y, _ = self.other(x, {attended}, {attended})
        return x + y

"""


def _example(
    name: str, init: str, construct: str, verdict: Verdict, *codes: str, more: str = "", data: str = ""
) -> Example:
    script = f"""
import mindspore as ms
from mindspore import nn, ops, Parameter

{more.strip()}{data}

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
{indent(init.strip(), " " * 8)}

    def construct(self, x):
{indent(construct.strip(), " " * 8)}

net = Net()
opt = nn.Adam(net.trainable_params())
model = ms.Model(net, nn.MSELoss(), opt)
model.train(10, data)
"""
    return script_example("", name, script, verdict, *codes)


_GATED = "self.value, self.gate, self.gated = nn.Dense(8, 8), nn.Dense(8, 8), Gate()"
_TWO = "values, gates = self.value(x), self.gate(x)\n"
_BLOCKS = """
class Output(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8)
        self.norm = nn.LayerNorm((8,))

    def construct(self, x, residual):
        return self.norm(self.dense(x) + residual)
"""
_STACK = """
class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm((8,)), nn.LayerNorm((8,))
        self.mix, self.mlp = nn.Dense(8, 8), nn.SequentialCell(nn.Dense(8, 32), nn.GELU(), nn.Dense(32, 8))

    def construct(self, x):
        x = x + self.mix(self.norm1(x))
        return x + self.mlp(self.norm2(x))
"""
_BOTH = """
class Both(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.last = nn.Dense(8, 8), nn.Dense(8, 8)

    def construct(self, x):
        memory = self.dense(x)
        return memory, self.last(memory)
"""
_ENCODER = """
class Encoder(nn.Cell):
    def __init__(self, use_bridge=False):
        super().__init__()
        self.dense = nn.Dense(8, 8)
        self.use_bridge = use_bridge
        if use_bridge:
            self.bridge = nn.Dense(8, 8)

    def construct(self, x):
        memory = self.dense(x)
        final = memory[:, 0]
        if self.use_bridge:
            final = self.bridge(final)
        return memory, final
"""
_COMPARED = """
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(8, 8)

    def construct(self, x):
        return self.first(x)

net = Net()
opt = nn.SGD(net.trainable_params(), 0.1)

def forward(x):
    made = {made}
    return ops.abs(x - made).mean() + 0.1 * ops.abs(net(x)).mean()

grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for x in data:
    opt(grad_fn(x)[1])
"""
_ATTENTION = "self.query, self.key, self.value = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)"
_HEADS = (
    "q, k, v = (y.reshape(x.shape[0], x.shape[1], 2, 4).transpose(0, 2, 1, 3) for y in (self.query(x), self.key(x), self.value(x)))\n"
    "scores = {}\n"
)
_LISTED_NORMS = "self.norms = nn.CellList([nn.LayerNorm((8,)) for _ in range(2)])\nself.mix, self.up = nn.Dense(8, 8), nn.Dense(8, 8)"
_SANDWICH = "x = x + self.mix(self.norms[{first}](x))\nreturn x + self.up(ops.relu(self.norms[1](x)))"
_JOINED = "return (ops.softmax(scores, -1) @ v).transpose(0, 2, 1, 3).reshape(x.shape)"

_LAYERS_ALONE = """import mindspore as ms
import mindspore.dataset as ds
import zoo
from mindspore import nn

net = {net}
data = ds.MindDataset("train.mindrecord").batch(8)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data)
"""

_SHORTCUT = """
import mindspore as ms
from mindspore import nn, ops

class Block(nn.Cell):
    def __init__(self, before, after):
        super().__init__()
        self.body = nn.Dense(before, after)
        self.change = nn.Dense(before, after) if before != after else None

    def construct(self, x):
        out = ops.relu(self.body(x))
        short = {taken} if self.change is None else self.change({taken})
        return ops.relu(out + short)

net = nn.SequentialCell([Block(before, after) for before, after in zip(widths, widths[1:])])
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(10, train_ds)
"""
EXAMPLES = [
    _example(
        "every layer is used",
        "self.conv = nn.Conv2d(3, 8, 3)\nself.norm = nn.BatchNorm2d(8)\nself.drop = nn.Dropout(p=0.1)",
        "return self.drop(self.norm(self.conv(x)))",
        Verdict.OK,
        "connected",
    ),
    _example(
        "two ways of which one repeats a layer",
        _THREE,
        "b = self.second(self.second(self.first(x + 1)))\n"
        "a = self.third(self.second(self.first(x)))\nreturn ops.concat((a, b), 1)",
        Verdict.PROBLEM,
        "branches-differ",
    ),
    _example(
        "two ways with an activation behind each layer, of which one passes its first layer twice",
        _THREE,
        "a, b = ops.gelu(self.first(x.mean((1, 2)))), ops.gelu(self.first((x + 1).mean((1, 2))))\n"
        "a, b = ops.gelu(self.second(a)), ops.gelu(self.first(b))\n"
        "return ops.concat((self.third(a), self.third(b)), 1)",
        Verdict.PROBLEM,
        "branches-differ",
    ),
    _example(
        "two ways through the same layers",
        _THREE,
        "a, b = (self.third(self.second(self.first(part))) for part in (x, x + 1))\nreturn ops.concat((a, b), 1)",
        Verdict.OK,
    ),
    _example(
        "two ways of different depth",
        _THREE,
        "a = self.third(self.second(self.first(x)))\nb = self.second(self.first(x + 1))\nreturn ops.concat((a, b), 1)",
        Verdict.OK,
    ),
    _example(
        "a result that is joined with itself",
        _THREE.replace("nn.Dense(8, 8), nn.Dense(8, 8)", "nn.Dense(8, 8), nn.Dense(16, 8)", 1),
        "a = self.first(x)\nb = ops.relu(a)\nreturn self.third(self.second(ops.concat((b, b), axis=1)))",
        Verdict.PROBLEM,
        "joined-with-itself",
    ),
    _example(
        "two results that are joined",
        _THREE.replace("nn.Dense(8, 8), nn.Dense(8, 8)", "nn.Dense(8, 8), nn.Dense(16, 8)", 1),
        "a = self.first(x)\nb = ops.relu(a)\nreturn self.third(self.second(ops.concat((a, b), axis=1)))",
        Verdict.OK,
    ),
    _example(
        "samples that are repeated, and an input with more channels than it has",
        _THREE.replace("nn.Dense(8, 8), nn.Dense(8, 8)", "nn.Dense(16, 8), nn.Dense(8, 8)", 1),
        "a = self.first(ops.concat((x, x), 1))\nb = ops.concat((a, a))\nreturn self.third(self.second(b))",
        Verdict.OK,
    ),
    _example(
        "a result that is added to itself",
        _THREE,
        "a = self.first(x)\nb = self.second(ops.relu(a))\nreturn self.third(b + b)",
        Verdict.PROBLEM,
        "added-to-itself",
    ),
    script_example(
        "",
        "a loss that compares samples with themselves",
        _COMPARED.format(made="x"),
        Verdict.PROBLEM,
        "added-to-itself",
    ),
    script_example(
        "", "a loss that compares samples with what is made of them", _COMPARED.format(made="net(x)"), Verdict.OK
    ),
    *(
        script_example(
            "",
            f"a shortcut of the {name}, with a layer where the channels change",
            _SHORTCUT.format(taken=taken),
            verdict,
            *codes,
        )
        for name, taken, verdict, codes in (
            ("result that it is to join", "out", Verdict.PROBLEM, ["added-to-itself-once"]),
            ("input", "x", Verdict.OK, []),
        )
    ),
    _example(
        "results of a list that are added up",
        _THREE,
        "parts = [self.third(self.second(self.first(x)))]\nwhole = parts[0]\nfor place in range(len(parts)):\n"
        "    whole = whole + parts[place]\nreturn whole",
        Verdict.OK,
    ),
    _example(
        "positions that a block gets apart, and that its first caller has no others for",
        "self.first = nn.Dense(8, 8)\nself.block = Block()",
        "a = self.first(x)\nreturn self.block(self.block(a, a), a)",
        Verdict.UNDECIDED,
        "added-to-itself",
        more="""
class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8)

    def construct(self, rows, places):
        return self.dense(rows + places)

""",
    ),
    _example(
        "a join that is computed again within the call that uses it",
        "self.first = nn.Dense(8, 8)\nself.second = nn.Dense(8, 8)\nself.third = nn.Dense(16, 8)\nself.join = ops.Concat(1)",
        "a = self.first(x)\nb = self.second(x)\nboth = self.join((a, b))\nreturn self.third(self.join((a, b)))",
        Verdict.OK,
        "result-again",
    ),
    _example(
        "a layer that is never used, beside another one of its name",
        "self.first = nn.Dense(8, 8)\nself.word_table = nn.Dense(8, 8)\nself.place_table = nn.Dense(8, 8)",
        "return self.word_table(self.first(x))",
        Verdict.PROBLEM,
        "unused-layer",
    ),
    _example(
        "a layer that may be spare",
        "self.first = nn.Dense(8, 8)\nself.second = nn.Dense(8, 8)\nself.third = nn.Conv2d(3, 3, 1)",
        "return self.second(self.first(x))",
        Verdict.UNDECIDED,
        "unused-layer",
    ),
    _example(
        "one of two normalisations that is never called",
        "self.first, self.one = nn.Dense(8, 8), nn.BatchNorm1d(8)\nself.second, self.two = nn.Dense(8, 8), nn.BatchNorm1d(8)",
        "return self.second(ops.relu(self.one(self.first(x))))",
        Verdict.PROBLEM,
        "unused-layer",
    ),
    _example(
        "a normalisation in the place of which there is another",
        "self.first, self.one, self.second = nn.Dense(8, 8), nn.BatchNorm1d(8), nn.LayerNorm([8])",
        "return self.second(self.first(x))",
        Verdict.UNDECIDED,
        "unused-layer",
    ),
    _example(
        "a layer whose use is commented out",
        "self.first = nn.Dense(8, 8)\nself.second = nn.Dense(8, 8)",
        "# x = self.second(x)\nreturn self.first(x)",
        Verdict.OK,
        "unused-commented",
    ),
    _example(
        "the output layer of a loaded backbone",
        "self.backbone = Backbone()\nms.load_checkpoint('backbone.ckpt', self.backbone)\nself.head = nn.Dense(8, 2)",
        "return self.head(self.backbone(x))",
        Verdict.OK,
        "unused-tail",
        "connected",
        more="""
class Backbone(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8)
        self.fc = nn.Dense(8, 1000)

    def construct(self, x):
        return self.dense(x)
""",
    ),
    _example(
        "query twice, key never",
        "self.query = nn.Dense(8, 8)\nself.key = nn.Dense(8, 8)\nself.value = nn.Dense(8, 8)",
        "q = self.query(x)\nk = self.query(x)\nv = self.value(x)\nreturn ops.softmax(q @ k.T) @ v",
        Verdict.PROBLEM,
        "twin-used-twice",
    ),
    _example(
        "one of two layers of other names twice on the same input",
        "self.score, self.feature = nn.Dense(8, 8), nn.Dense(8, 8)",
        "a = self.feature(x)\nb = self.feature(x)\nreturn a, b",
        Verdict.PROBLEM,
        "twin-used-twice",
    ),
    _example(
        "one of a dict of cells is never called",
        'self.parts = nn.CellDict({name: nn.Dense(8, 8) for name in ("q", "k", "v")})',
        "return sum(self.parts[name](x) for name in ('q', 'k', 'k'))",
        Verdict.PROBLEM,
        "unused-layer",
    ),
    _example(
        "one of several that are unpacked is never called",
        "self.q, self.k, self.v = (nn.Dense(8, 8) for _ in range(3))",
        "return self.q(x) @ self.k(x).T @ self.k(x)",
        Verdict.PROBLEM,
        "twin-used-twice",
    ),
    _example(
        "one normalisation of a list twice, the other never",
        _LISTED_NORMS,
        _SANDWICH.format(first=1),
        Verdict.PROBLEM,
        "twin-used-twice",
    ),
    _example("each normalisation of a list once", _LISTED_NORMS, _SANDWICH.format(first=0), Verdict.OK),
    _example(
        "one of a list is never asked for, and may be spare",
        "self.parts = nn.CellList([nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)])",
        "return self.parts[-1](self.parts[0](x))",
        Verdict.UNDECIDED,
        "unused-layer",
    ),
    _example(
        "each of a dict of cells is called",
        "self.parts = nn.CellDict()\nself.parts['q'] = nn.Dense(8, 8)\nself.parts.update({'k': nn.Dense(8, 8)})",
        "for part in self.parts.values():\n    x = part(x)\nreturn x",
        Verdict.OK,
    ),
    _example(
        "a softmax over the queries",
        _ATTENTION,
        "q, k, v = self.query(x), self.key(x), self.value(x)\n"
        "return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(1, 2)) * 0.3, axis=1), v)",
        Verdict.UNDECIDED,
        "softmax-other-axis",
    ),
    _example(
        "a softmax over the keys",
        _ATTENTION,
        "q, k, v = self.query(x), self.key(x), self.value(x)\n"
        "return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(1, 2)) * 0.3, axis=-1), v)",
        Verdict.OK,
    ),
    _example(
        "a softmax over a single score",
        "self.body, self.score = nn.Dense(8, 8), nn.Dense(8, 1)",
        "x = self.body(x)\nreturn (ops.softmax(self.score(x), axis=-1) * x).sum(1)",
        Verdict.PROBLEM,
        "softmax-of-one",
    ),
    script_example(
        "",
        "attention that shows the word to be predicted",
        _NEXT_WORD.format(mask="pass"),
        Verdict.PROBLEM,
        "future-open",
    ),
    script_example(
        "",
        "attention whose later places are hidden",
        _NEXT_WORD.format(mask="scores = scores.masked_fill(ops.triu(ops.ones((15, 15)), 1) == 1, -1e9)"),
        Verdict.OK,
    ),
    _example(
        "arguments in each other's places",
        _GATED,
        _TWO + "return self.gated(gates, values)",
        Verdict.PROBLEM,
        "names-exchanged",
        more=_GATE,
    ),
    _example("arguments in their places", _GATED, _TWO + "return self.gated(values, gates)", Verdict.OK, more=_GATE),
    _example(
        "arguments both ways round",
        _GATED,
        _TWO + "return self.gated(values, gates) + self.gated(gates, values)",
        Verdict.OK,
        more=_GATE,
    ),
    _example(
        "a softmax over the samples",
        "self.table, self.score = nn.Embedding(50, 8), nn.Dense(8, 1)",
        "words = self.table(x)\n"
        "scores = self.score(words).squeeze(-1)\n"
        "return (ops.softmax(scores, axis=0).expand_dims(-1) * words).sum(1)",
        Verdict.PROBLEM,
        "softmax-over-samples",
        data=_BATCHES,
    ),
    _example(
        "vectors whose length is taken over the samples",
        "self.table, self.key = nn.Embedding(50, 8), nn.Dense(8, 8)",
        "return ops.L2Normalize(axis=0)(self.key(self.table(x).mean(1)))",
        Verdict.UNDECIDED,
        "norm-over-samples",
        data=_BATCHES,
    ),
    _example(
        "vectors of length 1",
        "self.table, self.key = nn.Embedding(50, 8), nn.Dense(8, 8)",
        "return ops.L2Normalize(axis=1)(self.key(self.table(x).mean(1)))",
        Verdict.OK,
        data=_BATCHES,
    ),
    script_example(
        "",
        "predictions of steps first and labels of samples first",
        _STEPS_FIRST,
        Verdict.PROBLEM,
        "rows-paired-otherwise",
    ),
    script_example(
        "",
        "predictions and labels of steps first",
        _STEPS_FIRST.replace("y[:, :20]", "y[:, :20].swapaxes(0, 1)"),
        Verdict.OK,
    ),
    _example(
        "a softmax over the words of each sample",
        "self.table, self.score = nn.Embedding(50, 8), nn.Dense(8, 1)",
        "words = self.table(x)\n"
        "scores = self.score(words).squeeze(-1)\n"
        "return (ops.softmax(scores, axis=1).expand_dims(-1) * words).sum(1)",
        Verdict.OK,
        data=_BATCHES,
    ),
    _example(
        "heads that are split by a reshape alone",
        "self.dense = nn.Dense(8, 8)",
        "x = self.dense(x)\nb, steps, _ = x.shape\nreturn x.reshape(b, 2, steps, 4)",
        Verdict.PROBLEM,
        "axis-torn",
    ),
    _example(
        "heads that are split and moved",
        "self.dense = nn.Dense(8, 8)",
        "x = self.dense(x)\nb, steps, _ = x.shape\nreturn x.reshape(b, steps, 2, 4).transpose(0, 2, 1, 3)",
        Verdict.OK,
    ),
    _example(
        "heads before the steps that are left over",
        "self.dense = nn.Dense(8, 8)",
        "return self.dense(x).view(x.shape[0], 2, -1, 4) * x.shape[2]",
        Verdict.PROBLEM,
        "parts-torn",
    ),
    _example(
        "each step starts from the first state",
        "self.cell, self.head = nn.LSTMCell(8, 8), nn.Dense(8, 2)",
        "h, c = ops.zeros((x.shape[0], 8)), ops.zeros((x.shape[0], 8))\n"
        "for t in range(x.shape[1]):\n    out, _ = self.cell(x[:, t], (h, c))\nreturn self.head(out)",
        Verdict.PROBLEM,
        "state-not-carried",
    ),
    _example(
        "each step starts from the state of the one before",
        "self.cell, self.head = nn.LSTMCell(8, 8), nn.Dense(8, 2)",
        "h, c = ops.zeros((x.shape[0], 8)), ops.zeros((x.shape[0], 8))\n"
        "for t in range(x.shape[1]):\n    h, c = self.cell(x[:, t], (h, c))\nreturn self.head(h)",
        Verdict.OK,
    ),
    _example(
        "a recurrent layer that steps through the samples",
        "self.table, self.rnn, self.head = nn.Embedding(50, 8), nn.LSTM(8, 8), nn.Dense(8, 2)",
        "out, _ = self.rnn(self.table(x))\nreturn self.head(out[:, -1])",
        Verdict.PROBLEM,
        "samples-as-steps",
        data=_BATCHES,
    ),
    _example(
        "a recurrent layer that steps through each sample",
        "self.table, self.rnn, self.head = nn.Embedding(50, 8), nn.LSTM(8, 8, batch_first=True), nn.Dense(8, 2)",
        "out, _ = self.rnn(self.table(x))\nreturn self.head(out[:, -1])",
        Verdict.OK,
        data=_BATCHES,
    ),
    _example(
        "the state of the first of two layers",
        "self.rnn, self.head = nn.GRU(8, 8, num_layers=2, batch_first=True), nn.Dense(8, 2)",
        "_, h = self.rnn(x)\nreturn self.head(h[0])",
        Verdict.PROBLEM,
        "first-layer-state",
    ),
    _example(
        "the state of the last of two layers",
        "self.rnn, self.head = nn.GRU(8, 8, num_layers=2, batch_first=True), nn.Dense(8, 2)",
        "_, h = self.rnn(x)\nreturn self.head(h[-1])",
        Verdict.OK,
    ),
    _example(
        "the last step of sequences of several lengths",
        "self.rnn, self.head = nn.GRU(8, 8, batch_first=True), nn.Dense(8, 2)",
        "out, _ = self.rnn(x, seq_length=(x[:, :, 0] != 0).sum(1))\nreturn self.head(out[:, -1])",
        Verdict.PROBLEM,
        "last-step-padded",
    ),
    _example(
        "a state that is handed over the other way round",
        "self.cell, self.head = nn.LSTMCell(8, 8), nn.Dense(8, 2)",
        "h, c = ops.zeros((x.shape[0], 8)), ops.ones((x.shape[0], 8))\n"
        "for t in range(x.shape[1]):\n    h, c = self.cell(x[:, t], (c, h))\nreturn self.head(h)",
        Verdict.PROBLEM,
        "state-exchanged",
    ),
    _example(
        "positions looked up by words",
        "self.words, self.places = nn.Embedding(50, 8), nn.Embedding(50, 8)",
        "return self.words(x) + self.places(x)",
        Verdict.PROBLEM,
        "tables-added",
    ),
    _example(
        "positions looked up by themselves",
        "self.words, self.places = nn.Embedding(50, 8), nn.Embedding(50, 8)",
        "return self.words(x) + self.places(ops.arange(x.shape[1]))",
        Verdict.OK,
    ),
    _example(
        "a mask of what was looked up",
        "self.words = nn.Embedding(50, 8)",
        "h = self.words(x)\nreturn h.masked_fill(h == 0, -1e9)",
        Verdict.PROBLEM,
        "features-compared",
    ),
    _example(
        "a mask of the numbers that look up",
        "self.words = nn.Embedding(50, 8)",
        "h = self.words(x)\nreturn h.masked_fill((x == 0).expand_dims(-1), -1e9)",
        Verdict.OK,
    ),
    _example(
        "two dense layers and no activation",
        "self.first, self.up, self.down = nn.Dense(8, 8), nn.Dense(8, 32), nn.Dense(32, 2)",
        "return self.down(self.up(ops.relu(self.first(x))))",
        Verdict.UNDECIDED,
        "linear-twice",
    ),
    _example(
        "a narrow layer between two ends",
        "self.first, self.down, self.up = nn.Dense(8, 8), nn.Dense(8, 2), nn.Dense(2, 8)",
        "return self.up(self.down(ops.relu(self.first(x))))",
        Verdict.OK,
    ),
    _example(
        "keys of one table, values of another",
        "self.words, self.places, self.key, self.value = nn.Embedding(50, 8), nn.Embedding(50, 8), nn.Dense(8, 8), nn.Dense(8, 8)",
        "a, b = self.words(x), self.places(ops.arange(x.shape[1]))\n"
        "return ops.softmax(self.key(a) @ self.key(a).swapaxes(-1, -2), -1) @ self.value(b)",
        Verdict.PROBLEM,
        "keys-of-another",
    ),
    _example(
        "the mask of the queries",
        _ATTENTION,
        _HEADS.format("(q @ k.swapaxes(2, 3)).masked_fill((x.sum(-1) == 0)[:, None, ..., None], -1e9)") + _JOINED,
        Verdict.PROBLEM,
        "mask-even",
    ),
    _example(
        "the mask of the keys",
        _ATTENTION,
        _HEADS.format("(q @ k.swapaxes(2, 3)).masked_fill((x.sum(-1) == 0)[:, None, None], -1e9)") + _JOINED,
        Verdict.OK,
    ),
    _example(
        "masked features that are thrown away",
        "self.dense = nn.Dense(8, 8)",
        "x = self.dense(x)\nx.masked_fill(x.abs() < 1, 0.0)\nreturn x",
        Verdict.PROBLEM,
        "call-discarded",
    ),
    _example(
        "heads that are put together by a reshape alone",
        _ATTENTION,
        _HEADS.format("q @ k.swapaxes(2, 3) * 0.5") + "return (ops.softmax(scores, -1) @ v).reshape(x.shape)",
        Verdict.PROBLEM,
        "axis-torn",
    ),
    _example(
        "scores that are multiplied by the root",
        _ATTENTION,
        _HEADS.format("q @ k.swapaxes(2, 3) * 4 ** 0.5") + _JOINED,
        Verdict.PROBLEM,
        "scores-scaled-up",
    ),
    _example(
        "scores that are divided by the root",
        _ATTENTION,
        _HEADS.format("q @ k.swapaxes(2, 3) / 4 ** 0.5") + _JOINED,
        Verdict.OK,
    ),
    _example(
        "a mask that hides the past",
        _ATTENTION + "\nself.mask = ops.tril(ops.ones((16, 16)))",
        _HEADS.format("ops.masked_fill(q @ k.swapaxes(2, 3) * 0.5, self.mask[:5, :5] == 1, -1e9)") + _JOINED,
        Verdict.PROBLEM,
        "future-seen",
    ),
    _example(
        "a mask that hides what comes",
        _ATTENTION + "\nself.mask = ops.tril(ops.ones((16, 16)))",
        _HEADS.format("ops.masked_fill(q @ k.swapaxes(2, 3) * 0.5, self.mask[:5, :5] == 0, -1e9)") + _JOINED,
        Verdict.OK,
    ),
    _example(
        "a mask that hides the place itself, too",
        _ATTENTION,
        _HEADS.format("q @ k.swapaxes(2, 3) * 0.5 - ops.triu(ops.ones((5, 5))) * 10000") + _JOINED,
        Verdict.UNDECIDED,
        "itself-hidden",
    ),
    _example(
        "a mask that is added, and hides what comes",
        _ATTENTION,
        _HEADS.format("q @ k.swapaxes(2, 3) * 0.5 + (1 - ops.tril(ops.ones((5, 5)))) * -10000") + _JOINED,
        Verdict.OK,
    ),
    _example(
        "a loop whose layers all work on the same input",
        "self.layers = nn.CellList([nn.Dense(8, 8) for _ in range(3)])",
        "for layer in self.layers:\n    y = layer(x)\nreturn y",
        Verdict.PROBLEM,
        "loop-overwrites",
    ),
    _example(
        "a loop that hands on what each layer gives",
        "self.layers = nn.CellList([nn.Dense(8, 8) for _ in range(3)])",
        "for layer in self.layers:\n    y = layer(x)\n    x = y\nreturn y",
        Verdict.OK,
    ),
    _example(
        "scores that compete along the sequence",
        "self.body, self.score = nn.Dense(8, 8), nn.Dense(8, 1)",
        "x = self.body(x)\nreturn (ops.softmax(self.score(x), axis=1) * x).sum(1)",
        Verdict.OK,
    ),
    _example(
        "a dropout that is not applied",
        "self.dense = nn.Dense(8, 8)\nself.dropout = nn.Dropout(p=0.1)",
        "x = self.dense(x)\n# x = self.dropout(x)\nreturn x",
        Verdict.PROBLEM,
        "unused-dropout",
    ),
    _example(
        "a dropout of rate 0, operators and a loss without weights",
        "self.dense = nn.Dense(8, 8)\nself.dropout = nn.Dropout(p=0.0)\nself.cast = ops.Cast()\nself.loss = nn.MSELoss()",
        "return self.dense(x)",
        Verdict.OK,
        "connected",
        "unused-operators",
    ),
    _example(
        "layers asked for by name, by index, through an alias, in a loop and in a lambda",
        """
self.layer1 = nn.Dense(8, 8)
self.layer2 = nn.Dense(8, 8)
self.blocks = nn.CellList([nn.Dense(8, 8) for _ in range(3)])
self.head = nn.Dense(8, 2)
self.tail = nn.Dense(2, 2)
""",
        """
for i in range(1, 3):
    x = getattr(self, f"layer{i}")(x)
for block in self.blocks:
    x = block(x)
head = self.head
return (lambda layer: layer(head(x)))(self.tail)
""",
        Verdict.OK,
        "connected",
    ),
    _example(
        "a layer that another network uses",
        "self.dense = nn.Dense(8, 8)\nself.rgb = nn.Conv2d(3, 3, 1)",
        "return self.dense(x)",
        Verdict.OK,
        "connected",
        more="""
class Grown(nn.Cell):
    def __init__(self, last):
        super().__init__()
        self.last = last
        self.last_rgb = last.rgb

    def construct(self, x):
        return self.last(self.last_rgb(x))

def grow():
    return Grown(Net())

class Trained(nn.Cell):
    def __init__(self):
        super().__init__()
        self.grown = grow()

    def construct(self, x):
        return self.grown(x)
""",
    ),
    _example(
        "an embedding whose result is left out of the sum",
        "self.word = nn.Embedding(100, 8)\nself.segment = nn.Embedding(2, 8)\nself.dense = nn.Dense(8, 8)",
        "words = self.word(x)\nsegments = self.segment(x)\nreturn self.dense(words)",
        Verdict.PROBLEM,
        "result-unused",
    ),
    _example(
        "a result that the next line computes again",
        "self.side = nn.Dense(8, 8)\nself.out = nn.Dense(8, 8)",
        "side = self.side(x)\ny = ops.relu(self.side(x))\nreturn self.out(y)",
        Verdict.OK,
        "result-again",
    ),
    _example(
        "a result that the same layer computes of something else",
        "self.side = nn.Dense(8, 8)\nself.out = nn.Dense(8, 8)",
        "side = self.side(x)\ny = ops.relu(self.side(x * 2))\nreturn self.out(y)",
        Verdict.PROBLEM,
        "result-unused",
    ),
    _example(
        "a result that the next round of the loop uses",
        "self.cell = nn.Dense(8, 8)\nself.out = nn.Dense(8, 8)",
        "state = x\nouts = []\nfor i in range(3):\n    outs.append(self.out(state))\n    state = self.cell(state)\nreturn ops.stack(outs)",
        Verdict.OK,
        "connected",
    ),
    _example(
        "a result overwritten by a slip of the name",
        "self.linear = nn.Dense(8, 8)\nself.norm = nn.LayerNorm((8,))",
        "y = self.linear(x)\ny = self.norm(x)\nreturn y",
        Verdict.PROBLEM,
        "result-overwritten",
    ),
    _example(
        "a sum that the next line replaces",
        "self.dense = nn.Dense(8, 8)\nself.add = ops.Add()\nself.mul = ops.Mul()",
        "y = self.dense(x)\nboth = self.add(x, y)\nboth = self.mul(y, 0.5)\nreturn both",
        Verdict.UNDECIDED,
        "result-perhaps-replaced",
    ),
    _example(
        "a tensor for inference only",
        "self.dense = nn.Dense(8, 8)\nself.cat = ops.Concat()",
        "y = self.dense(x)\nboxes = self.cat((y, y))\nif self.training:\n    return y\nreturn ops.relu(boxes)",
        Verdict.OK,
        "connected",
    ),
    _example(
        "an activation called as a statement",
        "self.dense = nn.Dense(8, 8)\nself.relu = nn.ReLU()",
        "x = self.dense(x)\nself.relu(x)\nreturn x",
        Verdict.PROBLEM,
        "call-discarded",
    ),
    _example(
        "a BatchNorm called to update its statistics",
        "self.dense = nn.Dense(8, 8)\nself.norm = nn.BatchNorm1d(8)",
        "self.norm(x)\nreturn self.dense(x - self.norm.moving_mean)",
        Verdict.OK,
        "connected",
    ),
    _example(
        "the second result of a recurrent layer is not needed",
        "self.rnn = nn.LSTM(8, 8)\nself.head = nn.Dense(8, 2)",
        "y, _ = self.rnn(x)\nreturn self.head(y)",
        Verdict.OK,
        "connected",
    ),
    _example(
        "a second result that the caller names and never reads",
        "self.encoder = Both()\nself.head = nn.Dense(8, 2)",
        "memory, final = self.encoder(x)\nreturn self.head(memory)",
        Verdict.UNDECIDED,
        "caller-unread",
        more=_BOTH,
    ),
    _example(
        "a bridge that is switched on and thrown away",
        "self.encoder = Encoder(use_bridge=True)\nself.head = nn.Dense(8, 2)",
        "memory, _ = self.encoder(x)\nreturn self.head(memory)",
        Verdict.PROBLEM,
        "asked-and-dropped",
        more=_ENCODER,
    ),
    *(
        _example(
            f"scores of queries and {told}",
            "self.query, self.key, self.value = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)",
            "q, k, v = parted(self.query(x)), parted(self.key(x)), parted(self.value(x))\n"
            f"return ops.matmul(ops.softmax(ops.matmul(q, {keys}.swapaxes(-1, -2)) / 2, -1), v)",
            verdict,
            *codes,
            more="def parted(x):\n    return x.reshape(-1, 4, 2, 4).transpose(0, 2, 1, 3)\n",
        )
        for told, keys, verdict, codes in (
            ("queries", "q", Verdict.PROBLEM, ["result-unused"]),
            ("keys", "k", Verdict.OK, []),
        )
    ),
    *(
        _example(
            f"a loop that calls {called}",
            "self.layers = nn.CellList([nn.Dense(8, 8) for _ in range(6)])",
            f"for {turn}:\n    x = ops.relu({called}(x))\nreturn x",
            verdict,
            *codes,
        )
        for turn, called, verdict, codes in (
            ("layer in self.layers", "self.layers[0]", Verdict.PROBLEM, ["loop-calls-one"]),
            ("i in range(len(self.layers))", "self.layers[-1]", Verdict.PROBLEM, ["loop-calls-one"]),
            ("i in range(len(self.layers))", "self.layers[i]", Verdict.OK, []),
            ("layer in self.layers", "layer", Verdict.OK, []),
        )
    ),
    *(
        _example(
            f"a decoder that attends to {told}",
            "self.source, self.target = nn.Dense(8, 8), nn.Dense(8, 8)\nself.decoder, self.head = Decoder(), nn.Dense(8, 2)",
            "return self.head(self.decoder(self.target(x), self.source(x)))",
            verdict,
            *codes,
            more=_DECODER.format(attended=attended),
        )
        for told, attended, verdict, codes in (
            ("itself alone", "x", Verdict.PROBLEM, ["input-ignored", "result-ignored"]),
            ("the encoder", "memory", Verdict.OK, []),
        )
    ),
    _example(
        "a residual input that is ignored",
        "self.first = nn.Dense(8, 8)\nself.inner = nn.Dense(8, 8)\nself.output = Output()",
        "x = self.first(x)\nreturn self.output(self.inner(x), x)",
        Verdict.PROBLEM,
        "input-ignored",
        more=_BLOCKS.replace(" + residual", ""),
    ),
    _example(
        "a residual that is put aside and not added",
        "self.first = nn.Dense(8, 8)\nself.second = nn.Dense(8, 8)",
        "identity = x\nx = self.first(x)\nx = self.second(x)\nreturn x",
        Verdict.PROBLEM,
        "residual-left-out",
    ),
    _example(
        "what is kept for the second of two sums alone",
        "self.first = nn.Dense(8, 8)\nself.second = nn.Dense(8, 8)",
        "before = x\nx = ops.relu(self.first(x))\nbefore = x\nx = ops.relu(self.second(x))\nreturn x + before",
        Verdict.PROBLEM,
        "residual-left-out",
    ),
    _example(
        "what is kept for two sums",
        "self.first = nn.Dense(8, 8)\nself.second = nn.Dense(8, 8)",
        "before = x\nx = ops.relu(self.first(x)) + before\nbefore = x\nx = ops.relu(self.second(x))\nreturn x + before",
        Verdict.OK,
    ),
    _example(
        "one branch joined with itself, the other left out",
        "self.deep = nn.Dense(8, 8)\nself.joint = Joint()",
        "return self.joint(self.deep(x), x)",
        Verdict.PROBLEM,
        "input-ignored",
        "joined-with-itself",
        more="""
class Joint(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cat = ops.Concat(axis=1)
        self.dense = nn.Dense(16, 8)

    def construct(self, x1, x2):
        return self.dense(self.cat((x1, x1)))
""",
    ),
    _example(
        "a mask that is computed and not applied",
        "self.query = nn.Dense(8, 8)\nself.mul = ops.Mul()",
        "scores = self.query(x)\nadder = self.mul(1.0 - x, -10000.0)\nreturn ops.softmax(scores)",
        Verdict.PROBLEM,
        "result-unused",
    ),
    _example(
        "a decoder that takes one of the features that it is given",
        "self.first = nn.Dense(8, 8)\nself.second = nn.Dense(8, 8)\nself.decoder = Decoder()",
        "a = self.first(x)\nb = self.second(a)\nreturn self.decoder(a, b)",
        Verdict.UNDECIDED,
        "input-perhaps-ignored",
        more="""
class Decoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8)

    def construct(self, a, b):
        return self.dense(b)
""",
    ),
    _example(
        "each part of a block is added to its input",
        "self.body = nn.SequentialCell([Part() for _ in range(3)])",
        "return self.body(x)",
        Verdict.OK,
        "connected",
        more=_STACK,
    ),
    _example(
        "one part of a block is not added to its input",
        "self.body = nn.SequentialCell([Part() for _ in range(3)])",
        "return self.body(x)",
        Verdict.PROBLEM,
        "skip-missing",
        more=_STACK.replace("return x + ", "return "),
    ),
    _example(
        "each residual sum adds the result of the one before",
        "self.first = nn.Dense(8, 8)\nself.inner = nn.Dense(8, 8)\nself.one = Output()\nself.two = Output()",
        "x = self.first(x)\ny = self.one(self.inner(x), x)\nreturn self.two(self.inner(y), y)",
        Verdict.OK,
        "connected",
        more=_BLOCKS,
    ),
    _example(
        "the second residual sum adds what the first has added",
        "self.first = nn.Dense(8, 8)\nself.inner = nn.Dense(8, 8)\nself.one = Output()\nself.two = Output()",
        "x = self.first(x)\ny = self.one(self.inner(x), x)\nreturn self.two(self.inner(y), x)",
        Verdict.PROBLEM,
        "skips-a-sum",
        more=_BLOCKS,
    ),
    *(
        Example(
            f"a network that is {what}",
            files={"train.py": _LAYERS_ALONE.format(net=net)},
            case={"scripts": {"train": "train.py"}},
            verdict=verdict,
            codes=codes,
        )
        for what, net, verdict, codes in (
            ("one layer", "nn.Dense(4, 2)", Verdict.OK, ("network-seen",)),
            (
                "a container of layers",
                "nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))",
                Verdict.OK,
                ("network-seen",),
            ),
            (
                "a layer of another package in a container",
                "nn.SequentialCell(zoo.Block(4, 8), nn.Dense(8, 2))",
                Verdict.UNDECIDED,
                ("no-network", "network-unseen"),
            ),
        )
    ),
    Example(
        "a network from another package",
        files={
            "train.py": "import mindspore as ms\nfrom zoo import resnet\nnet = resnet()\nms.Model(net).train(1, data)\n"
        },
        case={"scripts": {"train": "train.py"}},
        verdict=Verdict.UNDECIDED,
        codes=["no-network"],
    ),
]
