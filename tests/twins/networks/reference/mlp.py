"""A perceptron of three layers."""

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 48)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(48, 48)
        self.drop = nn.Dropout(p=0.0)
        self.head = nn.Linear(48, 10)

    def forward(self, x):
        x = self.relu(self.fc1(x))
        x = self.drop(self.relu(self.fc2(x)))
        return self.head(x)
