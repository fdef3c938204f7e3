from mindspore import nn


class LeNet(nn.Cell):
    def __init__(self, num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, pad_mode="same")
        self.bn1 = nn.BatchNorm2d(16, momentum=0.1)
        self.conv2 = nn.Conv2d(16, 32, 3, pad_mode="same")
        self.bn2 = nn.BatchNorm2d(32, momentum=0.1)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(128, 64)
        self.dropout = nn.Dropout(p=0.9)
        self.fc2 = nn.Dense(64, num_classes)
        self.softmax = nn.Softmax()

    def construct(self, x):
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        x = self.pool(self.relu(self.bn2(self.conv2(x))))
        x = self.flatten(x)
        x = self.dropout(self.relu(self.fc1(x)))
        return self.softmax(self.fc2(x))
