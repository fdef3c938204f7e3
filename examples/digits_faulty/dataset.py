"""The input pipeline: CSV files with 64 pixels and a label a row -> batches of (N, 1, 8, 8) float32 and (N,) int32."""

from pathlib import Path

import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import vision


def load(path):
    """All rows of the CSV files in a folder: images (N, 8, 8, 1) uint8 and labels (N,) int32."""
    files = sorted(Path(path).glob("*.csv"))
    rows = np.concatenate([np.genfromtxt(file, delimiter=",", skip_header=1) for file in files])
    return rows[:, :-1].reshape(-1, 8, 8, 1).astype(np.uint8), rows[:, -1].astype(np.int32)


def create_dataset(path, batch_size, training):
    images, labels = load(path)
    dataset = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False)  # FAULT dp.03
    dataset = dataset.map([vision.Rescale(1 / 16, 0.0), vision.HWC2CHW()], input_columns="image")
    return dataset.batch(batch_size, drop_remainder=training)
