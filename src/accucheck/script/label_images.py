"""Labels that are pictures, with a class for each pixel: interpolated, or left where they are while their picture is moved by chance.

Between two classes, interpolation gives the numbers of others. A flip, a turn or a crop of the picture alone leaves each pixel with the
label of another one. Judged where picture and label were followed from their files to the network, and the label is whole numbers there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..knowledge import api
from .analysis import Scripts
from .consistency import interpolation
from .losses import Observation
from .pipelines import Input, Pipeline, of_scripts
from .sample_functions import MOVES
from .samples import SamplePath, Step

_RESIZES = ("cv2.resize",)
_MOVED = frozenset(("crop", "resized-crop", "flip", "geometry"))


def examine(scripts: Scripts) -> Iterator[Observation]:
    training = {id(reading) for reading in scripts.training}
    told: set[tuple[str, int]] = set()
    for pipelines in of_scripts(scripts):
        for pipeline in pipelines.pipelines() if id(pipelines.reading) in training else ():
            for one in _of_pipeline(pipeline) if pipeline.role == "train" else ():
                place = (one.place.source.path, one.place.line)
                if place not in told:
                    told.add(place)
                    yield one


def _of_pipeline(pipeline: Pipeline) -> Iterator[Observation]:
    pictures = [entry for entry in pipeline.inputs if entry.kind == "pixels" and _is_followed(entry)]
    labels = [entry for entry in pipeline.inputs if entry.kind == "label" and _is_followed(entry) and _is_whole(entry)]
    for label in labels:
        for way in label.of_data:
            resized = _interpolated(way)
            if resized is not None:
                data = {"label": label.name, "step": resized.text}
                yield Observation("labels-interpolated", resized.made, data, certain=False)
        for picture in pictures[:1]:
            alone = _moved_alone(picture, label)
            if alone is not None:
                data = {"input": picture.name, "label": label.name, "step": alone.text}
                yield Observation("moved-apart", alone.made, data, certain=False)


def _is_followed(entry: Input) -> bool:
    ways = entry.of_data
    return bool(ways) and all(way.origin == "pixels" and not way.unclear for way in ways)


def _is_whole(entry: Input) -> bool:
    return all(way.integer for way in entry.of_data)


def _interpolated(way: SamplePath) -> Step | None:
    """The step that computes pixels of a label from several, where nothing behind it makes classes of the result."""
    for number, step in enumerate(way.steps):
        by = interpolation(step) or _of_opencv(step)
        if by and "NEAREST" not in by and all(after.rearranges for after in way.steps[number:]):
            return step
    return None


def _of_opencv(step: Step) -> str:
    """By what a resize of OpenCV interpolates: linearly unless told; "" where that is not seen, and for any other step."""
    if step.name not in _RESIZES or step.condition or step.made.unpacked:
        return ""
    told = dict(step.arguments)
    by = str(told.get("interpolation", told.get("5", "INTER_LINEAR")))
    return by if by.startswith("INTER_") else ""


def _moved_alone(picture: Input, label: Input) -> Step | None:
    """A step that moves the pixels of one of the two by chance, and more often than those of the other, however these were read."""
    moves = [[[step for step in way.steps if _moves(step)] for way in entry.of_data] for entry in (picture, label)]
    counts = [{len(steps) for steps in each} for each in moves]
    if any(len(count) != 1 for count in counts) or counts[0] == counts[1]:
        return None
    return max(moves[0][0], moves[1][0], key=len)[-1]


def _moves(step: Step) -> bool:
    """Whether chance decides where a step puts the pixels, or whether it does."""
    known = api.transform(step.name)
    moving = known.category in _MOVED if known is not None else step.kind == "slice" or _last(step) in MOVES
    return moving and (step.random or step.tossed)


def _last(step: Step) -> str:
    return step.name.rpartition(".")[2]
