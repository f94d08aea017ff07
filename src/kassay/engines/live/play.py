"""A script played with real clients: each action, then the group awaited, and everything recorded."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from kassay.engines.live.broker_acts import act_on_brokers
from kassay.engines.live.brokers import OwnCluster
from kassay.engines.live.claims.progress import merged
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.cluster import Helper
from kassay.engines.live.group_types import one_type, type_of
from kassay.engines.live.member import RunningMember
from kassay.engines.live.owners import covered, owned_at
from kassay.engines.live.program import (
    CLOSE,
    Acknowledged,
    ClientStart,
    RecordsRead,
    Timeouts,
    pace,
    subscribe,
)
from kassay.engines.live.recording import MS, GroupSeen, LiveStep, Recording
from kassay.engines.live.running import Canary, LiveFailed, Pump, RunningProcess
from kassay.engines.live.script import ALL, LiveAction, LiveScript
from kassay.model.cluster import TopicPartition

_PROBE_S: Final = 0.15
_LAST_WORDS_S: Final = 5.0
_STABLE: Final = ("STABLE",)
_EMPTY: Final = ("EMPTY", "DEAD", "")


@dataclass
class LiveStage:
    """Where scripts are played: the cluster, the helper, the programs."""

    programs: ClientPrograms
    bootstrap: str
    helper: Helper
    pump: Pump
    note: Callable[[str, Sequence[int]], None]
    cluster: OwnCluster | None
    peak_mib: float = 0.0

    def renew(self, settings: Mapping[str, str]) -> None:
        """Start new brokers if a script has changed them, or wants other settings."""
        if self.cluster is not None:
            self.cluster.renew(settings)
            self.bootstrap = self.cluster.bootstrap


class Play:
    """One script on its stage; `record` plays it."""

    def __init__(
        self, script: LiveScript, stage: LiveStage, progress: Callable[[str], None] = lambda _: None
    ) -> None:
        self.script, self.stage, self.progress = script, stage, progress
        self.helper, self.pump = stage.helper, stage.pump
        self.canary = Canary()
        self.topics = dict(script.topics)
        self.seats = {seat.name: seat for seat in script.seats}
        self.running: list[RunningMember] = []
        self.steps: list[LiveStep] = []
        self.is_owned = one_type(script.seats).callbacks
        self.starts: dict[TopicPartition, int] = {}

    def record(self) -> Recording:
        """Play the script to its end; whatever it started has ended then. Raises `LiveFailed`."""
        with Canary() as canary:
            self.canary = canary
            try:
                self.helper.described = one_type(self.script.seats).described
                self.helper.create(self.topics)
                self.helper.produce(on=True)
                for number, action in enumerate(self.script.actions, start=1):
                    self.progress(action.words)
                    with self._step(number, action):
                        self._play(action)
                drained, produced = self._drain()
                self._leave()
                lives = tuple(each.life() for each in self.running)
                self._close()
                self.helper.delete([*self.topics], self._delete_s)
                return Recording(
                    self.script,
                    lives,
                    tuple(self.steps),
                    produced,
                    drained,
                    tuple(canary.stalls),
                    self.starts,
                )
            except BaseException:
                self._close()
                if self.stage.cluster is None:
                    self.helper.delete([*self.topics], self._delete_s)
                raise
            finally:
                self._close()

    @property
    def _delete_s(self) -> float:
        """How long to wait for an empty group; a broker of our own goes with all of its groups."""
        return 0.0 if self.stage.cluster is not None else 2 * self.script.timeouts.session_ms / 1000

    def _play(self, action: LiveAction) -> None:
        """Do it, and wait until the group has settled or the limit is reached."""
        began = time.monotonic_ns()
        self._act(action)
        ended, settled, view = self._settle(time.monotonic_ns())
        if view.epoch < 0 and self.stage.cluster is not None:
            view = replace(view, epoch=self.stage.cluster.generation(self.helper.prefix))
        present = {each.seat.name: each.topics for each in self._present()}
        self.steps.append(LiveStep(action, began, ended, settled, dict(self.topics), present, view))
        self._measure()

    def _measure(self) -> None:
        parts = [each.process.resident_mib for each in self.running if each.process is not None]
        broker = self.stage.cluster.resident_mib if self.stage.cluster is not None else 0.0
        self.stage.peak_mib = max(self.stage.peak_mib, sum(parts) + broker + self.helper.resident_mib)

    def _act(self, action: LiveAction) -> None:
        member = next((each for each in reversed(self.running) if each.seat.name == action.member), None)
        up = member if member is not None and member.ended is None and not member.leaving else None
        now = time.monotonic_ns()
        match action.do:
            case "join" if action.member == ALL:
                known = {each.seat.name: each.topics for each in self.running}
                for name in self.seats.keys() - {each.seat.name for each in self._present()}:
                    self._start(replace(action, member=name), known.get(name, frozenset(self.topics)))
            case "leave" if action.member == ALL:
                for each in self._present():
                    each.leaving = True
                    self._send(each, CLOSE)
            case "join" if up is None:
                self._start(action, frozenset(action.topics or self.topics))
            case "leave" if up is not None and not up.paused:
                up.leaving = True
                self._send(up, CLOSE)
            case "crash" | "return" if up is not None:
                self._kill(up)
                if action.do == "return":
                    self._start(action, up.topics)
            case "restart" if up is not None and not up.paused:
                up.leaving = True
                self._send(up, CLOSE)
                self._await_end([up])
                self._start(action, up.topics)
            case "pause" if up is not None and not up.paused:
                self._signal(up, signal.SIGSTOP)
                up.pauses.append((now, None))
            case "resume" if up is not None and up.paused:
                up.pauses[-1] = (up.pauses[-1][0], now)
                self._signal(up, signal.SIGCONT)
            case "subscribe" if up is not None and type_of(up.seat).resubscribes:
                up.topics = frozenset(action.topics)
                self._send(up, subscribe(tuple(map(self.helper.full, sorted(action.topics)))))
            case "pace" if up is not None:
                self._pace(up, action.wait_ms, now)
            case "grow" if action.partitions > self.topics[action.topic]:
                self.helper.grow(action.topic, action.partitions)
                self.topics[action.topic] = action.partitions
            case "restart-broker" | "failover" | "upgrade-broker" | "finalize":
                if (cluster := self.stage.cluster) is not None:
                    back = act_on_brokers(action, cluster, self.helper, self.pump, self.script.timeouts)
                    for each in self._present() if back is not None else ():
                        each.pauses.append((now, back))

    def _pace(self, member: RunningMember, wait_ms: int, now: int) -> None:
        """Change the pause between polls; one beyond the client's own limit puts it out of the group."""
        if member.slow and member.slow[-1][1] is None:
            member.slow[-1] = (member.slow[-1][0], now)
        if wait_ms > self.script.timeouts.max_poll_ms:
            member.slow.append((now, None))
        member.wait_ms = wait_ms
        self._send(member, pace(wait_ms))

    def _start(self, action: LiveAction, topics: frozenset[str]) -> None:
        """Start a process for the member, perhaps with another client or strategy than before."""
        name = action.member
        seat = self.seats[name] = action.seat(self.seats[name])
        number = 1 + sum(each.seat.name == name for each in self.running)
        member = RunningMember(seat, number, topics, time.monotonic_ns(), self.helper)
        command = self.stage.programs.command(seat)
        self.helper.described = type_of(seat).described
        self.running.append(member)
        member.process = RunningProcess(command, self.pump, member.take, self.stage.note)
        start = ClientStart(
            self.stage.bootstrap,
            self.helper.prefix,
            name,
            tuple(map(self.helper.full, sorted(topics))),
            self.stage.programs.loaded(seat),
            seat.protocol,
            seat.instance,
            self.script.timeouts,
            rack=seat.rack,
        )
        self._send(member, start.document())

    def _send(self, member: RunningMember, document: object) -> None:
        assert member.process is not None and isinstance(document, dict)
        member.process.send(document)

    def _signal(self, member: RunningMember, number: signal.Signals) -> None:
        assert member.process is not None
        member.process.signal(number)

    def _kill(self, member: RunningMember) -> None:
        """Kill the process; what it had written before is read."""
        self._signal(member, signal.SIGKILL)
        member.ended = time.monotonic_ns()
        end = time.monotonic() + _LAST_WORDS_S
        while not member.over and time.monotonic() < end:
            self.pump.wait(_PROBE_S)
        if member.process is not None:
            member.process.close()

    def _present(self) -> list[RunningMember]:
        """The members that the group is to have."""
        return [each for each in self.running if each.alive]

    def _settle(self, began: int) -> tuple[int, bool, GroupSeen]:
        """When the group had settled, or that it had not at the limit; and what its coordinator then said.

        It has settled when coordinator and members have agreed for as long as `confirm_ms`. The time is that
        of the first agreement: everything from before it has been read by then.
        """
        timeouts = self.script.timeouts
        since: tuple[int, GroupSeen] | None = None
        while True:
            if self.stage.cluster is not None:
                self.stage.cluster.require()
            view = self.helper.describe()
            now = time.monotonic_ns()
            self._await(0)
            if since is not None and not self._agrees(since[1], since[0]):
                since = None  # what it reported of that time has arrived only now
            if not self._agrees(view, now):
                since = None
                if self._is_late(began, now):
                    return now, False, view
            elif since is None:
                since = (now, view)
            elif now - since[0] > confirm_ms(timeouts) * MS:
                return since[0], True, since[1]
            self._await(_PROBE_S)

    @contextmanager
    def _step(self, number: int, action: LiveAction) -> Iterator[None]:
        """Name the step in what fails in it; a broker that has ended is the reason if there is one."""
        try:
            try:
                yield
            except LiveFailed:
                if self.stage.cluster is not None:
                    self.stage.cluster.require()
                raise
        except LiveFailed as failure:
            raise LiveFailed(f"step {number}, {action.words}: {failure}") from None

    def _is_late(self, began: int, now: int) -> bool:
        """Whether the limit is reached. The time of stalls does not count, up to once more the limit."""
        limit, waited = self.script.timeouts.settle_ms * MS, now - began
        if not limit < waited < 2 * limit:
            return waited >= limit
        spans = [span for each in self.running for span in each.life().stalls]
        return waited - covered([*self.canary.stalls, *spans], began, now) > limit

    def _await(self, seconds: float) -> None:
        """Read what comes within this time."""
        end = time.monotonic() + seconds
        while self.pump.wait(max(0.0, end - time.monotonic())) or time.monotonic() < end:
            pass

    def _agrees(self, view: GroupSeen, t: int) -> bool:
        """Whether the group is stable and complete, and each member owned at `t` what was assigned to it."""
        present = self._present()
        if not present:
            return view.state.upper() in _EMPTY and not view.members
        if view.state.upper() not in _STABLE or view.members.keys() != {each.seat.name for each in present}:
            return False
        every: set[TopicPartition] = set()
        for each in present:
            life, assigned = each.life(), view.members[each.seat.name]
            if (
                each.ended is not None
                or life.ready is None
                or any(p.topic not in each.topics for p in assigned)
            ):
                return False
            if life.reports("assigned") and owned_at(life, t) != assigned:
                return False
            every |= assigned
        read = set().union(*(each.topics for each in present))
        return len(every) == sum(self.topics[topic] for topic in read)

    def _drain(self) -> tuple[bool, dict[TopicPartition, int]]:
        """Send no more records, and wait until all are read; whether they were, and how many there are."""
        self.helper.produce(on=False)
        produced = self.helper.produced()
        end = time.monotonic() + self.script.timeouts.settle_ms / 1000
        stable = bool(self.steps) and self.steps[-1].settled and bool(self._present())
        read = set().union(*(each.topics for each in self._present())) if stable else set()
        while stable and time.monotonic() < end:
            if not self.is_owned:
                self.starts = self.helper.starts()
            if all(self._read_up_to(each, count) for each, count in produced.items() if each.topic in read):
                if (later := self.helper.produced()) == produced:
                    return True, produced
                produced = later  # records that were on their way are acknowledged now
            self.pump.wait(_PROBE_S)
        return False, produced

    def _read_up_to(self, partition: TopicPartition, count: int) -> bool:
        """Whether all records up to there were read; a share group is to have done with all of them."""
        spans = [
            (span.first, span.last)
            for member in self.running
            for event in member.events
            if isinstance(event, RecordsRead if self.is_owned else Acknowledged)
            for span in event.spans
            if span.partition == partition
        ]
        if self.is_owned:
            return max((last for _, last in spans), default=-1) + 1 >= count
        ranges = merged([*spans, (0, self.starts.get(partition, 0) - 1)])
        return ranges[0][1] + 1 >= count

    def _leave(self) -> None:
        """Let every member leave, and wait for its end."""
        for each in self.running:
            if each.ended is None:
                if each.paused:
                    each.pauses[-1] = (each.pauses[-1][0], time.monotonic_ns())
                    self._signal(each, signal.SIGCONT)
                each.leaving = True
                self._send(each, CLOSE)
        self._await_end(self.running)

    def _await_end(self, members: Sequence[RunningMember]) -> None:
        """Wait for the end of members that leave, at most for a session and a poll."""
        timeouts = self.script.timeouts
        end = time.monotonic() + (timeouts.session_ms + timeouts.metadata_ms) / 1000 + 5
        while any(each.ended is None for each in members) and time.monotonic() < end:
            self.pump.wait(end - time.monotonic())

    def _close(self) -> None:
        for each in self.running:
            if each.process is not None:
                each.process.close()


def confirm_ms(timeouts: Timeouts) -> int:
    """How long an agreement is to last before it counts."""
    return 2 * timeouts.heartbeat_ms + timeouts.metadata_ms // 2
