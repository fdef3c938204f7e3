"""Two blocks of a Transformer over tokens."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.width = heads, size // heads
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.value = nn.Linear(size, size)
        self.softmax = nn.Softmax(dim=-1)
        self.output = nn.Linear(size, size)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, self.width).transpose(1, 2)

    def forward(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = self.softmax(query @ key.transpose(2, 3) / self.width**0.5)
        mixed = (weights @ value).transpose(1, 2)
        return self.output(mixed.reshape(x.shape))


class Block(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(size)
        self.attention = Attention(size, heads)
        self.norm2 = nn.LayerNorm(size)
        self.dense1 = nn.Linear(size, 2 * size)
        self.gelu = nn.GELU()
        self.dense2 = nn.Linear(2 * size, size)
        self.drop = nn.Dropout(p=0.0)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.drop(self.dense2(self.gelu(self.dense1(self.norm2(x)))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(17, 16)
        self.position = nn.Parameter(0.02 * torch.randn(1, 16, 16))
        self.blocks = nn.ModuleList([Block(16, 2), Block(16, 2)])
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.embedding(x) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(1))
