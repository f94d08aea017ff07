"""Options that several commands have, each with one name, one meaning and one help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from kassay.cli import completing
from kassay.cli.options import Duration, FilePath, ScopeType, Seed, Whole, written_file, written_folder

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

NEWEST: Final = "4.4.0"

seed_option = click.option(
    "--seed",
    type=Seed(),
    metavar="N",
    default="0",
    show_default=True,
    help="Set the seed: a number or `random`.",
)
json_option = click.option(
    "--json",
    "json_path",
    metavar="FILE",
    callback=written_file,
    shell_complete=completing.file,
    help="Write the result as JSON; `-` for standard output.",
)
config_option = click.option(
    "--config", "configs", multiple=True, metavar="K=V", help="Set a configuration property; repeatable."
)
protocol_option = click.option(
    "--protocol", type=click.Choice(["eager", "cooperative"]), help="Use this rebalance protocol."
)
jobs_option = click.option(
    "--jobs",
    type=Whole(1, 64),
    metavar="N",
    default=1,
    show_default=True,
    help="Run this many at a time.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print only the verdicts.")
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Print every detail.")
client_option = click.option(
    "--library",
    "library",
    metavar="LIBRARY",
    shell_complete=completing.client,
    help="Set the members' client library.",
)
group_option = click.option("--group", metavar="NAME", help="Select this group.")
against_option = click.option("--against", metavar="RELEASE", help="Compare with this release of Kafka.")
bootstrap_option = click.option(
    "--bootstrap-server", "bootstrap", metavar="HOST:PORT", help="Use the cluster of these brokers."
)


assume_option = click.option(
    "--assume", shell_complete=completing.assumptions, help="Narrow the inputs, e.g. no-racks."
)
exhaustive_option = click.option(
    "--exhaustive", type=ScopeType(), metavar="MxP", help="Try all groups up to M members, P partitions."
)
profile_option = click.option(
    "--profile",
    type=click.Choice(["small", "large", "mixed"]),
    default="small",
    show_default=True,
    help="Generate small corner cases, production sizes, or both.",
)
order_option = click.option(
    "--order",
    "order_text",
    default="balance,movement,rack",
    show_default=True,
    shell_complete=completing.goals,
    help="Set the order of the goals.",
)
instead_option = click.option(
    "--target", shell_complete=completing.target, help="Use this target instead of the recorded one."
)
in_process_option = click.option(
    "--in-process", is_flag=True, help="Load a user's file into this process, unguarded."
)
call_timeout_option = click.option("--call-timeout", type=Duration(), help="Limit the time of a call.")


def time_option(default: str | None = None, shown: str = "none") -> Decorator:
    """`--time`, with the default, or with what is `shown` as one."""
    words = "Limit the time of each search." + ("" if default else f"  [default: {shown}]")
    return click.option(
        "--time", "seconds", type=Duration(), default=default, show_default=default is not None, help=words
    )


def histories_option(least: int = 1, default: int | None = None, shown: str = "none") -> Decorator:
    """`--histories`, a number of at least `least`, with the default, or what is `shown` as one."""
    words = "Play this many histories." + ("" if default else f"  [default: {shown}]")
    kind, is_shown = Whole(min=least), default is not None
    return click.option(
        "--histories", type=kind, metavar="N", default=default, show_default=is_shown, help=words
    )


def release_option(default: str | None = NEWEST) -> Decorator:
    """`--release` of Kafka's brokers; None for any."""
    words = "Set the brokers' release of Kafka." + ("" if default else "  [default: any]")
    return click.option(
        "--release", metavar="RELEASE", default=default, show_default=default is not None, help=words
    )


def out_option(default: str | None = ".kassay", kind: click.ParamType[Any] | None = None) -> Decorator:
    """`--out` for pages, traces and tables; without a default nothing is written."""
    words = "Write pages, traces and tables to this folder." + ("" if default else "  [default: none]")
    return click.option(
        "--out",
        type=kind,
        metavar="DIR",
        default=default,
        show_default=default is not None,
        callback=written_folder,
        help=words,
    )


def target_option(name: str, value: str, words: str, *, multiple: bool = False) -> Decorator:
    """An option whose value is a target."""
    return click.option(
        name, value, multiple=multiple, metavar="TARGET", shell_complete=completing.target, help=words
    )


def from_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--from`: the assignor that a group has."""
    words = "Set the group's present assignor.  [default: as described]"
    return target_option("--from", "strategy", words)(command)


def to_option(default: str) -> Decorator:
    """`--to`: assignors to change to; `default` in words."""
    words = f"Evaluate this assignor instead; repeatable.  [default: {default}]"
    return target_option("--to", "targets", words, multiple=True)


def baseline_options(command: F) -> F:
    """Add `--baseline` and `--baseline-update`."""
    accepted = click.option(
        "--baseline", type=FilePath(), metavar="FILE", help="Accept the findings in this file."
    )
    words = "Write this run's findings to the baseline."
    return accepted(click.option("--baseline-update", is_flag=True, help=words)(command))


fetch_option = click.option("--fetch", is_flag=True, help="Download what is missing, once.")
