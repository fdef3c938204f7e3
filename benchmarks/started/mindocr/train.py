"""Training in the style of mindocr: everything is built by the names of a YAML file, whose keys -o sets, and trained by Model."""

import argparse

import mindspore as ms
import yaml
from addict import Dict
from builders import build_dataset, build_loss, build_model, build_optimizer, build_scheduler, get_loss_scaler
from mindspore import nn
from step import TrainStep


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("-c", "--config", required=True)
    parser.add_argument("-o", "--opt", nargs="+", help="keys to set: key1=value1 key2.key3=value2")
    args = parser.parse_args()
    with open(args.config) as stream:
        config = yaml.safe_load(stream)
    for option in args.opt or []:
        key, value = option.split("=")
        held, *keys = config, *key.split(".")
        for part in keys[:-1]:
            held = held[part]
        held[keys[-1]] = yaml.safe_load(value)
    return config


def main(config):
    if config.system.seed is not None:
        ms.set_seed(config.system.seed)
    loader = build_dataset(config.train.dataset, config.train.loader)
    network = build_model(config.model)
    ms.amp.auto_mixed_precision(network, config.system.amp_level)
    rates = build_scheduler(loader.get_dataset_size(), **config.scheduler)
    optimizer = build_optimizer(network.trainable_params(), lr=rates, **config.optimizer)
    step = TrainStep(
        nn.WithLossCell(network, build_loss(**config.loss)), optimizer, scale_sense=get_loss_scaler(config.loss_scaler)
    )
    ms.Model(step).train(config.scheduler.num_epochs, loader, dataset_sink_mode=False)


if __name__ == "__main__":
    main(Dict(parse()))
