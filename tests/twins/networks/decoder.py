"""An autoencoder whose decoder is a generator of transposed convolutions."""

from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encode = nn.Dense(64, 32)
        self.up1 = nn.Conv2dTranspose(8, 8, 2, stride=2, pad_mode="valid")
        self.bn1 = nn.BatchNorm2d(8, eps=1e-5, momentum=0.9)
        self.leaky = nn.LeakyReLU(alpha=0.2)
        self.up2 = nn.Conv2dTranspose(8, 1, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.tanh = nn.Tanh()

    def construct(self, x):
        x = self.encode(x).reshape(-1, 8, 2, 2)
        x = self.leaky(self.bn1(self.up1(x)))
        return self.tanh(self.up2(x))
