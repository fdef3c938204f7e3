"""Networks as they are written in PyTorch, beside those of torchvision and transformers."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words=5000, tags=17, dim=100, hidden=128):
        super().__init__()
        self.word_embeddings = nn.Embedding(words, dim)
        self.lstm = nn.LSTM(dim, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.hidden2tag = nn.Linear(2 * hidden, tags)

    def forward(self, x):
        return self.hidden2tag(self.lstm(self.word_embeddings(x))[0])


class DoubleConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(),
        )

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(cin, cout))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cin // 2, 2, stride=2)
        self.conv = DoubleConv(cin, cout)

    def forward(self, x, skip):
        return self.conv(torch.cat([skip, self.up(x)], 1))


class UNet(nn.Module):
    def __init__(self, channels=1, classes=2, width=64):
        super().__init__()
        self.inc = DoubleConv(channels, width)
        for depth in range(4):
            setattr(self, f"down{depth + 1}", Down(width << depth, width << depth + 1))
        for depth in range(4):
            setattr(self, f"up{depth + 1}", Up(width << 4 - depth, width << 3 - depth))
        self.outc = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        found = [self.inc(x)]
        for depth in range(4):
            found.append(getattr(self, f"down{depth + 1}")(found[-1]))
        x = found.pop()
        for depth in range(4):
            x = getattr(self, f"up{depth + 1}")(x, found.pop())
        return self.outc(x)


class Generator(nn.Module):
    def __init__(self, noise=100, width=64):
        super().__init__()
        layers, cin = [], noise
        for number, cout in enumerate((width * 8, width * 4, width * 2, width)):
            stride, padding = (1, 0) if number == 0 else (2, 1)
            layers += [nn.ConvTranspose2d(cin, cout, 4, stride, padding, bias=False), nn.BatchNorm2d(cout), nn.ReLU()]
            cin = cout
        self.main = nn.Sequential(*layers, nn.ConvTranspose2d(cin, 3, 4, 2, 1, bias=False), nn.Tanh())

    def forward(self, x):
        return self.main(x)


class Discriminator(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        layers = [nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2)]
        for number in range(3):
            cin, cout = width << number, width << number + 1
            layers += [nn.Conv2d(cin, cout, 4, 2, 1, bias=False), nn.BatchNorm2d(cout), nn.LeakyReLU(0.2)]
        self.main = nn.Sequential(*layers, nn.Conv2d(width * 8, 1, 4, 1, 0, bias=False), nn.Sigmoid())

    def forward(self, x):
        return self.main(x)


class Conv(nn.Module):
    def __init__(self, cin, cout, k=1, s=1):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, k, s, k // 2, bias=False)
        self.bn = nn.BatchNorm2d(cout, eps=1e-5)
        self.act = nn.SiLU()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Bottleneck(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.cv1, self.cv2 = Conv(dim, dim), Conv(dim, dim, 3)

    def forward(self, x):
        return x + self.cv2(self.cv1(x))


class C3(nn.Module):
    def __init__(self, cin, cout, n):
        super().__init__()
        half = cout // 2
        self.cv1, self.cv2, self.cv3 = Conv(cin, half), Conv(cin, half), Conv(2 * half, cout)
        self.m = nn.Sequential(*(Bottleneck(half) for _ in range(n)))

    def forward(self, x):
        return self.cv3(torch.cat([self.m(self.cv1(x)), self.cv2(x)], 1))


class Detect(nn.Module):
    def __init__(self, classes, widths, anchors=3):
        super().__init__()
        self.register_buffer("anchors", torch.arange(len(widths) * anchors * 2.0).view(len(widths), anchors, 2))
        self.m = nn.ModuleList(nn.Conv2d(width, (classes + 5) * anchors, 1) for width in widths)

    def forward(self, xs):
        return [m(x) for m, x in zip(self.m, xs, strict=True)]


class Yolo(nn.Module):
    def __init__(self, classes=80, w=32):
        super().__init__()
        self.model = nn.Sequential(
            *(
                Conv(3, w, 3, 2),
                Conv(w, 2 * w, 3, 2),
                C3(2 * w, 2 * w, 1),
                Conv(2 * w, 4 * w, 3, 2),
                C3(4 * w, 4 * w, 2),
            ),
            *(Conv(4 * w, 8 * w, 3, 2), C3(8 * w, 8 * w, 3), Conv(8 * w, 16 * w, 3, 2), C3(16 * w, 16 * w, 1)),
            Detect(classes, (4 * w, 8 * w, 16 * w)),
        )

    def forward(self, x):
        kept = []
        for number, layer in enumerate(self.model[:-1]):
            x = layer(x)
            if number in (4, 6, 8):
                kept.append(x)
        return self.model[-1](kept)
