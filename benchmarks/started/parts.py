"""What all projects of this folder train: copied into each as parts.py."""

import mindspore as ms
from mindspore import amp, dataset, nn
from mindspore.dataset import vision


class Net(nn.Cell):
    def __init__(self, classes=10):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.norm = nn.BatchNorm2d(16)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.head = nn.Dense(16 * 32 * 32, classes)

    def construct(self, x):
        x = self.relu(self.norm(self.conv(x)))
        return self.head(self.flatten(x))


def images(folder, batch, shuffle, mean, std):
    data = dataset.ImageFolderDataset(folder, shuffle=shuffle)
    steps = [
        vision.Decode(),
        vision.Resize((32, 32)),
        vision.Normalize(mean, std),
        vision.HWC2CHW(),
    ]
    return data.map(steps, "image").batch(batch, drop_remainder=True)


def train(network, data, optimizer, level, epochs):
    loss = nn.CrossEntropyLoss()
    network = amp.auto_mixed_precision(network, level)

    def forward(x, y):
        return loss(network(x), y)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    network.set_train()
    for _ in range(epochs):
        for x, y in data.create_tuple_iterator():
            _, gradients = step(x, y)
            optimizer(gradients)
