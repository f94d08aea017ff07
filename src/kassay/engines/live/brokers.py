"""The brokers of a run that are kassay's own: one or three, each under a guard, stopped by scripts."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from kassay.engines.genuine.broker import START_S, STARTED, GenuineBroker, formatted_brokers
from kassay.engines.live.program import Timeouts
from kassay.engines.live.running import LiveFailed, Pump, RunningProcess, log_of
from kassay.model.errors import InputError

Note = Callable[[str, Sequence[int]], None]
COUNTS: Final = (1, 3)
"""How many brokers a cluster may have: without a majority of its controllers none can lead."""
ASSIGNORS: Final = "group.consumer.assignors"
_LISTENER: Final = "OPEN"
_STOP_S: Final = 30.0
_PROBE_S: Final = 0.1
_SHOWN: Final = 600
_BUILT_IN: Final = tuple(
    f"org.apache.kafka.coordinator.group.assignor.{name}Assignor" for name in ("Uniform", "Range")
)


@dataclass(frozen=True)
class BrokerShape:
    """The brokers that a script wants: how many, their racks, the replicas of a partition, more settings.

    `replicas` 0: as many as there are brokers, in racks one fewer, so that a rack matters to an assignor.
    """

    count: int = 1
    racks: tuple[str, ...] = ()
    replicas: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def factor(self) -> int:
        """The replicas of a topic's partition."""
        return self.replicas or (self.count - 1 if self.racks and self.count > 1 else self.count)


ONE: Final = BrokerShape()


def broker_settings(shape: BrokerShape, timeouts: Timeouts) -> list[dict[str, str]]:
    """The settings of each broker: timeouts that clients may have, replicas, rack.

    Those of all groups but classic ones are the brokers'. A lock of a share group lasts as long as a session.
    One of three may stop; nothing moves back by itself.
    """
    session, heartbeat, all_of = str(timeouts.session_ms), str(timeouts.heartbeat_ms), str(shape.count)
    common = {
        "group.min.session.timeout.ms": "1000",
        "group.consumer.min.session.timeout.ms": "1000",
        "group.consumer.session.timeout.ms": session,
        "group.consumer.min.heartbeat.interval.ms": "100",
        "group.consumer.heartbeat.interval.ms": heartbeat,
        "group.streams.min.session.timeout.ms": "1000",
        "group.streams.session.timeout.ms": session,
        "group.streams.min.heartbeat.interval.ms": "100",
        "group.streams.heartbeat.interval.ms": heartbeat,
        "group.streams.initial.rebalance.delay.ms": "0",
        "group.share.min.session.timeout.ms": "1000",
        "group.share.session.timeout.ms": session,
        "group.share.min.heartbeat.interval.ms": "100",
        "group.share.heartbeat.interval.ms": heartbeat,
        "group.share.min.record.lock.duration.ms": "1000",
        "group.share.record.lock.duration.ms": session,
        "share.coordinator.state.topic.num.partitions": "1",
        "default.replication.factor": str(shape.factor),
        "min.insync.replicas": str(max(1, shape.factor - 1)),
        "offsets.topic.replication.factor": all_of,
        "transaction.state.log.replication.factor": all_of,
        "transaction.state.log.min.isr": str(max(1, shape.count - 1)),
        "share.coordinator.state.topic.replication.factor": all_of,
        "share.coordinator.state.topic.min.isr": str(max(1, shape.count - 1)),
        "broker.heartbeat.interval.ms": "500",
        "broker.session.timeout.ms": "6000",
        "auto.leader.rebalance.enable": "false",
        **shape.settings,
    }
    racks = [shape.racks[node % len(shape.racks)] if shape.racks else "" for node in range(shape.count)]
    return [common | ({"broker.rack": rack} if rack else {}) for rack in racks]


class OwnBroker:
    """A broker under a guard, which can be stopped and started again at its ports."""

    def __init__(self, broker: GenuineBroker, pump: Pump, note: Note) -> None:
        self.genuine = broker
        self._pump, self._note = pump, note
        self._process: RunningProcess | None = None
        self._starts = 0
        self._log = broker.folder

    def launch(self) -> None:
        """Start its process; `await_up` says when it is up."""
        self._starts += 1
        self._log = log = self.genuine.folder / f"broker-{self._starts}.log"
        log.touch()
        self._process = RunningProcess(
            log_of(self.genuine.server_command, log), self._pump, lambda _: None, self._note
        )

    def await_up(self) -> None:
        """Return when it is up; raises `LiveFailed` if it does not get there."""
        end = time.monotonic() + START_S
        while STARTED not in (text := self._log.read_text("utf-8", "replace")):
            if time.monotonic() > end or "Exiting Kafka" in text:
                self.close()
                raise LiveFailed(f"Kafka {self.genuine.release}: the broker did not start: {text[-_SHOWN:]}")
            time.sleep(_PROBE_S)  # its output goes to the log, so the pump has nothing to wait for

    def require(self) -> None:
        """Raise `LiveFailed` if it has ended by itself."""
        if self._process is not None and not self._process.alive:
            last = self._log.read_text("utf-8", "replace").rstrip()[-_SHOWN:]
            raise LiveFailed(f"Kafka {self.genuine.release}: the broker ended by itself: {last}")

    def stop(self) -> None:
        """Let it hand over what it leads and end; it is killed if that takes too long."""
        if self._process is not None:
            self._process.signal(signal.SIGTERM)
            end = time.monotonic() + _STOP_S
            while self._process.alive and time.monotonic() < end:
                self._pump.wait(_PROBE_S)
        self.close()

    def close(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.close()
        self._process = None

    @property
    def resident_mib(self) -> float:
        """The memory of the broker in MiB."""
        return self._process.resident_mib if self._process is not None else 0.0

    @property
    def logs(self) -> list[Path]:
        """The logs of all its starts, in order."""
        return [self.genuine.folder / f"broker-{number}.log" for number in range(1, self._starts + 1)]


class OwnCluster:
    """Brokers that are up together; nodes are numbered from 1 on.

    `features` are those with which they are formatted, in addition to those of their release.
    """

    def __init__(
        self,
        shape: BrokerShape,
        jars: tuple[Path, ...],
        release: str,
        folder: Path,
        timeouts: Timeouts,
        pump: Pump,
        note: Note,
        features: Sequence[str] = (),
    ) -> None:
        self.shape, self.folder = shape, folder
        self._format = [word for each in features for word in ("--feature", each)]
        self._jars, self._release, self._settings = jars, release, broker_settings(shape, timeouts)
        self._pump, self._note = pump, note
        self.brokers: list[OwnBroker] = []
        self._is_changed = False
        self.more_jars: tuple[Path, ...] = ()
        self.more_settings: Mapping[str, str] = shape.settings

    def start(self) -> None:
        """Format the brokers and start them all; returns when all are up, raises `LiveFailed`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        listeners = {_LISTENER: "PLAINTEXT"}
        formatted = formatted_brokers(
            listeners,
            self._jars,
            self.folder,
            [{**each, **self.more_settings} for each in self._settings],
            release=self._release,
            format_options=self._format,
        )
        self.brokers = [OwnBroker(each, self._pump, self._note) for each in formatted]
        self._is_changed = False
        for each in self.brokers:
            each.launch()
        for each in self.brokers:
            each.await_up()

    def renew(self, settings: Mapping[str, str]) -> None:
        """Replace the brokers by new ones if a script has changed a release, or wants other settings."""
        if self._is_changed or settings != self.more_settings:
            self.more_settings = settings
            self.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            self.start()

    @property
    def bootstrap(self) -> str:
        """The addresses of the brokers."""
        return ",".join(each.genuine.address(_LISTENER) for each in self.brokers)

    def restart(self, node: int) -> None:
        """Stop the broker in order, and start it again."""
        self.brokers[node - 1].stop()
        self.up(node)

    def kill(self, node: int) -> None:
        """End the broker as a crash would."""
        self.brokers[node - 1].close()

    def up(self, node: int) -> None:
        """Start the broker; returns when it is up."""
        self.brokers[node - 1].launch()
        self.brokers[node - 1].await_up()

    def upgrade(self, node: int, jars: tuple[Path, ...], release: str) -> None:
        """Stop the broker in order, and start it again as one of another release."""
        self._is_changed = True
        broker = self.brokers[node - 1]
        broker.stop()
        broker.genuine = replace(broker.genuine, jars=(*jars, *self.more_jars), release=release)
        self.up(node)

    def tool(self, name: str, *arguments: str) -> str:
        """What one of Kafka's tools prints, of the release of the first broker, for all brokers.

        Raises `LiveFailed` if it does not end.
        """
        try:
            tool = self.brokers[0].genuine.tool
            return tool(name, "--bootstrap-server", self.bootstrap, *arguments, timeout_s=START_S)
        except subprocess.TimeoutExpired:
            raise LiveFailed(f"{name}: no end within {START_S:.0f} s") from None

    def generation(self, group: str) -> int:
        """The last generation of a classic group that any broker has logged; -1 if there is none."""
        said = re.compile(rf"(?:Stabilized g|G)roup {re.escape(group)} (?:with )?generation (\d+)")
        texts = (log.read_text("utf-8", "replace") for each in self.brokers for log in each.logs)
        return max((int(number) for text in texts for number in said.findall(text)), default=-1)

    def require(self) -> None:
        """Raise `LiveFailed` if a broker has ended by itself."""
        for each in self.brokers:
            each.require()

    def close(self) -> None:
        """End all brokers."""
        for each in self.brokers:
            each.close()

    @property
    def resident_mib(self) -> float:
        """The memory of all brokers in MiB."""
        return sum(each.resident_mib for each in self.brokers)


@contextmanager
def own_cluster(cluster: OwnCluster) -> Iterator[OwnCluster]:
    """The cluster, up within the context; its data are removed at the end."""
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()
        shutil.rmtree(cluster.folder, ignore_errors=True)


def assignors_of(jar: Path) -> tuple[str, ...]:
    """The assignors of consumer groups in a jar, for the brokers; raises `InputError` if there is none."""
    from kassay.engines.jars.classes import candidates
    from kassay.kinds.groups.java import CONSUMER_GROUPS_INTERFACE

    named = tuple(
        each.name
        for each in candidates([jar])
        if each.public and CONSUMER_GROUPS_INTERFACE in each.interfaces
    )
    if not named:
        raise InputError(f"{jar}: expected a public class that implements ConsumerGroupPartitionAssignor")
    return named


def with_assignor(shape: BrokerShape, classes: Sequence[str]) -> BrokerShape:
    """The shape with these assignors in the brokers, after Kafka's own."""
    named = ",".join((*_BUILT_IN, *classes))
    return replace(shape, settings={**shape.settings, ASSIGNORS: named})
