"""A detector's training in the style of mindyolo: a network out of YAML, groups of parameters, a step of its own with a loss scaler."""

import mindspore as ms
from config import parse
from layers import Model, linear
from mindspore import amp, nn, ops
from parts import images


def create_group_param(network, weight_decay):
    decayed, others = [], []
    for parameter in network.trainable_params():
        if "norm" in parameter.name or "bias" in parameter.name:
            others.append(parameter)
        else:
            decayed.append(parameter)
    return [{"params": decayed, "weight_decay": weight_decay}, {"params": others}]


def create_scaler(scale):
    return None if scale is None else amp.StaticLossScaler(scale)


def create_step(network, loss, optimizer, scaler):
    def forward(x, labels):
        value = loss(network(x), labels)
        return value if scaler is None else scaler.scale(value)

    gradients_of = ops.value_and_grad(forward, None, optimizer.parameters)

    def step(x, labels):
        value, gradients = gradients_of(x, labels)
        if scaler is None:
            optimizer(gradients)
            return value
        gradients = scaler.unscale(gradients)
        finite = amp.all_finite(gradients)
        if finite:
            optimizer(gradients)
        scaler.adjust(finite)
        return scaler.unscale(value)

    return step


def main():
    config = parse()
    if config.seed is not None:
        ms.set_seed(config.seed)
    given = config.data
    data = images(given.folder, given.batch_size, given.shuffle, given.mean, given.std)
    network = Model(config.network)
    amp.auto_mixed_precision(network, config.amp_level)
    settings = config.optimizer
    rates = linear(settings.lr_init, settings.lr_final, config.epochs, data.get_dataset_size())
    groups = create_group_param(network, settings.weight_decay)
    optimizer = nn.Momentum(groups, rates, settings.momentum)
    scaler = create_scaler(config.loss_scale)
    step = create_step(network, nn.CrossEntropyLoss(), optimizer, scaler)
    network.set_train(True)
    for epoch in range(config.epochs):
        for number, (x, labels) in enumerate(data.create_tuple_iterator()):
            value = step(x, labels)
            if number % 10 == 0:
                print(epoch, number, value)


if __name__ == "__main__":
    main()
