#!/bin/bash
# The options of one run.
export DEVICE_ID=0
RATE=0.1
BATCH=128
OPTIONS="--seed 42"
python train.py --data images --batch $BATCH --lr ${RATE} --epochs 100 --amp O0 \
    --mean 123.675 116.28 103.53 --std 58.395 57.12 57.375 $OPTIONS
