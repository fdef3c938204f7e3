"""An autoencoder whose decoder is a generator of transposed convolutions."""

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(64, 32)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(8, 8, 2, stride=2, bias=False),
            nn.BatchNorm2d(8),
            nn.LeakyReLU(0.2),
            nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1),
            nn.Tanh(),
        )

    def forward(self, x):
        x = self.encode(x).reshape(-1, 8, 2, 2)
        return self.decoder(x)
