"""Why the classic worlds are as large as they are: the sizes in `docs/protocols.md`, choice by choice."""

from __future__ import annotations

import functools

import pytest

from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import WalkLimits
from tests.explored import build

BOTH = "crash=1,pause=1"
ALL = "crash=1,pause=1,failover=1"


def as_is(model):
    """The model as `kassay explore` walks it."""


def synced_at_once(model):
    """The leader's SyncGroup is persisted and answered in one step."""
    model.context.brokers.split_sync = False


def numbered_on(model):
    """Generations and member ids are not counted down."""
    model.canonical = lambda state: state


def with_its_log(model):
    """The log stays in the state though nobody will read it."""
    brokers = model.context.brokers
    for name in ("handle", "fire", "acknowledge", "fail_over"):
        setattr(brokers, name, functools.partial(keeping, getattr(brokers, name)))


def keeping(step, *args, **more):
    return step(*args, **more | {"keeps_log": True})


SIZES = {
    (as_is, "eager", ""): 139,
    (as_is, "eager", BOTH): 5987,
    (as_is, "cooperative", ""): 223,
    (as_is, "cooperative", BOTH): 11281,
    (synced_at_once, "eager", ""): 75,
    (synced_at_once, "eager", BOTH): 3483,
    (synced_at_once, "cooperative", ""): 127,
    (synced_at_once, "cooperative", BOTH): 6501,
    (numbered_on, "eager", BOTH): 9907,
    (with_its_log, "eager", BOTH): 8403,
}
LARGE = {
    (synced_at_once, "eager", ALL): 23870,
    (numbered_on, "cooperative", BOTH): 20021,
    (with_its_log, "cooperative", BOTH): 16235,
}
LARGEST = {
    (as_is, "eager", ALL): 39530,
    (as_is, "cooperative", ALL): 91182,
    (synced_at_once, "cooperative", ALL): 49396,
    (with_its_log, "eager", ALL): 51594,
    (with_its_log, "cooperative", ALL): 124424,
}
"""By hand: each choice is in the others, too. The first is walked, as it is, by `HEAVY` of test_explore.py."""


def size(change, mode, faults):
    model = build("classic", mode=mode, faults=faults)
    change(model)
    return len(walk(model, (), budget=WalkLimits(200_000), check_liveness=False).graph.states)


@pytest.mark.slow_cases("as_is-cooperative-crash=1,pause=1", "with_its_log-eager-crash=1,pause=1")
@pytest.mark.parametrize(("change", "mode", "faults"), SIZES)
def test_sizes(change, mode, faults):
    assert size(change, mode, faults) == SIZES[change, mode, faults]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("change", "mode", "faults"), LARGE)
def test_large_sizes(change, mode, faults):
    assert size(change, mode, faults) == LARGE[change, mode, faults]


@pytest.mark.deep
@pytest.mark.parametrize(("change", "mode", "faults"), LARGEST)
def test_largest_sizes(change, mode, faults):
    assert size(change, mode, faults) == LARGEST[change, mode, faults]
