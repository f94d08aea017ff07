"""Play a script of requests on the coordinator: the model, Kafka's classes, a broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from kassay.cli.common import bootstrap_option, fetch_option, group_option, json_option, release_option
from kassay.cli.options import FilePath, present
from kassay.model.errors import InputError

PLACE = 565
GROUP = "kassay-play"
"""The group that is played if none is named."""


@click.command("play", epilog="Example: kassay play coordinator examples/coordinator/a-vanish.toml")
@click.argument("what", metavar="coordinator", type=click.Choice(["coordinator"]))
@click.argument("script", type=FilePath())
@click.option("--genuine", is_flag=True, help="Play it on Kafka's own classes.")
@release_option()
@fetch_option
@bootstrap_option
@group_option
@click.option("--restart", metavar="COMMAND", help="Restart the broker with this command, for a failover.")
@json_option
def command(
    what: str,  # noqa: ARG001 - the coordinator is all there is
    script: Path,
    genuine: bool,
    release: str,
    fetch: bool,
    bootstrap: str | None,
    group: str | None,
    restart: str | None,
    json_path: str | None,
) -> int:
    """Play SCRIPT, a TOML file of requests and faults, and print answers, records and the state.

    Without an option kassay's model answers by the rules of the release (groups of Kafka Streams: of 4.4.0
    alone). With --bootstrap-server the requests go to a broker that is the coordinator of the group, by
    default kassay-play; time passes in real time, and only answers are known. See docs/play.md.
    """
    from kassay.engines.conform.plays import played, read_script
    from kassay.report.screen.played import step_view

    if genuine and bootstrap:
        raise InputError("--genuine: expected without --bootstrap-server")
    read = read_script(script)
    documents: list[dict[str, Any]] = []
    views = []
    with _player(read, genuine, release, fetch, bootstrap, group or GROUP, restart) as player:
        for step, ids in played(read, player):
            documents.append(dict(step.document))
            views.append(step_view(step, ids, whole=bootstrap is None))
    document = {"schema": "kassay/play/1", "config": dict(read.config), "topics": dict(read.topics)}
    present(document | {"steps": documents}, lambda: _stacked(read.title, views), json_path)
    return 0


def _stacked(title: str, views: list[Any]) -> Any:
    from kassay.report.screen.console import line, stack

    return stack(*([line(title)] if title else []), *views)


@contextmanager
def _player(
    read: Any,
    genuine: bool,
    release: str,
    fetch: bool,
    bootstrap: str | None,
    group: str,
    restart: str | None,
) -> Iterator[Any]:
    """What plays the script, open inside the block. Raises `InputError`."""
    if bootstrap:
        from kassay.engines.conform.on_broker import BrokerPlayer, restarting

        again = restarting(restart) if restart else None
        with closing(BrokerPlayer(bootstrap, read.topics, group, again)) as player:
            yield player
    elif genuine:
        from kassay.engines.conform.plays import KafkaPlayer
        from kassay.engines.genuine.coordinator import GenuineProcess
        from kassay.engines.genuine.jars import coordinator_jars, kafka_home

        jars = coordinator_jars(release, home=kafka_home(), fetch=fetch)
        with GenuineProcess(jars, "play") as process:
            yield KafkaPlayer(read, process)
    else:
        from kassay.engines.conform.on_model import ModelPlayer

        yield ModelPlayer(read.config, read.topics, release)
