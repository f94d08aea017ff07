"""The first states of some worlds, and all that stands in them."""

import re

from kassay.model.explore.search import explore
from kassay.model.explore.states import Interned
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.faults import parse_faults
from kassay.model.protocols.world.context import options
from kassay.model.protocols.world.groups import ClassicModel, ConsumerModel

GENERATIONS = {
    "adopted_in",
    "epoch",
    "generation",
    "generation_id",
    "member_epoch",
    "prev_epoch",
    "target_epoch",
}


WORLDS = [
    (ClassicModel, options("eager", partitions=1, faults=parse_faults("pause=1"))),
    (ClassicModel, options("cooperative", faults=parse_faults("loss=1"))),
    (ClassicModel, options("eager", members=3, partitions=1)),
    (ConsumerModel, options(faults=parse_faults("crash=1"))),
]


def some(make, chosen):
    """A model, and the first states of its walk."""
    model = make(chosen)
    return model, explore(model, budget=WalkLimits(600), check_liveness=False).graph.states


def everything(value):
    """All strings in a value, and all numbers of fields that hold generations, at any depth."""
    if isinstance(value, Interned):
        yield from everything(value.value)
    elif type(value) is str:
        yield value
    elif isinstance(value, tuple):
        for field, item in zip(getattr(value, "_fields", [""] * len(value)), value):
            if field in GENERATIONS:
                yield item
            else:
                yield from everything(item)


def ids(found):
    return {text for text in found if isinstance(text, str) and re.fullmatch(r"[A-Za-z]\w*-[1-9]", text)}
