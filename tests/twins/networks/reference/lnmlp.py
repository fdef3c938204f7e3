"""A perceptron with LayerNorm."""

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 32)
        self.norm1 = nn.LayerNorm(32)
        self.gelu = nn.GELU()
        self.fc2 = nn.Linear(32, 32)
        self.norm2 = nn.LayerNorm(32)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = self.gelu(self.norm1(self.fc1(x)))
        x = self.gelu(self.norm2(self.fc2(x)))
        return self.head(x)
