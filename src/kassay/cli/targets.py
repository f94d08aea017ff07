"""Shared by commands that measure several targets: options, the targets that load, the instances."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

from kassay.cli import completing
from kassay.cli.options import complain, pairs
from kassay.model.kinds import Kind

if TYPE_CHECKING:
    from kassay.engines.targets.resolve import Target
    from kassay.model.errors import TargetError
    from kassay.reading.documents import Located

CALL_TIMEOUT_S: Final = 20.0
"""The limit of a call where a target is measured, not tested."""


suite_option = click.option(
    "--suite",
    "suite_name",
    metavar="NAME|FILE",
    shell_complete=completing.instances,
    help="Use these instances.  [default: bench, share or streams, by kind]",
)


def asked_again(chosen: Mapping[str, Any]) -> list[str]:
    """The command-line words that repeat `--config`."""
    return [word for pair in chosen["configs"] for word in ("--config", pair)]


def instances_of(chosen: Mapping[str, Any]) -> tuple[Iterable[Located], str]:
    """The instances that the option selects, and their source."""
    from kassay.engines.optimum.instances import instances_from

    return instances_from("bench" if chosen["suite_name"] is None else chosen["suite_name"])


def usual_suite(targets: Iterable[Target], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the default suite of these targets, `bench` if they have none in common."""
    suites = {target.kind.instances.suite for target in targets if target.kind.instances}
    return {**chosen, "suite_name": suites.pop() if len(suites) == 1 else "bench"}


def measurable(
    specs: Sequence[str], chosen: Mapping[str, Any], kinds: Collection[Kind]
) -> tuple[list[Target], list[TargetError]]:
    """The targets that load, each once, and the errors of the others; without any target they are reported.

    Raises `InputError` for a target of none of these `kinds`.
    """
    from kassay.engines.optimum.gaps import require_measurable
    from kassay.engines.processes.host import Limits
    from kassay.engines.targets.resolve import resolve
    from kassay.model.errors import TargetError

    limits = Limits(call_timeout_s=CALL_TIMEOUT_S)
    config = pairs(chosen["configs"], "--config")
    targets, errors = [], []
    for spec in dict.fromkeys(specs):
        try:
            targets.append(resolve(spec, limits=limits, config=config))
        except TargetError as error:
            errors.append(error)
    for target in targets:
        require_measurable(target, kinds)
    if not targets:
        complained(errors)
    return targets, errors


def reporting(instances: Iterable[Located], errors: Sequence[TargetError]) -> Iterator[Located]:
    """The instances; the errors are reported after the first one is measured.

    So an invalid instance ends the call in one line, and a typo shows before the rest is measured.
    """
    yield from islice(instances := iter(instances), 1)
    complained(errors)
    yield from instances


def complained(errors: Iterable[TargetError]) -> bool:
    """Whether there are errors; prints each in one line."""
    lines = [str(error) for error in errors]
    for line in lines:
        complain(line)
    return bool(lines)
