"""Explore every state of a protocol model, with faults, and check its invariants."""

from __future__ import annotations

import platform
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kassay.cli import completing
from kassay.cli.options import (
    Duration,
    FilePath,
    json_option,
    present,
    require_writable,
    seed_option,
    typed_again,
)
from kassay.cli.spark import spark_options
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.streams.kinds import STREAMS

if TYPE_CHECKING:
    from kassay.certify.protocols.explore import ExploreResult
    from kassay.certify.protocols.known import Known
    from kassay.certify.protocols.settings import ExploreSettings
    from kassay.model.explore.values import WalkProgress
    from kassay.model.groups.assignor import Assignor
    from kassay.model.protocols.world.clock import Timing
    from kassay.model.protocols.world.streams.threads import StreamsOptions


F = TypeVar("F", bound=Callable[..., Any])

CLOCK_OPTIONS: Final = {
    "session": ("--session", "With --clock ticks: session.timeout.ms.  [default: 6]"),
    "heartbeat": ("--heartbeat", "With --clock ticks: heartbeat.interval.ms.  [default: 2]"),
    "max_poll": ("--max-poll", "With --clock ticks: max.poll.interval.ms.  [default: 8]"),
    "rebalance": ("--rebalance-timeout", "With --clock ticks: rebalance timeout.  [default: as --max-poll]"),
    "initial_delay": (
        "--initial-delay",
        "With --clock ticks: group.initial.rebalance.delay.ms.  [default: 0]",
    ),
    "delay": ("--delay", "With --clock ticks: longest delay of a heartbeat.  [default: 0]"),
    "interval": (
        "--assignment-interval",
        "With --clock ticks: group.consumer.assignment.interval.ms (kip848).  [default: 0]",
    ),
    "load": ("--load", "With --clock ticks: time to load the coordinator's log.  [default: 0]"),
}
"""Option names and helps, by the field of `Timing` that they set."""


def clock_options(command: F) -> F:
    """Add `--clock` and its duration options."""
    for field, (option, words) in reversed(CLOCK_OPTIONS.items()):
        command = click.option(option, field, type=int, metavar="TICKS", help=words)(command)
    words = "Fire timers at any time (timeless, T0) or when due (ticks, T1: classic, kip848)."
    return click.option("--clock", default="timeless", show_default=True, help=words)(command)


def timing_of(chosen: dict[str, Any]) -> Timing | None:
    """The durations of the options; None without a clock. Raises InputError for durations without a clock."""
    from kassay.model.protocols.world.clock import Timing
    from kassay.model.protocols.world.context import ClockLevel

    given = {field: chosen[field] for field in CLOCK_OPTIONS if chosen[field] is not None}
    if ClockLevel(chosen["clock"]) is ClockLevel.TICKS:
        return Timing(**given)
    for field in given:
        raise InputError(f"{CLOCK_OPTIONS[field][0]}: timeless has no clock; expected --clock ticks as well")
    return None


PLACE = 500
PAGES: Final = ".kassay"
WALKED: Final = ".kassay/walk"
STREAMS_COUNTS: Final = {
    "standby": "Streams: set num.standby.replicas.  [default: 0]",
    "processes": "Streams: distribute members over N processes.  [default: one per member]",
    "endpoints": "Streams: set application.server on this many members.  [default: 0]",
    "warmup": "Streams, not in 4.4: set num.warmup.replicas (KIP-1071).  [default: 0]",
}
STREAMS_FLAGS: Final = {
    "delayed": "Streams: include the initial rebalance delay.",
    "fresh": "Streams: start without internal topics, as a first deployment.",
    "offsets": "Streams: members report task offsets, lost at coordinator failover.",
}


def _streams_options(command: F) -> F:
    """Add `--tasks` and the other options of the model `streams`."""
    for field, words in reversed(STREAMS_FLAGS.items()):
        command = click.option(f"--{field}", is_flag=True, help=words)(command)
    for field, words in reversed(STREAMS_COUNTS.items()):
        command = click.option(f"--{field}", type=int, default=0, help=words)(command)
    words = "Streams: set the number of tasks (source partitions).  [default: 2]"
    return click.option("--tasks", type=int, help=words)(command)


def _streams_of(chosen: dict[str, Any]) -> StreamsOptions:
    """The options of the model `streams`."""
    from kassay.model.protocols.world.streams.threads import StreamsOptions

    return StreamsOptions(**{field: chosen[field] for field in (*STREAMS_COUNTS, *STREAMS_FLAGS)})


@click.command(
    "explore",
    epilog="Example: kassay explore classic --mode cooperative --faults crash=1,pause=1,failover=1",
)
@click.argument("model", shell_complete=completing.model)
@click.option(
    "--assignor",
    shell_complete=completing.target,
    help="Use any-balanced (all balanced assignments), a reference, or a file.",
)
@click.option("--mode", help="Use the eager or cooperative protocol (classic, migration).")
@click.option("--members", type=int, default=2, show_default=True, help="Set the number of clients.")
@click.option(
    "--partitions", type=int, default=2, show_default=True, help="Set the number of partitions per topic."
)
@click.option("--topics", type=int, default=1, show_default=True, help="Set the number of initial topics.")
@click.option(
    "--remote-assignors",
    metavar="A,B,...",
    help="Set group.remote.assignor of each client, e.g. uniform,range.  [default: unset]",
)
@click.option(
    "--reads",
    default="",
    metavar="N,N,...",
    help="Set how many topics each client subscribes to.  [default: all]",
)
@click.option(
    "--static", type=int, default=0, show_default=True, help="Make this many clients static members."
)
@click.option(
    "--faults",
    default="",
    metavar="NAME=N,...",
    help="Set the fault budget, e.g. crash=1,pause=1,failover=1.  [default: none]",
)
@click.option(
    "--release",
    default="4.4.0",
    show_default=True,
    help="Set the Kafka release of the brokers, such as 4.2.1.",
)
@click.option("--against", metavar="RELEASE", help="Show the shortest trace on which this release differs.")
@click.option(
    "--client",
    default="kafka",
    show_default=True,
    help="Use clients as Kafka's (kafka), or without its known faults (corrected).",
)
@click.option(
    "--policy", default="bidirectional", show_default=True, help="Set group.consumer.migration.policy."
)
@click.option(
    "--protocols",
    default="",
    metavar="P,P,.../...",
    help="Set protocols after each restart, e.g. classic/consumer,classic for two clients.  "
    "[default: classic,consumer]",
)
@click.option(
    "--network",
    default="atomic",
    show_default=True,
    help="Choose atomic (N0), steps (N1: split RPCs) or astray (N2: faulty messages).",
)
@click.option(
    "--records",
    type=int,
    default=0,
    help="Set the records per partition (networks steps, astray).  [default: 0]",
)
@_streams_options
@click.option(
    "--regex", is_flag=True, help="Subscribe by a regular expression that the coordinator resolves."
)
@click.option(
    "--late-targets", is_flag=True, help="Delay successive targets of a group by an interval (KIP-1263)."
)
@click.option("--offload", is_flag=True, help="Not in 4.4: compute targets in the background (KIP-1263).")
@click.option(
    "--log",
    default="whole",
    show_default=True,
    help="Choose a new coordinator's log: whole, or compacted.",
)
@clock_options
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=500_000,
    show_default=True,
    help="Stop after this many states.",
)
@click.option("--time", "seconds", type=Duration(), help="Stop after this time.")
@click.option(
    "--symmetry/--no-symmetry",
    default=None,
    help="Reduce by symmetry of clients and partitions.  [default: clients only, from 3 on]",
)
@click.option(
    "--exact/--fingerprints",
    default=True,
    show_default=True,
    help="Store whole states, or 64-bit fingerprints with a collision probability.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Use this many processes.",
)
@click.option(
    "--switch",
    "switches",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.switch,
    help="Break a rule of `kassay list switches`; repeatable.",
)
@click.option("-v", "--verbose", is_flag=True, help="List the invariants that were not checked.")
@click.option("--all-traces", is_flag=True, help="Print a trace for each cause, and each dead end.")
@click.option(
    "--baseline", type=FilePath(), metavar="FILE", help="Do not fail for the findings in this file."
)
@click.option(
    "--baseline-update", is_flag=True, help="Write this run's findings to the baseline; create it if missing."
)
@click.option("--mermaid", is_flag=True, help="Print traces as Mermaid sequence diagrams.")
@click.option("--report", type=click.Choice(["html"]), help="Also write a page with traces and states.")
@click.option(
    "--out",
    metavar="DIR",
    help="Write the page to this folder [default: .kassay]; with --master, keep the resumable exploration "
    "there, or at hdfs://, s3a://, ... [default: .kassay/walk].",
)
@spark_options("one process")
@seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, model: str, **chosen: Any) -> int:
    """Explore every reachable state of MODEL: zookeeper, draft, classic, kip848, migration or streams.

    Reports states, edges and diameter, violated invariants with a shortest trace, dead ends and livelocks.
    Only real violations, dead ends and livelocks count as violated; if a limit is reached, the verdict is
    `unknown`. With --against, walks two releases side by side instead: 1 means that they differ. A client
    that an error ends is an outcome: reported with its trace, and no violation, since no release promises
    otherwise. Exit codes: 0 holds, with or without outcomes, 1 violated, 3 unknown.
    """
    from kassay.certify.protocols.known import unknown
    from kassay.model.kinds import Verdict
    from kassay.report.screen.exploration import exploration_view, reasons

    folder = chosen["out"] or (PAGES if chosen["master"] is None else WALKED)
    if chosen["report"]:
        _require_folder(folder)
    with _assignor(chosen["assignor"], model) as assignor:
        if chosen["against"] is not None:
            return _against(_settings(model, chosen, assignor), chosen)
        result = _explored(_settings(model, chosen, assignor), folder, chosen)
    again = typed_again(context)
    known = _known(chosen, model, result)
    view = partial(
        exploration_view,
        result,
        replay=again,
        mermaid=chosen["mermaid"],
        every=chosen["all_traces"],
        verbose=chosen["verbose"],
        known=known.get(model, {}),
    )
    if chosen["report"]:
        from kassay.cli.pages import write_page
        from kassay.report.pages.exploration import render

        write_page(render(result, again=again), Path(folder), "exploration.html")
    present(result.to_json(), view, chosen["json_path"])
    if result.verdict is Verdict.VIOLATED and not unknown(known, model, reasons(result)):
        return 0
    return {"holds": 0, "violated": 1}.get(str(result.verdict), 3)


def _against(settings: ExploreSettings, chosen: dict[str, Any]) -> int:
    """Compare two releases of the model. Raises InputError."""
    from kassay.certify.protocols.against import compare_releases
    from kassay.model.explore.values import WalkLimits
    from kassay.report.screen.exploration import against_view

    limits = WalkLimits(chosen["max_states"], chosen["seconds"])
    result = compare_releases(settings, chosen["against"], limits)
    present(result.to_json(), lambda: against_view(result), chosen["json_path"])
    return 1 if result.differs else 3 if result.limit else 0


def _known(chosen: dict[str, Any], model: str, result: ExploreResult) -> Known:
    """The findings of the baseline; with `--baseline-update`, this run's are added to it."""
    from kassay.certify.protocols.known import read_known, with_known, write_known
    from kassay.report.screen.exploration import reasons

    path: Path | None = chosen["baseline"]
    if path is None:
        if chosen["baseline_update"]:
            raise InputError("--baseline-update: expected --baseline FILE as well")
        return {}
    if not chosen["baseline_update"]:
        return read_known(path)
    known = with_known(read_known(path) if path.exists() else {}, model, reasons(result))
    write_known(path, known)
    return known


def _progress(walked: WalkProgress) -> str:
    """Progress of the exploration: depth, rate, memory."""
    rate = walked.states / walked.elapsed_s if walked.elapsed_s else 0.0
    return f"{walked.states:,} states, depth {walked.depth}, {rate:,.0f}/s, {_peak_mib():,} MiB"


def _peak_mib() -> int:
    """The peak memory of this process, or of a child process that has ended, in MiB."""
    unit = 1 << 20 if platform.system() == "Darwin" else 1 << 10
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(whose).ru_maxrss for whose in both) // unit


def _explored(settings: ExploreSettings, folder: str, chosen: dict[str, Any]) -> ExploreResult:
    """The result of an exploration in this process, or on Spark."""
    from kassay.model.explore.values import WalkLimits

    limits = WalkLimits(chosen["max_states"], chosen["seconds"], all_causes=chosen["all_traces"])
    if chosen["all_traces"] and (chosen["jobs"] > 1 or chosen["master"] is not None):
        raise InputError("--all-traces: one process keeps the causes apart; expected no --jobs, no --master")
    if chosen["master"] is not None:
        from kassay.cli.spark import walked

        if chosen["jobs"] > 1:
            raise InputError("--jobs: Spark has workers of its own; expected --master without it")
        return walked(settings, limits, folder, chosen)
    from kassay.certify.protocols.explore import explore
    from kassay.report.screen.console import bar

    with bar("exploring", limits.states_max) as show:
        return explore(
            settings,
            limits,
            seed=chosen["seed"],
            symmetry=chosen["symmetry"],
            fingerprints=not chosen["exact"],
            jobs=chosen["jobs"],
            progress=lambda walked: show(walked.states, _progress(walked)),
        )


def _require_folder(folder: str) -> None:
    """Raises InputError if no page can be written."""
    if "://" in folder:
        raise InputError(f"--report: no page can be written to {folder}; expected a folder of this machine")
    require_writable(folder, "--out", folder=True)


def _settings(model: str, chosen: dict[str, Any], assignor: str | Assignor | None) -> ExploreSettings:
    """The settings that the options describe. Raises InputError."""
    from kassay.certify.protocols.settings import BEFORE_0_9, ExploreSettings
    from kassay.model.protocols.faults import parse_faults
    from kassay.model.protocols.world.context import NetworkLevel

    faults = parse_faults(chosen["faults"])
    # A topic can only be created into a subscription by regular expression.
    creates = faults.topic > 0 and model not in BEFORE_0_9
    return ExploreSettings(
        model,
        assignor=assignor,
        mode=chosen["mode"],
        members=chosen["members"],
        partitions=_tasks(model, chosen),
        topics=chosen["topics"],
        reads=_reads(chosen["reads"]),
        remote_assignors=tuple(chosen["remote_assignors"].split(",")) if chosen["remote_assignors"] else (),
        static=chosen["static"],
        faults=faults,
        switches=frozenset(chosen["switches"]),
        release=chosen["release"],
        log=chosen["log"],
        policy=chosen["policy"],
        network=NetworkLevel(chosen["network"]),
        records=chosen["records"],
        timing=timing_of(chosen),
        streams=_streams_of(chosen),
        regex=chosen["regex"],
        late_targets=chosen["late_targets"],
        offload=chosen["offload"],
        pattern="t" if creates and model != "streams" and not chosen["regex"] else "",
        new_topics=("tt",) if creates else (),
        kinds=_kinds(chosen["protocols"], chosen["members"]),
        client=chosen["client"],
    )


def _tasks(model: str, chosen: dict[str, Any]) -> int:
    """The number of partitions of a topic, which are tasks of a Streams group. Raises InputError."""
    tasks: int | None = chosen["tasks"]
    if tasks is not None and model != "streams":
        raise InputError(f"--tasks: {model} has partitions, not tasks; expected --partitions")
    partitions: int = chosen["partitions"]
    return partitions if tasks is None else tasks


def _kinds(text: str, members: int) -> tuple[tuple[str, ...], ...]:
    """The protocols of each client, in the order of its restarts; () by default."""
    if not text.strip():
        return ()
    clients = [tuple(name.strip() for name in client.split(",")) for client in text.split("/")]
    return tuple(clients * members if len(clients) == 1 else clients)


def _reads(text: str) -> tuple[int, ...]:
    """The number of topics that each client subscribes to. Raises InputError."""
    numbers = [part.strip() for part in text.split(",")] if text.strip() else []
    for number in numbers:
        if not (number.isascii() and number.isdigit() and len(number) < 3):
            raise InputError(f"--reads: {number!r} is no number of topics; expected e.g. 1,2")
    return tuple(map(int, numbers))


@contextmanager
def _assignor(spec: str | None, model: str) -> Iterator[Any]:
    """The assignor to use: a name that the models know, or a user's, open inside the block."""
    from kassay.assignors import registry

    reference = None if spec is None else registry.find(spec)
    if spec is None or reference is not None or not (":" in spec or spec.endswith(".py")):
        yield spec if reference is None else reference.spec
        return
    from kassay.certify.protocols.second_looks import opened
    from kassay.certify.targets.resolve import resolve

    target = resolve(spec)
    if model == "streams":
        if target.kind != STREAMS or target.level != "member":
            raise InputError(f"--assignor: {spec} gives no tasks to members; expected level: member")
    elif target.kind != CLIENT:
        raise InputError(f"--assignor: {spec} is no client-side assignor")
    with opened(target) as assignor:
        yield assignor
