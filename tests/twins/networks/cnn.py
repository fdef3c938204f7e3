"""Two convolutions with BatchNorm."""

from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.bn1 = nn.BatchNorm2d(8, eps=1e-5, momentum=0.9)
        self.act1 = nn.ReLU()
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.bn2 = nn.BatchNorm2d(16, eps=1e-5, momentum=0.9)
        self.act2 = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(64, 10)

    def construct(self, x):
        x = self.act1(self.bn1(self.conv1(x)))
        x = self.pool(self.act2(self.bn2(self.conv2(x))))
        return self.fc(self.flatten(x))
