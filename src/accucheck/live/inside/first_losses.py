"""The loss of the first batches in the network as it is built: in training mode, with no update in between."""

from __future__ import annotations

import time
from typing import Any

from .network import Setup
from .pipeline import Tell, blamed
from .targets import cross_entropy, paired


def examine(request: dict[str, Any], tell: Tell) -> None:
    """Tells "network" and, for each batch, "loss"; for classes with their scores also what these say."""
    import numpy

    setup = Setup(request, tell)
    tell(event="network", loaded=setup.loaded)
    deadline = time.monotonic() + request["seconds"]
    batches = setup.batches(request["batches"])
    setup.network.set_train(True)
    call = (request.get("loss") or request["network"])["call"]
    for batch in batches:
        output = setup.output(batch)
        with blamed(call, setup.root):
            loss = float(setup.loss_from(output, batch).asnumpy())
            pair = paired(output, setup.columns(batch, setup.labels)) if setup.loss is not None else None
        facts: dict[str, Any] = {}
        if pair is not None and pair[0] == "classes":
            _, scores, truth = pair
            width = scores.shape[1]
            facts = {"width": width, "rows": len(truth), "entropy": cross_entropy(scores, truth)}
            facts["answers"] = numpy.bincount(scores.argmax(axis=1), minlength=width).tolist()
        tell(event="loss", loss=loss if numpy.isfinite(loss) else None, **facts)
        if time.monotonic() > deadline:
            break
