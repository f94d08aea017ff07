"""Targets that are measured, and the instances that they are measured on by default."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kassay.engines.optimum.gaps import require_measurable
from kassay.engines.processes.host import Limits
from kassay.engines.targets.limits import CALL_TIMEOUT_S
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.errors import TargetError
from kassay.model.kinds import Kind, every_kind


def measurable(
    specs: Sequence[str], config: Mapping[str, str], kinds: Collection[Kind]
) -> tuple[list[Target], list[TargetError]]:
    """The targets that load, each once, and the errors of the others.

    Raises `InputError` for a target of none of these `kinds`.
    """
    limits = Limits(call_timeout_s=CALL_TIMEOUT_S)
    targets, errors = [], []
    for spec in dict.fromkeys(specs):
        try:
            targets.append(resolve(spec, limits=limits, config=config))
        except TargetError as error:
            errors.append(error)
    for target in targets:
        require_measurable(target, kinds)
    return targets, errors


def measured_kinds() -> tuple[Kind, ...]:
    """The kinds whose targets answer instances."""
    return tuple(kind for kind in every_kind() if kind.instances)


def usual_suite(targets: Iterable[Target]) -> str:
    """The default suite of these targets, `bench` if they have none in common."""
    suites = {target.kind.instances.suite for target in targets if target.kind.instances}
    return suites.pop() if len(suites) == 1 else "bench"
