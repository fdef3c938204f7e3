"""Reads from the training scripts whether losses get what they expect, are averaged, and are really trained with.

Catches: a Softmax or Sigmoid before a loss that contains one, raw outputs for a loss that wants probabilities or their
logarithms, also in formulas of one's own, one-hot labels for sparse losses and class numbers for others, losses that are
summed over the batch, a regression loss on classes, a loss whose sign is turned, a likelihood that is minimised, a critic and
a generator that do not compete, class weights that are none, a number in the place of a loss function, training cells that
are never run, a gradient penalty with the wrong interpolation or of an average, a column of predictions less a vector of
labels. Cannot tell: formulas of one's own beyond these, and networks that are not seen. Never imports or runs the scripts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import Example, script_example
from . import _gaps, _grades, _second_place, _seen

if TYPE_CHECKING:
    from ..script.losses import Observation
    from ..script.source import Source

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "double-softmax": {
        "en": "Softmax is applied twice: {loss} already includes it, and its input is the output of {layer} ({at}).",
        "zh": "softmax 做了两次：{loss} 内部已含 softmax，而它的输入已经过 {layer}（{at}）。",
    },
    "double-sigmoid": {
        "en": "{loss} applies a sigmoid itself, and its input is the output of {layer} ({at}): it is squashed twice.",
        "zh": "{loss} 内部已含 sigmoid，而它的输入已经过 {layer}（{at}），被压缩了两次。",
    },
    "sigmoid-for-classes": {
        "en": "{loss} takes logits of classes and gets the result of {layer} ({at}), which lies between 0 and 1.",
        "zh": "{loss} 需要各类别的 logits，得到的却是 {layer}（{at}）的输出，取值在 0 到 1 之间。",
    },
    "cut-off-logits": {
        "en": "{loss} expects logits but gets the output of {layer} ({at}), which sets all negative scores to 0.",
        "zh": "{loss} 需要 logits，得到的却是 {layer}（{at}）的输出，负的得分全部被置为 0。",
    },
    "dropped-scores": {
        "en": "Dropout ({at}) is applied to the scores that {layer} gives for {loss}: in training, random classes have a score of 0.",
        "zh": "dropout（{at}）作用在 {layer} 输给 {loss} 的得分上：训练时随机把一些类别的得分置为 0。",
    },
    "activation-for-logits": {
        "en": "{loss} expects logits but gets the output of {layer} ({at}), which cuts off or squashes part of them.",
        "zh": "{loss} 需要 logits，得到的却是 {layer}（{at}）的输出，部分取值已被截断或压缩。",
    },
    "logits-for-probabilities": {
        "en": "{loss} takes probabilities and gets the bare result of {layer} ({at}): a sigmoid or softmax is missing.",
        "zh": "{loss} 需要概率，得到的却是 {layer}（{at}）的原始输出：缺少 sigmoid 或 softmax。",
    },
    "no-log-softmax": {
        "en": "{loss} takes logarithms of probabilities and gets the result of {layer} ({at}): log_softmax is missing.",
        "zh": "{loss} 需要对数概率，得到的却是 {layer}（{at}）的输出：缺少 log_softmax。",
    },
    "no-logarithm": {
        "en": "This is the formula of a negative log-likelihood, but the result of {layer} ({at}) enters it without a "
        "logarithm.",
        "zh": "这里是负对数似然的公式，但 {layer}（{at}）的输出没有取对数就代入了。",
    },
    "fits-beside": {
        "en": "{loss} gets what it expects, but no gradient is taken of it: what the training minimises is computed elsewhere.",
        "zh": "{loss} 的输入符合要求，但没有对它求梯度：训练所优化的 loss 在别处计算。",
    },
    "sometimes": {
        "en": "On one path through the script, {loss} gets the output of {layer} ({at}), which is not what it expects.",
        "zh": "在其中一条执行路径上，{loss} 得到的是 {layer}（{at}）的输出，与它的要求不符。",
    },
    "arguments-exchanged": {
        "en": "{loss} gets data as {first} and the output of the network as the labels: the two arguments are swapped.",
        "zh": "{loss} 的参数 {first} 得到的是数据，网络的输出则放在了标签的位置：两个参数颠倒了。",
    },
    "classes-along-another": {
        "en": "This {softmax} does not run along the axis of the outputs of {layer} ({at}): instead of the classes of a sample, it "
        "covers the samples of a batch or the positions of a picture.",
        "zh": "此处的 {softmax} 所沿的轴不是 {layer}（{at}）输出的类别轴：归一化发生在 batch 内各样本或图像各位置之间，而非各类别之间。",
    },
    "labels-not-shifted": {
        "en": "The labels of {loss} are the network's own input at the same positions ({at}), and each position sees itself: labels "
        "should be the next token.",
        "zh": "{loss} 的标签就是网络在相同位置得到的输入（{at}），而每个位置都能看到自身：本应预测的是下一个位置。",
    },
    "labels-not-shifted-perhaps": {
        "en": "The labels of {loss} are the recurrent network's own input at the same positions ({at}): unless it is an autoencoder, "
        "labels should be the next token.",
        "zh": "{loss} 的标签就是循环网络在相同位置得到的输入（{at}）：如果不是自编码器，本应预测的是下一个位置。",
    },
    "labels-behind": {
        "en": "The labels of {loss} lie one position before the network's input ({at}), and the network has already seen them there: "
        "labels should be the next token.",
        "zh": "{loss} 的标签比网络的输入早一个位置（{at}），网络已经看到了这些标签：本应预测的是下一个位置。",
    },
    "one-hot-turned": {
        "en": "These one-hot labels are {on} for the class itself and {off} for all others: the two values are swapped.",
        "zh": "这里的 one-hot 标签在目标类别处为 {on}，其余类别处为 {off}：两个值颠倒了。",
    },
    "one-hot-for-sparse": {
        "en": "{loss} is set to take class ids, but gets one-hot labels ({at}).",
        "zh": "{loss} 设置为接收类别编号，得到的却是 one-hot 标签（{at}）。",
    },
    "classes-for-distributions": {
        "en": "{loss} without sparse=True takes a distribution over the classes for each sample, in floating point, but its labels are "
        "the numbers of classes ({at}).",
        "zh": "{loss} 未设置 sparse=True 时，标签应是每个样本在各类别上的分布（浮点数），这里的标签却是类别编号（{at}）。",
    },
    "class-out-of-range": {
        "en": "Some labels of {loss} are set to {number} ({at}), but there are only {classes} classes, and the loss does not ignore "
        "that value.",
        "zh": "{loss} 的标签中写入了 {number}（{at}），而类别只有 {classes} 个，损失也没有忽略这个值。",
    },
    "labels-alike": {
        "en": "The labels that {loss} gets are one and the same number for all samples ({at}).",
        "zh": "{loss} 得到的标签对所有样本都是同一个数（{at}）。",
    },
    "left-out-elsewhere": {
        "en": "Labels of {number} are told apart from the classes at {at}, but {loss} does not ignore that value.",
        "zh": "{at} 把标签 {number} 与各类别区分开，而 {loss} 没有忽略这个值。",
    },
    "none-reduction": {
        "en": "{loss} is used with reduction none, and nothing averages it before the gradient is taken ({at}): gradients "
        "add up over the batch.",
        "zh": "{loss} 的 reduction 为 none，求梯度之前（{at}）没有再取平均：梯度按整个 batch 累加。",
    },
    "none-reduction-perhaps": {
        "en": "{loss} returns one loss per sample, and on some or all paths they are not averaged before the gradient is computed "
        "({at}): gradients are summed over the batch.",
        "zh": "{loss} 给出每个样本的损失，在部分或全部执行路径上，求梯度之前（{at}）没有取平均：梯度按整个 batch 累加。",
    },
    "sum-reduction": {
        "en": '{loss} adds the loss up over the batch (reduction="sum"), so gradients grow with the batch size.',
        "zh": '{loss} 对整个 batch 求和（reduction="sum"），梯度会随 batch size 增大。',
    },
    "regression-on-classes": {
        "en": "{loss} compares the scores of classes with class labels: the labels are made integers, or both are judged as classes "
        "elsewhere, and nothing encodes the labels as one-hot.",
        "zh": "{loss} 把各类别的得分与类别标签直接比较：标签被转成整数，或别处按分类来评判它们，而标签没有转成 one-hot。",
    },
    "weight-per-position": {
        "en": "The third argument of {loss} is a weight for each class, but gets one for each position, flattened like the labels.",
        "zh": "{loss} 的第三个参数是每个类别的权重，这里传入的却是每个位置的权重，与标签一样被展平。",
    },
    "loss-negated": {
        "en": "The sign of {loss} is flipped before gradients are computed ({at}): each step increases the loss.",
        "zh": "{loss} 在到达求梯度的值之前变了号（{at}）：每一步都在使损失增大。",
    },
    "gradients-negated": {
        "en": "The gradients of {loss} ({at}) are negated here before they reach the optimizer: each step increases the loss.",
        "zh": "{loss}（{at}）的梯度在此处取负后交给优化器：每一步都在使损失增大。",
    },
    "likelihood-minimised": {
        "en": "The value minimised here is a plain log-probability, of the labels or of one score exceeding another: minimising it "
        "makes the right answer less likely with each step.",
        "zh": "此处被求梯度并最小化的就是对数概率本身（标签的，或一个得分高于另一个得分的），没有取负：每一步都会降低正确结果的概率。",
    },
    "overlap-minimised": {
        "en": "What gradients are taken of here is the share that predictions and labels have in common, as it is: minimising it drives "
        "them apart with each step.",
        "zh": "此处被求梯度并最小化的就是预测与标签的重合比例本身：每一步都会使两者更不重合。",
    },
    "no-bottom": {
        "en": "{term} is subtracted in the value that is minimised, and nothing bounds the output of {layer} ({at}): the loss falls "
        "without limit, whatever the samples are. The sign is wrong.",
        "zh": "{term} 在被求梯度的值中取了负号，而 {layer}（{at}）的输出没有任何限制：无论样本如何，损失都会无限下降。符号反了。",
    },
    "weights-grow": {
        "en": "{term}, a square of trained weights ({at}), is subtracted in the value that is minimised: it rewards large weights, and the "
        "loss falls without limit. The sign is wrong.",
        "zh": "{term} 是可训练权重（{at}）的平方，在被求梯度的值中却取了负号：权重越大损失越小，损失会无限下降。符号反了。",
    },
    "labels-interpolated": {
        "en": "{step} computes the pixels of {label} from several: between two classes, the numbers of others arise, and the loss counts "
        "them as such.",
        "zh": "{step} 由多个像素插值得到 {label} 的像素：在两个类别之间会出现其他类别的编号，损失把它们当作那些类别。",
    },
    "moved-apart": {
        "en": "{step} moves the pixels of only one of {input} and {label} at random: the classes then belong to other pixels.",
        "zh": "{step} 只随机移动了 {input} 与 {label} 之一的像素：类别与像素不再对应。",
    },
    "larger-of-surrogates": {
        "en": "Of the product with the ratio and the product with the clipped ratio, the more favourable one is used: clipping never "
        "restrains the policy.",
        "zh": "在乘以比值与乘以截断后比值的两项中取了更有利的一项：在继续偏离有利时，截断起不到约束作用。",
    },
    "same-direction": {
        "en": "This loss and that of the network it is trained against ({at}) push the score of generated samples in the same "
        "direction: the two do not compete. The sign or the labels of one of them are the wrong way round.",
        "zh": "这个损失与对抗网络的损失（{at}）把生成样本的得分拉向同一方向：两者没有形成对抗，其中之一的符号或标签反了。",
    },
    "nothing-told-apart": {
        "en": "This loss has the same target for the scores of generated and of real samples, while another network is trained against "
        "it ({at}): the discriminator never learns to tell them apart.",
        "zh": "这个损失对生成样本的得分与真实样本的得分要求相同，而另一个网络正针对它训练（{at}）：判别器学不到如何区分两者。",
    },
    "same-for-both": {
        "en": "This loss sets two opposite targets for scores of the same samples; the samples that the other network generates are never "
        "scored here.",
        "zh": "这个损失对同一批样本的得分提出了两个相反的目标；另一个网络生成的样本在这里没有参与打分。",
    },
    "loss-negated-perhaps": {
        "en": "The sign of {loss} is flipped before gradients are computed ({at}); whether another factor flips it back, or another "
        "optimizer works against this one, cannot be seen here.",
        "zh": "{loss} 以相反的符号到达求梯度的值（{at}）；从脚本中看不出是否有别的因子把符号变回来，或另有优化器与之对抗。",
    },
    "value-as-loss": {
        "en": "{cell} expects a loss function but gets a value computed beforehand, which has no connection to the network's outputs.",
        "zh": "{cell} 需要损失函数，这里传入的却是已经算好的损失值，与网络之后的输出没有关系。",
    },
    "never-called": {
        "en": "This {cell} is made but never run, and nothing else uses its optimizer: no weight is updated by it.",
        "zh": "这个 {cell} 创建后从未运行，它的优化器也没有用在别处：权重不会被更新。",
    },
    "penalty-normal": {
        "en": "The gradient penalty interpolates between real and generated samples with {function}, normally distributed; it takes "
        "a uniform number from 0 to 1.",
        "zh": "梯度惩罚用 {function}（正态分布）在真实样本与生成样本之间插值，应使用 0 到 1 之间的均匀分布。",
    },
    "term-without-gradient": {
        "en": "No gradient gets through {what} ({at}): this term of the loss trains nothing.",
        "zh": "梯度无法通过 {what}（{at}）：损失中的这一项不训练任何权重。",
    },
    "noise-once": {
        "en": "{function} is called before the loop over the data: each step ({at}) trains with the same random numbers.",
        "zh": "{function} 在遍历数据的循环之前调用：每一步（{at}）都用同一批随机数训练。",
    },
    "penalty-once": {
        "en": "The interpolation weight of the gradient penalty is drawn by {function} once, when the network is built or compiled, "
        "not again for each batch.",
        "zh": "梯度惩罚的插值系数由 {function} 在构建或编译网络时只抽取一次，而不是每个 batch 重新抽取。",
    },
    "penalty-of-mean": {
        "en": "The scores are averaged over the batch here before their gradient is taken, and its norm is compared sample by sample "
        "({at}): each sample has only its share of the gradient, 1 / batch size.",
        "zh": "此处先对 batch 求平均再求梯度，而其范数是逐样本比较的（{at}）：每个样本只分到 1 / batch size 的梯度。",
    },
    "pairs-compared": {
        "en": "Here predictions of shape (N, 1) meet labels of shape (N,): both are broadcast to (N, N), so each prediction is "
        "compared with the labels of all samples.",
        "zh": "此处列形状的预测 (N, 1) 与向量形状的标签 (N,) 相遇，二者被广播成 (N, N)：每个预测都与所有样本的标签比较。",
    },
    "term-unused": {
        "en": "{name} is computed here from the network's output but never used: the loss lacks this term.",
        "zh": "此处由网络输出算出了 {name}，之后却没有用到：损失中缺少这一项。",
    },
    "argument-unused": {
        "en": "{name} is computed here from {argument} but never used: {argument} has no effect on the loss.",
        "zh": "此处由 {argument} 算出了 {name}，之后却没有用到：{argument} 对损失没有任何影响。",
    },
    "output-left": {
        "en": "Two {loss} with different labels use the same output of the network (the other one: {at}), and no loss uses the "
        "network's other output of this kind.",
        "zh": "两处 {loss} 用不同的标签比较网络的同一个输出（另一处：{at}），而网络另一个同类输出没有进入任何损失。",
    },
    "smoothed-away": {
        "en": "Label smoothing takes {share} of the weight away from the target class: the wrong classes together outweigh it.",
        "zh": "标签平滑从目标类别上拿走了 {share} 的权重：留给正确类别的比其余类别的总和还少。",
    },
    "classes-alike": {
        "en": "These one-hot labels hold {value} for the target class and {value} for every other class: they no longer say which class "
        "is right.",
        "zh": "这里的 one-hot 标签在目标类别上是 {value}，在其余类别上也是 {value}：标签不再指明哪个类别正确。",
    },
    "target-random": {
        "en": "The prediction is compared with random numbers ({at}) that the network's input says nothing about: they are not the "
        "ones used to make the input.",
        "zh": "此处把预测与随机数（{at}）比较，而网络的输入中没有这组随机数的任何信息：与输入所用的不是同一组。",
    },
    "focus-turned": {
        "en": "The log-probability is weighted with a power of the same probability: samples that are already classified correctly "
        "count most.",
        "zh": "对数概率乘以了同一概率的幂：已经分对的样本权重最大。",
    },
    "temperature-missing": {
        "en": "The logits of the prediction are divided by a temperature of {by}, those of the target are not.",
        "zh": "预测的得分除以了温度 {by}，目标的得分却没有。",
    },
    "mean-divided": {
        "en": "{loss} ({at}) is already the mean over the batch, and here it is divided by the number of samples again.",
        "zh": "{loss}（{at}）已是整个 batch 的平均值，此处又除以样本数。",
    },
    "fits": {
        "en": "{loss} gets what it expects: the result of {layer}.",
        "zh": "{loss} 的输入符合要求：来自 {layer}。",
    },
    "own-likelihood": {
        "en": "A negative log-likelihood written out, on logarithms of probabilities.",
        "zh": "自写的负对数似然，输入为对数概率。",
    },
    "sign-unseen": {
        "en": "What is minimised here could not be followed to a loss: whether its sign is right was not checked.",
        "zh": "未能看出此处最小化的量由哪个损失得出，没有检查其正负号是否正确。",
    },
    "prediction-unseen": {
        "en": "Whether {loss} gets what it expects could not be determined: the origin of its prediction cannot be seen here.",
        "zh": "无法确定 {loss} 的输入是否符合要求：从脚本中看不出预测值的来源。",
    },
    "no-loss": {
        "en": "No MindSpore loss was found in what {path} runs; a hand-written loss, or one selected by a setting, is not judged here.",
        "zh": "在 {path} 所运行的代码中没有看到 MindSpore 的损失函数；自写的公式以及由配置选出的损失函数不在判断范围内。",
    },
    "fix-remove-softmax": {
        "en": "Pass the logits to the loss; apply the softmax only for display.",
        "zh": "把 logits 直接交给损失函数，只在展示结果时做 softmax。",
    },
    "fix-bare-scores": {
        "en": "Give the loss the result of the last layer itself, without an activation.",
        "zh": "把最后一层的输出直接交给损失函数，不加激活函数。",
    },
    "fix-drop-before": {
        "en": "Apply dropout to the input of the last layer, not to its result.",
        "zh": "dropout 应作用于最后一层的输入，而不是它的输出。",
    },
    "fix-remove-sigmoid": {
        "en": "Remove the sigmoid, or use BCELoss, which takes probabilities.",
        "zh": "去掉 sigmoid，或改用接收概率的 BCELoss。",
    },
    "fix-add-sigmoid": {
        "en": "Use BCEWithLogitsLoss, or apply a sigmoid before the loss.",
        "zh": "改用 BCEWithLogitsLoss，或在损失之前加 sigmoid。",
    },
    "fix-log-softmax": {
        "en": "Apply log_softmax before the loss, or use a cross-entropy on the logits.",
        "zh": "在损失之前做 log_softmax，或对 logits 使用交叉熵。",
    },
    "fix-class-numbers": {
        "en": "Set sparse=True, or encode the labels: ops.one_hot(labels, classes).astype(ms.float32).",
        "zh": "设置 sparse=True，或将标签编码：ops.one_hot(labels, classes).astype(ms.float32)。",
    },
    "fix-exchange": {
        "en": "Pass the output of the network first, then the labels.",
        "zh": "先传网络的输出，再传标签。",
    },
    "fix-shift": {
        "en": "Shift the labels by one position: logits[:, :-1] against ids[:, 1:].",
        "zh": "把标签向后移一位：用 logits[:, :-1] 对 ids[:, 1:]。",
    },
    "fix-class-axis": {
        "en": "Use the class axis: 1, or -1 if the classes come last.",
        "zh": "改为类别所在的轴：1；类别在最后一轴时为 -1。",
    },
    "fix-turn-back": {
        "en": "Give the larger number for on_value, the smaller one for off_value.",
        "zh": "on_value 应取较大的值，off_value 取较小的值。",
    },
    "fix-sparse": {"en": "Pass class ids, or set sparse=False.", "zh": "传入类别编号，或设置 sparse=False。"},
    "fix-mean": {"en": 'Pass reduction="mean".', "zh": '传入 reduction="mean"。'},
    "fix-average": {"en": "Average the result: .mean()", "zh": "对结果取平均：.mean()"},
    "fix-cross-entropy": {
        "en": "Use CrossEntropyLoss, or encode the labels as one-hot.",
        "zh": "改用 CrossEntropyLoss，或把标签转成 one-hot。",
    },
    "fix-from-one": {"en": "Minimise 1 minus this share.", "zh": "应最小化 1 减去该比例。"},
    "fix-negate": {"en": "Minimise the negative: put a minus before it.", "zh": "应最小化它的相反数：在前面加负号。"},
    "fix-compete": {
        "en": "Train the discriminator to tell real from generated samples, and the generator to minimise the opposite for its own "
        "samples.",
        "zh": "让判别器区分真实样本与生成样本，让生成器对自己的样本最小化相反的目标。",
    },
    "fix-nearest": {
        "en": "Resize labels by the nearest pixel: Inter.NEAREST.",
        "zh": "标签应按最近邻缩放：Inter.NEAREST。",
    },
    "fix-move-both": {
        "en": "Move picture and label together, with the same random numbers, in one function.",
        "zh": "在同一个函数里用同一组随机数对图像和标签做同样的变换。",
    },
    "fix-turn-term": {
        "en": "Flip the sign of the whole term that this belongs to, such as -0.5 * (1 + logvar - mu**2 - exp(logvar)) for a "
        "divergence.",
        "zh": "把这一整项的符号反过来，例如散度应为 -0.5 * (1 + logvar - mu**2 - exp(logvar))。",
    },
    "fix-smaller": {
        "en": "Use the smaller of the two products and minimise its negative, or use the larger of the two negated products.",
        "zh": "取两项中较小的一项并最小化其相反数，或对取负后的两项取较大者。",
    },
    "fix-sign": {"en": "Minimise the loss itself: remove the minus sign.", "zh": "应最小化损失本身：去掉负号。"},
    "fix-sign-of-gradients": {
        "en": "Pass the gradients to the optimizer unchanged: it subtracts them itself.",
        "zh": "把梯度原样交给优化器：优化器自己会做减法。",
    },
    "fix-weight": {
        "en": 'Use reduction="none", multiply by the weights, and divide the sum by their sum.',
        "zh": '使用 reduction="none"，乘以权重后求和，再除以权重之和。',
    },
    "fix-function": {
        "en": "Pass the loss function itself; it is applied to the network's result at each step.",
        "zh": "传入损失函数本身，每一步会用它处理网络的输出。",
    },
    "fix-call": {"en": "Call it with each batch.", "zh": "用每个 batch 调用它。"},
    "fix-own-scores": {
        "en": "Differentiate the scores themselves, or their sum; average only over the resulting norms.",
        "zh": "对得分本身（或其总和）求梯度，只对由范数算出的惩罚项取平均。",
    },
    "fix-add-term": {
        "en": "Add the term to the loss, or delete it if it is not needed.",
        "zh": "把这一项加到损失中；如果不需要，就将其删除。",
    },
    "fix-use-argument": {
        "en": "Multiply the loss of each sample by it before averaging, or delete it if it is not needed.",
        "zh": "取平均之前，把它乘到每个样本的损失上；如果不需要，就将其删除。",
    },
    "fix-own-output": {
        "en": "Pass each loss the output that belongs to its labels.",
        "zh": "让每个损失使用与其标签对应的输出。",
    },
    "fix-smooth-less": {"en": "Use a label smoothing of about 0.1.", "zh": "标签平滑一般取 0.1 左右。"},
    "fix-on-and-off": {
        "en": "Give the target class a higher value than the others: 1 - s and s / (classes - 1) for a label smoothing of s.",
        "zh": "目标类别的取值应高于其余类别：标签平滑系数为 s 时，分别取 1 - s 和 s / (类别数 - 1)。",
    },
    "fix-same-numbers": {
        "en": "Draw the random numbers once, and use the same ones for the input and the loss.",
        "zh": "随机数只生成一次，输入和损失使用同一组。",
    },
    "fix-focus": {"en": "Weight it with a power of (1 - probability).", "zh": "改为乘以（1 减去该概率）的幂。"},
    "fix-temperature": {
        "en": "Divide the teacher's logits by the same temperature, and multiply the loss by its square.",
        "zh": "教师网络的得分也除以同一温度，并把损失乘以温度的平方。",
    },
    "fix-ignore": {
        "en": "Set ignore_index of the loss to this value.",
        "zh": "为损失设置 ignore_index，取该值。",
    },
    "fix-divide-once": {
        "en": 'Delete the division, or keep it and set reduction="sum" on the loss.',
        "zh": '删去这次除法；或将损失设为 reduction="sum" 并保留它。',
    },
    "fix-one-shape": {
        "en": "Bring both to one shape first: prediction.squeeze(-1), or labels.reshape(-1, 1).",
        "zh": "先让两者形状一致：prediction.squeeze(-1)，或 labels.reshape(-1, 1)。",
    },
    "fix-own-labels": {
        "en": "Give each sample its own label; in a matrix of pairs, row i belongs with column i: ops.arange(batch).",
        "zh": "为每个样本提供各自的标签；在成对相似度矩阵中，第 i 行对应第 i 列：ops.arange(batch)。",
    },
    "fix-smooth": {
        "en": "Compute the term of the probabilities themselves, and use the threshold for metrics alone.",
        "zh": "直接用概率计算这一项，阈值只用于指标。",
    },
    "fix-draw-again": {"en": "Draw within the loop, once for each step.", "zh": "把抽取移到循环内，每一步重新抽取。"},
    "fix-uniform": {
        "en": "Draw it again for each batch with ops.rand, which is uniform from 0 to 1.",
        "zh": "每个 batch 用 ops.rand（0 到 1 的均匀分布）重新抽取。",
    },
}
WORDS: Words = _grades.WORDS

_SQUASHED = {
    "en": "Probabilities lie between 0 and 1, so after the second time all classes are nearly alike: gradients are small, the loss "
    "cannot come near zero, and training is slow and stops too early.",
    "zh": "概率在 0 到 1 之间，再做一次后各类别几乎相同：梯度很小，loss 降不到接近 0，训练慢且过早停滞。",
}
_NOT_PROBABLE = {
    "en": "The loss takes the logarithm of these numbers as if they were probabilities: outside 0 to 1 it is NaN or clamped, and "
    "its gradient means nothing.",
    "zh": "损失会把这些数当作概率取对数：超出 0 到 1 时得到 NaN 或被截断，梯度没有意义。",
}
_NOT_LOG = {
    "en": "The loss then only adds up the numbers for the right classes: it has no lower bound, or hardly punishes confident "
    "mistakes, and does not lead to probabilities.",
    "zh": "这样损失只是把正确类别的数值相加：要么没有下界，要么对自信的错误几乎没有惩罚，学不到概率。",
}
_SUMMED = {
    "en": "With SGD or Momentum the update is larger by the batch size than with a mean, as if the learning rate were that much "
    "higher; Adam and its like adapt to the scale, but weight decay, clipping and loss scaling then act on other amounts.",
    "zh": "对 SGD、Momentum，更新量比取平均时放大了 batch size 倍，相当于学习率放大同样的倍数；Adam 一类会适应梯度的大小，"
    "但权重衰减、梯度裁剪和损失缩放的作用量会随之改变。",
}
_INTERPOLATED = {
    "en": "The penalty is meant for points on the line between real and generated samples; elsewhere, the discriminator is constrained "
    "where it does not matter, and not where it does.",
    "zh": "惩罚应施加在真实样本与生成样本连线上的点；取在别处时，约束落在无关的位置，真正需要的位置却没有约束。",
}
_MAXIMISED = {
    "en": "An optimizer minimises what it is given: here that value falls as the loss rises, so predictions get worse with each step.",
    "zh": "优化器沿下降方向更新：最小化一个随损失上升而下降的值，预测会一步比一步差。",
}
_COPIED = {
    "en": "The network only has to copy its input: the loss falls to almost nothing, and what the model generates repeats its input.",
    "zh": "网络只需照抄输入：loss 很快降到接近 0，生成时只会重复输入。",
}
_NO_CLASS = {
    "en": "Positions that should be ignored count as a class that does not exist: some devices report an error, others read past "
    "the scores.",
    "zh": "本应忽略的位置被当成不存在的类别：有的设备会报错，有的会越界读取得分，损失因此出错。",
}
_SMALLEST_LABEL = {
    "en": "Print the smallest and largest label of a batch next to the number of scores.",
    "zh": "打印一个 batch 中标签的最小值和最大值，与得分的个数对照。",
}
WHY: Words = {
    "loss-negated": _MAXIMISED,
    "gradients-negated": _MAXIMISED,
    "likelihood-minimised": _MAXIMISED,
    "overlap-minimised": _MAXIMISED,
    "no-bottom": {
        "en": "The optimizer makes these outputs as large as it can: the loss keeps falling, and this term soon outweighs all others.",
        "zh": "优化器会让这些输出越来越大：损失不断下降，很快就只剩这一项在起作用。",
    },
    "weights-grow": {
        "en": "The optimizer makes these weights as large as it can: the loss keeps falling while the model gets worse, until numbers "
        "overflow.",
        "zh": "优化器会让这些权重越来越大：损失不断下降，模型却越来越差，直至数值溢出。",
    },
    "labels-interpolated": {
        "en": "Pixels at the borders of things are trained and evaluated as classes that are not there.",
        "zh": "物体边界处的像素会按并不存在的类别参与训练和评估。",
    },
    "moved-apart": {
        "en": "In a part of the samples the network learns to give each pixel the class of another place.",
        "zh": "在一部分样本上，网络学到的是把别处的类别给当前像素。",
    },
    "larger-of-surrogates": {
        "en": "Clipping should remove the incentive to move far from the policy that collected the samples; without it steps become "
        "too large, and the policy collapses.",
        "zh": "截断是为了在策略偏离采样策略过远时不再有收益；失去约束后更新幅度过大，已学到的策略会崩溃。",
    },
    "same-direction": {
        "en": "A generator learns from a critic that works against it; one that agrees with it rewards samples for being unlike real ones.",
        "zh": "生成器要靠与之对抗的判别器才能学习；两者方向一致时，得到奖励的是与真实样本不同的输出。",
    },
    "nothing-told-apart": {
        "en": "A discriminator with the same target for all samples learns a constant, which gives the generator no gradient.",
        "zh": "对所有样本要求相同的判别器只会学成常数，生成器从中得不到梯度。",
    },
    "same-for-both": {
        "en": "The two targets cancel out: the discriminator learns a constant, which gives the generator no gradient.",
        "zh": "两个目标相互抵消：判别器只会学成常数，生成器从中得不到梯度。",
    },
    "loss-negated-perhaps": _MAXIMISED,
    "double-softmax": _SQUASHED,
    "double-sigmoid": _SQUASHED,
    "sigmoid-for-classes": _SQUASHED,
    "cut-off-logits": {
        "en": "A class whose score was cut off gets no gradient, and none can be made less likely than a score of 0 allows.",
        "zh": "得分被置 0 的类别没有梯度，任何类别的概率也无法低于得分 0 所对应的值。",
    },
    "dropped-scores": {
        "en": "The right class is among those set to 0 as often as any other: the loss then asks for scores that the network did give.",
        "zh": "正确类别的得分也会同样频繁地被置 0：即使网络给出了正确得分，损失仍然很大。",
    },
    "activation-for-logits": {
        "en": "Where the activation is flat no gradient flows, and scores of classes cannot go below or beyond its range.",
        "zh": "激活函数平坦处没有梯度，类别得分也无法超出它的取值范围。",
    },
    "logits-for-probabilities": _NOT_PROBABLE,
    "no-log-softmax": _NOT_LOG,
    "no-logarithm": _NOT_LOG,
    "classes-along-another": {
        "en": "The probabilities of a sample then depend on the others of its batch and do not sum up to 1: the network learns which "
        "sample of a batch is most like a class.",
        "zh": "一个样本的概率会随同 batch 的其他样本变化，且各类之和不为 1：学到的是 batch 内哪个样本更像某一类。",
    },
    "labels-not-shifted": _COPIED,
    "labels-not-shifted-perhaps": _COPIED,
    "labels-behind": _COPIED,
    "arguments-exchanged": {
        "en": "The loss treats its two arguments differently: with them swapped, its gradient does not lead the output to the labels, "
        "and some kernels compute no gradient for labels at all.",
        "zh": "损失对两个参数的处理并不相同：这样求得的是另一个函数的梯度，不会使输出接近标签；有些算子对标签根本不求梯度。",
    },
    "one-hot-turned": {
        "en": "The network learns to predict every class but the right one.",
        "zh": "网络学到的是给出正确类别之外的所有类别。",
    },
    "one-hot-for-sparse": {
        "en": "The loss reads the labels as class ids: it fails, or trains towards the wrong classes.",
        "zh": "损失会把标签当作类别编号：要么报错，要么朝错误的类别训练。",
    },
    "classes-for-distributions": {
        "en": "MindSpore rejects such labels at the first step: their type differs from that of the logits, or they lack an axis.",
        "zh": "MindSpore 在第一步就会拒绝这样的标签：类型与 logits 不同，或少一个轴。",
    },
    "none-reduction": _SUMMED,
    "none-reduction-perhaps": _SUMMED,
    "sum-reduction": _SUMMED,
    "regression-on-classes": {
        "en": "Every score is pulled towards the number of the class, as if class 9 were nine times class 1: the scores do not "
        "distinguish classes.",
        "zh": "每个得分都被拉向类别的编号，仿佛第 9 类是第 1 类的九倍：得分无法区分类别。",
    },
    "weight-per-position": {
        "en": "Weights are then looked up by class: positions that should not count do count, or the call is refused.",
        "zh": "权重会按类别查取：不该计入的位置被计入，或者调用直接被拒绝。",
    },
    "value-as-loss": {
        "en": "What is trained with such a cell does not follow the network's output, or the cell fails when it is run.",
        "zh": "用这样的 Cell 训练，结果与网络输出无关，或者运行时报错。",
    },
    "never-called": {
        "en": "The network stays as it was initialized, however long the loop runs.",
        "zh": "无论循环运行多久，网络都停留在初始状态。",
    },
    "penalty-normal": _INTERPOLATED,
    "penalty-once": _INTERPOLATED,
    "term-without-gradient": {
        "en": "The term is reported with the loss and changes nothing: what it asks for is not learned.",
        "zh": "这一项计入报告的损失，却不起任何作用：它要求的东西不会被学到。",
    },
    "noise-once": {
        "en": "The network learns what to do with these few numbers alone; with others, as after training, its results are poor.",
        "zh": "网络只学会如何处理这几个数；换成别的随机数（例如训练之后采样时），结果会很差。",
    },
    "argument-unused": {
        "en": "What it should hide or weight, such as padding or samples of other splits, counts like everything else.",
        "zh": "它本应屏蔽或加权的内容（如填充、属于其他数据划分的样本）与其余部分一样计入损失。",
    },
    "output-left": {
        "en": "One output is pulled towards two labels at once, and the other is never trained: it stays as initialised.",
        "zh": "一个输出同时被拉向两种标签，另一个输出则从未训练，一直停留在初始状态。",
    },
    "smoothed-away": {
        "en": "The network is trained to spread its prediction over all classes: the scores hardly distinguish the right class from "
        "the others.",
        "zh": "网络被训练成把概率分散到所有类别，得分几乎分不出正确类别。",
    },
    "classes-alike": {
        "en": "All samples have the same labels: whatever the input, the loss asks for the same output.",
        "zh": "所有样本的标签都相同：无论输入是什么，损失要求的输出都一样。",
    },
    "target-random": {
        "en": "There is nothing to learn: whatever the input, the best prediction is the mean of the random numbers.",
        "zh": "没有任何可学的内容：无论输入是什么，最好的预测就是随机数的均值。",
    },
    "focus-turned": {
        "en": "Where the probability of the right class is low, the gradient makes it lower still: wrong predictions stay wrong.",
        "zh": "正确类别的概率较低时，梯度会使它更低：分错的样本会一直错下去。",
    },
    "temperature-missing": {
        "en": "A softened prediction is fitted to sharp targets: the student hardly learns how the teacher ranks the other classes.",
        "zh": "被平滑的预测去拟合尖锐的目标：学生网络学不到教师对其余类别的排序。",
    },
    "labels-alike": {
        "en": "The network learns to give this one answer to every input.",
        "zh": "网络学会对任何输入都给出同一个答案。",
    },
    **dict.fromkeys(("class-out-of-range", "left-out-elsewhere"), _NO_CLASS),
    "mean-divided": {
        "en": "The loss shrinks as the batch grows: next to other terms it hardly counts, and with plain SGD each step shrinks too.",
        "zh": "损失随 batch size 变小：与其他损失项相加时几乎不起作用；使用普通 SGD 时步长也变小。",
    },
    "term-unused": {
        "en": "The network is not trained for what this term should enforce.",
        "zh": "网络不会朝这一项所要求的方向训练。",
    },
    "pairs-compared": {
        "en": "The mean over all pairs is smallest when every prediction is the mean of the labels: the network learns that one number.",
        "zh": "对所有配对取平均时，每个预测都等于标签均值才使损失最小：网络只会学到这一个数。",
    },
    "penalty-of-mean": {
        "en": "The penalty drives the norm of that share to 1, and so the slope of the critic to the size of the batch.",
        "zh": "惩罚把这一份的范数推向 1，判别器的实际斜率因此被推向 batch size。",
    },
}
_REFERENCE = {
    "en": "Compute the loss of one batch in numpy from the network's raw outputs and compare; or train one epoch with the fixed "
    "loss and compare the curves.",
    "zh": "用网络的原始输出在 numpy 中计算一个 batch 的 loss 并比较；或用改正后的损失训练一个 epoch，比较曲线。",
}
_PRINTED = {
    "en": "Print the weights before and after one step.",
    "zh": "打印一步前后的权重。",
}
_RISES = {
    "en": "Train repeatedly on one batch and print the loss itself, not the minimised value: it rises.",
    "zh": "用同一个 batch 反复训练，打印损失本身（而不是被最小化的值）：它在上升。",
}
_SCORES = {
    "en": "Print the mean score of real and of generated samples every 100 steps: the discriminator drives them apart, the generator "
    "moves the second towards the first.",
    "zh": "每 100 步打印真实样本与生成样本的平均得分：判别器应把两者拉开，生成器应使后者靠近前者。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _REFERENCE),
    "loss-negated": _RISES,
    "gradients-negated": _RISES,
    "likelihood-minimised": {
        "en": "Train on one batch again and again and print that probability: it falls.",
        "zh": "用同一个 batch 反复训练，打印这一概率：它在下降。",
    },
    "overlap-minimised": {
        "en": "Train on one batch again and again and print the share itself: it falls.",
        "zh": "用同一个 batch 反复训练，打印重合比例本身：它在下降。",
    },
    "loss-negated-perhaps": _RISES,
    "no-bottom": {
        "en": "Print this term by itself at each step: it falls without limit.",
        "zh": "逐步单独打印这一项：它会无限下降。",
    },
    "weights-grow": {
        "en": "Print the norm of these weights every few steps: it grows without limit.",
        "zh": "每隔几步打印这些权重的范数：它会不断增大。",
    },
    "labels-interpolated": {
        "en": "Print the values that occur in the labels of one batch: some are in none of the files.",
        "zh": "打印一个 batch 的标签中出现的值：其中有的在任何标签文件里都没有。",
    },
    "moved-apart": {
        "en": "Draw a few samples of a batch with their labels laid over them.",
        "zh": "取一个 batch 中的几个样本，把标签叠在图像上查看。",
    },
    "larger-of-surrogates": {
        "en": "Print the largest ratio after each round of updates: it goes far beyond the clipping range.",
        "zh": "每轮更新后打印最大比值：它会远远超出截断范围。",
    },
    "same-direction": _SCORES,
    "nothing-told-apart": _SCORES,
    "same-for-both": _SCORES,
    "none-reduction": {
        "en": 'Print the shape of the loss: with reduction="none" it is that of the batch. Train with reduction="mean" and compare.',
        "zh": '打印 loss 的形状：reduction 为 none 时与 batch 相同。改用 reduction="mean" 训练并比较。',
    },
    "value-as-loss": _PRINTED,
    "never-called": _PRINTED,
    "classes-for-distributions": {
        "en": "Give the loss one batch of logits and labels; print the type and shape of both: they must be alike.",
        "zh": "用一个 batch 的 logits 与标签调用损失，打印两者的类型与形状：应当一致。",
    },
    "penalty-normal": {
        "en": "Print the smallest and largest interpolation weight of a batch: they must lie between 0 and 1.",
        "zh": "打印一个 batch 中插值系数的最小值和最大值：应在 0 与 1 之间。",
    },
    "penalty-of-mean": {
        "en": "Print the norms with two batch sizes: they must not change with the size.",
        "zh": "用两种 batch size 打印这些范数：它们不应随 batch size 变化。",
    },
    "argument-unused": {
        "en": "Pass different values for it: the loss does not change.",
        "zh": "给它换一组值：损失不变。",
    },
    "output-left": {
        "en": "Print the gradients of the last layer of the other output: they are zero.",
        "zh": "打印另一个输出最后一层的梯度：全部为 0。",
    },
    "smoothed-away": {
        "en": "Train a few hundred steps with 0.1: the loss falls further and accuracy rises faster.",
        "zh": "改为 0.1 训练几百步：loss 降得更低，精度上升更快。",
    },
    "classes-alike": {
        "en": "Print the encoded labels of samples of two classes: they are equal.",
        "zh": "打印两个不同类别样本编码后的标签：完全相同。",
    },
    "target-random": {
        "en": "Train a few hundred steps: the loss stays at the variance of the random numbers.",
        "zh": "训练几百步：loss 停在随机数的方差附近。",
    },
    "focus-turned": {
        "en": "Print the loss for probabilities from 0.01 to 0.99: at first it rises.",
        "zh": "对 0.01 到 0.99 的概率打印损失：开头是上升的。",
    },
    "temperature-missing": {
        "en": "For one batch, print the largest probability of prediction and target: the target's is far higher.",
        "zh": "打印一个 batch 两侧的最大概率：目标的远高于预测的。",
    },
    **dict.fromkeys(("class-out-of-range", "left-out-elsewhere"), _SMALLEST_LABEL),
    "mean-divided": {
        "en": "Print the loss for a batch, then for that batch concatenated with itself: it halves.",
        "zh": "先用一个 batch、再用同一 batch 重复一遍来计算损失：后者减半。",
    },
    "term-without-gradient": {
        "en": "Take the gradient of this term alone: it is 0 for every weight.",
        "zh": "单独对这一项求梯度：对所有权重都为 0。",
    },
    "noise-once": {
        "en": "Print a few of the numbers at each step: they are the same.",
        "zh": "每一步打印其中几个数：它们始终相同。",
    },
    "term-unused": {
        "en": "Multiply the term by 1000 and run one step: the loss does not change.",
        "zh": "把这一项乘以 1000 再运行一步：损失不变。",
    },
    "pairs-compared": {
        "en": "Print the shapes of predictions and labels of a batch: they must be equal.",
        "zh": "打印一个 batch 中预测与标签的形状：两者应当相同。",
    },
    "penalty-once": {
        "en": "Print the interpolation weights of two steps: they must differ.",
        "zh": "打印两步的插值系数：应当不同。",
    },
}

_LEVELS = {
    "loss-negated": Level.PROBLEM,
    "gradients-negated": Level.PROBLEM,
    "likelihood-minimised": Level.PROBLEM,
    "overlap-minimised": Level.PROBLEM,
    "no-bottom": Level.PROBLEM,
    "weights-grow": Level.PROBLEM,
    "labels-interpolated": Level.PROBLEM,
    "moved-apart": Level.PROBLEM,
    "larger-of-surrogates": Level.PROBLEM,
    "same-direction": Level.PROBLEM,
    "nothing-told-apart": Level.PROBLEM,
    "same-for-both": Level.PROBLEM,
    "loss-negated-perhaps": Level.SUSPECT,
    "double-softmax": Level.PROBLEM,
    "double-sigmoid": Level.PROBLEM,
    "sigmoid-for-classes": Level.SUSPECT,
    "cut-off-logits": Level.PROBLEM,
    "dropped-scores": Level.PROBLEM,
    "activation-for-logits": Level.SUSPECT,
    "logits-for-probabilities": Level.PROBLEM,
    "no-log-softmax": Level.PROBLEM,
    "no-logarithm": Level.PROBLEM,
    "arguments-exchanged": Level.PROBLEM,
    "classes-along-another": Level.PROBLEM,
    "labels-not-shifted": Level.PROBLEM,
    "labels-not-shifted-perhaps": Level.SUSPECT,
    "labels-behind": Level.PROBLEM,
    "one-hot-turned": Level.PROBLEM,
    "one-hot-for-sparse": Level.PROBLEM,
    "classes-for-distributions": Level.PROBLEM,
    "none-reduction": Level.PROBLEM,
    "none-reduction-perhaps": Level.SUSPECT,
    "sum-reduction": Level.SUSPECT,
    "regression-on-classes": Level.PROBLEM,
    "weight-per-position": Level.PROBLEM,
    "value-as-loss": Level.PROBLEM,
    "never-called": Level.PROBLEM,
    "penalty-normal": Level.PROBLEM,
    "penalty-once": Level.PROBLEM,
    "noise-once": Level.PROBLEM,
    "term-without-gradient": Level.PROBLEM,
    "pairs-compared": Level.PROBLEM,
    "penalty-of-mean": Level.PROBLEM,
    "term-unused": Level.SUSPECT,
    "argument-unused": Level.SUSPECT,
    "output-left": Level.PROBLEM,
    "smoothed-away": Level.PROBLEM,
    "mean-divided": Level.SUSPECT,
    "class-out-of-range": Level.PROBLEM,
    "left-out-elsewhere": Level.PROBLEM,
    "labels-alike": Level.PROBLEM,
    "classes-alike": Level.PROBLEM,
    "target-random": Level.PROBLEM,
    "temperature-missing": Level.SUSPECT,
    "focus-turned": Level.PROBLEM,
}
#: Problems that rest on how things are used elsewhere, or may be a loss of a special kind.
_LIKELY = (
    "overlap-minimised",
    "cut-off-logits",
    "dropped-scores",
    "no-bottom",
    "weights-grow",
    "larger-of-surrogates",
    "same-direction",
    "nothing-told-apart",
    "same-for-both",
    "no-logarithm",
    "regression-on-classes",
    "arguments-exchanged",
    "never-called",
    "weight-per-position",
    "penalty-normal",
    "penalty-once",
    "penalty-of-mean",
    "pairs-compared",
)
_FIXES = {
    "loss-negated": "fix-sign",
    "gradients-negated": "fix-sign-of-gradients",
    "likelihood-minimised": "fix-negate",
    "overlap-minimised": "fix-from-one",
    "no-bottom": "fix-turn-term",
    "weights-grow": "fix-turn-term",
    "labels-interpolated": "fix-nearest",
    "moved-apart": "fix-move-both",
    "larger-of-surrogates": "fix-smaller",
    "same-direction": "fix-compete",
    "nothing-told-apart": "fix-compete",
    "same-for-both": "fix-compete",
    "loss-negated-perhaps": "fix-sign",
    "double-softmax": "fix-remove-softmax",
    "sigmoid-for-classes": "fix-remove-sigmoid",
    "double-sigmoid": "fix-remove-sigmoid",
    "cut-off-logits": "fix-bare-scores",
    "dropped-scores": "fix-drop-before",
    "logits-for-probabilities": "fix-add-sigmoid",
    "no-log-softmax": "fix-log-softmax",
    "no-logarithm": "fix-log-softmax",
    "arguments-exchanged": "fix-exchange",
    "classes-along-another": "fix-class-axis",
    "labels-not-shifted": "fix-shift",
    "labels-not-shifted-perhaps": "fix-shift",
    "labels-behind": "fix-shift",
    "one-hot-turned": "fix-turn-back",
    "one-hot-for-sparse": "fix-sparse",
    "classes-for-distributions": "fix-class-numbers",
    "none-reduction": "fix-mean",
    "none-reduction-perhaps": "fix-average",
    "sum-reduction": "fix-mean",
    "regression-on-classes": "fix-cross-entropy",
    "weight-per-position": "fix-weight",
    "value-as-loss": "fix-function",
    "never-called": "fix-call",
    "penalty-normal": "fix-uniform",
    "penalty-once": "fix-uniform",
    "noise-once": "fix-draw-again",
    "term-without-gradient": "fix-smooth",
    "pairs-compared": "fix-one-shape",
    "penalty-of-mean": "fix-own-scores",
    "term-unused": "fix-add-term",
    "argument-unused": "fix-use-argument",
    "output-left": "fix-own-output",
    "smoothed-away": "fix-smooth-less",
    "mean-divided": "fix-divide-once",
    "class-out-of-range": "fix-ignore",
    "left-out-elsewhere": "fix-ignore",
    "labels-alike": "fix-own-labels",
    "classes-alike": "fix-on-and-off",
    "target-random": "fix-same-numbers",
    "temperature-missing": "fix-temperature",
    "focus-turned": "fix-focus",
}
#: What says that a loss is right; without any of these, nothing was judged.
_CLEAR = ("fits", "own-likelihood")
#: What one operation of the network makes wrong for each loss that takes its result.
_TWICE = ("double-softmax", "double-sigmoid", "sigmoid-for-classes")
#: Places of one kind that are told.
MOST = 100


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import (
        adversaries,
        bottomless,
        class_axis,
        class_numbers,
        direction,
        double_softmax,
        drawn_once,
        exchanged_arguments,
        gradientless,
        input_gradients,
        label_images,
        loss_targets,
        lost_terms,
        shapes,
        surrogates,
        unshifted,
    )
    from ..script.analysis import read_scripts
    from ..script.losses import losses_of

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    done: set[tuple[str, str, int]] = set()
    for number, reading in enumerate(scripts.training, 1):
        losses = losses_of(reading)
        rules = (
            exchanged_arguments,
            direction,
            bottomless,
            surrogates,
            adversaries,
            input_gradients,
            shapes,
            class_axis,
            class_numbers,
            double_softmax,
            lost_terms,
            loss_targets,
            drawn_once,
            gradientless,
        )
        said = [*losses.examine(), *(one for rule in rules for one in rule.examine(losses))]
        said += direction.unseen(losses) if said else []
        told: dict[str, int] = {}
        for one in said:
            key = one.code, one.place.source.path, one.place.line
            if one.code in _TWICE and one.also is not None:  # one softmax that several losses are given is one fault
                key = one.code, one.also.source.path, one.also.line
            if key not in done and told.get(one.code, 0) < MOST:
                done.add(key)
                told[one.code] = told.get(one.code, 0) + 1
                yield _finding(one)
        if not said:
            yield _seen.nothing("no-loss", [reading], {"path": reading.source.path})
        yield Progress(number, len(scripts.training), "files")
    for one in (*unshifted.examine(scripts), *label_images.examine(scripts)):
        yield _finding(one)
    yield from _seen.networks(scripts)


def _finding(said: Observation) -> Finding:
    place, other = said.place, said.also
    level = _LEVELS.get(said.code, Level.INFO)
    data: dict[str, Any] = {
        **said.data,
        "other": (other or place).line,
        "at": _second_place.beside(place, other or place),
    }
    evidence = [place.source.code(place.line, min(_last(place), place.line + 3))]
    if (
        other is not None
        and level is not Level.INFO
        and (other.source.path, other.line) != (place.source.path, place.line)
    ):
        evidence.append(other.source.code(other.line, min(_last(other), other.line + 3)))
    fix = _FIXES.get(said.code)
    sure = None
    if level is Level.PROBLEM:
        sure = Sure.LIKELY if said.code in _LIKELY or place.tests or not said.certain else Sure.CERTAIN
    elif level is Level.SUSPECT:
        sure = Sure.POSSIBLE
    return Finding(
        said.code,
        level,
        Where(path=place.source.path, line=place.line),
        data,
        [*evidence],
        Fix(fix, _diff(said)) if fix else None,
        incomplete=level is Level.INFO and said.code not in _CLEAR,
        sure=sure,
    )


def _last(place: Any) -> int:
    return int(getattr(place.node, "end_lineno", None) or place.line)


def _diff(said: Observation) -> str | None:
    """The lines to change, where the mend is plain."""
    if said.code in ("double-softmax", "double-sigmoid"):
        return _without(said.also, in_network=said.code == "double-softmax")
    node: ast.AST = said.place.node
    source: Source = said.place.source
    if said.code not in ("none-reduction", "sum-reduction") or not isinstance(node, ast.Call):
        return None
    given = next((keyword.value for keyword in node.keywords if keyword.arg == "reduction"), None)
    if isinstance(given, ast.Constant):
        return _with_mean(source, given)
    unseen = given is not None or any(keyword.arg is None for keyword in node.keywords) or len(node.args) > 1
    if unseen or "reduction" not in _parameters(said.place.api):
        return None
    return _with_reduction(source, node)


def _with_mean(source: Source, given: ast.Constant) -> str | None:
    """The diff that gives another reduction, in the place of that which is written."""
    if given.lineno != given.end_lineno:
        return None
    line = source.lines[given.lineno - 1].encode()
    new = line[: given.col_offset] + b'"mean"' + line[given.end_col_offset or 0 :]
    return source.diff(given.lineno, new.decode())


def _with_reduction(source: Source, node: ast.Call) -> str | None:
    """The diff that gives a reduction to a call that has none."""
    line = source.lines[(node.end_lineno or 1) - 1].encode()
    end = (node.end_col_offset or 0) - 1
    if line[end : end + 1] != b")":
        return None
    before = line[:end].rstrip()
    if not before:
        return None  # the parenthesis has a line of its own
    comma = b"" if before.endswith((b"(", b",")) or not (node.args or node.keywords) else b", "
    space = b" " if before.endswith(b",") else b""
    new = before + comma + space + b'reduction="mean"' + line[end:]
    return source.diff(node.end_lineno or 1, new.decode())


def _operand(made: Any) -> ast.expr | None:
    """What a call on one line is applied to; None where that is not plain."""
    node = made.node
    if not isinstance(node, ast.Call) or node.lineno != node.end_lineno:
        return None
    layer = made.name == ""  # which takes nothing but what it is applied to
    if layer and (len(node.args) != 1 or node.keywords):
        return None
    if isinstance(node.func, ast.Attribute) and made.name.startswith("."):
        return node.func.value
    return node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None


def _without(made: Any, *, in_network: bool) -> str | None:
    """The diff that takes a softmax or sigmoid away that stands beside the loss; `in_network`: also one that is all that a network returns,
    which for a softmax leaves the predicted class as it is, while the results of a sigmoid may be held against a threshold."""
    node, frame = made.node, made.frame
    inner = _operand(made)
    if frame is None or inner is None:
        return None
    if frame.function.name in ("construct", "forward") and not (in_network and frame.returned is made):
        return None
    line = made.source.lines[node.lineno - 1].encode()
    kept = line[inner.col_offset : inner.end_col_offset]
    if not isinstance(inner, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        kept = b"(" + kept + b")"
    new = line[: node.col_offset] + kept + line[node.end_col_offset :]
    return str(diff) if (diff := made.source.diff(node.lineno, new.decode())) else None


def _parameters(name: str) -> tuple[str, ...]:
    from ..knowledge import api

    return api.parameters(name) or ()


def _example(name: str, script: str, verdict: Verdict, *codes: str) -> Example:
    head = "import mindspore as ms\nimport numpy as np\nfrom mindspore import nn, ops\n"
    return script_example(head, name, script.lstrip("\n"), verdict, *codes)


_NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Flatten(), nn.Dense(784, 64), nn.ReLU())
        self.head = nn.Dense(64, 10)

    def construct(self, x):
        return self.head(self.body(x))

net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)
"""
_LOOP = """
def forward(x, y):
    logits = net(x)
    loss = LOSS
    return loss, logits

grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
net.set_train()
for x, y in train_ds.create_tuple_iterator():
    (loss, _), grads = grad_fn(x, y)
    optimizer(grads)
"""


def _trained(loss: str, net: str = _NET) -> str:
    return net + _LOOP.replace("LOSS", loss)


_SOFTMAX = _NET.replace("return self.head(self.body(x))", "return ops.softmax(self.head(self.body(x)), axis=1)")
_SIGMOID = _NET.replace("return self.head(self.body(x))", "return nn.Sigmoid()(self.head(self.body(x)))")
_TWO_TERMS = """
def loss_of(guess, y):
    error = nn.MSELoss()(guess, y)
    size = 0.01 * ops.square(guess).mean()
    return {total}

net = nn.Dense(8, 1)
opt = nn.SGD(net.trainable_params(), 0.1)
grad = ms.value_and_grad(lambda x, y: loss_of(net(x), y), None, opt.parameters)
for x, y in data:
    loss, grads = grad(x, y)
    opt(grads)
"""
_NOISED = """
net = nn.Dense(8, 8)
opt = nn.Adam(net.trainable_params())

def forward(x):
    noise = ops.randn_like(x)
    return ((net(0.6 * x + 0.8 * {mixed}) - noise) ** 2).mean()

grad = ms.value_and_grad(forward, None, opt.parameters)
for (x,) in data:
    loss, grads = grad(x)
    opt(grads)
"""
_TAUGHT = """
teacher, net = nn.Dense(8, 3), nn.Dense(8, 3)
opt = nn.Adam(net.trainable_params())

def forward(x, y):
    soft = ops.kl_div(ops.log_softmax(net(x) / 4, -1), ops.softmax({target}, -1), "batchmean") * 16
    return ops.cross_entropy(net(x), y) + soft

grad = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad(x, y)
    opt(grads)
"""
_MARKED = """
class Pictures:
    def __init__(self):
        self.pictures, self.marks = np.load("pictures.npy"), np.load("marks.npy")

    def __getitem__(self, place):
        mark = self.marks[place].astype(np.int32)
        mark[mark > 20] = 255
        return self.pictures[place].astype(np.float32) / 255, mark

    def __len__(self):
        return len(self.marks)

net = nn.Conv2d(3, 21, 3)
optimizer = nn.SGD(net.trainable_params(), 0.1)
train_ds = ms.dataset.GeneratorDataset(Pictures(), ["picture", "mark"], shuffle=True).batch(4)
ms.Model(net, nn.CrossEntropyLoss({left_out}), optimizer).train(3, train_ds)
"""
_BOTH_TERMS = """
net = nn.Conv2d(3, 21, 3)
optimizer = nn.SGD(net.trainable_params(), 0.1)
entropy = nn.CrossEntropyLoss({left_out})

def loss_of(x, y):
    logits = net(x)
    known = ({known}).astype(ms.float32).expand_dims(1)
    shares = ops.softmax(logits, 1) * known
    hot = ops.one_hot(ops.clamp(y, 0, 20), 21, ms.Tensor(1.0), ms.Tensor(0.0)).transpose(0, 3, 1, 2) * known
    dice = 2 * (shares * hot).sum((2, 3)) / ((shares + hot) * known).sum((2, 3))
    return entropy(logits, {labels}) + {dice}

step = ms.value_and_grad(loss_of, None, optimizer.parameters)
for x, y in ms.dataset.GeneratorDataset(Pictures(), ["picture", "mark"], shuffle=True).batch(4):
    loss, grads = step(x, y)
    optimizer(grads)
"""
_PAIRED = """
import mindspore as ms
from mindspore import nn, ops

first, second = nn.Dense(32, 8), nn.Dense(16, 8)
kept = ms.Tensor(np.load("kept.npy"))

def loss_of(x, y):
    one, other = ops.L2Normalize(1)(first(x)), ops.L2Normalize(1)(second(y))
    return ops.cross_entropy(({scores}) / 0.07, {labels})

weights = [*first.trainable_params(), *second.trainable_params()]
optimizer = nn.Adam(weights, 1e-3)
step = ms.value_and_grad(loss_of, None, weights)
for x, y in train_ds.create_tuple_iterator():
    loss, grads = step(x, y)
    optimizer(grads)
"""
_WEIGHED = """
net = nn.Dense(8, 3)
opt = nn.SGD(net.trainable_params(), 0.1)

def loss_of(x, y, mask):
    error = ops.cross_entropy(net(x), y, reduction="none")
    weight = mask / mask.mean()
    return (error * weight).mean()

grad = ms.value_and_grad(loss_of, None, opt.parameters)
for x, y, mask in data:
    loss, grads = grad(x, y, mask)
    opt(grads)
"""
_SPAN = """
class Reader(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.first, self.last = nn.Dense(8, 16), nn.Dense(16, 30), nn.Dense(16, 30)

    def construct(self, x):
        x = ops.relu(self.body(x))
        return self.first(x), self.last(x)

net, loss_fn = Reader(), nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params())

def forward(x, start, end):
    first, last = net(x)
    return loss_fn(first, start) + loss_fn(last, end)

grad = ms.value_and_grad(forward, None, opt.parameters)
for x, start, end in data:
    loss, grads = grad(x, start, end)
    opt(grads)
"""
_DISTILLED = """
teacher, net = nn.Dense(8, 3), nn.Dense(8, 3)
opt = nn.Adam(net.trainable_params())

def forward(x, y):
    p, q = ops.softmax(teacher(x), -1), ops.softmax(net(x), -1)
    apart = (p * (ops.log(p + 1e-6) - ops.log(q + 1e-6))).sum(-1).mean()
    return ops.cross_entropy(net(x), y) + 0.1 * apart

grad = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad(x, y)
    opt(grads)
"""
_REGRESSION = """
net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.SGD(net.trainable_params(), 0.1)
rows, targets = np.random.randn(500, 8), np.random.randn(500)
train_ds = ms.dataset.NumpySlicesDataset((rows, targets), ["row", "target"], shuffle=True).batch(20)

def forward(x, y):
    return ((net(x) - y) ** 2).mean()

step = ms.value_and_grad(forward, None, optimizer.parameters)
for x, y in train_ds.create_tuple_iterator():
    loss, grads = step(x, y)
    optimizer(grads)
"""
_GAN = (
    _NET
    + """
maker = nn.SequentialCell(nn.Dense(8, 64), nn.ReLU(), nn.Dense(64, 784))
maker_optimizer = nn.SGD(maker.trainable_params(), 0.1)

def judged(x, z):
    fake = ops.stop_gradient(maker(z))
    return net(x).mean() - net(fake).mean()

def made(z):
    return -net(maker(z)).mean()

judge_step = ms.value_and_grad(judged, None, optimizer.parameters)
maker_step = ms.value_and_grad(made, None, maker_optimizer.parameters)
for x, z in train_ds.create_tuple_iterator():
    loss, grads = judge_step(x, z)
    optimizer(grads)
    loss, grads = maker_step(z)
    maker_optimizer(grads)
"""
)

_LATENT = """
import mindspore as ms
from mindspore import nn, ops

class Coder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.middle, self.spread = nn.Dense(64, 32), nn.Dense(32, 4), nn.Dense(32, 4)
        self.back = nn.Dense(4, 64)

    def construct(self, x):
        hidden = ops.relu(self.body(x))
        middle, spread = self.middle(hidden), self.spread(hidden)
        return self.back(middle + ops.exp(spread / 2) * ops.randn_like(middle)), middle, spread

coder = Coder()
optimizer = nn.Adam(coder.trainable_params(), 1e-3)

def loss_of(x):
    again, middle, spread = coder(x)
    return ops.mse_loss(again, x) + DIVERGENCE

step = ms.value_and_grad(loss_of, None, optimizer.parameters)
for (x,) in train_ds.create_tuple_iterator():
    loss, grads = step(x)
    optimizer(grads)
"""
_DIVERGENCE = "-0.5 * (1 + spread - middle ** 2 - spread.exp()).mean()"
_DECAYED = """
import mindspore as ms
from mindspore import nn, ops

net = nn.SequentialCell(nn.Dense(8, 64), nn.ReLU(), nn.Dense(64, 4))
optimizer = nn.Adam(net.trainable_params(), 1e-3)

def loss_of(x, y):
    loss = ops.cross_entropy(net(x), y)
    for p in net.trainable_params():
        loss = loss + 1e-4 * (p ** 2).sum()
    return loss

step = ms.value_and_grad(loss_of, None, optimizer.parameters)
for x, y in train_ds.create_tuple_iterator():
    loss, grads = step(x, y)
    optimizer(grads)
"""
_UNTRAINED = """
import mindspore as ms
from mindspore import nn, ops, Parameter, Tensor

class Margin(nn.Cell):
    def __init__(self):
        super().__init__()
        self.margin = Parameter(Tensor(1.0), name="margin")

    def construct(self, x, y):
        return ops.cross_entropy(x, y) - self.margin ** 2

net, loss = nn.SequentialCell(nn.Dense(8, 64), nn.ReLU(), nn.Dense(64, 4)), Margin()
ms.Model(net, loss, nn.Adam(net.trainable_params(), 1e-3)).train(1, train_ds)
"""
_SEGMENTED = """
import cv2
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.dataset import vision

class Scans:
    def __init__(self, names):
        self.names = names

    def __getitem__(self, i):
        return cv2.imread(f"images/{self.names[i]}.jpg"), cv2.imread(f"classes/{self.names[i]}.png", 0)

    def __len__(self):
        return len(self.names)

def turned(image, classes):
    if np.random.rand() < 0.5:
        image, classes = TURNED
    return np.ascontiguousarray(image), np.ascontiguousarray(classes)

data = ds.GeneratorDataset(Scans(names), ["image", "classes"], shuffle=True).map(turned, ["image", "classes"])
data = data.map([vision.Resize((64, 64)), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()], "image")
data = data.map([vision.Resize((64, 64)BY), lambda classes: classes.astype(np.int32)], "classes").batch(8)
net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 4, 1))
ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(9, data)
"""
_BOTH, _NEAREST = "image[:, ::-1], classes[:, ::-1]", ", vision.Inter.NEAREST"


def _segmented(name: str, verdict: Verdict, *codes: str, turned: str = _BOTH, by: str = _NEAREST) -> Example:
    return script_example("", name, _SEGMENTED.replace("TURNED", turned).replace("BY", by), verdict, *codes)


_POLICY = """
import mindspore as ms
from mindspore import nn, ops

policy = nn.SequentialCell(nn.Dense(8, 64), nn.Tanh(), nn.Dense(64, 4))
optimizer = nn.Adam(policy.trainable_params(), 3e-4)

def loss_of(state, action, before, gain):
    now = ops.gather_elements(ops.log_softmax(policy(state), -1), 1, action)
    ratio = ops.exp(now - before)
    free, limited = ratio * gain, gain * ops.clamp(ratio, 0.8, 1.2)
    return LOSS

step = ms.value_and_grad(loss_of, None, optimizer.parameters)
for state, action, before, gain in train_ds.create_tuple_iterator():
    loss, grads = step(state, action, before, gain)
    optimizer(grads)
"""

_NUMBERED = (
    _NET
    + """
train_ds = ms.dataset.FashionMnistDataset("data", "train", shuffle=True)
train_ds = train_ds.map([ms.dataset.vision.ToTensor()], "image").batch(32)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
ms.Model(net, loss, optimizer).train(10, train_ds)
"""
)
_DENSE = _NUMBERED.replace("sparse=True, ", "")
_ENCODED = (
    '"image").map([ms.dataset.transforms.OneHot(10), ms.dataset.transforms.TypeCast(ms.float32)], "label").batch(32)'
)
_JUDGED = """
from mindspore import mint

class Judge(nn.Cell):
    def __init__(self, scorer):
        super().__init__()
        self.scorer = scorer

    def construct(self, picture, mark):
        found = self.scorer(picture)
        return mint.nn.functional.binary_cross_entropy_with_logits(CALL)

scorer = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Dense(8 * 8 * 8, 1))
step = nn.TrainOneStepCell(Judge(scorer), nn.Momentum(scorer.trainable_params(), 0.1, 0.9))
for picture, mark in pictures.create_tuple_iterator():
    step(picture, mark)
"""
_TWO_HEADS = """
class Pose(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(64, 32)
        self.place, self.kind = nn.Dense(32, 4), nn.Dense(32, 10)

    def construct(self, x):
        x = self.body(x)
        return self.place(x), self.kind(x)

pose = Pose()
optimizer = nn.AdamWeightDecay(pose.trainable_params())

def objective(x, where, which):
    place, kind = pose(x)
    return LOSS

pull = ms.value_and_grad(objective, None, optimizer.parameters)
for x, where, which in rows:
    optimizer(pull(x, where, which)[1])
"""

_OWN_LOSS = """
class Smooth(nn.LossBase):
    def construct(self, scores, y):
        return -(ops.one_hot(y, 10, 0.9, 0.1) * nn.LogSoftmax()(scores)).sum(-1).mean()
"""
_MODELLED = "model = ms.Model(net, Smooth(), nn.Adam(net.trainable_params()))\nmodel.train(3, data)\n"

_NEXT = """
import numpy as np
import mindspore as ms
from mindspore import nn, ops

class Lines:
    def __init__(self):
        self.numbers = np.load("numbers.npy")

    def __getitem__(self, place):
        return self.numbers[place : place + 16], self.numbers[place + AHEAD : place + 16 + AHEAD]

    def __len__(self):
        return len(self.numbers) - 17

class Next(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.key, self.value = nn.Embedding(500, 32), nn.Dense(32, 32), nn.Dense(32, 32)
        self.hidden, self.out = ops.triu(ops.ones((16, 16)), 1), nn.Dense(32, 500)

    def construct(self, x):
        x = self.table(x)
        scores = ops.matmul(self.key(x), self.key(x).swapaxes(1, 2)) * 0.2 + self.hidden * -1e9
        return self.out(x + ops.matmul(ops.softmax(scores, -1), self.value(x)))

train_ds = ms.dataset.GeneratorDataset(Lines(), ["x", "y"], shuffle=True).batch(8)
net = Next()
optimizer = nn.Adam(net.trainable_params())

def forward(x, y):
    return ops.cross_entropy(net(x).reshape(-1, 500), y.reshape(-1))

step = ms.value_and_grad(forward, None, optimizer.parameters)
for x, y in train_ds.create_tuple_iterator():
    loss, grads = step(x, y)
    optimizer(grads)
"""
_NEXT_BY_ONE = _NEXT.replace("AHEAD", "1")
_RECURRENT = _NEXT.replace(
    "self.hidden, self.out = ops.triu(ops.ones((16, 16)), 1),",
    "self.layer, self.out = nn.GRU(32, 32, batch_first=True),",
)
_RECURRENT = re.sub(
    r"        scores = .*\n        return .*\n", "        return self.out(self.layer(x)[0])\n", _RECURRENT
)

_RUNNING = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.layer, self.out = nn.Embedding(500, 32), nn.LSTM(32, 32, batch_first=True), nn.Dense(32, 500)

    def construct(self, x):
        seen, _ = self.layer(self.table(x))
        return self.out(seen)

net = Net()
optimizer = nn.Adam(net.trainable_params())
text = ms.Tensor(np.load("text.npy").reshape(16, -1), ms.int32)

def forward(x, y):
    return ops.cross_entropy(net(x).reshape(-1, 500), y.reshape(-1))

step = ms.value_and_grad(forward, None, optimizer.parameters)
for place in range(0, text.shape[1] - 20, 20):
    loss, grads = step(text[:, place:place + 20], text[:, place + 1:place + 21])
    optimizer(grads)
"""

_DECODER = """
import mindspore as ms
from mindspore import nn, ops

class Decoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.cell, self.out = nn.Embedding(500, 32), nn.GRUCell(32, 32), nn.Dense(32, 500)

    def construct(self, ids, state):
        rows = []
        for place in range(ids.shape[1] - 1):
            state = self.cell(self.table(ids[:, place]), state)
            rows.append(self.out(state))
        return ops.stack(rows, 1)

train_ds = ms.dataset.MindDataset("lines.mindrecord", ["ids", "state"], shuffle=True).batch(8)
net = Decoder()
optimizer = nn.Adam(net.trainable_params())

def forward(ids, state):
    return ops.cross_entropy(net(ids, state).reshape(-1, 500), ids[:, LABELS].reshape(-1))

step = ms.value_and_grad(forward, None, optimizer.parameters)
for ids, state in train_ds.create_tuple_iterator():
    loss, grads = step(ids, state)
    optimizer(grads)
"""

EXAMPLES = [
    _example(
        "labels that are the input at the same places",
        _NEXT.replace("AHEAD", "0"),
        Verdict.PROBLEM,
        "labels-not-shifted",
    ),
    _example("labels that are the places before", _NEXT.replace("AHEAD", "-1"), Verdict.PROBLEM, "labels-behind"),
    _example(
        "a decoder whose labels are the tokens that it is given",
        _DECODER.replace("LABELS", ":-1"),
        Verdict.PROBLEM,
        "labels-not-shifted",
    ),
    _example("a decoder whose labels are the next tokens", _DECODER.replace("LABELS", "1:"), Verdict.OK),
    _example("labels that are the next places", _NEXT_BY_ONE, Verdict.OK),
    _example(
        "labels and logits that are cut alike",
        _NEXT_BY_ONE.replace(
            "net(x).reshape(-1, 500), y.reshape(-1)", "net(x)[:, :-1].reshape(-1, 500), x[:, :-1].reshape(-1)"
        ),
        Verdict.PROBLEM,
        "labels-not-shifted",
    ),
    _example(
        "labels and logits that are cut against each other",
        _NEXT_BY_ONE.replace(
            "net(x).reshape(-1, 500), y.reshape(-1)", "net(x)[:, :-1].reshape(-1, 500), x[:, 1:].reshape(-1)"
        ),
        Verdict.OK,
    ),
    _example(
        "a recurrent network whose labels are its input",
        _RECURRENT.replace("AHEAD", "0"),
        Verdict.PROBLEM,
        "labels-not-shifted",
    ),
    _example(
        "an autoencoder of two recurrent layers",
        _RECURRENT.replace("AHEAD", "0").replace("self.layer(x)[0]", "self.layer(self.layer(x)[0])[0]"),
        Verdict.UNDECIDED,
        "labels-not-shifted-perhaps",
    ),
    _example(
        "a loop of one's own whose labels are its input",
        _RUNNING.replace("place + 1:place + 21", "place:place + 20"),
        Verdict.PROBLEM,
        "labels-not-shifted",
    ),
    _example("a loop of one's own whose labels are the next places", _RUNNING, Verdict.OK),
    _example(
        "a recurrent network whose labels are its input turned round",
        _RECURRENT.replace(
            "self.numbers[place + AHEAD : place + 16 + AHEAD]", "self.numbers[place : place + 16][::-1]"
        ),
        Verdict.OK,
    ),
    _example(
        "labels before the prediction, in a cell",
        _JUDGED.replace("CALL", "mark, found"),
        Verdict.PROBLEM,
        "arguments-exchanged",
    ),
    _example(
        "ones like the prediction before it",
        _JUDGED.replace("CALL", "ops.ones_like(found), found"),
        Verdict.PROBLEM,
        "arguments-exchanged",
    ),
    _example(
        "labels before what an unseen network gives",
        _JUDGED.replace("(found", "(zoo.net(found)")
        .replace("self.scorer(picture)", "zoo.net(picture)")
        .replace("CALL", "mark, found"),
        Verdict.PROBLEM,
        "arguments-exchanged",
    ),
    _example(
        "unseen whole numbers before the prediction",
        _JUDGED.replace("CALL", "marks.of(mark).astype(mint.int32).view(-1), found"),
        Verdict.PROBLEM,
        "arguments-exchanged",
    ),
    _example(
        "unseen whole numbers behind the prediction",
        _JUDGED.replace("CALL", "found, marks.of(mark).astype(mint.int32).view(-1)"),
        Verdict.OK,
        "fits",
    ),
    _example(
        "a softmax at the end of a network, and a loss of one's own that takes another",
        _SOFTMAX + _OWN_LOSS + _MODELLED,
        Verdict.PROBLEM,
        "double-softmax",
    ),
    _example("a loss of one's own that takes the only softmax", _NET + _OWN_LOSS + _MODELLED, Verdict.OK),
    _example(
        "a loss of one's own whose softmax runs over the batch",
        _NET + _OWN_LOSS.replace("nn.LogSoftmax()", "nn.LogSoftmax(axis=0)") + _MODELLED,
        Verdict.PROBLEM,
        "classes-along-another",
    ),
    _example(
        "outputs that each rank the samples of a batch",
        _NET
        + _OWN_LOSS.replace("nn.LogSoftmax()", "nn.LogSoftmax(axis=0)").replace(
            "ops.one_hot(y, 10, 0.9, 0.1)", "ops.softmax(y, axis=0)"
        )
        + _MODELLED,
        Verdict.UNDECIDED,
        "no-loss",
    ),
    _example(
        "a logarithm of a softmax over the batch",
        _SOFTMAX.replace("axis=1", "axis=0") + _LOOP.replace("LOSS", "ops.nll_loss(ops.log(logits), y)"),
        Verdict.PROBLEM,
        "classes-along-another",
    ),
    _example(
        "a logarithm of a softmax over the classes",
        _SOFTMAX + _LOOP.replace("LOSS", "ops.nll_loss(ops.log(logits), y)"),
        Verdict.OK,
    ),
    _example(
        "one-hot labels that are 0 for the class",
        _trained(
            "nn.SoftmaxCrossEntropyWithLogits(reduction='mean')(logits, ops.OneHot()(y, 10, ms.Tensor(0.1), ms.Tensor(0.9)))"
        ),
        Verdict.PROBLEM,
        "one-hot-turned",
    ),
    _example("labels first, by keywords", _JUDGED.replace("CALL", "target=mark, input=found"), Verdict.OK, "fits"),
    _example(
        "probabilities of another network as labels",
        _JUDGED.replace("CALL", "found, mint.sigmoid(nn.Dense(192, 1)(picture.flatten(1)))"),
        Verdict.OK,
        "fits",
    ),
    _example(
        "the loss of one of two heads is turned",
        _TWO_HEADS.replace("LOSS", "nn.CrossEntropyLoss()(kind, which) + 2 * (-nn.HuberLoss()(place, where))"),
        Verdict.PROBLEM,
        "loss-negated",
    ),
    _example(
        "the losses of two heads",
        _TWO_HEADS.replace("LOSS", "nn.CrossEntropyLoss()(kind, which) + 2 * nn.HuberLoss()(place, where)"),
        Verdict.OK,
        "fits",
    ),
    _example("cross entropy on logits", _trained("nn.CrossEntropyLoss()(logits, y)"), Verdict.OK, "fits"),
    _example(
        "cross entropy on probabilities",
        _trained("nn.CrossEntropyLoss()(logits, y)", _SOFTMAX),
        Verdict.PROBLEM,
        "double-softmax",
    ),
    _example("class numbers for a sparse loss", _NUMBERED, Verdict.OK, "fits"),
    _example("class numbers for a dense loss", _DENSE, Verdict.PROBLEM, "classes-for-distributions"),
    _example("encoded labels for a dense loss", _DENSE.replace('"image").batch(32)', _ENCODED), Verdict.OK, "fits"),
    _example(
        "integers for a dense loss in a loop",
        _trained("nn.SoftmaxCrossEntropyWithLogits()(logits, y.astype(ms.int32)).mean()"),
        Verdict.PROBLEM,
        "classes-for-distributions",
    ),
    _example(
        "softmax in the network, and the loss given to Model",
        _SOFTMAX
        + """
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
ms.Model(net, loss, optimizer).train(10, train_ds)
""",
        Verdict.PROBLEM,
        "double-softmax",
    ),
    _example(
        "softmax beside the loss",
        _trained("ops.cross_entropy(logits, y)").replace("logits = net(x)", "logits = ops.softmax(net(x), axis=1)"),
        Verdict.PROBLEM,
        "double-softmax",
    ),
    _example(
        "softmax for what is shown only",
        _trained("ops.cross_entropy(logits, y)") + "print(ops.softmax(net(x)))\n",
        Verdict.OK,
        "fits",
    ),
    _example(
        "softmax inside the network, on attention",
        _NET.replace("return self.head(self.body(x))", "x = self.body(x)\n        return self.head(x * ops.softmax(x))")
        + "ms.Model(net, nn.CrossEntropyLoss(), optimizer).train(1, train_ds)\n",
        Verdict.OK,
        "fits",
    ),
    _example(
        "a sigmoid before BCEWithLogitsLoss",
        _trained("nn.BCEWithLogitsLoss()(logits, y)", _SIGMOID),
        Verdict.PROBLEM,
        "double-sigmoid",
    ),
    _example("BCELoss on a sigmoid", _trained("nn.BCELoss()(logits, y)", _SIGMOID), Verdict.OK, "fits"),
    _example("BCELoss on logits", _trained("nn.BCELoss()(logits, y)"), Verdict.PROBLEM, "logits-for-probabilities"),
    _example(
        "NLLLoss on probabilities", _trained("ops.nll_loss(logits, y)", _SOFTMAX), Verdict.PROBLEM, "no-log-softmax"
    ),
    _example(
        "NLLLoss on logarithms",
        _trained("ops.nll_loss(ops.log(logits.astype(ms.float32)), y)", _SOFTMAX),
        Verdict.OK,
        "fits",
    ),
    _example(
        "the formula of a likelihood without a logarithm",
        _trained("-(ops.one_hot(y, 10, 1.0, 0.0) * -1.0 * logits).sum(-1).mean()", _SOFTMAX).replace("-(ops", "(ops"),
        Verdict.PROBLEM,
        "no-logarithm",
    ),
    _example(
        "the formula of a likelihood",
        _trained("(-1.0 * ops.log_softmax(logits) * ops.one_hot(y, 10, 1.0, 0.0)).sum(-1).mean()"),
        Verdict.OK,
        "own-likelihood",
    ),
    _example(
        "no reduction, given to Model",
        _NET + "ms.Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True), optimizer).train(10, train_ds)\n",
        Verdict.PROBLEM,
        "none-reduction",
    ),
    _example(
        "no reduction in a loop",
        _trained("nn.SoftmaxCrossEntropyWithLogits(sparse=True)(logits, y)"),
        Verdict.PROBLEM,
        "none-reduction",
    ),
    _example(
        "no reduction, averaged by hand",
        _trained("nn.SoftmaxCrossEntropyWithLogits(sparse=True)(logits, y).mean()"),
        Verdict.OK,
        "fits",
    ),
    _example(
        "no reduction, for evaluation only",
        _NET
        + """
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
ms.Model(net, loss, optimizer).train(10, train_ds)
ms.Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True), metrics={"acc"}).eval(val_ds)
""",
        Verdict.OK,
        "fits",
    ),
    _example(
        "no reduction in a loss cell that only evaluates",
        _NET
        + """
ms.Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), optimizer).train(10, train_ds)
judge = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True))
judge.set_train(False)
print(judge(x, y).asnumpy().mean())
""",
        Verdict.OK,
        "fits",
    ),
    _example(
        "no reduction in a loss cell that is differentiated",
        _trained("judge(x, y)", _NET + "judge = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True))\n"),
        Verdict.PROBLEM,
        "none-reduction",
    ),
    _example(
        "an operator without reduction",
        _trained("ops.SigmoidCrossEntropyWithLogits()(logits, y)"),
        Verdict.UNDECIDED,
        "none-reduction-perhaps",
    ),
    _example(
        "no reduction, divided by a count of its own",
        _trained("nn.SoftmaxCrossEntropyWithLogits(sparse=True)(logits, y) / (y > 0).sum()"),
        Verdict.OK,
        "fits",
    ),
    _example(
        "a sum over the batch",
        _NET + 'ms.Model(net, nn.MSELoss(reduction="sum"), optimizer).train(10, train_ds)\n',
        Verdict.UNDECIDED,
        "sum-reduction",
    ),
    _example(
        "one-hot labels for a sparse loss",
        _trained(
            'nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")(logits, ops.one_hot(y, 10, 1.0, 0.0))'
        ),
        Verdict.PROBLEM,
        "one-hot-for-sparse",
    ),
    _example(
        "one-hot labels for a dense loss",
        _trained('nn.SoftmaxCrossEntropyWithLogits(reduction="mean")(logits, ops.one_hot(y, 10, 1.0, 0.0))'),
        Verdict.OK,
        "fits",
    ),
    _example(
        "squared errors on classes",
        _trained("nn.MSELoss()(logits, y)") + "print((net(x).argmax(1) == y).sum())\n",
        Verdict.PROBLEM,
        "regression-on-classes",
    ),
    _example(
        "a loss that fits, and is only printed",
        _trained("(logits - ops.one_hot(y, 10)).abs().sum()") + "print(nn.CrossEntropyLoss()(net(x), y))\n",
        Verdict.UNDECIDED,
        "fits-beside",
    ),
    _example(
        "a loss that fits, trained and printed",
        _trained("nn.CrossEntropyLoss()(logits, y)") + "print(nn.CrossEntropyLoss()(net(x), y))\n",
        Verdict.OK,
        "fits",
    ),
    _example(
        "a cell that computes as it is made",
        """
class Net(nn.Cell):
    def __init__(self, x):
        super().__init__()
        self.weight = ms.Parameter(ops.ones((8, 2)))
        self.scores = ops.matmul(x, self.weight)

net = Net(ops.ones((4, 8)))
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, train_ds)
""",
        Verdict.UNDECIDED,
        "network-without-construct",
    ),
    _example(
        "squared errors, and a Model that evaluates accuracy",
        _NET
        + 'model = ms.Model(net, nn.MSELoss(), optimizer, {"acc"})\nmodel.train(10, train_ds)\nmodel.eval(test_ds)\n',
        Verdict.PROBLEM,
        "regression-on-classes",
    ),
    _example(
        "squared errors, and an accuracy that nothing asks for",
        _NET + 'ms.Model(net, nn.MSELoss(), optimizer, {"acc"}).train(10, train_ds)\n',
        Verdict.OK,
        "fits",
    ),
    _example(
        "squared errors on integers",
        _trained("nn.MSELoss()(logits, y.astype(ms.int32))"),
        Verdict.PROBLEM,
        "regression-on-classes",
    ),
    _example("squared errors on numbers", _trained("nn.MSELoss()(logits, y)"), Verdict.OK, "fits"),
    _example(
        "squared errors on one-hot labels",
        _trained("nn.MSELoss()(logits, ops.one_hot(y, 10, 1.0, 0.0))") + "print((net(x).argmax(1) == y).sum())\n",
        Verdict.OK,
        "fits",
    ),
    _example(
        "a weight for each position",
        """
def forward(ids, labels, weights):
    scores = net(ids)
    return ops.cross_entropy(scores.view(-1, 100), labels.view(-1), weights.view(-1))

net = nn.Dense(8, 100)
grad_fn = ms.value_and_grad(forward, None, net.trainable_params())
for ids, labels, weights in train_ds.create_tuple_iterator():
    loss, grads = grad_fn(ids, labels, weights)
""",
        Verdict.PROBLEM,
        "weight-per-position",
    ),
    _example(
        "weights of classes",
        _trained("ops.cross_entropy(logits, y.view(-1), ms.Tensor(np.array([0.1] * 10)).view(-1))"),
        Verdict.OK,
        "fits",
    ),
    _example(
        "a number for a loss function, and a cell that is never run",
        _NET
        + """
loss_fn = nn.MSELoss()
for x, y in train_ds.create_tuple_iterator():
    with_loss = nn.WithLossCell(net, loss_fn(net(x), y))
    train_net = nn.TrainOneStepCell(with_loss, optimizer)
""",
        Verdict.PROBLEM,
        "value-as-loss",
        "never-called",
    ),
    _example(
        "a training cell that is run",
        _NET
        + """
train_net = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
for x, y in train_ds.create_tuple_iterator():
    train_net(x, y)
""",
        Verdict.OK,
        "fits",
    ),
    _example(
        "a gradient penalty with normal weights",
        _NET
        + """
def penalty(real, fake):
    alpha = ops.randn((real.shape[0], 1, 1, 1))
    between = alpha * real + (1 - alpha) * fake
    gradients = ms.grad(net)(between)
    return ((gradients.norm(2, 1) - 1) ** 2).mean()

print(penalty(real, fake))
""",
        Verdict.PROBLEM,
        "penalty-normal",
    ),
    _example(
        "a gradient penalty with uniform weights",
        _trained("nn.MSELoss()(logits, y)")
        + """
def penalty(real, fake):
    alpha = ops.rand((real.shape[0], 1, 1, 1))
    between = alpha * real + (1 - alpha) * fake
    gradients = ms.grad(net)(between)
    return ((gradients.norm(2, 1) - 1) ** 2).mean()

print(penalty(real, fake))
""",
        Verdict.OK,
        "fits",
    ),
    _example(
        "a gradient penalty of scores that are averaged first",
        _trained("nn.MSELoss()(logits, y)")
        + """
def score(x):
    return net(x).mean()

def penalty(between):
    slope = ms.grad(score)(between).view(32, -1)
    return ((slope.norm(dim=1) - 1) ** 2).mean()

print(penalty(between))
""",
        Verdict.PROBLEM,
        "penalty-of-mean",
    ),
    _example(
        "a term that is computed and left out of the sum",
        _TWO_TERMS.format(total="error"),
        Verdict.UNDECIDED,
        "term-unused",
    ),
    _example(
        "noise that the input does not hold",
        _NOISED.format(mixed="ops.randn_like(x)"),
        Verdict.PROBLEM,
        "target-random",
    ),
    _example("noise that the input holds", _NOISED.format(mixed="noise"), Verdict.UNDECIDED),
    _example(
        "a temperature for the student alone",
        _TAUGHT.format(target="teacher(x)"),
        Verdict.UNDECIDED,
        "temperature-missing",
    ),
    _example("a temperature for both", _TAUGHT.format(target="teacher(x) / 4"), Verdict.OK),
    _example("a mark that the loss leaves out", _MARKED.format(left_out="ignore_index=255"), Verdict.OK),
    _example(
        "a mark that the loss takes for a class",
        _MARKED.format(left_out=""),
        Verdict.PROBLEM,
        "class-out-of-range",
    ),
    *(
        _example(
            told,
            _BOTH_TERMS.format(left_out=left_out, known=known, labels=labels, dice=dice),
            Verdict.PROBLEM if code != "fits" else Verdict.OK,
            code,
        )
        for told, left_out, known, labels, dice, code in (
            ("two terms that leave out the same", "ignore_index=255", "y != 255", "y", "1 - dice.mean()", "fits"),
            ("one term that leaves nothing out", "", "y != 255", "y", "1 - dice.mean()", "left-out-elsewhere"),
            (
                "one that leaves out a class",
                "ignore_index=0",
                "ops.ne(y, 255)",
                "y",
                "1 - dice.mean()",
                "left-out-elsewhere",
            ),
            ("a number that is no mark", "", "y != 0", "y", "1 - dice.mean()", "fits"),
            ("marks that become a class", "", "y != 255", "ops.clamp(y, 0, 20)", "1 - dice.mean()", "fits"),
            (
                "what is in common, added to a loss",
                "ignore_index=255",
                "y != 255",
                "y",
                "dice.mean()",
                "overlap-minimised",
            ),
            (
                "what is in common, less 1",
                "ignore_index=255",
                "y != 255",
                "y",
                "0.5 * (dice.mean() - 1)",
                "overlap-minimised",
            ),
            ("what is in common, taken off a loss", "ignore_index=255", "y != 255", "y", "-dice.mean()", "fits"),
        )
    ),
    *(
        _example(
            told,
            _PAIRED.format(scores=scores, labels=labels),
            {"labels-alike": Verdict.PROBLEM, "fits": Verdict.OK}.get(code, Verdict.UNDECIDED),
            code,
        )
        for told, scores, labels, code in (
            ("pairs that all belong to the first", "one @ other.T", "ops.zeros(64, ms.int32)", "labels-alike"),
            ("pairs along the diagonal", "one @ other.T", "ops.arange(64)", "fits"),
            (
                "the one that belongs together before the others",
                "ops.cat(((one * other).sum(1, keepdims=True), one @ kept), 1)",
                "ops.zeros(64, ms.int32)",
                "prediction-unseen",
            ),
        )
    ),
    _example(
        "two domains, each with its number",
        _NET
        + _LOOP.replace(
            "LOSS",
            "ops.cross_entropy(logits, ops.zeros(32, ms.int32)) + ops.cross_entropy(net(y), ops.ones(32, ms.int32))",
        ),
        Verdict.OK,
        "fits",
    ),
    _example(
        "a focal loss that weighs the easy samples",
        _trained("-(ops.exp(picked) ** 2 * picked).mean()").replace(
            "    loss =",
            "    picked = ops.gather_elements(ops.log_softmax(logits, -1), 1, y.expand_dims(1))\n    loss =",
        ),
        Verdict.PROBLEM,
        "focus-turned",
    ),
    _example(
        "a focal loss",
        _trained("-((1 - ops.exp(picked)) ** 2 * picked).mean()").replace(
            "    loss =",
            "    picked = ops.gather_elements(ops.log_softmax(logits, -1), 1, y.expand_dims(1))\n    loss =",
        ),
        Verdict.OK,
    ),
    _example("two terms that are added up", _TWO_TERMS.format(total="error + size"), Verdict.OK),
    _example(
        "a term that is averaged under its own name and left out",
        _TWO_TERMS.format(total="error").replace(
            "0.01 * ops.square(guess).mean()", "ops.square(guess)\n    size = size.mean()"
        ),
        Verdict.UNDECIDED,
        "term-unused",
    ),
    _example(
        "weights of samples that the loss does not use",
        _WEIGHED.replace("(error * weight)", "error"),
        Verdict.UNDECIDED,
        "argument-unused",
    ),
    _example("weights of samples", _WEIGHED, Verdict.OK),
    _example(
        "two ends of a span from one output",
        _SPAN.replace("last, end", "first, end"),
        Verdict.PROBLEM,
        "output-left",
    ),
    _example("two ends of a span", _SPAN, Verdict.OK),
    _example(
        "labels that are mixed, beside features that no loss reads",
        _SPAN.replace("self.first(x), self.last(x)", "self.first(x), x").replace(
            "loss_fn(last, end)", "loss_fn(first, start[::-1])"
        ),
        Verdict.OK,
    ),
    _example(
        "labels smoothed by 0.9",
        _trained("nn.CrossEntropyLoss(label_smoothing=0.9)(logits, y)"),
        Verdict.PROBLEM,
        "smoothed-away",
    ),
    _example(
        "one-hot labels that are the same for all classes",
        _trained("nn.SoftmaxCrossEntropyWithLogits(reduction='mean')(logits, ops.one_hot(y, 10, 1.0, 1.0))"),
        Verdict.PROBLEM,
        "classes-alike",
    ),
    _example(
        "one-hot labels smoothed by 0.8",
        _trained("nn.SoftmaxCrossEntropyWithLogits(reduction='mean')(logits, ops.one_hot(y, 10, 0.2, 0.1))"),
        Verdict.PROBLEM,
        "smoothed-away",
    ),
    _example("labels smoothed by 0.1", _trained("ops.cross_entropy(logits, y, label_smoothing=0.1)"), Verdict.OK),
    _example(
        "a mean that is divided by the batch",
        _LATENT.replace("ops.mse_loss(again, x)", "ops.mse_loss(again, x) / x.shape[0]").replace(
            "DIVERGENCE", _DIVERGENCE
        ),
        Verdict.UNDECIDED,
        "mean-divided",
    ),
    _example(
        "a sum that is divided by the batch",
        _LATENT.replace("ops.mse_loss(again, x)", "nn.MSELoss(reduction='sum')(again, x) / len(x)").replace(
            "DIVERGENCE", _DIVERGENCE
        ),
        Verdict.OK,
    ),
    _example(
        "the divergence of two distributions, taken off",
        _DISTILLED.replace("+ 0.1", "- 0.1"),
        Verdict.UNDECIDED,
        "loss-negated-perhaps",
    ),
    _example("the divergence of two distributions", _DISTILLED, Verdict.OK),
    _example(
        "a likelihood that only chooses probabilities",
        _trained("((1 - (-ops.nll_loss(logits, y, reduction='none')) ** 0.7) / 0.7).mean()", _SOFTMAX),
        Verdict.UNDECIDED,
    ),
    _example(
        "a column of predictions less a vector of labels",
        _REGRESSION,
        Verdict.PROBLEM,
        "pairs-compared",
    ),
    _example(
        "a vector of predictions less a vector of labels",
        _REGRESSION.replace("net(x) - y", "net(x).squeeze(-1) - y"),
        Verdict.UNDECIDED,
        "no-loss",
    ),
    _example(
        "a ReLU before the loss",
        _trained("ops.cross_entropy(ops.relu(logits), y)"),
        Verdict.PROBLEM,
        "cut-off-logits",
    ),
    _example(
        "a last layer with a ReLU of its own",
        _trained("ops.cross_entropy(logits, y)", _NET.replace("Dense(64, 10)", "Dense(64, 10, activation='relu')")),
        Verdict.PROBLEM,
        "cut-off-logits",
    ),
    _example(
        "a bounded activation before the loss",
        _trained("ops.cross_entropy(ops.tanh(logits), y)"),
        Verdict.UNDECIDED,
        "activation-for-logits",
    ),
    _example(
        "an activation that keeps negative scores",
        _trained("ops.cross_entropy(ops.leaky_relu(logits), y)"),
        Verdict.UNDECIDED,
        "activation-for-logits",
    ),
    _example(
        "dropout behind the last layer",
        _trained(
            "ops.cross_entropy(logits, y)",
            _NET.replace("self.head(self.body(x))", "ops.cast(nn.Dropout(p=0.5)(self.head(self.body(x))), ms.float32)"),
        ),
        Verdict.PROBLEM,
        "dropped-scores",
    ),
    _example(
        "dropout before the last layer",
        _trained("ops.cross_entropy(logits, y)", _NET.replace("self.body(x)", "nn.Dropout(p=0.5)(self.body(x))")),
        Verdict.OK,
        "fits",
    ),
    *(
        _example(
            f"a softmax over {told}, beside the loss of the classes",
            _NET
            + "def overlap(logits, y):\n"
            + f"    shares = ops.softmax(logits, axis={axis})\n"
            + "    hot = ops.one_hot(y, 10, ms.Tensor(1.0), ms.Tensor(0.0))\n"
            + "    return 1 - 2 * (shares * hot).sum() / (shares + hot).sum()\n"
            + _LOOP.replace("LOSS", "ops.cross_entropy(logits, y) + overlap(logits, y)"),
            verdict,
            code,
        )
        for told, axis, verdict, code in (
            ("the samples", 0, Verdict.PROBLEM, "classes-along-another"),
            ("the classes", 1, Verdict.OK, "fits"),
            ("the last axis", -1, Verdict.OK, "fits"),
        )
    ),
    _example(
        "another loss, of which the sign is not seen",
        "from house import rewarded\n"
        + _trained("ops.cross_entropy(logits, y)")
        + _LOOP.replace("LOSS", "rewarded(logits, y)").replace("forward", "second"),
        Verdict.UNDECIDED,
        "sign-unseen",
    ),
    _example(
        "a network out of sight",
        _trained("ops.cross_entropy(logits, y)", "from zoo import net, optimizer\n"),
        Verdict.UNDECIDED,
        "prediction-unseen",
    ),
    _example(
        "a loss with its sign turned",
        _trained("-nn.CrossEntropyLoss()(logits, y)"),
        Verdict.PROBLEM,
        "loss-negated",
    ),
    _example(
        "gradients that are negated before the optimizer has them",
        _trained("ops.cross_entropy(logits, y)").replace("optimizer(grads)", "optimizer([-g for g in grads])"),
        Verdict.PROBLEM,
        "gradients-negated",
    ),
    _example(
        "the log-probability of the labels, minimised as it is",
        _trained("ops.gather_elements(ops.log_softmax(logits), 1, y.expand_dims(1)).mean()"),
        Verdict.PROBLEM,
        "likelihood-minimised",
    ),
    _example(
        "the log-probability of the labels, negated",
        _trained("-ops.log_softmax(logits)[ops.arange(y.shape[0]), y].mean()"),
        Verdict.OK,
        "own-likelihood",
    ),
    _example(
        "the share that predictions and labels have in common, minimised as it is",
        _trained("2 * (logits * y).sum() / (logits.sum() + y.sum() + 1e-6)", _SIGMOID),
        Verdict.PROBLEM,
        "overlap-minimised",
    ),
    _example("a critic that rates generated samples higher", _GAN, Verdict.PROBLEM, "same-direction"),
    _example(
        "a critic that rates all samples lower",
        _GAN.replace("net(x).mean() - net(fake)", "net(x).mean() + net(fake)"),
        Verdict.PROBLEM,
        "nothing-told-apart",
    ),
    *(
        _example(
            f"an overlap of {shares}, beside the loss of the classes",
            _NET
            + "def overlap(logits, y):\n"
            + f"    shares = {shares}\n"
            + "    hot = ops.one_hot(y, 10, ms.Tensor(1.0), ms.Tensor(0.0))\n"
            + "    return 1 - 2 * (shares * hot).sum() / (shares + hot).sum()\n"
            + _LOOP.replace("LOSS", "ops.cross_entropy(logits, y) + 0.5 * overlap(logits, y)"),
            verdict,
            code,
        )
        for shares, verdict, code in (
            ("(ops.softmax(logits, 1) > 0.5).astype(ms.float32)", Verdict.PROBLEM, "term-without-gradient"),
            (
                "ops.one_hot(logits.argmax(1), 10, ms.Tensor(1.0), ms.Tensor(0.0))",
                Verdict.PROBLEM,
                "term-without-gradient",
            ),
            ("ops.stop_gradient(ops.softmax(logits, 1))", Verdict.OK, "fits"),
            ("ops.softmax(logits, 1) * (logits > 0)", Verdict.OK, "fits"),
        )
    ),
    *(
        _example(
            f"noise that is drawn {told}",
            _GAN.replace("net(x).mean() - net(fake)", "net(fake).mean() - net(x)")
            .replace("for x, z in", f"{before}for x, z in")
            .replace("    loss, grads = judge_step", f"    {within}\n    loss, grads = judge_step"),
            verdict,
            code,
        )
        for told, before, within, verdict, code in (
            ("for each batch", "", "z = ops.standard_normal((32, 8))", Verdict.UNDECIDED, "no-loss"),
            (
                "before the loop",
                "seen = ms.Tensor(np.random.randn(32, 8), ms.float32)\n",
                "z = seen",
                Verdict.PROBLEM,
                "noise-once",
            ),
            (
                "before the loop, to look at",
                "seen = ops.randn(32, 8)\n",
                "shown = maker(seen)",
                Verdict.UNDECIDED,
                "no-loss",
            ),
        )
    ),
    _example(
        "a critic that scores the real samples twice",
        _GAN.replace("net(x).mean() - net(fake)", "net(x).mean() - net(x)"),
        Verdict.PROBLEM,
        "same-for-both",
    ),
    _example(
        "a divergence with its sign turned",
        _LATENT.replace("DIVERGENCE", _DIVERGENCE.removeprefix("-")),
        Verdict.PROBLEM,
        "no-bottom",
    ),
    _segmented("label images that are moved with theirs", Verdict.OK, "fits"),
    _segmented("label images that are interpolated", Verdict.PROBLEM, "labels-interpolated", by=""),
    _segmented(
        "label images that OpenCV interpolates",
        Verdict.PROBLEM,
        "labels-interpolated",
        turned="cv2.resize(image, (96, 96)), cv2.resize(classes, (96, 96))",
    ),
    _segmented(
        "label images that OpenCV takes the nearest pixels of",
        Verdict.OK,
        "fits",
        turned="cv2.resize(image, (96, 96)), cv2.resize(classes, (96, 96), interpolation=cv2.INTER_NEAREST)",
    ),
    _segmented("images that are moved alone", Verdict.PROBLEM, "moved-apart", turned="image[:, ::-1], classes"),
    _segmented("label images that are moved alone", Verdict.PROBLEM, "moved-apart", turned="image, np.fliplr(classes)"),
    _example(
        "a penalty on weights that is subtracted", _DECAYED.replace("+ 1e-4", "- 1e-4"), Verdict.PROBLEM, "weights-grow"
    ),
    _example("a penalty on weights", _DECAYED, Verdict.OK, "fits"),
    _example(
        "a number of the loss whose square is taken off, and which no optimizer has", _UNTRAINED, Verdict.OK, "fits"
    ),
    _example(
        "such a number that the optimizer has",
        _UNTRAINED.replace("net.trainable_params()", "net.trainable_params() + loss.trainable_params()"),
        Verdict.PROBLEM,
        "weights-grow",
    ),
    _example("a divergence", _LATENT.replace("DIVERGENCE", _DIVERGENCE), Verdict.OK, "fits"),
    _example(
        "a square that is taken off what grows with it",
        _LATENT.replace("DIVERGENCE", "((middle - 1) ** 4 - middle ** 2).mean()"),
        Verdict.OK,
        "fits",
    ),
    _example(
        "a square of limited numbers that is taken off",
        _LATENT.replace("DIVERGENCE", "(-ops.tanh(middle) ** 2).mean()"),
        Verdict.OK,
        "fits",
    ),
    _example(
        "the larger of a product and the one with the limited ratio",
        _POLICY.replace("LOSS", "-ops.maximum(free, limited).mean()"),
        Verdict.PROBLEM,
        "larger-of-surrogates",
    ),
    _example(
        "the smaller of two negated products",
        _POLICY.replace("LOSS", "ops.minimum(-free, -limited).mean()"),
        Verdict.PROBLEM,
        "larger-of-surrogates",
    ),
    _example(
        "the smaller of a product and the one with the limited ratio",
        _POLICY.replace("LOSS", "-ops.minimum(free, limited).mean()"),
        Verdict.UNDECIDED,
    ),
    _example(
        "the larger of two negated products",
        _POLICY.replace("LOSS", "ops.maximum(-gain * ratio, -gain * ops.clamp(ratio, 0.8, 1.2)).mean()"),
        Verdict.UNDECIDED,
    ),
    _example(
        "a critic and a generator that compete",
        _GAN.replace("net(x).mean() - net(fake).mean()", "net(fake).mean() - net(x).mean()"),
        Verdict.UNDECIDED,
        "no-loss",
    ),
    _example(
        "a loss less the logarithm of probabilities",
        _trained(
            "nn.CrossEntropyLoss()(logits, y) - 0.1 * (ops.log_softmax(logits) * ops.one_hot(y, 10, 1.0, 0.0)).mean()"
        ),
        Verdict.OK,
        "fits",
    ),
    _example(
        "a negative loss with a factor that may be negative",
        _trained("-(nn.CrossEntropyLoss(reduction='none')(logits, y) * advantage).mean()"),
        Verdict.UNDECIDED,
        "loss-negated-perhaps",
    ),
    _example("a formula of its own", _trained("(logits - y).abs().mean()"), Verdict.UNDECIDED, "no-loss"),
]
