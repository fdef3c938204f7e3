"""Transforms of one sample, a dict, built by their names."""

import numpy as np
from PIL import Image


class DecodeImage:
    def __call__(self, data):
        data["image"] = np.array(Image.open(data["path"]).convert("RGB"))
        return data


class NormalizeImage:
    def __init__(self, mean, std):
        self.mean = np.array(mean).reshape((1, 1, 3)).astype("float32")
        self.std = np.array(std).reshape((1, 1, 3)).astype("float32")

    def __call__(self, data):
        data["image"] = (data["image"].astype("float32") - self.mean) / self.std
        return data


class ToCHWImage:
    def __call__(self, data):
        data["image"] = data["image"].transpose((2, 0, 1))
        return data


def create_transforms(described):
    transforms = []
    for one in described:
        name = next(iter(one))
        given = one[name] or {}
        transforms.append(eval(name)(**given))
    return transforms


def run_transforms(data, transforms):
    for transform in transforms:
        data = transform(data)
    return data
