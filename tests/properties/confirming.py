"""Whether a claim says rightly where it can be broken, by trying every answer."""

import random
from dataclasses import replace

from kassay.properties.registry import applies

SAMPLE = 60


class Few:
    """Takes all inputs, or of many a sample besides the first few, which are the smallest."""

    def __init__(self, everything):
        self.all = everything

    def __call__(self, inputs, size=SAMPLE):
        inputs = list(inputs)
        if self.all or len(inputs) <= size:
            return inputs
        return [*inputs[:3], *random.Random(1).sample(inputs[3:], size - 3)]


def is_broken(found, thing, *more):
    return next(found.kind.predicate(thing, *more), None) is not None


def more_of(found, *best):
    return best if found.kind.parameter is None else (*best, found.value)


def confirm(found, things, *best):
    """That breakable says what is so of one of these things, where the claim says anything at all.

    They differ in their answers alone, of which breakable must take no notice: it is asked of thirty of them.
    """
    more = more_of(found, *best)
    judged = [thing for thing in things if applies(found.kind, thing, *more)]
    some_break = any(is_broken(found, thing, *more) for thing in judged)
    assert all(
        found.kind.breakable(thing, *more) is some_break for thing in judged[:: 1 + len(judged) // 30]
    ), (
        found.id,
        some_break,
        judged[:1],
    )
    return some_break


def both_seen(outcomes):
    """That a test has met inputs of both sorts, so that neither direction went untested."""
    assert set(outcomes) == {True, False}


def answered(step, answers):
    return [replace(step, answer=answer) for answer in answers]
