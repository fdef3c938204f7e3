"""A residual network of two blocks, the second with a projection; module names are not those of the benchmark."""

from mindspore import nn


class Block(nn.Cell):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.conv_a = nn.Conv2d(channels, width, 3, stride=stride, pad_mode="pad", padding=1)
        self.norm_a = nn.BatchNorm2d(width, eps=1e-5, momentum=0.9)
        self.conv_b = nn.Conv2d(width, width, 3, pad_mode="pad", padding=1)
        self.norm_b = nn.BatchNorm2d(width, eps=1e-5, momentum=0.9)
        self.relu = nn.ReLU()
        self.project = None
        if stride > 1:
            self.project = nn.SequentialCell(
                nn.Conv2d(channels, width, 1, stride=stride, pad_mode="valid"),
                nn.BatchNorm2d(width, eps=1e-5, momentum=0.9),
            )

    def construct(self, x):
        y = self.relu(self.norm_a(self.conv_a(x)))
        y = self.norm_b(self.conv_b(y))
        if self.project is not None:
            x = self.project(x)
        return self.relu(x + y)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1)
        self.block1 = Block(8, 8, 1)
        self.block2 = Block(8, 16, 2)
        self.classifier = nn.Dense(16, 10)

    def construct(self, x):
        x = self.block2(self.block1(self.stem(x)))
        return self.classifier(x.mean((2, 3)))
