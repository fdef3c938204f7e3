"""The differences from PyTorch that a signature does not show, run on both."""

from typing import Any

import numpy as np
import pytest

from accucheck.knowledge import api as knowledge

pytestmark = [pytest.mark.mindspore, pytest.mark.part(1)]


def effects(name: str) -> set[str]:
    return {row.effect for row in knowledge.differences(name)}


def kept(layer: Any) -> float:
    from mindspore import ops

    return float((layer(ops.ones((200, 500))) != 0).astype("float32").mean())


def test_dropout_takes_what_is_kept_first() -> None:
    from mindspore import nn, ops

    assert kept(nn.Dropout(0.1).set_train()) == pytest.approx(0.1, abs=0.01)
    assert kept(nn.Dropout(p=0.1).set_train()) == pytest.approx(0.9, abs=0.01)
    assert kept(lambda x: ops.Dropout(0.1)(x)[0]) == pytest.approx(0.1, abs=0.01)
    assert kept(lambda x: ops.dropout(x, 0.1)) == pytest.approx(0.9, abs=0.01)
    assert kept(lambda x: ops.dropout(x, 0.1, training=False)) == 1
    assert "keep-prob" in effects("nn.Dropout") & effects("ops.Dropout")
    assert "functional-dropout" in effects("ops.dropout") and "keep-prob" not in effects("ops.dropout")


def test_momentum_of_batch_norm_is_the_weight_of_the_old() -> None:
    torch = pytest.importorskip("torch")
    from mindspore import Tensor, nn

    data = np.random.default_rng(0).normal(3, 1, (64, 4)).astype(np.float32)
    layer = nn.BatchNorm1d(4, momentum=0.1).set_train()
    layer(Tensor(data))
    assert layer.moving_mean.asnumpy() == pytest.approx(0.9 * data.mean(0), rel=1e-3)
    other = torch.nn.BatchNorm1d(4, momentum=0.1)
    other(torch.tensor(data))
    assert other.running_mean.numpy() == pytest.approx(0.1 * data.mean(0), rel=1e-3)


def test_batch_statistics_stay_when_asked_for() -> None:
    from mindspore import Tensor, nn

    data = Tensor(np.random.default_rng(0).normal(3, 1, (64, 4)).astype(np.float32))
    assert abs(float(nn.BatchNorm1d(4)(data).mean())) > 2
    assert abs(float(nn.BatchNorm1d(4, use_batch_statistics=True)(data).mean())) < 0.01


def test_layers_start_in_inference_mode() -> None:
    from mindspore import nn

    assert not nn.SequentialCell(nn.Dense(2, 2), nn.Dropout(p=0.5)).training
    assert "starts-in-inference" in effects("nn.Cell.set_train")


def test_convolutions_pad_and_have_no_bias() -> None:
    from mindspore import nn, ops

    layer = nn.Conv2d(1, 1, 3)
    assert layer(ops.ones((1, 1, 4, 4))).shape == (1, 1, 4, 4)
    assert len(layer.trainable_params()) == 1


@pytest.mark.parametrize("name", ["Conv2d", "Conv2dTranspose", "Dense"])
def test_weights_now_start_as_in_pytorch(name: str) -> None:
    from mindspore import nn

    args = (512, 64) if name == "Dense" else (64, 64, 3)
    bound = 1 / np.sqrt(512 if name == "Dense" else 64 * 9)
    drawn = getattr(nn, name)(*args).weight.init_data().asnumpy()
    assert abs(drawn).max() == pytest.approx(bound, rel=0.02)
    assert drawn.std() == pytest.approx(bound / np.sqrt(3), rel=0.05)
    assert "narrow-init" not in effects(f"nn.{name}")


def test_the_third_argument_of_dense_is_its_weights() -> None:
    from mindspore import nn

    assert not nn.Dense(3, 4, False).weight.asnumpy().any()
    assert "dense-third" in effects("nn.Dense")


def test_embeddings_start_small_and_padding_is_trained() -> None:
    import mindspore
    from mindspore import Tensor, nn, ops

    table = nn.Embedding(1000, 64).embedding_table.init_data().asnumpy()
    assert table.std() == pytest.approx(0.01, rel=0.05)
    layer = nn.Embedding(5, 2, padding_idx=0)
    assert not layer.embedding_table.init_data().asnumpy()[0].any()
    gradient = mindspore.grad(lambda x: ops.sum(layer(x)), None, layer.trainable_params())
    found = gradient(Tensor([[0, 0, 0]], mindspore.int32))
    assert (found[0] if isinstance(found, tuple) else found).asnumpy()[0] == pytest.approx([3, 3])


def test_pools_step_by_one() -> None:
    from mindspore import nn, ops

    data = ops.ones((1, 1, 4, 4))
    for layer in (nn.MaxPool2d(2), nn.AvgPool2d(2), ops.MaxPool(2), ops.AvgPool(2), lambda x: ops.avg_pool2d(x, 2)):
        assert layer(data).shape == (1, 1, 3, 3)
    assert ops.max_pool2d(data, 2).shape == (1, 1, 2, 2)
    assert "pool-stride" not in effects("ops.max_pool2d")


def test_activations_compute_something_else() -> None:
    torch = pytest.importorskip("torch")
    from mindspore import Tensor, nn, ops

    data = np.linspace(-6, 6, 10001).astype(np.float32)
    assert float(nn.LeakyReLU()(Tensor([-1.0]))) == pytest.approx(-0.2)
    assert float(ops.leaky_relu(Tensor([-1.0]))) == pytest.approx(-0.2)
    exact = torch.nn.functional.gelu(torch.tensor(data)).numpy()
    assert 4e-4 < abs(nn.GELU()(Tensor(data)).asnumpy() - exact).max() < 6e-4
    assert ops.gelu(Tensor(data)).asnumpy() == pytest.approx(exact, abs=1e-5)
    maps = np.random.default_rng(0).normal(size=(2, 3, 4, 5)).astype(np.float32)
    assert nn.Softmax()(Tensor(maps)).asnumpy().sum(-1) == pytest.approx(1)
    assert torch.nn.Softmax(dim=None)(torch.tensor(maps)).numpy().sum(1) == pytest.approx(1)


def test_losses_of_certain_predictions() -> None:
    torch = pytest.importorskip("torch")
    from mindspore import Tensor, nn

    assert nn.BCELoss(reduction="none")(Tensor([0.0, 1.0]), Tensor([1.0, 0.0])).asnumpy() == pytest.approx(
        27.63, abs=0.01
    )
    assert float(torch.nn.BCELoss()(torch.tensor([0.0]), torch.tensor([1.0]))) == 100


@pytest.mark.parametrize("name", ["nn.BCEWithLogitsLoss", "nn.TripletMarginLoss", "nn.RMSProp", "nn.Adagrad"])
def test_arguments_come_in_another_order(name: str) -> None:
    row = next(row for row in knowledge.differences(name) if row.effect == "argument-order")
    torch_parameters = knowledge.parameters(row.torch[0]) or ()
    own = knowledge.parameters(name) or ()
    assert own.index(str(row.parameter)) == torch_parameters.index(str(row.torch_parameter))


def test_divergence_takes_no_log_target() -> None:
    assert "log_target" not in knowledge.load().apis["nn.KLDivLoss"].parameters
    assert "log_target" in knowledge.load().apis["mint.nn.KLDivLoss"].parameters


def test_padding_begins_at_the_first_dimension() -> None:
    from mindspore import nn, ops

    data = ops.ones((2, 3))
    assert ops.Pad(((1, 0), (0, 0)))(data).shape == nn.Pad(((1, 0), (0, 0)))(data).shape == (3, 3)
    assert ops.pad(data, [1, 0]).shape == (2, 4)


def optimizers() -> list[str]:
    return next(row.apis for row in knowledge.load().differences if row.effect == "decay-filter")


@pytest.mark.parametrize("name", optimizers())
def test_names_decide_about_decay(name: str) -> None:
    from mindspore import Parameter, nn

    parameters = [Parameter(np.ones(2, np.float32), name=name) for name in ("bn.gamma", "bn.beta", "dense.bias", "w")]
    rate = {} if name == "nn.AdamWeightDecay" else {"learning_rate": 0.1}
    optimizer = getattr(nn, name[3:])(parameters, **rate, **({"momentum": 0.9} if name == "nn.Momentum" else {}))
    assert optimizer.decay_flags == (False, False, True, True)


def test_every_optimizer_with_a_loss_scale_divides_by_it() -> None:
    from mindspore import Parameter, nn

    rows = [row for row in knowledge.load().differences if row.effect == "optimizer-loss-scale"]
    for name in (name for row in rows for name in row.apis):
        extra = {"momentum": 0.9} if name == "nn.Momentum" else {}
        optimizer = getattr(nn, name[3:])(
            [Parameter(np.ones(2, np.float32), name="w")], learning_rate=0.1, loss_scale=4.0, **extra
        )
        assert optimizer.reciprocal_scale == 0.25, name


def test_weight_decay_of_adam_has_no_bias_correction() -> None:
    from mindspore import Parameter, Tensor, nn

    weight = Parameter(np.zeros(1, np.float32), name="w")
    nn.AdamWeightDecay([weight], learning_rate=0.1)((Tensor([1.0]),))
    assert float(weight) == pytest.approx(-0.316, abs=0.001)
    weight = Parameter(np.zeros(1, np.float32), name="w")
    nn.Adam([weight], learning_rate=0.1)((Tensor([1.0]),))
    assert float(weight) == pytest.approx(-0.1, abs=0.001)


def test_spread_is_that_of_the_population() -> None:
    import mindspore.numpy as mnp
    from mindspore import Tensor, ops

    data = Tensor([1.0, 2.0, 3.0])
    for found in (ops.std(data), ops.std_mean(data)[0], data.std(), mnp.std(data)):
        assert float(found) == pytest.approx(0.8165, abs=1e-4)
    for found in (ops.var(data), ops.var_mean(data)[0], data.var(), mnp.var(data)):
        assert float(found) == pytest.approx(0.6667, abs=1e-4)


def test_what_does_not_fit_is_only_returned() -> None:
    import mindspore
    from mindspore import Parameter, nn

    given = {"kernel": Parameter(np.ones((2, 2), np.float32), name="kernel")}
    for strict in (False, True):
        net_lacks, file_has = mindspore.load_param_into_net(nn.Dense(2, 2), given, strict_load=strict)
        assert set(net_lacks) == {"weight", "bias"} and file_has == ["kernel"]


def test_a_common_prefix_is_left_out_unless_strict() -> None:
    import mindspore
    from mindspore import Parameter, nn

    given = {"net.weight": Parameter(np.full((2, 2), 0.25, np.float32), name="net.weight")}
    for strict in (False, True):
        layer = nn.Dense(2, 2)
        net_lacks, _ = mindspore.load_param_into_net(layer, dict(given), strict_load=strict)
        assert ("weight" in net_lacks) is strict
        assert (layer.weight.init_data().asnumpy() == 0.25).all() == (not strict)


def test_clipping_leaves_the_gradients_alone() -> None:
    from mindspore import Tensor, ops

    for clip in (ops.clip_by_global_norm, ops.clip_by_norm, lambda x, norm: ops.clip_by_value(x, -norm, norm)):
        gradient = Tensor([3.0, 4.0])
        assert float(clip((gradient,), 1.0)[0].max()) < 4
        assert gradient.asnumpy().tolist() == [3, 4]


def test_normalizing_does_not_rescale() -> None:
    from mindspore.dataset import vision

    picture = np.full((2, 2, 3), 255, np.uint8)
    assert vision.Normalize([0.5] * 3, [0.5] * 3)(picture).max() == pytest.approx(509)
    assert vision.ToTensor()(picture).max() == pytest.approx(1)


def test_a_wrong_scale_of_the_optimizer_is_accepted() -> None:
    import mindspore
    from mindspore import nn

    net = nn.Dense(2, 2)
    manager = mindspore.amp.FixedLossScaleManager(1024, drop_overflow_update=False)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    assert mindspore.Model(net, nn.MSELoss(), optimizer, loss_scale_manager=manager)


def test_the_aligned_family_follows_pytorch() -> None:
    for name in ("Conv2d", "BatchNorm2d", "LayerNorm", "Embedding", "AvgPool2d", "MaxPool2d", "GELU", "SmoothL1Loss"):
        assert knowledge.differences(f"mint.nn.{name}") == []
        assert knowledge.load().pytorch[f"torch.nn.{name}"].aligned == f"mint.nn.{name}"
