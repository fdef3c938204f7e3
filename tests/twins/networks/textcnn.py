"""Convolutions over embedded tokens, and the largest of each."""

from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(17, 16)
        self.conv3 = nn.Conv1d(16, 16, 3, pad_mode="valid", has_bias=True)
        self.conv5 = nn.Conv1d(16, 16, 5, pad_mode="valid", has_bias=True)
        self.relu = nn.ReLU()
        self.fc = nn.Dense(32, 10)

    def construct(self, x):
        x = self.embedding(x).swapaxes(1, 2)
        found = [ops.amax(self.relu(self.conv3(x)), 2), ops.amax(self.relu(self.conv5(x)), 2)]
        return self.fc(ops.cat(found, 1))
