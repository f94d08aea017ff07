"""Shared by commands that read a cluster's own outputs: the files, and the selected group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kassay.cli import completing
from kassay.cli.options import complain, pairs, present, require_writable
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.certify.clusters.inputs import ClusterInputs
    from kassay.certify.clusters.observed import ObservedGroup
    from kassay.certify.clusters.other_groups import OtherAnswer, SharedOrStreams
    from kassay.certify.clusters.overview import GroupsOverview
    from kassay.certify.targets.resolve import Target
    from kassay.reading.live.cluster import LiveCluster

_OUT: Final = Path(".kassay")
F = TypeVar("F", bound=Callable[..., Any])


def cluster_options(command: F) -> F:
    """Add the options for outputs of Kafka's tools that describe a group."""
    options = (
        click.argument("files", nargs=-1, metavar="[FILE...]", shell_complete=completing.file),
        click.option(
            "--group",
            "groups",
            multiple=True,
            metavar="FILE|NAME",
            shell_complete=completing.file,
            help="Output of kafka-consumer-groups --describe, or the group's name.",
        ),
        live_options,
        click.option(
            "--members",
            metavar="FILE",
            shell_complete=completing.file,
            help="Output of ... --describe --members --verbose.",
        ),
        click.option(
            "--state",
            metavar="FILE",
            shell_complete=completing.file,
            help="Output of ... --describe --state.",
        ),
        click.option(
            "--topics",
            metavar="FILE",
            shell_complete=completing.file,
            help="Output of kafka-topics --describe.",
        ),
        click.option(
            "--racks",
            multiple=True,
            metavar="FILE",
            shell_complete=completing.file,
            help="Racks: output of kafka-broker-api-versions, lines id,rack or consumer,rack.",
        ),
        click.option(
            "--subscriptions",
            metavar="FILE",
            shell_complete=completing.file,
            help="Members' subscriptions, as lines consumer,topics.",
        ),
        click.option(
            "-v", "--verbose", is_flag=True, help="Name the fields of the files that no answer rests on."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def live_options(command: F) -> F:
    """Add the options that name a cluster to read from."""
    config = click.option(
        "--command-config",
        metavar="FILE",
        shell_complete=completing.file,
        help="client.properties for --bootstrap-server.",
    )
    return click.option(
        "--bootstrap-server", "bootstrap", metavar="HOST:PORT", help="Read from the brokers of a cluster."
    )(config(command))


def observed_group(chosen: Mapping[str, Any]) -> ObservedGroup | SharedOrStreams:
    """The group that the options select; raises `InputError`."""
    from kassay.certify.clusters.observed import observe
    from kassay.certify.clusters.other_groups import select_other

    if chosen["bootstrap"] is not None:
        return _live_group(chosen)
    inputs, name = _selected(chosen)
    return select_other(inputs, name) or observe(inputs, name)


def group_or_overview(chosen: Mapping[str, Any]) -> ObservedGroup | SharedOrStreams | GroupsOverview:
    """The selected group, or all groups if none of several is selected; raises `InputError`."""
    from kassay.certify.clusters.observed import observe
    from kassay.certify.clusters.other_groups import select_other
    from kassay.certify.clusters.overview import live_overview, overview_of
    from kassay.report.screen.console import bar

    if chosen["bootstrap"] is not None:
        if chosen["groups"]:
            return _live_group(chosen)
        with live_cluster(chosen) as cluster, bar("reading") as tell:
            return live_overview(cluster, tell)
    inputs, name = _selected(chosen)
    if name is None and len(inputs.group_names) > 1:
        return overview_of(inputs)
    return select_other(inputs, name) or observe(inputs, name)


def _selected(chosen: Mapping[str, Any]) -> tuple[ClusterInputs, str | None]:
    """The content of the files, and the name of the selected group; raises `InputError`."""
    if chosen["command_config"] is not None:
        raise InputError("--command-config: expected --bootstrap-server with it")
    from kassay.reading.documents import is_file
    from kassay.report.screen.console import bar

    named = [value for value in chosen["groups"] if not (value == "-" or is_file(value))]
    paths = [*chosen["files"], *(value for value in chosen["groups"] if value not in named)]
    paths += [chosen[name] for name in ("members", "state", "topics", "subscriptions") if chosen[name]]
    if named and not paths:
        paths.append(named.pop())
    if len(named) > 1:
        raise InputError(f"--group: found {len(named)} names, expected one group")
    if not paths:
        raise InputError("expected the output of kafka-consumer-groups.sh --describe --group G in a FILE")
    name = named[0] if named else None
    with bar("reading"):
        return _inputs(paths, chosen["racks"]), name


def present_other(answer: OtherAnswer, chosen: Mapping[str, Any]) -> int:
    """Show the answer about a share or Streams group; the exit code."""
    from kassay.report.screen.other_groups import other_view

    present(answer.to_json(), lambda: other_view(answer), chosen["json_path"])
    return 1 if answer.failed else 0


def require_none(chosen: Mapping[str, Any], options: Mapping[str, str]) -> None:
    """Raises `InputError` if an option was given that says nothing of a share or Streams group."""
    for name, option in options.items():
        if chosen[name]:
            raise InputError(
                f"{option}: says nothing of a share or Streams group, which Kafka assigns by its own rule"
            )


def _live_group(chosen: Mapping[str, Any]) -> ObservedGroup | SharedOrStreams:
    """The group as its brokers report it, combined with the files; raises `InputError`."""
    from kassay.certify.clusters.live import read_live
    from kassay.certify.clusters.observed import observe
    from kassay.certify.clusters.other_groups import select_other

    if len(chosen["groups"]) != 1:
        raise InputError("--bootstrap-server: expected --group with the name of one group")
    (group,) = chosen["groups"]
    paths = [*chosen["files"], *([chosen["subscriptions"]] if chosen["subscriptions"] else [])]
    files = _inputs(paths, chosen["racks"])
    if files.groups or files.topics is not None or chosen["members"] or chosen["state"] or chosen["topics"]:
        raise InputError("--bootstrap-server: provides groups and topics itself, expected no files of either")
    also = {topic for said in files.subscriptions for topic in said.values}
    with live_cluster(chosen) as cluster:
        inputs = read_live(cluster, group, also)
    inputs.racks += files.racks
    inputs.subscriptions += files.subscriptions
    return select_other(inputs, group) or observe(inputs, group)


def live_cluster(chosen: Mapping[str, Any]) -> LiveCluster:
    """The cluster of --bootstrap-server, connected; raises `InputError` with the cause otherwise."""
    from kassay.reading.live.cluster import LiveCluster
    from kassay.reading.live.settings import ClientSettings, read_settings

    path = chosen["command_config"]
    settings = ClientSettings() if path is None else read_settings(path)
    if settings.note is not None:
        complain(f"note: {path}: {settings.note}")
    return LiveCluster(chosen["bootstrap"], settings)


def _inputs(paths: list[str], racks: tuple[str, ...]) -> ClusterInputs:
    """The content of all files; files of racks may have content that does not identify itself."""
    from kassay.certify.clusters.inputs import read_cluster
    from kassay.reading.documents import read_pasted
    from kassay.reading.kafka.brokers import read_brokers
    from kassay.reading.kafka.groups import titles_of

    inputs = read_cluster(paths)
    for path in racks:
        clean = read_pasted(path, "racks")
        if titles_of(clean.text) is not None:
            inputs.take(clean, path)
        else:
            inputs.cleaned += clean.note(path)
            inputs.take_brokers(read_brokers(clean.text, path), path)
    return inputs


def loaded(specs: tuple[str, ...], chosen: Mapping[str, Any]) -> list[Target]:
    """The targets that the specs name, all assignors of consumer groups; raises as `resolve` does."""
    from kassay.certify.optimum.gaps import require_measurable
    from kassay.certify.processes.host import Limits
    from kassay.certify.targets.resolve import resolve
    from kassay.model.groups.kinds import CONSUMER_GROUPS

    limits = Limits(call_timeout_s=chosen["call_timeout"])
    config = pairs(chosen["configs"], "--config")
    targets = []
    for spec in dict.fromkeys(specs):
        target = resolve(spec, in_process=chosen["in_process"], limits=limits, config=config)
        require_measurable(target, CONSUMER_GROUPS)
        targets.append(target)
    return targets


def start_target(observed: ObservedGroup, chosen: Mapping[str, Any]) -> Target | None:
    """The current assignor: the given one, else the one that the coordinator names if kassay knows it."""
    from kassay.certify.clusters.rollout import start_of
    from kassay.model.errors import TargetError

    if chosen["strategy"] is not None:
        return loaded((chosen["strategy"],), chosen)[0]
    spec = start_of(observed.strategy, is_consumer_group=observed.is_consumer_group)
    try:
        return None if spec is None else loaded((spec,), {**chosen, "configs": ()})[0]
    except (TargetError, InputError):  # a custom assignor, which only --from can name
        return None


def present_unstable(context: click.Context, observed: ObservedGroup, chosen: Mapping[str, Any]) -> int:
    """Show who holds what and who waits in a group that is not stable; the exit code, 3."""
    from kassay.report.screen.clusters import unstable_view

    if chosen["report"]:
        from kassay.report.pages.clusters import render_unstable

        name = f"{context.info_name}.html"
        write_cluster_page(context, lambda again: render_unstable(observed, again), chosen["out"], name)
    present(
        observed.unstable_document(),
        lambda: unstable_view(observed, verbose=chosen["verbose"]),
        chosen["json_path"],
    )
    return 3


def require_out(out: Path | None, *, wanted: bool) -> None:
    """Raises `InputError` if the outputs could not be written; called before any work."""
    if wanted:
        place = out or _OUT
        require_writable(str(place), "--out", folder=place.suffix != ".json")


def write_cluster_page(
    context: click.Context, page: Callable[[str], str], out: Path | None, name: str
) -> None:
    """Write the page of this command line into the folder; raises `InputError`."""
    from kassay.cli.pages import write_page
    from kassay.writing.text import shell_command

    again = shell_command(["kassay", *context.find_root().obj])
    folder = _OUT if out is None else out.parent if out.suffix == ".json" else out
    write_page(page(again), folder, name)
