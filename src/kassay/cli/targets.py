"""Targets of a command that takes several: those that load, and how many do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kassay.certify.targets.target import Target


def loaded(
    specs: Sequence[str],
    *,
    in_process: bool = False,
    call_timeout_s: float = 2.0,
    config: Mapping[str, str] | None = None,
) -> tuple[list[Target], int]:
    """The targets that load, each once, and how many do not; those are told, a line each."""
    from kassay.certify.processes.host import Limits
    from kassay.certify.targets.resolve import resolve
    from kassay.model.errors import TargetError

    found, missing = [], 0
    for spec in dict.fromkeys(specs):
        try:
            limits = Limits(call_timeout_s=call_timeout_s)
            found.append(resolve(spec, in_process=in_process, limits=limits, config=config))
        except TargetError as error:
            click.echo(f"kassay: {' '.join(str(error).split())}", err=True)
            missing += 1
    return found, missing
