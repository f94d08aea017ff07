"""Shared by commands that measure several targets: options, the targets that load, the instances."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kassay.cli import completing
from kassay.cli.options import Duration, complain, config_option, in_process_option, pairs
from kassay.model.kinds import Kind

if TYPE_CHECKING:
    from kassay.certify.targets.resolve import Target
    from kassay.model.errors import TargetError
    from kassay.reading.documents import Located

CALL_TIMEOUT_S: Final = 20.0
F = TypeVar("F", bound=Callable[..., Any])


def instances_options(command: F) -> F:
    """Add the options that select the instances, and the order of goals."""
    path_help = "Use the instances of a file; `-` for standard input."
    path = click.option("--instances", "path", metavar="FILE", shell_complete=completing.file, help=path_help)
    suite = click.option(
        "--suite",
        "suite_name",
        shell_complete=completing.suite,
        help="Use the instances of a suite.  [default: bench, share or streams, by kind]",
    )
    order = click.option(
        "--order",
        "order_text",
        default="balance,movement,rack",
        show_default=True,
        help="Set the order of the goals.",
        shell_complete=completing.goals,
    )
    return suite(path(order(command)))


def target_options(command: F) -> F:
    """Add the options for loading and calling targets."""
    timeout = click.option(
        "--call-timeout",
        type=Duration(),
        default=f"{CALL_TIMEOUT_S:g}s",
        show_default=True,
        help="Limit the time of a call.",
    )
    return config_option(in_process_option(timeout(command)))


def asked_again(chosen: Mapping[str, Any]) -> list[str]:
    """The command-line words that repeat these `target_options`."""
    words = [word for pair in chosen["configs"] for word in ("--config", pair)]
    if chosen["in_process"]:
        words.append("--in-process")
    if chosen["call_timeout"] != CALL_TIMEOUT_S:
        words += ["--call-timeout", f"{chosen['call_timeout']:g}s"]
    return words


def instances_of(chosen: Mapping[str, Any]) -> tuple[Iterable[Located], str]:
    """The instances that the options select, and their source."""
    from kassay.certify.optimum.solve import located_in_suite
    from kassay.reading.documents import documents

    if chosen["path"] is not None:
        return documents(chosen["path"]), chosen["path"]
    suite = "bench" if chosen["suite_name"] is None else chosen["suite_name"]
    return located_in_suite(suite), f"suite {suite}"


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
    from kassay.certify.optimum.gaps import require_measurable
    from kassay.certify.processes.host import Limits
    from kassay.certify.targets.resolve import resolve
    from kassay.model.errors import TargetError

    limits = Limits(call_timeout_s=chosen["call_timeout"])
    config = pairs(chosen["configs"], "--config")
    targets, errors = [], []
    for spec in dict.fromkeys(specs):
        try:
            targets.append(resolve(spec, in_process=chosen["in_process"], limits=limits, config=config))
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
