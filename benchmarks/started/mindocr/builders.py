"""Builders that look names of a configuration up."""

import math
import os

import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from transforms import create_transforms, run_transforms

from networks import BACKBONES, HEADS, Whole


class FolderDataset:
    def __init__(self, root, transform_pipeline, output_columns):
        names = sorted(os.listdir(root))
        self.rows = [
            {"path": os.path.join(root, name, file), "label": np.int32(number)}
            for number, name in enumerate(names)
            for file in sorted(os.listdir(os.path.join(root, name)))
        ]
        self.transforms = create_transforms(transform_pipeline)
        self.columns = output_columns

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        data = run_transforms(self.rows[index].copy(), self.transforms)
        return tuple(data[name] for name in self.columns)


DATASETS = {"FolderDataset": FolderDataset}


def build_dataset(config, loader):
    config = dict(config)
    source = DATASETS[config.pop("type")](**config)
    data = ds.GeneratorDataset(source, column_names=source.columns, shuffle=loader.shuffle)
    return data.batch(loader.batch_size, drop_remainder=loader.drop_remainder)


def build_model(config):
    backbone = dict(config["backbone"])
    head = dict(config["head"])
    body = BACKBONES[backbone.pop("name")](**backbone)
    return Whole(body, HEADS[head.pop("name")](inputs=body.out_channels, **head))


def build_loss(name):
    losses = {"CrossEntropy": nn.CrossEntropyLoss, "BCE": nn.BCEWithLogitsLoss}
    return losses[name]()


def build_scheduler(steps, scheduler, lr, min_lr, num_epochs):
    if scheduler == "constant":
        return [lr] * (steps * num_epochs)
    rates = []
    for step in range(steps * num_epochs):
        done = step / (steps * num_epochs)
        rates.append(min_lr + (lr - min_lr) * (1 + math.cos(math.pi * done)) / 2)
    return rates


def build_optimizer(params, opt, lr, momentum, weight_decay):
    if opt == "momentum":
        return nn.Momentum(params, lr, momentum, weight_decay)
    if opt == "adamw":
        return nn.AdamWeightDecay(params, lr, weight_decay=weight_decay)
    raise ValueError(opt)


def get_loss_scaler(config):
    if config.type == "dynamic":
        return nn.DynamicLossScaleUpdateCell(config.loss_scale, scale_factor=2, scale_window=1000)
    return Tensor(config.loss_scale)
