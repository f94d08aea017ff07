"""A history that shows a cause, made small: intentions left out, decisions and settings made ordinary.

Because intentions are resolved against the genuine state, what is left after leaving some out is a history
again, with whatever ids Kafka then makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from kassay.engines.conform.intentions import Intended, Intention, Setup
from kassay.engines.genuine.coordinator import CONFIG, STREAMS_CONFIG

DELAY: Final = "group.streams.initial.rebalance.delay.ms"
TRIES: Final = 600
"""The most histories that are played to shrink one."""

Shows = Callable[[Intended], bool]


def shrink(intended: Intended, shows: Shows, tries: int = TRIES) -> Intended:
    """The smallest history found that still `shows` the cause, by at most so many plays."""
    left = tries
    shrunk = True
    while shrunk and left > 0:
        shrunk = False
        for candidate in _smaller(intended):
            left -= 1
            if left < 0:
                break
            if shows(candidate):
                intended, shrunk = candidate, True
                break
    return intended


def _smaller(intended: Intended) -> Iterator[Intended]:
    """Smaller histories, the much smaller ones first."""
    kept = intended.intentions
    size = len(kept)
    while size:
        for start in range(len(kept) - size, -1, -size):
            yield replace(intended, intentions=kept[:start] + kept[start + size :])
        size //= 2
    for place, intention in enumerate(kept):
        for simpler in _simpler(intention):
            yield replace(intended, intentions=(*kept[:place], simpler, *kept[place + 1 :]))
    for setup in _plainer(intended.setup):
        yield replace(intended, setup=setup)


def _simpler(intention: Intention) -> Iterator[Intention]:
    """The intention with fewer decisions that are not the first option."""
    numbers = intention.numbers
    if any(numbers):
        yield intention._replace(numbers=())
    for place, number in enumerate(numbers):
        if number:
            zeroed = (*numbers[:place], 0, *numbers[place + 1 :])
            yield intention._replace(numbers=_trimmed(zeroed))
    if intention.write_fails:
        yield intention._replace(write_fails="")
    if intention.slot:
        yield intention._replace(slot=0)


def _trimmed(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Without zeros at the end, which is what missing ones are."""
    while numbers and not numbers[-1]:
        numbers = numbers[:-1]
    return numbers


def _plainer(setup: Setup) -> Iterator[Setup]:
    """The setup with fewer topics and settings other than the usual ones."""
    at_once = {"classic_initial_rebalance_delay_ms": 0, "consumer_assignment_interval_ms": 0}
    usual: dict[str, Any] = {**CONFIG, **at_once}
    for name, value in usual.items():
        if setup.config[name] != value:
            yield replace(setup, config={**setup.config, name: value})
    for name, value in ({**STREAMS_CONFIG, DELAY: 0}).items() if "streams" in setup.config else ():
        if setup.config["streams"][name] != value:
            streams = {**setup.config["streams"], name: value}
            yield replace(setup, config={**setup.config, "streams": streams})
    if setup.application:
        yield replace(setup, application=0)
    for topics in ({}, {"foo": 1}, {"foo": 1, "bar": 1}):
        if sum(setup.topics.values()) > sum(topics.values()):
            yield replace(setup, topics=topics)
