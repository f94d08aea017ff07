"""A script of requests to the coordinator, played on the model, on Kafka's classes or on a broker."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from kassay.report.result import DescribedResult, Progress, no_progress
from kassay.writing.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kassay.engines.conform.plays import PlayScript, ScriptPlayer
    from kassay.engines.genuine.coordinator import GenuineStep
    from kassay.report.blocks import Described

GROUP: Final = "kassay-play"
"""The group that is played on a broker if none is named."""
RELEASE: Final = "4.4.0"


@dataclass(frozen=True, repr=False)
class CoordinatorPlay(DescribedResult):
    """The script and its steps, each with answers, records and the state after it.

    `members` are the ids that the coordinator made: `#1` of a script is the first. `is_whole`: records and
    states are known, as they are not of a broker.
    """

    script: PlayScript
    steps: tuple[GenuineStep, ...]
    members: tuple[str, ...]
    is_whole: bool = True

    def summary(self) -> str:
        """The title of the script, and its number of steps."""
        title = f"{self.script.title}: " if self.script.title else ""
        return title + counted(len(self.steps), "step")

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/play/1`."""
        return {
            "schema": "kassay/play/1",
            "config": dict(self.script.config),
            "topics": dict(self.script.topics),
            "steps": [dict(step.document) for step in self.steps],
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row for each step: the event, its number of answers and records, the state of the group."""
        return [
            {
                "event": step.document["event"]["event"],
                "member": step.document["event"].get("member"),
                "answers": len(step.answers),
                "records": len(step.records),
                "state": step.state.get("state"),
            }
            for step in self.steps
        ]

    def described(self) -> Described:
        """The steps as blocks."""
        from kassay.engines.conform.plays import MemberIds
        from kassay.report.played import played_described

        return played_described(
            self.script.title, self.steps, MemberIds([*self.members]), whole=self.is_whole
        )


def play(
    script: str | PathLike[str],
    *,
    genuine: bool = False,
    release: str = RELEASE,
    fetch: bool = False,
    bootstrap_server: str | None = None,
    group: str | None = None,
    restart: str | None = None,
    progress: Progress = no_progress,
) -> CoordinatorPlay:
    """Play a TOML file of requests and faults on kassay's model of the group coordinator.

    `genuine` plays it on Kafka's own classes of the release, whose jars `fetch` downloads once. With
    `bootstrap_server` the requests go to a broker, to `group` there (`kassay-play`); `restart` is the command
    that restarts it for a failover. Raises `InputError` for a script that cannot be played.

    >>> import kassay
    >>> kassay.play("examples/coordinator/c-join-timer.toml")
    <CoordinatorPlay: C: a creation that failed...: 3 steps>
    """
    from pathlib import Path

    from kassay.engines.conform.plays import played, read_script
    from kassay.model.errors import InputError
    from kassay.reading.documents import at

    if genuine and bootstrap_server:
        raise InputError("--genuine: expected without --bootstrap-server")
    read = read_script(Path(script))
    steps: list[GenuineStep] = []
    names: list[str] = []
    if bootstrap_server:
        player = _on_broker(read, bootstrap_server, group or GROUP, restart)
    else:
        player = _on_classes(read, release, fetch) if genuine else _on_model(read, release)
    with player as opened, at(str(script)):
        for step, ids in played(read, opened):
            steps.append(step)
            names = ids.names
            progress(len(steps))
    return CoordinatorPlay(read, tuple(steps), tuple(names), bootstrap_server is None)


@contextmanager
def _on_broker(script: PlayScript, bootstrap: str, group: str, restart: str | None) -> Iterator[ScriptPlayer]:
    """A broker that plays, open inside the block; raises `InputError`."""
    from kassay.engines.conform.on_broker import BrokerPlayer, restarting

    again = restarting(restart) if restart else None
    with closing(BrokerPlayer(bootstrap, script.topics, group, again)) as player:
        yield player


@contextmanager
def _on_classes(script: PlayScript, release: str, fetch: bool) -> Iterator[ScriptPlayer]:
    """Kafka's classes that play, open inside the block; raises `InputError`."""
    from kassay.engines.conform.plays import KafkaPlayer
    from kassay.engines.genuine.coordinator import GenuineProcess
    from kassay.engines.genuine.jars import coordinator_jars, kafka_home

    jars = coordinator_jars(release, home=kafka_home(), fetch=fetch)
    with GenuineProcess(jars, "play") as process:
        yield KafkaPlayer(script, process)


@contextmanager
def _on_model(script: PlayScript, release: str) -> Iterator[ScriptPlayer]:
    """The model that plays; raises `InputError`."""
    from kassay.engines.conform.on_model import ModelPlayer

    yield ModelPlayer(script.config, script.topics, release)
