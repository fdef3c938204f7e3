"""A run as one configuration describes it, given to the trainer of MindFormers."""

import argparse

from mindformers import MindFormerConfig, Trainer
from mindformers.core.context import build_context


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--run_mode", default=None)
    parser.add_argument("--seed", type=int, default=None)
    args = parser.parse_args()
    config = MindFormerConfig(args.config)
    if args.run_mode is not None:
        config.run_mode = args.run_mode
    if args.seed is not None:
        config.seed = args.seed
    build_context(config)
    trainer = Trainer(config)
    if config.run_mode == "train":
        trainer.train()
    else:
        trainer.finetune()


if __name__ == "__main__":
    main()
