"""Settings of a YAML file that options of the command override, given to the builders of mindcv."""

import argparse

import mindspore as ms
import yaml
from mindcv.data import create_dataset, create_loader, create_transforms
from mindcv.loss import create_loss
from mindcv.models import create_model
from mindcv.optim import create_optimizer
from mindcv.scheduler import create_scheduler


def parse_args():
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("-c", "--config", default="")
    parser = argparse.ArgumentParser(parents=[first])
    parser.add_argument("--data_dir", default="data")
    parser.add_argument("--dataset", default="imagenet")
    parser.add_argument("--num_classes", type=int, default=1000)
    parser.add_argument("--shuffle", type=lambda text: text.lower() == "true", default=True)
    parser.add_argument("--batch_size", type=int, default=128)
    parser.add_argument("--image_resize", type=int, default=224)
    parser.add_argument("--mean", type=float, nargs="+", default=[123.675, 116.28, 103.53])
    parser.add_argument("--std", type=float, nargs="+", default=[58.395, 57.12, 57.375])
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--pretrained", action="store_true")
    parser.add_argument("--amp_level", default="O0")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--scheduler", default="constant")
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--min_lr", type=float, default=1e-6)
    parser.add_argument("--warmup_epochs", type=int, default=0)
    parser.add_argument("--decay_epochs", type=int, default=90)
    parser.add_argument("--opt", default="adam")
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--weight_decay", type=float, default=0.0)
    parser.add_argument("--loss", default="CE")
    known, rest = first.parse_known_args()
    if known.config:
        with open(known.config) as stream:
            parser.set_defaults(**yaml.safe_load(stream))
    return parser.parse_args(rest)


def loader_of(args, split, training):
    dataset = create_dataset(args.dataset, args.data_dir, split, shuffle=args.shuffle and training)
    transform = create_transforms(
        args.dataset, image_resize=args.image_resize, is_training=training, mean=args.mean, std=args.std
    )
    return create_loader(
        dataset, args.batch_size, drop_remainder=training, is_training=training, num_classes=args.num_classes,
        transform=transform,
    )  # fmt: skip


def train():
    args = parse_args()
    if args.seed is not None:
        ms.set_seed(args.seed)
    loader = loader_of(args, "train", True)
    loader_of_eval = loader_of(args, "val", False)
    network = create_model(args.model, args.num_classes, pretrained=args.pretrained)
    loss = create_loss(args.loss)
    rates = create_scheduler(
        loader.get_dataset_size(), args.scheduler, lr=args.lr, min_lr=args.min_lr, warmup_epochs=args.warmup_epochs,
        decay_epochs=args.decay_epochs, num_epochs=args.epochs,
    )  # fmt: skip
    optimizer = create_optimizer(
        network.trainable_params(), args.opt, lr=rates, weight_decay=args.weight_decay, momentum=args.momentum
    )
    model = ms.Model(network, loss_fn=loss, optimizer=optimizer, metrics={"accuracy"}, amp_level=args.amp_level)
    model.train(args.epochs, loader, dataset_sink_mode=False)
    print(model.eval(loader_of_eval))


if __name__ == "__main__":
    train()
