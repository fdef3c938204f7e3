"""The mean of embedded tokens, classified."""

from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(17, 32)
        self.hidden = nn.Dense(32, 32)
        self.tanh = nn.Tanh()
        self.head = nn.Dense(32, 10)

    def construct(self, x):
        x = self.embedding(x).mean(1)
        return self.head(self.tanh(self.hidden(x)))
