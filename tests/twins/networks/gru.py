"""GRU over the rows of an image."""

from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Dense(8, 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Dense(16, 10)

    def construct(self, x):
        x, _ = self.rnn(self.embed(x))
        return self.head(x[:, -1])
