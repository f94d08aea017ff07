"""Shared by commands that read a cluster's own outputs: the files, and the selected group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kassay.cli import completing
from kassay.cli.common import bootstrap_option, group_option
from kassay.cli.options import complain

if TYPE_CHECKING:
    from kassay.engines.clusters.given import GivenCluster
    from kassay.engines.clusters.observed import ObservedGroup
    from kassay.engines.clusters.other_groups import SharedOrStreams

F = TypeVar("F", bound=Callable[..., Any])


def cluster_options(command: F) -> F:
    """Add the options for outputs of Kafka's tools that describe a group."""
    files = click.argument("files", nargs=-1, metavar="[FILE...]", shell_complete=completing.file)
    return files(group_option(bootstrap_option(command)))


def given_cluster(chosen: Mapping[str, Any]) -> GivenCluster:
    """The files and the brokers of the options."""
    from kassay.engines.clusters.given import GivenCluster

    return GivenCluster(
        tuple(chosen["files"]),
        chosen["bootstrap"],
        chosen.get("group"),
        lambda words: complain(f"note: {words}"),
    )


def observed_group(chosen: Mapping[str, Any]) -> ObservedGroup | SharedOrStreams:
    """The group that the options select; raises `InputError`."""
    cluster = given_cluster(chosen)
    return cluster.observed(cluster.inputs())
