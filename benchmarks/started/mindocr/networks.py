"""Backbones and heads, which enter themselves under their names."""

from mindspore import nn

BACKBONES, HEADS = {}, {}


def register(table):
    def enter(made):
        table[made.__name__] = made
        return made

    return enter


@register(BACKBONES)
class PlainBackbone(nn.Cell):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 3, pad_mode="same", has_bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        self.out_channels = channels

    def construct(self, x):
        return self.relu(self.norm(self.conv(x)))


@register(HEADS)
class ClassHead(nn.Cell):
    def __init__(self, inputs, classes):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(inputs * 32 * 32, classes)

    def construct(self, x):
        return self.dense(self.flatten(x))


class Whole(nn.Cell):
    def __init__(self, backbone, head):
        super().__init__()
        self.backbone, self.head = backbone, head

    def construct(self, x):
        return self.head(self.backbone(x))
