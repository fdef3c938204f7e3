"""A perceptron with LayerNorm, its other layers of mindspore.mint."""

from mindspore import mint, nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = mint.nn.Linear(64, 32)
        self.norm1 = nn.LayerNorm((32,), epsilon=1e-5)
        self.gelu = nn.GELU(approximate=False)
        self.fc2 = mint.nn.Linear(32, 32)
        self.norm2 = nn.LayerNorm((32,), epsilon=1e-5)
        self.head = mint.nn.Linear(32, 10)

    def construct(self, x):
        x = self.gelu(self.norm1(self.fc1(x)))
        x = self.gelu(self.norm2(self.fc2(x)))
        return self.head(x)
