"""Settings of YAML files that name files beside them as their base; options of the command that are given come last."""

import argparse
import collections.abc
import os

import yaml


class Config(dict):
    """A dict whose keys are attributes, those of the dicts within it, too."""

    def __init__(self, given):
        super().__init__()
        for key, value in given.items():
            self[key] = Config(value) if isinstance(value, dict) else value
            setattr(self, key, self[key])


def merged(base, new):
    for key, value in new.items():
        if isinstance(base.get(key), collections.abc.Mapping) and isinstance(value, collections.abc.Mapping):
            merged(base[key], value)
        else:
            base[key] = value
    return base


def load(path):
    with open(path) as stream:
        own = yaml.safe_load(stream)
    config = {}
    for name in own.pop("__BASE__", []):
        merged(config, load(os.path.join(os.path.dirname(path), name)))
    return merged(config, own)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--amp_level")
    parser.add_argument("--loss_scale", type=float)
    parser.add_argument("--batch_size", type=int)
    parser.add_argument("--lr_init", type=float)
    args = parser.parse_args()
    config = load(args.config)
    for name in ("epochs", "amp_level", "loss_scale"):
        if getattr(args, name) is not None:
            config[name] = getattr(args, name)
    if args.batch_size is not None:
        config["data"]["batch_size"] = args.batch_size
    if args.lr_init is not None:
        config["optimizer"]["lr_init"] = args.lr_init
    return Config(config)
