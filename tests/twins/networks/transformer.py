"""Two blocks of a Transformer over tokens."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


class Attention(nn.Cell):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.width = heads, size // heads
        self.query = nn.Dense(size, size)
        self.key = nn.Dense(size, size)
        self.value = nn.Dense(size, size)
        self.softmax = nn.Softmax(axis=-1)
        self.output = nn.Dense(size, size)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, self.width).transpose(0, 2, 1, 3)

    def construct(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = self.softmax(ops.matmul(query, key.swapaxes(2, 3)) / self.width**0.5)
        mixed = ops.matmul(weights, value).transpose(0, 2, 1, 3)
        return self.output(mixed.reshape(x.shape))


class Block(nn.Cell):
    def __init__(self, size, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm((size,), epsilon=1e-5)
        self.attention = Attention(size, heads)
        self.norm2 = nn.LayerNorm((size,), epsilon=1e-5)
        self.dense1 = nn.Dense(size, 2 * size)
        self.gelu = nn.GELU(approximate=False)
        self.dense2 = nn.Dense(2 * size, size)
        self.drop = nn.Dropout(p=0.0)

    def construct(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.drop(self.dense2(self.gelu(self.dense1(self.norm2(x)))))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(17, 16)
        self.position = Parameter(Tensor(np.zeros((1, 16, 16)), ms.float32), name="position")
        self.blocks = nn.CellList([Block(16, 2), Block(16, 2)])
        self.norm = nn.LayerNorm((16,), epsilon=1e-5)
        self.head = nn.Dense(16, 10)

    def construct(self, x):
        x = self.embedding(x) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(1))
