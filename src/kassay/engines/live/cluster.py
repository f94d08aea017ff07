"""kassay's helper on the cluster of a run: topics, the coordinator's view, the numbered producer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kassay.engines.genuine.jars import class_path
from kassay.engines.jars.java import find_java
from kassay.engines.live.clients import CLASSES, JVM
from kassay.engines.live.program import CLOSE
from kassay.engines.live.recording import GroupSeen
from kassay.engines.live.running import LiveFailed, Pump, RunningProcess
from kassay.model.cluster import TopicPartition

Note = Callable[[str, Sequence[int]], None]
_ANSWER_S: Final = 60.0
_AGAIN_S: Final = 0.5


@dataclass
class Helper:
    """kassay's own process on the cluster (Java): topics, the coordinator's view, the numbered producer.

    `described` is the type of group as which the coordinator describes it.
    """

    pump: Pump
    prefix: str
    described: str = "consumer"
    _answer: dict[str, Any] = field(default_factory=dict)
    _asked: int = 0
    _answered: int = 0
    _process: RunningProcess | None = None
    _gone: bool = False

    def start(self, jars: tuple[Path, ...], bootstrap: str, note: Note) -> None:
        """Start the process; raises `LiveFailed`."""
        java = find_java("kassay live", "java").program
        command = [java, *JVM, "-cp", class_path(jars, CLASSES), "kassay.live.Helper"]
        self._process = RunningProcess(command, self.pump, self._take, note)
        self._process.send({"do": "start", "bootstrap": bootstrap})

    def _take(self, line: str | None) -> None:
        if line is None:
            self._gone = True
        else:
            document = json.loads(line)
            if document["event"] == "answer":
                self._answer, self._answered = document, self._answered + 1

    def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a command; raises `LiveFailed`."""
        assert self._process is not None
        self._asked += 1
        self._process.send(command)
        end = time.monotonic() + _ANSWER_S
        while self._answered < self._asked:  # an interrupted command is answered too
            if self._gone:
                raise LiveFailed(f"kassay's helper: {self._process.words()}")
            if time.monotonic() > end:
                raise LiveFailed(f"kassay's helper did not answer {command['do']} within {_ANSWER_S:.0f} s")
            self.pump.wait(end - time.monotonic())
        if "failed" in self._answer:
            raise LiveFailed(f"the cluster refused {command['do']}: {self._answer['failed']}")
        return self._answer

    def full(self, topic: str) -> str:
        """The name on the cluster of a script's topic."""
        return f"{self.prefix}-{topic}"

    def short(self, topic: str) -> str:
        """The script's name of a topic on the cluster."""
        return topic.removeprefix(f"{self.prefix}-")

    def create(self, topics: Mapping[str, int]) -> None:
        """Create the topics, with as many replicas as the brokers have set, and prepare the group."""
        named = {self.full(name): count for name, count in topics.items()}
        self.ask({"do": "create", "topics": named, "group": self.prefix, "type": self.described})

    def grow(self, topic: str, partitions: int) -> None:
        """Give a topic more partitions."""
        self.ask({"do": "grow", "topic": self.full(topic), "partitions": partitions})

    def produce(self, *, on: bool) -> None:
        """Start or stop sending numbered records to every partition."""
        self.ask({"do": "produce", "on": on})

    def produced(self) -> dict[TopicPartition, int]:
        """The acknowledged records of each partition."""
        return self._by_partition(self.ask({"do": "produced"})["produced"])

    def starts(self) -> dict[TopicPartition, int]:
        """The first offset of each partition with which the share group has not done."""
        return self._by_partition(self.ask({"do": "starts", "group": self.prefix})["starts"])

    def _by_partition(self, rows: list[tuple[str, int, int]]) -> dict[TopicPartition, int]:
        return {TopicPartition(self.short(topic), number): count for topic, number, count in rows}

    def describe(self) -> GroupSeen:
        """The group as its coordinator sees it."""
        answer = self.ask({"do": "describe", "group": self.prefix, "type": self.described})
        members = {
            each["client"]: frozenset(TopicPartition(self.short(t), p) for t, p in each["partitions"])
            for each in answer["members"]
        }
        known = (answer.get("coordinator", -1), answer.get("epoch", -1), answer.get("type", ""))
        return GroupSeen(answer["t"], answer["state"], members, *known)

    def delete(self, topics: Sequence[str], wait_s: float) -> None:
        """Delete the topics and the group, for which it waits until the group has no member, at most so long.

        A static member stays in the group for its session after it has closed.
        """
        end = time.monotonic() + wait_s
        named = [*map(self.full, topics)]
        command = {"do": "delete", "topics": named, "group": self.prefix, "type": self.described}
        while self.ask(command)["left"] and time.monotonic() < end:
            self.pump.wait(_AGAIN_S)

    @property
    def resident_mib(self) -> float:
        """The memory of the process in MiB."""
        return self._process.resident_mib if self._process is not None else 0.0

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.send(CLOSE)
            self._process.close()
        self._process = None
