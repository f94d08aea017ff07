"""One group of Kafka's own coordinator in a Java process: an event in, a step out.

The classes are those of Kafka's released jars; ours (`java/`, with its compiled classes) drive them through a
line protocol. One build serves 4.0.2 to 4.4.0: it is compiled for Java 17 against the jars of 4.4.0, by

    javac -XDignore.symbol.file --release 17 -g:none -cp 'JARS/*' -d src/kassay/engines/genuine/java \
        src/kassay/engines/genuine/java/org/apache/kafka/coordinator/group/*.java

Kafka's are `GroupCoordinatorShard` and all below it, and the record formats. Ours are the append and its
revert, the timers and the background tasks, after `CoordinatorRuntime`, and member ids from a seeded source.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, TypeAlias

from kassay.engines.genuine.events import GenuineEvent
from kassay.engines.genuine.jars import class_path
from kassay.engines.jars.java import find_java
from kassay.model.errors import KassayError

Document: TypeAlias = Mapping[str, Any]
CLASSES: Final = Path(__file__).parent / "java"
"""The folder of our classes, for the class path."""
OWN, KAFKAS = "kassay", "kafka"
RUNTIMES: Final = (OWN, KAFKAS)
"""What appends, reverts and keeps timers: our reading of `CoordinatorRuntime`, or that class itself (4.4)."""
MAIN: Final = "org.apache.kafka.coordinator.group.GenuineCoordinator"
_FLAGS: Final = (
    "-Xmx128m",
    "-XX:+UseSerialGC",  # no extra threads for a heap this small
    "-XX:TieredStopAtLevel=1",  # twice as fast over the first minute
    "-XX:-UsePerfData",  # leaves a file behind if the process is killed
    "-Dslf4j.internal.verbosity=ERROR",
)

CONFIG: Final[Document] = {
    "classic_initial_rebalance_delay_ms": 3000,
    "classic_new_member_join_timeout_ms": 300_000,
    "classic_max_size": 2_147_483_647,
    "classic_min_session_timeout_ms": 10,
    "classic_max_session_timeout_ms": 1_800_000,
    "consumer_session_timeout_ms": 45_000,
    "consumer_heartbeat_interval_ms": 5000,
    "consumer_max_size": 2_147_483_647,
    "server_assignors": ["uniform", "range"],
    "migration_policy": "BIDIRECTIONAL",
    "consumer_assignment_interval_ms": 1000,
    "consumer_assignor_offload": False,
    "consumer_regex_refresh_interval_ms": 600_000,
    "unload_ends_writes": True,
}
"""A coordinator's configuration in the form of the vectors, mostly with Kafka's defaults."""
STREAMS_CONFIG: Final[Document] = {
    "group.streams.min.session.timeout.ms": 1,
    "group.streams.max.session.timeout.ms": 10_000_000,
    "group.streams.session.timeout.ms": 45_000,
    "group.streams.min.heartbeat.interval.ms": 1,
    "group.streams.heartbeat.interval.ms": 5000,
    "group.streams.initial.rebalance.delay.ms": 3000,
    "group.streams.assignment.interval.ms": 0,
    "group.streams.assignor.offload.enable": False,
    "group.streams.num.standby.replicas": 0,
    "group.streams.num.warmup.replicas": 2,
    "group.streams.max.size": 2_147_483_647,
}
"""The part `streams` of a configuration, by the broker's names; without it no streams group is compared."""


class GenuineFailed(KassayError):
    """The driver of the genuine coordinator failed: a fault of kassay's, or jars that do not fit."""


@dataclass(frozen=True)
class GenuineStep:
    """What one event did: Kafka's answers, records, fired timers, and the whole state afterwards.

    `document` is the step in the form of the vectors, from which the others are read. `exception` is the
    class of an exception that Kafka did not expect, "" without one: a request then got the answer
    UNKNOWN_SERVER_ERROR, a timer just ended.
    """

    document: Document

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The answers that were sent, each with the number of the event that it answers as `to`."""
        answers: list[dict[str, Any]] = self.document["responses"]
        return answers

    @property
    def records(self) -> list[dict[str, Any]]:
        """The appended records."""
        records: list[dict[str, Any]] = self.document["records"]
        return records

    @property
    def state(self) -> dict[str, Any]:
        """The group, and the armed timers as (kind, member, due)."""
        state: dict[str, Any] = self.document["state"]
        return state

    @property
    def timers(self) -> list[tuple[str, str | None, int]]:
        """The armed timers: kind, member, and when it is due, in milliseconds since the beginning."""
        return [(kind, member, due) for kind, member, due in self.state["timers"]]

    @property
    def exception(self) -> str:
        """The class of an unexpected exception."""
        return str(self.document.get("more", {}).get("exception", ""))

    def without_exception(self) -> Document:
        """The document without the exception's class, which no model has."""
        more = {key: value for key, value in self.document.get("more", {}).items() if key != "exception"}
        rest = {key: value for key, value in self.document.items() if key != "more"}
        return rest | ({"more": more} if more else {})


class GenuineProcess:
    """A Java process with Kafka's coordinator; a context manager that ends it.

    `start` begins with an empty log, as often as needed. `runtime` is one of `RUNTIMES`; Kafka's writes a
    batch as soon as nothing else is to be done or, with an odd seed, once it holds no acknowledgement back.
    Raises `InputError` without a Java, and `GenuineFailed` when the process fails.
    """

    def __init__(
        self, jars: Iterable[Path], asker: str = "the genuine coordinator", runtime: str = OWN
    ) -> None:
        java = find_java(asker, "java").program
        command = [java, *_FLAGS, "-cp", class_path(jars, CLASSES), MAIN]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._runtime = runtime

    def __enter__(self) -> GenuineProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def start(self, config: Document, topics: Mapping[str, int], seed: int) -> None:
        """Start with an empty log, these topics, and member ids from this seed."""
        opening: dict[str, Any] = {"config": config, "topics": topics, "seed": seed}
        if self._runtime == KAFKAS:
            opening["runtime"] = "lingering" if seed % 2 else "adaptive"
        self._ask({"new": opening})

    def send(self, event: GenuineEvent | Document) -> GenuineStep:
        """Play an event."""
        return GenuineStep(self._ask(event.document() if isinstance(event, GenuineEvent) else event))

    def replays(self) -> Document:
        """The state in `memory`, and what a new coordinator reads out of the log.

        `log` as written, `compacted` as a cleaner leaves it, `without_tombstones` as it leaves it later. A
        log that does not load is `{"unloadable": exception}`.
        """
        return self._ask({"replays": True})

    def _ask(self, document: Document) -> dict[str, Any]:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None and back is not None
        line = self._exchange(to, back, json.dumps(document).encode() + b"\n")
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            raise GenuineFailed(f"Kafka's coordinator could not be driven: {answer['failed']}")
        return answer

    def _exchange(self, to: IO[bytes], back: IO[bytes], line: bytes) -> bytes:
        try:
            to.write(line)
            to.flush()
            answer = back.readline()
        except OSError:
            answer = b""
        if not answer:
            raise GenuineFailed(f"Kafka's coordinator ended with exit code {self._process.wait()}")
        return answer
