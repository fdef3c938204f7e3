"""TrainingArguments out of a YAML file, given to the Trainer of mindnlp; options of the command come last."""

import argparse

import yaml
from mindnlp.dataset import load_dataset
from mindnlp.engine import Trainer, TrainingArguments
from mindnlp.transformers import BertForSequenceClassification, BertTokenizer


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="run.yaml")
    parser.add_argument("--learning_rate", type=float, default=None)
    parser.add_argument("--per_device_train_batch_size", type=int, default=None)
    given = vars(parser.parse_args())
    with open(given.pop("config")) as stream:
        config = yaml.safe_load(stream)
    config.update({name: value for name, value in given.items() if value is not None})
    return config


def main():
    args = TrainingArguments(**parse())
    tokenizer = BertTokenizer.from_pretrained("bert-base-uncased")

    def tokens(text):
        rows = tokenizer(text, padding="max_length", truncation=True, max_length=128)
        return rows["input_ids"], rows["token_type_ids"], rows["attention_mask"]

    data = load_dataset("imdb", split="train", shuffle=True)
    data = data.map(tokens, "text", ["input_ids", "token_type_ids", "attention_mask"])
    data = data.rename("label", "labels")
    model = BertForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
    trainer = Trainer(model=model, args=args, train_dataset=data)
    trainer.train()


if __name__ == "__main__":
    main()
