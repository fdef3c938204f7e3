"""A perceptron of three layers."""

from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(64, 48)
        self.relu = nn.ReLU()
        self.fc2 = nn.Dense(48, 48)
        self.drop = nn.Dropout(p=0.0)
        self.head = nn.Dense(48, 10)

    def construct(self, x):
        x = self.relu(self.fc1(x))
        x = self.drop(self.relu(self.fc2(x)))
        return self.head(x)
