"""The twins: clean ones, and those with a fault, each with what is to be found of it."""

from building import LOSS, OPTIMIZERS, Edit, Twin

CLEAN = [
    Twin("clean_mlp_sgd", "mlp"),
    Twin("clean_mlp_adam", "mlp", "adam", seed=2),
    Twin("clean_mlp_adamw", "mlp", "adamw", seed=3),
    Twin("clean_mlp_rerun", "mlp", "momentum", seed=4, rerun=True),
    Twin("clean_cnn_sgd", "cnn", seed=2),
    Twin("clean_cnn_decayed", "cnn", "decayed", seed=3),
    Twin("clean_cnn_adam", "cnn", "adam", rerun=True),
    Twin("clean_resnet_momentum", "resnet", "momentum"),
    Twin("clean_resnet_adamw", "resnet", "adamw", seed=5),
    Twin("clean_lstm_adam", "lstm", "adam"),
    Twin("clean_gru_sgd", "gru"),
    Twin("clean_transformer_adamw", "transformer", "adamw"),
    Twin("clean_transformer_sgd", "transformer", seed=6),
    Twin("clean_embedding_momentum", "embedding", "momentum"),
    Twin("clean_textcnn_adam", "textcnn", "adam"),
    Twin("clean_lnmlp_adamw", "lnmlp", "adamw"),
    Twin("clean_decoder_adam", "decoder", "adam"),
    Twin("clean_decoder_sgd", "decoder", seed=7),
]


def _net(old: str, new: str, every: bool = False) -> tuple[Edit, ...]:
    return (Edit("network.py", old, new, every),)


def _train(old: str, new: str) -> tuple[Edit, ...]:
    return (Edit("train.py", old, new),)


def _optimizer(kind: str, old: str, new: str) -> tuple[Edit, ...]:
    line = OPTIMIZERS[kind][0]
    return _train(line, line.replace(old, new))


_SUMMED = _train(LOSS, 'loss_fn = nn.CrossEntropyLoss(reduction="sum")')
_UPDATE = "            optimizer(grads)\n"
_BIASED = """

class Adam(nn.Optimizer):
    \"\"\"Adam whose moments start at 0, and are taken as they are.\"\"\"

    def __init__(self, params, learning_rate):
        super().__init__(learning_rate, params)
        self.moment1 = self.parameters.clone("moment1", init="zeros")
        self.moment2 = self.parameters.clone("moment2", init="zeros")

    def construct(self, grads):
        rate = self.get_lr()
        for param, m, v, grad in zip(self.parameters, self.moment1, self.moment2, grads):
            ops.assign(m, 0.9 * m + 0.1 * grad)
            ops.assign(v, 0.999 * v + 0.001 * grad * grad)
            ops.assign(param, param - rate * m / (ops.sqrt(v) + 1e-8))
        return True
"""
_OWN_ADAM = (
    Edit("train.py", "from mindspore import nn\n", "from mindspore import nn, ops\n"),
    *_train("LEARNING_RATE = 0.002\n", "LEARNING_RATE = 0.002\n" + _BIASED),
    *_optimizer("adam", "nn.Adam", "Adam"),
)
_CLIPPED = (
    Edit(
        "ref/train.py",
        "            collector.step(loss.item(), optimizer)\n",
        "            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)\n            collector.step(loss.item(), optimizer)\n",
    ),
)
_STEPPED = (
    Edit(
        "ref/train.py",
        "    loader = DataLoader(",
        "    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.1)\n    loader = DataLoader(",
    ),
    Edit(
        "ref/train.py",
        "            collector.updated()\n",
        "            scheduler.step()\n            collector.updated()\n",
    ),
)
_ACCUMULATED = (
    *_train("    collector = Collector(net)\n", "    collector = Collector(net)\n    total = None\n"),
    *_train(
        _UPDATE,
        "            total = grads if total is None else tuple(a + b for a, b in zip(total, grads))\n"
        "            optimizer(total)\n",
    ),
)
_SHUFFLED = _train("shuffle=False", "shuffle=True")
_LABELS = (Edit("data.py", "    return x, y\n", "    return x, (y + 1) % 10\n"),)
_SCALED = (Edit("data.py", "MEAN, STD = 4.88, 6.02", "MEAN, STD = 0.0, 16.0"),)
_UNTRAINED = _train("    collector = Collector(net)\n    net.set_train()\n", "    collector = Collector(net)\n")
#: MindSpore lets decay only what is not called gamma or beta, unless there are groups.
_FILTERED = "nn.SGD(net.trainable_params(), learning_rate=LEARNING_RATE, momentum=0.9, weight_decay=0.01)"
_DROPOUT = Edit("ref/network.py", "p=0.0", "p=0.1")
_SMOOTHED = (Edit("ref/train.py", LOSS, "loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)"),)


def _frozen(name: str) -> tuple[Edit, ...]:
    return _train(
        "    loss_fn =",
        f"    for param in net.{name}.get_parameters():\n        param.requires_grad = False\n    loss_fn =",
    )


FAULTY = [
    # What is moved of the statistics: the training curve stays as it is.
    Twin(
        "bn_momentum_cnn",
        "cnn",
        edits=_net("momentum=0.9", "momentum=0.1", True),
        item="cmp.08",
        curve="evaluation",
        place="bn1",
    ),
    Twin(
        "bn_momentum_resnet",
        "resnet",
        "momentum",
        edits=_net("momentum=0.9", "momentum=0.1", True),
        item="cmp.08",
        curve="evaluation",
        place="block1.norm_a",
    ),
    Twin(
        "bn_momentum_decoder",
        "decoder",
        "adam",
        edits=_net("momentum=0.9", "momentum=0.1"),
        item="cmp.08",
        curve="evaluation",
        place="bn1",
    ),
    # A layer that computes something else.
    Twin("bn_eps_cnn", "cnn", edits=_net("eps=1e-5", "eps=1e-3", True), item="cmp.09", curve="forward", place="bn1"),
    Twin(
        "bn_eps_resnet",
        "resnet",
        "momentum",
        edits=_net("eps=1e-5", "eps=1e-3", True),
        item="cmp.09",
        curve="forward",
        place="block1.norm_a",
    ),
    Twin(
        "bn_eps_decoder",
        "decoder",
        "adam",
        edits=_net("eps=1e-5", "eps=1e-3"),
        item="cmp.09",
        curve="forward",
        place="bn1",
    ),
    Twin(
        "ln_eps_transformer",
        "transformer",
        edits=_net("epsilon=1e-5", "epsilon=1e-3", True),
        item="cmp.09",
        curve="forward",
        place="blocks.0.norm1",
    ),
    Twin(
        "ln_eps_lnmlp",
        "lnmlp",
        "adamw",
        edits=_net("norm2 = nn.LayerNorm((32,), epsilon=1e-5)", "norm2 = nn.LayerNorm((32,), epsilon=1e-3)"),
        item="cmp.09",
        curve="forward",
        place="norm2",
    ),
    Twin(
        "gelu_tanh_transformer",
        "transformer",
        edits=_net("approximate=False", "approximate=True"),
        item="cmp.09",
        curve="agrees",
        place="blocks.0.gelu",
    ),
    Twin(
        "gelu_tanh_lnmlp",
        "lnmlp",
        edits=_net("approximate=False", "approximate=True"),
        item="cmp.09",
        curve="forward",
        place="gelu",
    ),
    Twin(
        "leaky_mlp",
        "mlp",
        edits=_net("nn.ReLU()", "nn.LeakyReLU(alpha=0.01)"),
        item="cmp.09",
        curve="forward",
        place="relu",
    ),
    Twin(
        "leaky_slope_decoder",
        "decoder",
        edits=_net("alpha=0.2", "alpha=0.01"),
        item="cmp.09",
        curve="forward",
        place="leaky",
    ),
    Twin(
        "elu_cnn",
        "cnn",
        edits=_net("act2 = nn.ReLU()", "act2 = nn.ELU()"),
        item="cmp.09",
        curve="forward",
        place="act2",
    ),
    Twin(
        "pad_same_cnn",
        "cnn",
        edits=_net('stride=2, pad_mode="pad", padding=1', 'stride=2, pad_mode="same"'),
        item="cmp.09",
        curve="forward",
        place="conv2",
    ),
    Twin(
        "pad_same_resnet",
        "resnet",
        edits=_net('stride=stride, pad_mode="pad", padding=1', 'stride=stride, pad_mode="same"'),
        item="cmp.09",
        curve="forward",
        place="block2.conv_a",
    ),
    Twin(
        "pool_average_cnn",
        "cnn",
        "adam",
        edits=_net("nn.MaxPool2d", "nn.AvgPool2d"),
        item="cmp.09",
        curve="forward",
        place="pool",
    ),
    Twin(
        "softmax_axis_transformer",
        "transformer",
        edits=_net("axis=-1", "axis=-2"),
        item="cmp.09",
        curve="forward",
        place="blocks.0.attention.softmax",
    ),
    Twin(
        "attention_scale_transformer",
        "transformer",
        "adamw",
        edits=_net(" / self.width**0.5", " / self.width"),
        item="cmp.09",
        curve="forward",
        place="blocks.0.attention.softmax",
    ),
    Twin(
        "residual_resnet",
        "resnet",
        edits=_net("self.relu(x + y)", "self.relu(y)"),
        item="cmp.09",
        curve="forward",
        place="block1.relu",
    ),
    Twin("first_row_lstm", "lstm", edits=_net("x[:, -1]", "x[:, 0]"), item="cmp.09", curve="forward", place="head"),
    Twin(
        "sum_for_mean_embedding",
        "embedding",
        edits=_net(".mean(1)", ".sum(1)"),
        item="cmp.09",
        curve="forward",
        place="hidden",
    ),
    Twin("no_set_train_cnn", "cnn", edits=_UNTRAINED, item="cmp.09", curve="forward", place="bn1"),
    Twin("no_set_train_decoder", "decoder", edits=_UNTRAINED, item="cmp.09", curve="forward", place="bn1"),
    # Dropout that keeps what the benchmark drops.
    Twin(
        "dropout_mlp", "mlp", edits=(_DROPOUT, *_net("p=0.0", "p=0.9")), item="cmp.03", curve="forward", place="Dropout"
    ),
    Twin(
        "dropout_transformer",
        "transformer",
        edits=(_DROPOUT, *_net("p=0.0", "p=0.9")),
        item="cmp.03",
        curve="forward",
        place="Dropout",
    ),
    # Structure and weights.
    Twin(
        "no_bias_mlp",
        "mlp",
        edits=_net("nn.Dense(48, 48)", "nn.Dense(48, 48, has_bias=False)"),
        item="cmp.05",
        curve="forward",
        place="fc2.bias",
    ),
    Twin(
        "no_bias_cnn",
        "cnn",
        edits=_net(
            'nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1, has_bias=True)',
            'nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1)',
        ),
        item="cmp.05",
        curve="evaluation",
        place="conv1.bias",
    ),
    Twin(
        "no_bias_last_embedding",
        "embedding",
        edits=_net("nn.Dense(32, 10)", "nn.Dense(32, 10, has_bias=False)"),
        item="cmp.05",
        curve="forward",
        place="head.bias",
    ),
    Twin(
        "no_bias_last_lstm",
        "lstm",
        edits=_net("nn.Dense(16, 10)", "nn.Dense(16, 10, has_bias=False)"),
        item="cmp.05",
        curve="forward",
        place="head.bias",
    ),
    Twin(
        "no_bias_textcnn",
        "textcnn",
        "adam",
        edits=_net('nn.Conv1d(16, 16, 5, pad_mode="valid", has_bias=True)', 'nn.Conv1d(16, 16, 5, pad_mode="valid")'),
        item="cmp.05",
        curve="forward",
        place="conv5.bias",
    ),
    Twin("transposed_mlp", "mlp", weights="transpose fc2.weight", item="cmp.06", curve="forward", place="fc2.weight"),
    Twin(
        "transposed_transformer",
        "transformer",
        "adamw",
        weights="transpose blocks.1.attention.key.weight",
        item="cmp.06",
        curve="forward",
        place="blocks.1.attention.key.weight",
    ),
    Twin(
        "transposed_lnmlp",
        "lnmlp",
        "adamw",
        weights="transpose fc2.weight",
        item="cmp.06",
        curve="forward",
        place="fc2.weight",
    ),
    Twin(
        "swapped_transformer",
        "transformer",
        weights="swap blocks.0.attention.query.weight blocks.0.attention.key.weight",
        item="cmp.06",
        curve="forward",
        place="blocks.0.attention.query.weight",
    ),
    Twin(
        "drawn_embedding",
        "embedding",
        weights="draw embedding.embedding_table",
        item="cmp.06",
        curve="forward",
        place="embedding.embedding_table",
    ),
    Twin(
        "drawn_resnet",
        "resnet",
        weights="draw block2.conv_b.weight",
        item="cmp.06",
        curve="forward",
        place="block2.conv_b.weight",
    ),
    Twin("drawn_gru", "gru", weights="draw rnn.weight_hh_l0", item="cmp.06", curve="forward", place="rnn.weight_hh_l0"),
    # The update.
    Twin("own_adam_mlp", "mlp", "adam", edits=_OWN_ADAM, item="cmp.08", curve="backward", place="fc1.weight"),
    Twin("own_adam_cnn", "cnn", "adam", edits=_OWN_ADAM, item="cmp.08", curve="backward", place="conv1.weight"),
    Twin(
        "own_adam_textcnn",
        "textcnn",
        "adam",
        edits=_OWN_ADAM,
        item="cmp.08",
        curve="backward",
        place="embedding.embedding_table",
    ),
    Twin(
        "adam_weight_decay_lnmlp",
        "lnmlp",
        "adamw",
        edits=_train(
            OPTIMIZERS["adamw"][0],
            "nn.AdamWeightDecay(net.trainable_params(), learning_rate=LEARNING_RATE, weight_decay=0.05)",
        ),
        item="cmp.03",
        curve="backward",
        place="AdamWeightDecay",
    ),
    Twin("frozen_mlp", "mlp", edits=_frozen("fc1"), item="cmp.08", curve="backward", place="fc1.weight"),
    Twin("frozen_cnn", "cnn", "adam", edits=_frozen("conv2"), item="cmp.08", curve="backward", place="conv2.weight"),
    Twin(
        "frozen_embedding",
        "embedding",
        edits=_frozen("embedding"),
        item="cmp.08",
        curve="backward",
        place="embedding.embedding_table",
    ),
    Twin("accumulated_mlp", "mlp", "momentum", edits=_ACCUMULATED, item="cmp.08", curve="fork", place="3.0"),
    Twin("accumulated_cnn", "cnn", edits=_ACCUMULATED, item="cmp.08", curve="fork", place="3.0"),
    Twin(
        "padding_idx_textcnn",
        "textcnn",
        edits=(Edit("ref/network.py", "nn.Embedding(17, 16)", "nn.Embedding(17, 16, padding_idx=0)"),),
        item="cmp.08",
        curve="backward",
        place="embedding.embedding_table",
    ),
    # Settings.
    Twin("sum_loss_mlp", "mlp", edits=_SUMMED, item="cmp.03", curve="forward", place="reduction"),
    Twin("sum_loss_lstm", "lstm", "adam", edits=_SUMMED, item="cmp.03", curve="forward", place="reduction"),
    Twin("smoothed_lnmlp", "lnmlp", edits=_SMOOTHED, item="cmp.03", curve="forward", place="label_smoothing"),
    Twin(
        "rate_doubled_mlp",
        "mlp",
        edits=_train("LEARNING_RATE = 0.05", "LEARNING_RATE = 0.1"),
        item="cmp.03",
        curve="backward",
        place="learning rate",
    ),
    Twin(
        "rate_doubled_cnn",
        "cnn",
        "adam",
        edits=_train("LEARNING_RATE = 0.002", "LEARNING_RATE = 0.004"),
        item="cmp.03",
        curve="backward",
        place="learning rate",
    ),
    Twin(
        "rate_doubled_lnmlp",
        "lnmlp",
        edits=_train("LEARNING_RATE = 0.05", "LEARNING_RATE = 0.1"),
        item="cmp.03",
        curve="backward",
        place="learning rate",
    ),
    Twin(
        "momentum_missing_mlp",
        "mlp",
        "momentum",
        edits=_optimizer("momentum", "momentum=0.9", "momentum=0.0"),
        item="cmp.03",
        curve="fork",
        place="momentum",
    ),
    Twin(
        "momentum_missing_resnet",
        "resnet",
        "momentum",
        edits=_optimizer("momentum", "momentum=0.9", "momentum=0.0"),
        item="cmp.03",
        curve="fork",
        place="momentum",
    ),
    Twin("schedule_missing_mlp", "mlp", "momentum", edits=_STEPPED, item="cmp.03", curve="fork", place="learning rate"),
    Twin(
        "schedule_missing_decoder",
        "decoder",
        "adam",
        edits=_STEPPED,
        item="cmp.03",
        curve="fork",
        place="learning rate",
    ),
    Twin("clip_missing_lstm", "lstm", edits=_CLIPPED, item="cmp.03", curve="backward", place="clipping"),
    Twin("clip_missing_transformer", "transformer", edits=_CLIPPED, item="cmp.03", curve="backward", place="clipping"),
    Twin(
        "coupled_decay_mlp",
        "mlp",
        "adamw",
        edits=_train(
            OPTIMIZERS["adamw"][0], "nn.Adam(net.trainable_params(), learning_rate=LEARNING_RATE, weight_decay=0.05)"
        ),
        item="cmp.03",
        curve="backward",
        place="Adam",
    ),
    Twin(
        "coupled_decay_transformer",
        "transformer",
        "adamw",
        edits=_train(
            OPTIMIZERS["adamw"][0], "nn.Adam(net.trainable_params(), learning_rate=LEARNING_RATE, weight_decay=0.05)"
        ),
        item="cmp.03",
        curve="backward",
        place="Adam",
    ),
    Twin(
        "decay_filter_cnn",
        "cnn",
        "decayed",
        edits=_train(OPTIMIZERS["decayed"][0], _FILTERED),
        item="cmp.03",
        curve="backward",
        place="nn.SGD",
    ),
    Twin(
        "no_decay_cnn",
        "cnn",
        "decayed",
        edits=_optimizer("decayed", '"weight_decay": 0.01', '"weight_decay": 0.0'),
        item="cmp.03",
        curve="backward",
        place="weight_decay",
    ),
    Twin(
        "epsilon_mlp",
        "mlp",
        "adam",
        edits=_optimizer("adam", "LEARNING_RATE)", "LEARNING_RATE, eps=1e-3)"),
        item="cmp.03",
        curve="backward",
        place="eps",
    ),
    Twin(
        "half_precision_mlp",
        "mlp",
        edits=_train("    net = Net()\n", "    net = Net().to_float(ms.float16)\n"),
        item="cmp.07",
        curve="forward",
        place="float16",
    ),
    Twin(
        "half_precision_cnn",
        "cnn",
        edits=_train("    net = Net()\n", "    net = Net().to_float(ms.float16)\n"),
        item="cmp.07",
        curve="forward",
        place="float16",
    ),
    # The data.
    Twin("shuffled_mlp", "mlp", edits=_SHUFFLED, item="cmp.04", curve="forward", place="step1_x"),
    Twin("shuffled_lstm", "lstm", "adam", edits=_SHUFFLED, item="cmp.04", curve="forward", place="step1_x"),
    Twin("labels_off_by_one_cnn", "cnn", edits=_LABELS, item="cmp.04", curve="forward", place="step1_y"),
    Twin("labels_off_by_one_embedding", "embedding", edits=_LABELS, item="cmp.04", curve="forward", place="step1_y"),
    Twin("normalization_mlp", "mlp", edits=_SCALED, item="cmp.04", curve="forward", place="step1_x"),
    Twin("normalization_cnn", "cnn", "momentum", edits=_SCALED, item="cmp.04", curve="forward", place="step1_x"),
    Twin("normalization_decoder", "decoder", edits=_SCALED, item="cmp.04", curve="forward", place="step1_x"),
]
