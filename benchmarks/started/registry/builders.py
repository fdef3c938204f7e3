from mindspore import nn
from parts import Net, images

REGISTRY = {"network": {}, "data": {}, "optimizer": {}}


def register(kind):
    def enter(made):
        REGISTRY[kind][made.__name__] = made
        return made

    return enter


def build(kind, config, **more):
    config = dict(config)
    name = config.pop("type")
    if name not in REGISTRY[kind]:
        raise KeyError(name)
    return REGISTRY[kind][name](**config, **more)


@register("network")
def small(classes):
    return Net(classes)


@register("data")
def folder(folder, batch_size, shuffle, mean, std):
    return images(folder, batch_size, shuffle, mean, std)


@register("optimizer")
def momentum(params, lr):
    return nn.Momentum(params, lr, 0.9)
