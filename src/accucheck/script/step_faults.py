"""What is wrong with a training step wherever the way that leads to it is taken: codes that rules and probes share.

A module of its own, so that the words of a probe can be built without loading what reads scripts.
"""

from __future__ import annotations

LOSS_SCALE = (
    "no-scale",
    "no-scale-unused",
    "kept",
    "kept-own",
    "divided-only",
    "divided-own",
    "divided-twice",
    "mismatch",
    "mismatch-own",
    "scale-one",
    "never-adjusted",
)
OVERFLOW = ("no-check", "no-check-framework", "check-unused")
