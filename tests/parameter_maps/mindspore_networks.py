"""The same networks as they are written for MindSpore, beside those of MindCV: other modules, other names, other order."""

import math

import mindspore as ms
from mindspore import nn, ops


class Tagger(nn.Cell):
    def __init__(self, words=5000, tags=17, dim=100, hidden=128):
        super().__init__()
        self.embedding = nn.Embedding(words, dim)
        self.rnn = nn.LSTM(dim, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.fc = nn.Dense(2 * hidden, tags)

    def construct(self, x):
        return self.fc(self.rnn(self.embedding(x))[0])


def _conv(cin, cout, k=3):
    return nn.Conv2d(cin, cout, k, pad_mode="same", has_bias=False)


class UNet(nn.Cell):
    """Encoder and decoder as lists, all layers of a step side by side."""

    def __init__(self, channels=1, classes=2, width=64):
        super().__init__()
        sizes = [width << depth for depth in range(5)]
        self.pool = nn.MaxPool2d(2, 2)
        self.encoder = nn.CellList(
            [self.block(cin, cout) for cin, cout in zip([channels, *sizes[:-1]], sizes, strict=True)]
        )
        self.upsample = nn.CellList([nn.Conv2dTranspose(size, size // 2, 2, 2, has_bias=True) for size in sizes[:0:-1]])
        self.decoder = nn.CellList([self.block(size, size // 2) for size in sizes[:0:-1]])
        self.final = nn.Conv2d(width, classes, 1, has_bias=True)

    @staticmethod
    def block(cin, cout):
        return nn.SequentialCell(
            _conv(cin, cout), nn.BatchNorm2d(cout), nn.ReLU(), _conv(cout, cout), nn.BatchNorm2d(cout), nn.ReLU()
        )

    def construct(self, x):
        found = [self.encoder[0](x)]
        for block in self.encoder[1:]:
            found.append(block(self.pool(found[-1])))
        x = found.pop()
        for up, block in zip(self.upsample, self.decoder, strict=True):
            x = block(ops.cat([found.pop(), up(x)], 1))
        return self.final(x)


class Generator(nn.Cell):
    def __init__(self, noise=100, width=64):
        super().__init__()
        self.generator = nn.SequentialCell()
        cin = noise
        for number, cout in enumerate((width * 8, width * 4, width * 2, width)):
            stride, padding = (1, 0) if number == 0 else (2, 1)
            self.generator.append(nn.Conv2dTranspose(cin, cout, 4, stride, "pad", padding))
            self.generator.append(nn.BatchNorm2d(cout))
            self.generator.append(nn.ReLU())
            cin = cout
        self.generator.append(nn.Conv2dTranspose(cin, 3, 4, 2, "pad", 1))
        self.generator.append(nn.Tanh())

    def construct(self, x):
        return self.generator(x)


class Discriminator(nn.Cell):
    """Without the activations in the list, so that the numbers are other ones."""

    def __init__(self, width=64):
        super().__init__()
        self.act = nn.LeakyReLU(0.2)
        layers = [nn.Conv2d(3, width, 4, 2, "pad", 1)]
        for number in range(3):
            cin, cout = width << number, width << number + 1
            layers += [nn.Conv2d(cin, cout, 4, 2, "pad", 1), nn.BatchNorm2d(cout)]
        self.layers = nn.CellList([*layers, nn.Conv2d(width * 8, 1, 4, 1, "pad", 0)])

    def construct(self, x):
        x = self.act(self.layers[0](x))
        for number in range(1, 7, 2):
            x = self.act(self.layers[number + 1](self.layers[number](x)))
        return ops.sigmoid(self.layers[7](x))


def conv_block(cin, cout, k=1, s=1):
    return nn.SequentialCell(nn.Conv2d(cin, cout, k, s, "pad", k // 2, has_bias=False), nn.BatchNorm2d(cout), nn.SiLU())


class Csp(nn.Cell):
    def __init__(self, cin, cout, n):
        super().__init__()
        half = cout // 2
        self.conv1, self.conv2 = conv_block(cin, half), conv_block(cin, half)
        self.conv3 = conv_block(2 * half, cout)
        self.bottlenecks = nn.CellList(
            [nn.SequentialCell(conv_block(half, half), conv_block(half, half, 3)) for _ in range(n)]
        )

    def construct(self, x):
        y = self.conv1(x)
        for block in self.bottlenecks:
            y = y + block(y)
        return self.conv3(ops.cat([y, self.conv2(x)], 1))


class Yolo(nn.Cell):
    def __init__(self, classes=80, w=32):
        super().__init__()
        self.stem = nn.SequentialCell(conv_block(3, w, 3, 2), conv_block(w, 2 * w, 3, 2), Csp(2 * w, 2 * w, 1))
        self.stage3 = nn.SequentialCell(conv_block(2 * w, 4 * w, 3, 2), Csp(4 * w, 4 * w, 2))
        self.stage4 = nn.SequentialCell(conv_block(4 * w, 8 * w, 3, 2), Csp(8 * w, 8 * w, 3))
        self.stage5 = nn.SequentialCell(conv_block(8 * w, 16 * w, 3, 2), Csp(16 * w, 16 * w, 1))
        self.heads = nn.CellList([nn.Conv2d(v, (classes + 5) * 3, 1, has_bias=True) for v in (4 * w, 8 * w, 16 * w)])

    def construct(self, x):
        kept = []
        x = self.stem(x)
        for stage in (self.stage3, self.stage4, self.stage5):
            x = stage(x)
            kept.append(x)
        return [head(x) for head, x in zip(self.heads, kept, strict=True)]


class _Embedding(nn.Cell):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embedding_table = ms.Parameter(
            ms.common.initializer.initializer("normal", (vocab, dim)), "embedding_table"
        )

    def construct(self, ids):
        return ops.gather(self.embedding_table, ids, 0)


class _Postprocessor(nn.Cell):
    """Token types before positions, as in the model zoo."""

    def __init__(self, dim, positions, types):
        super().__init__()
        self.token_type_embedding = nn.Embedding(types, dim)
        self.full_position_embedding = nn.Embedding(positions, dim)
        self.layernorm = nn.LayerNorm((dim,), epsilon=1e-12)

    def construct(self, kinds, words):
        places = ops.arange(words.shape[1]).expand_dims(0)
        return self.layernorm(words + self.token_type_embedding(kinds) + self.full_position_embedding(places))


class _Attention(nn.Cell):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query_layer, self.key_layer, self.value_layer = (nn.Dense(dim, dim) for _ in range(3))

    def construct(self, x):
        batch, length, dim = x.shape
        q, k, v = (
            layer(x).reshape(batch, length, self.heads, -1).swapaxes(1, 2)
            for layer in (self.query_layer, self.key_layer, self.value_layer)
        )
        weights = ops.softmax(ops.matmul(q, k.swapaxes(2, 3)) / math.sqrt(dim // self.heads), -1)
        return ops.matmul(weights, v).swapaxes(1, 2).reshape(batch, length, dim)


class _Output(nn.Cell):
    def __init__(self, cin, cout):
        super().__init__()
        self.dense = nn.Dense(cin, cout)
        self.layernorm = nn.LayerNorm((cout,), epsilon=1e-12)

    def construct(self, x, residual):
        return self.layernorm(self.dense(x) + residual)


class _SelfAttention(nn.Cell):
    def __init__(self, dim, heads):
        super().__init__()
        self.attention = _Attention(dim, heads)
        self.output = _Output(dim, dim)

    def construct(self, x):
        return self.output(self.attention(x), x)


class _EncoderCell(nn.Cell):
    def __init__(self, dim, heads):
        super().__init__()
        self.attention = _SelfAttention(dim, heads)
        self.intermediate = nn.Dense(dim, 4 * dim)
        self.output = _Output(4 * dim, dim)

    def construct(self, x):
        x = self.attention(x)
        return self.output(ops.gelu(self.intermediate(x), approximate="none"), x)


class _Transformer(nn.Cell):
    def __init__(self, dim, heads, depth):
        super().__init__()
        self.layers = nn.CellList([_EncoderCell(dim, heads) for _ in range(depth)])

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class _BertModel(nn.Cell):
    def __init__(self, vocab, dim, heads, depth):
        super().__init__()
        self.bert_embedding_lookup = _Embedding(vocab, dim)
        self.bert_embedding_postprocessor = _Postprocessor(dim, 512, 2)
        self.bert_encoder = _Transformer(dim, heads, depth)
        self.dense = nn.Dense(dim, dim)

    def construct(self, ids, kinds):
        x = self.bert_encoder(self.bert_embedding_postprocessor(kinds, self.bert_embedding_lookup(ids)))
        return x, ops.tanh(self.dense(x[:, 0]))


class Bert(nn.Cell):
    def __init__(self, vocab=30522, dim=768, heads=12, depth=12):
        super().__init__()
        self.bert = _BertModel(vocab, dim, heads, depth)

    def construct(self, ids, kinds):
        return self.bert(ids, kinds)
