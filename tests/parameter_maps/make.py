"""Makes the lists of parameters of this folder with the real frameworks, and proves the pairs by running both networks.

    python tests/parameter_maps/make.py [NAME ...]

Each network is built in PyTorch (torchvision, transformers, torch_networks.py) and in MindSpore (MindCV,
mindspore_networks.py), given random weights, and the MindSpore one gets the weights of the other through the pairs. The list
is written only if the outputs agree then: no other pairing of these weights gives them. `alone` are parameters that only
PyTorch's has, set to zero for that. Needs torch, torchvision,
transformers and mindcv.
"""

import functools
import gzip
import json
import sys
from pathlib import Path

import mindcv
import mindspore as ms
import numpy as np
import torch

library = torch.library.Library("torchvision", "FRAGMENT")
for operator in ("nms(Tensor a, Tensor b, float c) -> Tensor", "qnms(Tensor a, Tensor b, float c) -> Tensor"):
    try:  # torchvision's own operators are not needed, and may be missing for a torch without CUDA
        library.define(operator)
    except RuntimeError:
        pass
import mindspore_networks as theirs  # noqa: E402
import torch_networks as ours  # noqa: E402
import torchvision  # noqa: E402
from mindcv.models.vit import VisionTransformer  # noqa: E402

from accucheck.parameter_map import pair_parameters  # noqa: E402
from accucheck.readers.checkpoints import TensorInfo, state_names  # noqa: E402

HERE = Path(__file__).parent
IMAGE = (2, 3, 64, 64)


def images(shape=IMAGE):
    return [np.random.default_rng(0).standard_normal(shape).astype("f4")]


def ids(high, shape=(2, 9)):
    return np.random.default_rng(0).integers(0, high, shape)


def bert():
    from transformers import BertConfig, BertModel

    return BertModel(BertConfig())


def resnet():
    network = mindcv.create_model("resnet50")
    network.max_pool = ms.nn.MaxPool2d(3, 2, "pad", 1)  # MindCV pads on one side only
    return network


def vit():
    """With PyTorch's GELU and epsilon."""
    return VisionTransformer(
        image_size=224,
        patch_size=16,
        embed_dim=384,
        depth=12,
        num_heads=6,
        act_layer=functools.partial(ms.nn.GELU, approximate=False),
        norm_layer=functools.partial(ms.nn.LayerNorm, epsilon=1e-6),
    )


NETWORKS = {
    "resnet50": (torchvision.models.resnet50, resnet, images),
    "mobilenet_v2": (torchvision.models.mobilenet_v2, lambda: mindcv.create_model("mobilenet_v2_100"), images),
    "vgg16": (
        torchvision.models.vgg16,
        lambda: mindcv.create_model("vgg16"),
        lambda: images((1, 3, 224, 224)),
    ),
    "densenet121": (torchvision.models.densenet121, lambda: mindcv.create_model("densenet121"), images),
    "vit_s": (
        lambda: torchvision.models.VisionTransformer(224, 16, 12, 6, 384, 1536),
        vit,
        lambda: images((1, 3, 224, 224)),
    ),
    "bert_base": (
        bert,
        theirs.Bert,
        lambda: [ids(30522), ids(2)],
    ),
    "lstm_tagger": (ours.Tagger, theirs.Tagger, lambda: [ids(5000)]),
    "unet": (ours.UNet, theirs.UNet, lambda: images((1, 1, 64, 64))),
    "dcgan_generator": (ours.Generator, theirs.Generator, lambda: images((2, 100, 1, 1))),
    "dcgan_discriminator": (ours.Discriminator, theirs.Discriminator, images),
    "yolo": (ours.Yolo, theirs.Yolo, images),
}


def infos(tensors):
    states = state_names(name for name, _, _ in tensors)
    return [
        TensorInfo(name, dtype, tuple(shape), "", role="state" if name in states else "weight")
        for name, shape, dtype in tensors
    ]


def randomize(network):
    """No weight is left at a value that another has too."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, tensor in network.state_dict().items():
            if tensor.is_floating_point():
                noise = torch.randn(tensor.shape, generator=generator)
                if name.endswith("running_var") or (tensor.ndim == 1 and name.endswith("weight")):
                    tensor.copy_(1 + 0.2 * noise.clamp(-3, 3))
                elif tensor.ndim == 1:
                    tensor.copy_(0.2 * noise)
                else:
                    tensor.copy_(noise * (tensor[0].numel() ** -0.5))


def flat(outputs):
    if hasattr(outputs, "to_tuple"):
        outputs = outputs.to_tuple()
    if isinstance(outputs, (list, tuple)):
        return np.concatenate([flat(output) for output in outputs])
    return (outputs.detach().numpy() if isinstance(outputs, torch.Tensor) else outputs.asnumpy()).ravel()


def make(name):
    first, second, inputs = NETWORKS[name]
    torch.manual_seed(0)
    reference, network = first().eval(), second()
    network.set_train(False)
    randomize(reference)
    values = {key: tensor.numpy() for key, tensor in reference.state_dict().items()}
    parameters = {parameter.name: parameter for parameter in network.get_parameters()}
    left = [(key, list(p.shape), str(p.dtype).lower()) for key, p in parameters.items()]
    right = [(key, list(value.shape), str(value.dtype)) for key, value in values.items()]
    found = pair_parameters(infos(left), infos(right))
    pairs = []
    for pair in found.pairs:
        value = values[pair.right.name]
        assert not pair.left_rows
        if pair.right_rows:
            value = value[slice(*pair.right_rows)]
        value = value.T if pair.transpose else value
        parameters[pair.left.name].set_data(ms.Tensor(np.ascontiguousarray(value.reshape(pair.left.shape))))
        pairs.append([pair.left.name, pair.right.name, pair.transform, pair.right_rows])
    with torch.no_grad():  # what the MindSpore network does not have must not count: the biases of MindCV's VGG
        for info in found.right:
            if info.floating:
                reference.state_dict()[info.name].zero_()
    given = inputs()
    with torch.no_grad():
        one = flat(
            reference(*map(torch.from_numpy, given))
            if len(given) == 1
            else reference(torch.from_numpy(given[0]), token_type_ids=torch.from_numpy(given[1]))
        )
    other = flat(network(*(ms.Tensor(value, ms.int32 if value.dtype.kind == "i" else None) for value in given)))
    apart = float(np.abs(one - other).max() / np.abs(one).max())
    print(f"{name}: {len(left)} and {len(right)} parameters, {len(pairs)} pairs, outputs {apart:.2g} apart")
    if not apart < 1e-4:
        return False
    content = {
        "mindspore": left,
        "pytorch": right,
        "pairs": sorted(pairs),
        "alone": sorted(info.name for info in found.right),
    }
    text = json.dumps(content, separators=(",", ":")).encode()
    (HERE / f"{name}.json.gz").write_bytes(gzip.compress(text, 9, mtime=0))
    return True


if __name__ == "__main__":
    failed = [name for name in sys.argv[1:] or NETWORKS if not make(name)]
    sys.exit(f"outputs differ: {failed}" if failed else 0)
