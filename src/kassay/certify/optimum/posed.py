"""Instances, and the kinds of targets that answer them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from kassay.kinds.instances import Asking, How
from kassay.kinds.registry import driver_for
from kassay.model.kinds import Kind, every_kind
from kassay.reading.documents import Located, at
from kassay.solver.instances.families import family_of


@dataclass(frozen=True)
class PosedInstance:
    """An instance and the kinds of targets that answer it; `solve` returns what runs a target on it."""

    name: str
    kinds: tuple[Kind, ...]
    solve: Callable[[How], Asking]
    """Raises `OutOfTimeError` if the optimum takes too long."""


def posed(located: Located) -> PosedInstance | None:
    """The instance at this place, None if no assignor answers it; raises `InputError` for an invalid one."""
    with at(located.where):
        family = family_of(located.document)
        kinds = kinds_of(family.name)
        if not kinds:
            return None
        problem = family.parse(located.document)
    named = replace(problem, name=problem.name or located.where)
    return PosedInstance(named.name, kinds, partial(driver_for(kinds[0]).ask_instance, named))


def kinds_of(family: str) -> tuple[Kind, ...]:
    """The kinds whose targets answer the instances of a family."""
    return tuple(kind for kind in every_kind() if kind.instances and kind.instances.family == family)
