"""A Python class in a child process: creates and calls its objects, per call or per round."""

from __future__ import annotations

import json
import marshal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kassay.assignors.plain import plain_input
from kassay.assignors.plain_answers import FULL
from kassay.engines.processes.arrangement import FileCopies
from kassay.engines.processes.child import ARRANGED
from kassay.engines.processes.host import ChildObject, Limits, Start
from kassay.engines.processes.load import Loaded, TargetSource
from kassay.engines.processes.process import Guarded, environment_of
from kassay.engines.processes.python.objects import (
    BY_FORM,
    PythonCall,
    PythonChild,
    RemoteAssignor,
    RemoteObject,
    Said,
    user_data_of,
)
from kassay.engines.processes.values import encode
from kassay.engines.processes.wire import HEADER, Frames
from kassay.model.calls import Failure, failure_of
from kassay.model.cluster import Cluster
from kassay.model.errors import FailureKind, TargetFailure, TargetNotLoadable
from kassay.model.groups.assignor import AssignCall, Assignor, Learned, RoundAnswers
from kassay.model.groups.group import Assignment, Group
from kassay.model.surroundings import OURS, Surroundings


def _fixed(surroundings: Surroundings) -> tuple[object, ...]:
    """What is fixed when the process starts."""
    return surroundings.process, surroundings.hash_seed, surroundings.host_name is None, surroundings.modified


class PythonRequest(NamedTuple):
    """Calls, the number of required ones, and the members whose user data the first calls return."""

    calls: Sequence[PythonCall]
    needed: int = 1
    members: tuple[str, ...] = ()


class PythonReplies:
    """The replies to the calls of one request, which is sent when the first reply is read."""

    def __init__(
        self, guarded: Guarded, frames: Frames, payload: bytes, request: PythonRequest, limits: Limits
    ) -> None:
        self._guarded = guarded
        self._frames = frames
        self._payload = payload
        self._request = request
        self._limits = limits
        self._taken = 0

    def next(self) -> Said:
        """The reply to the next call; raises `TargetFailure`.

        A required call that fails is the last one. No data may follow the last reply.
        """
        calls, needed, _ = self._request
        guarded, call = self._guarded, calls[self._taken].method
        request = b""
        if self._taken:
            self._frames.advance()
        else:
            request = self._frames.request(self._payload)
        self._taken += 1
        reply = guarded.exchange(request, call, self._limits.call_timeout_s, self._frames.size_of)
        try:
            kind, *rest = json.loads(reply[HEADER.size :])
        except ValueError:
            raise guarded.fail_garbage(call) from None
        if guarded.ahead and (self._taken == len(calls) or (kind and self._taken <= needed)):
            raise guarded.fail_garbage(call)
        if kind:
            raise self._failure(*rest)
        return rest[0], rest[1]

    def _failure(self, kind: str, message: str, where: str, raised: Sequence[str]) -> TargetFailure:
        """The failure that the child reports for a call; a child without memory is ended."""
        failure = TargetFailure(FailureKind(kind), message, where, tuple(raised))
        if failure.kind is not FailureKind.MEMORY:
            return failure
        self._guarded.kill()
        limited = f"{message} (limit {self._limits.memory_mib} MiB)"
        return TargetFailure(FailureKind.MEMORY, limited, where, failure.raised)


class PythonHost(PythonChild):
    """A class that is loaded in a child process, and the calls to its objects.

    The next call creates new objects and deletes unused ones. `lacks` says why the clock of its surroundings
    is not shifted.
    """

    at_once: bool = True
    """Whether to use the interface for whole rounds."""

    def __init__(self, source: TargetSource, start: Start) -> None:
        self.source = source
        self._news: list[tuple[int, dict[str, str]]] = []
        self.drops: list[int] = []
        self.lacks = ""
        self._reads: dict[str, None] = {}
        self._copies = FileCopies()
        self._once = ""
        self._encoded: tuple[Cluster | None, Group | None, bytes] = (None, None, b"")
        super().__init__(start)

    def begin(self) -> None:
        """Start a child and load the class; raises `TargetNotLoadable`."""
        guarded = self._ready()
        self._news.clear()
        self.drops.clear()
        source = self.source
        # the current folder may hold the user's modules, as with `python -m`
        path = [str(Path.cwd()) if entry == "" else entry for entry in sys.path]
        if source.module and str(Path.cwd()) not in path:
            path.insert(0, str(Path.cwd()))
        self._frames = Frames()
        order = {
            "kind": "python",
            "nonce": self._frames.nonce.hex(),
            "source": vars(self._located),
            "path": path,
            "memory_mib": self.start.limits.memory_mib,
        }
        seconds = self.start.limits.start_timeout_s
        try:
            guarded.start(order, seconds)
            reply = guarded.exchange(b"", "import", seconds, self._frames.size_of)
            if guarded.ahead:
                raise guarded.fail_garbage("import")
        except TargetFailure as failure:
            raise TargetNotLoadable(
                f"{source.label}: {failure.message}, expected a module that imports"
            ) from None
        said = json.loads(reply[HEADER.size :])
        if "error" in said:
            guarded.kill()
            raise TargetNotLoadable(said["error"])
        self.loaded = Loaded.of(said["loaded"])
        self.name = self.loaded.name
        self.lacks = said["lacks"]
        self._once = said["once"]
        if guarded.surroundings != self.start.surroundings:
            self._rearrange()  # the guard has those that its first process had

    @property
    def rearranges(self) -> bool:
        """A Python process is given its surroundings by the code in it."""
        return True

    @property
    def loaded_once(self) -> str:
        """Why the class is loaded once in a process; it takes long, for example."""
        return self._once

    @property
    def reads(self) -> tuple[str, ...]:
        """The variables that the target read through `os.environ` in earlier surroundings."""
        return tuple(self._reads)

    @property
    def unchanged(self) -> Mapping[str, str]:
        """The clock if the library that shifts it is missing, and a file that cannot be copied."""
        clock = dict.fromkeys(("clock", "pause"), self.lacks) if self.lacks else {}
        return clock if self._copies.used else {**clock, "modified": "the file cannot be copied alone"}

    def close(self) -> None:
        """End the process, and remove the copies of its file."""
        super().close()
        self._copies.close()

    @property
    def _located(self) -> TargetSource:
        """The source; its file by its whole path where the process may have another folder."""
        source, surroundings = self.source, self.start.surroundings
        if surroundings is None or source.file is None:
            return source
        file = Path(source.file).resolve()
        if surroundings.modified is not None and (copy := self._copies.of(file, surroundings.modified)):
            file = copy
        return replace(source, file=str(file))

    def arrange(self, surroundings: Surroundings) -> None:
        """Change the process's surroundings; a new one starts only for those that are fixed at its start."""
        now = self.start.surroundings
        if now is None or not self.alive or _fixed(now) != _fixed(surroundings):
            super().arrange(surroundings)
            return
        self.start = replace(self.start, surroundings=surroundings)
        self._rearrange()

    def _rearrange(self) -> None:
        """Let the process take on the surroundings of its start."""
        surroundings = self.start.surroundings or OURS
        body = {
            **surroundings.without("variables").to_json(),
            "environment": environment_of(surroundings, self.start.hash_seed),
            "reload": not self._once,
        }
        try:
            (reads, self.lacks), _ = self.call(ChildObject(self, ARRANGED), "arrange", marshal.dumps(body))
        except TargetFailure as failure:
            raise TargetNotLoadable(
                f"{self.source.label}: {failure.message}, expected a module that imports"
            ) from None
        self._reads.update(dict.fromkeys(reads))

    @property
    def rounds(self) -> PythonRounds | None:
        """The interface for whole rounds; the host keeps no reference, which would outlive the last user."""
        return PythonRounds(self) if self.at_once else None

    def make(self, number: int, config: dict[str, str]) -> RemoteObject:
        """The object of this number in the child."""
        self._news.append((number, config))
        return BY_FORM.get(self.loaded.form, RemoteAssignor)(self, number)

    def encoded(self, cluster: Cluster, group: Group) -> bytes:
        """The encoded input of a call; the last one is cached, since it is often used again."""
        last_cluster, last_group, body = self._encoded
        if cluster is not last_cluster or group is not last_group:
            if self.loaded.form == FULL:
                body = marshal.dumps(encode(cluster, group))
            else:
                body = marshal.dumps(plain_input(cluster, group, self.loaded.extras))
            self._encoded = (cluster, group, body)
        return body

    def call(self, proxy: ChildObject, method: str, body: bytes) -> Said:
        """The answer to one call and the changes to its input; raises `TargetFailure`."""
        guarded = self.guard_of(proxy, method)
        return self.send(guarded, PythonRequest((PythonCall(proxy, method, body),))).next()

    def call_each(
        self, proxy: ChildObject, method: str, bodies: Sequence[bytes]
    ) -> list[Said | TargetFailure]:
        """What calls of one object give, which are sent together; each has its own time limit."""
        said: list[Said | TargetFailure] = []
        try:
            calls = tuple(PythonCall(proxy, method, body) for body in bodies)
            replies = self.send(self.guard_of(proxy, method), PythonRequest(calls, needed=0))
        except TargetFailure as failure:
            return [failure] * len(bodies)
        while len(said) < len(bodies):
            try:
                # A process that is gone has no more replies: each call that is left says so.
                self.guard_of(proxy, method)
                said.append(replies.next())
            except TargetFailure as failure:
                said.append(failure)
        return said

    def send(self, guarded: Guarded, request: PythonRequest) -> PythonReplies:
        """Send a request; returns its replies.

        New objects are created before the first call, except those used only after the required calls: they
        are created before their own call, as with single calls.
        """
        calls, needed, members = request
        drops, self.drops = self.drops, []
        early = {call.proxy.number for call in calls[:needed]}
        late = {call.proxy.number for call in calls[needed:]} - early
        later = {number: (number, config) for number, config in self._news if number in late}
        news = [new for new in self._news if new[0] not in late]
        self._news = []
        listed = []
        for proxy, method, body in calls:
            if proxy.number in later:
                news = [*news, later.pop(proxy.number)]
            listed.append((news, drops, method, proxy.number, body))
            news, drops = [], []
        payload = marshal.dumps((listed, needed, members))
        return PythonReplies(guarded, self._frames, payload, request, self.start.limits)


class PythonRounds:
    """The child's interface for a whole round, and for the assignments that members receive.

    An object that reports its own generation is called for it between the calls of a round, so it has no such
    interface.
    """

    def __init__(self, calls: PythonHost) -> None:
        self._calls = calls
        self.asks = not calls.loaded.reports_generation

    def holds(self, assignors: Sequence[Assignor]) -> bool:
        """Whether all of these live in the present process."""
        return self._calls.alive and all(
            isinstance(each, RemoteAssignor) and each.child is self._calls and each.life == self._calls.life
            for each in assignors
        )

    def ask(
        self, first: AssignCall, members: Sequence[Assignor], looks: Sequence[AssignCall]
    ) -> RoundAnswers:
        """Send one request; the child answers call by call."""
        group, leader = first.group, _own(first.assignor)
        said = [_own(each).user_data_call(member.topics) for each, member in zip(members, group.members)]
        says = [call for call in said if call is not None]
        calls = [*says, leader.assign_call(first.cluster, group)]
        body = calls[-1].body
        for look in looks:
            again = look.group is group and look.cluster is first.cluster
            proxy = _own(look.assignor)
            calls.append(
                PythonCall(proxy, "assign", body) if again else proxy.assign_call(look.cluster, look.group)
            )
        request = PythonRequest(calls, len(says) + 1, tuple(group.by_id) if says else ())
        replies = self._calls.send(self._calls.guard_of(calls[0].proxy, calls[0].method), request)
        user_data: tuple[bytes | None, ...] = (None,) * len(members)
        if says:
            user_data = tuple([user_data_of(replies.next()[0]) for _ in says])
        leader.mutated = None
        try:
            answer, leader.mutated = replies.next()
        except TargetFailure as failure:
            return RoundAnswers(user_data, failure_of(failure))
        seen = tuple([self._look(replies, _own(look.assignor)) for look in looks])
        return RoundAnswers(user_data, leader.answer_of(answer), seen, leader.mutated)

    def _look(self, replies: PythonReplies, proxy: RemoteAssignor) -> Assignment | Failure:
        """The answer to the next repeated call; a failure does not end the round."""
        try:
            self._calls.guard_of(proxy, "assign")
            return proxy.answer_of(replies.next()[0])
        except TargetFailure as failure:
            return failure_of(failure)

    def tell(self, learned: Sequence[Learned]) -> None:
        """Send one request, which ends with the first failure."""
        calls = [call for each in learned if (call := _own(each.assignor).learned_call(each)) is not None]
        if calls:
            guarded = self._calls.guard_of(calls[0].proxy, calls[0].method)
            replies = self._calls.send(guarded, PythonRequest(calls, len(calls)))
            for _ in calls:
                replies.next()


def _own(assignor: Assignor) -> RemoteAssignor:
    """The assignor, which is the child's own since `holds` checked it."""
    assert isinstance(assignor, RemoteAssignor), assignor
    return assignor
