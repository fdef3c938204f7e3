data = dict(
    folder="images",
    batch_size=128,
    shuffle=True,
    mean=[123.675, 116.28, 103.53],
    std=[58.395, 57.12, 57.375],
)
optimizer = dict(
    lr=0.1,
    momentum=0.9,
)
runner = dict(
    epochs=100,
    amp_level="O0",
)
seed = 42
