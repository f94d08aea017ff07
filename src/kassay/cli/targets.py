"""Shared by commands that measure several targets: options, the targets that load, the instances."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.options import complain, pairs
from kassay.model.kinds import Kind

if TYPE_CHECKING:
    from kassay.engines.targets.resolve import Target
    from kassay.model.errors import TargetError
    from kassay.reading.documents import Located

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


def measurable(
    specs: Sequence[str], chosen: Mapping[str, Any], kinds: Collection[Kind]
) -> tuple[list[Target], list[TargetError]]:
    """The targets that load, and the errors of the others; without any target they are reported."""
    from kassay.engines.optimum.targets import measurable as among

    targets, errors = among(specs, pairs(chosen["configs"], "--config"), kinds)
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
