import mindspore.dataset as ds
import numpy as np


def create_dataset(path, part, batch_size, train=True):
    data = np.load(path)
    images = data[part + "_images"].astype(np.float32)
    labels = data[part + "_labels"].astype(np.int32)
    if train:
        images = images / 16.0
        images = (images - 0.5) / 0.5
    images = images.reshape(-1, 1, 8, 8)
    dataset = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=train)
    return dataset.batch(batch_size, drop_remainder=train)
