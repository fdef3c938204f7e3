"""A YAML file whose keys are those of TrainingArguments, given to the trainer of mindone."""

import sys

import yaml
from datasets import load_dataset
from mindone.transformers import BertForSequenceClassification
from mindone.transformers.trainer import Trainer
from mindone.transformers.training_args import TrainingArguments
from transformers import AutoTokenizer


def main():
    with open(sys.argv[1]) as stream:
        config = yaml.safe_load(stream)
    args = TrainingArguments(**config)
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")

    def tokens(rows):
        return tokenizer(rows["text"], padding="max_length", truncation=True, max_length=128)

    data = load_dataset("yelp_review_full")["train"].map(tokens, batched=True)
    model = BertForSequenceClassification.from_pretrained("bert-base-cased", num_labels=5)
    Trainer(model=model, args=args, train_dataset=data).train()


if __name__ == "__main__":
    main()
