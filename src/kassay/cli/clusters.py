"""Shared by commands that read a cluster's own outputs: the files, and the selected group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kassay.cli import completing
from kassay.cli.common import bootstrap_option, group_option
from kassay.cli.options import complain, present
from kassay.engines.targets.limits import CALL_TIMEOUT_S
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.engines.clusters.inputs import ClusterInputs
    from kassay.engines.clusters.observed import ObservedGroup
    from kassay.engines.clusters.other_groups import OtherAnswer, SharedOrStreams
    from kassay.engines.clusters.overview import GroupsOverview
    from kassay.engines.targets.resolve import Target
    from kassay.reading.live.cluster import LiveCluster

_INPUTS: Final = "kassay.inputs"
F = TypeVar("F", bound=Callable[..., Any])


def cluster_options(command: F) -> F:
    """Add the options for outputs of Kafka's tools that describe a group."""
    files = click.argument("files", nargs=-1, metavar="[FILE...]", shell_complete=completing.file)
    return files(group_option(bootstrap_option(command)))


def observed_group(chosen: Mapping[str, Any]) -> ObservedGroup | SharedOrStreams:
    """The group that the options select; raises `InputError`."""
    from kassay.engines.clusters.observed import observe
    from kassay.engines.clusters.other_groups import select_other

    if chosen["bootstrap"] is not None:
        return _live_group(chosen)
    inputs = selected_inputs(chosen)
    return select_other(inputs, chosen["group"]) or observe(inputs, chosen["group"])


def group_or_overview(chosen: Mapping[str, Any]) -> ObservedGroup | SharedOrStreams | GroupsOverview:
    """The selected group, or all groups if none of several is selected; raises `InputError`."""
    from kassay.engines.clusters.observed import observe
    from kassay.engines.clusters.other_groups import select_other
    from kassay.engines.clusters.overview import live_overview, overview_of
    from kassay.report.screen.console import bar

    if chosen["bootstrap"] is not None:
        if chosen["group"]:
            return _live_group(chosen)
        with live_cluster(chosen) as cluster, bar("reading") as tell:
            return live_overview(cluster, tell)
    inputs, name = selected_inputs(chosen), chosen["group"]
    if name is None and len(inputs.group_names) > 1:
        return overview_of(inputs)
    return select_other(inputs, name) or observe(inputs, name)


def selected_inputs(chosen: Mapping[str, Any]) -> ClusterInputs:
    """The content of the files; raises `InputError`."""
    from kassay.engines.clusters.inputs import read_cluster
    from kassay.report.screen.console import bar

    if not chosen["files"]:
        raise InputError(
            "expected a FILE with the output of kafka-consumer-groups.sh --describe --group G, or "
            "--bootstrap-server"
        )
    with bar("reading"):
        inputs = read_cluster(chosen["files"])
    click.get_current_context().meta[_INPUTS] = inputs
    return inputs


def inputs_read() -> ClusterInputs:
    """What the command has read of the group: files, and answers of brokers."""
    inputs: ClusterInputs = click.get_current_context().meta[_INPUTS]
    return inputs


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
    from kassay.engines.clusters.inputs import read_cluster
    from kassay.engines.clusters.live import read_live
    from kassay.engines.clusters.observed import observe
    from kassay.engines.clusters.other_groups import select_other

    group = chosen["group"]
    if group is None:
        raise InputError("--bootstrap-server: expected --group with the name of one group")
    files = read_cluster(_outputs(chosen))
    if files.groups or files.topics is not None:
        raise InputError("--bootstrap-server: provides groups and topics itself, expected no files of either")
    also = {topic for said in files.subscriptions for topic in said.values}
    with live_cluster(chosen) as cluster:
        inputs = read_live(cluster, group, also)
    inputs.racks += files.racks
    inputs.subscriptions += files.subscriptions
    inputs.lags = files.lags
    click.get_current_context().meta[_INPUTS] = inputs
    return select_other(inputs, group) or observe(inputs, group)


def live_cluster(chosen: Mapping[str, Any]) -> LiveCluster:
    """The cluster of --bootstrap-server, connected; raises `InputError` with the cause otherwise."""
    return connector(chosen)()


def connector(chosen: Mapping[str, Any]) -> Callable[[], LiveCluster]:
    """How to connect to the cluster of --bootstrap-server: as a FILE of properties says; raises `InputError`.

    The file is read once, as `client.properties` is by Kafka's own tools.
    """
    from kassay.reading.live.cluster import LiveCluster
    from kassay.reading.live.settings import ClientSettings, read_settings

    paths = [path for path in chosen["files"] if _are_settings(path)]
    if len(paths) > 1:
        raise InputError(f"{paths[1]}: a second file of client properties, expected one")
    settings = read_settings(paths[0]) if paths else ClientSettings()
    if settings.note is not None:
        complain(f"note: {paths[0]}: {settings.note}")
    return lambda: LiveCluster(chosen["bootstrap"], settings)


def _are_settings(path: str) -> bool:
    """Whether the file has properties of a client, not the output of a tool."""
    from kassay.reading.documents import read_text
    from kassay.reading.kafka.settings import is_settings

    return is_settings(read_text(path, "client properties, or outputs of Kafka's tools"))


def _outputs(chosen: Mapping[str, Any]) -> list[str]:
    """The files next to a live cluster that are no properties."""
    return [path for path in chosen["files"] if not _are_settings(path)]


def require_no_outputs(chosen: Mapping[str, Any], what: str) -> None:
    """Raises `InputError` for files of `what` next to a live cluster, which provides it itself."""
    if paths := _outputs(chosen):
        raise InputError(
            f"{paths[0]}: --bootstrap-server provides {what} itself, expected no file but properties"
        )


def loaded(specs: tuple[str, ...]) -> list[Target]:
    """The targets that the specs name, all assignors of consumer groups; raises as `resolve` does."""
    from kassay.engines.optimum.gaps import require_measurable
    from kassay.engines.processes.host import Limits
    from kassay.engines.targets.resolve import resolve
    from kassay.model.groups.kinds import CONSUMER_GROUPS

    limits = Limits(call_timeout_s=CALL_TIMEOUT_S)
    targets = []
    for spec in dict.fromkeys(specs):
        target = resolve(spec, limits=limits)
        require_measurable(target, CONSUMER_GROUPS)
        targets.append(target)
    return targets


def start_target(observed: ObservedGroup, chosen: Mapping[str, Any]) -> Target | None:
    """The current assignor: the given one, else the one that the coordinator names if kassay knows it."""
    from kassay.engines.clusters.rollout import start_of
    from kassay.model.errors import TargetError

    if chosen["strategy"] is not None:
        return loaded((chosen["strategy"],))[0]
    spec = start_of(observed.strategy, is_consumer_group=observed.is_consumer_group)
    try:
        return None if spec is None else loaded((spec,))[0]
    except (TargetError, InputError):  # a custom assignor, which only --from can name
        return None


def present_unstable(context: click.Context, observed: ObservedGroup, chosen: Mapping[str, Any]) -> int:
    """Show who holds what and who waits in a group that is not stable; the exit code, 3."""
    from kassay.report.screen.clusters import unstable_view

    if chosen["out"]:
        from kassay.report.pages.clusters import render_unstable

        name = f"{context.info_name}.html"
        write_cluster_page(context, lambda again: render_unstable(observed, again), chosen["out"], name)
    present(
        observed.unstable_document(),
        lambda: unstable_view(observed),
        chosen["json_path"],
    )
    return 3


def write_cluster_page(context: click.Context, page: Callable[[str], str], out: Path, name: str) -> None:
    """Write the page of this command line into the folder; raises `InputError`."""
    from kassay.cli.pages import write_page
    from kassay.writing.text import shell_command

    again = shell_command(["kassay", *context.find_root().obj])
    write_page(page(again), out, name)
