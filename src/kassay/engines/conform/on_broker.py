"""A script played on a broker, as raw requests; no client library and no Java is needed.

A request that the coordinator parks is answered later: its answer appears in the step in which it comes.
What a broker does not tell (records, state, timers) is left empty, time passes in real time, and what a
client cannot do is refused: failed writes, held-back acknowledgements, background tasks. A failover is the
restart of the coordinator's broker, by a command of the user's.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from kassay.engines.conform import wire
from kassay.engines.genuine.coordinator import GenuineStep
from kassay.model.errors import InputError

_LOADING: Final = ("COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR")
_PARKED_AFTER: Final = 0.6
"""Seconds after which a request without an answer counts as parked."""
_READY: Final = 60.0
"""Seconds until a coordinator must have loaded."""
_RELOADED: Final = 15.0
"""Seconds for which a restarted one is given time; a log that does not load has no coordinator."""


class BrokerFailed(InputError):
    """The broker cannot be reached, or does not answer."""


class _Call:
    """A request under way, on a connection of its own."""

    def __init__(self, address: tuple[str, int], number: int, kind: str, api: wire.Api, body: bytes) -> None:
        self.number, self.kind, self.api = number, kind, api
        self._data = b""
        try:
            self._socket = socket.create_connection(address, timeout=10)
            self._socket.sendall(wire.framed(api, number, body))
        except OSError as problem:
            raise BrokerFailed(f"{address[0]}:{address[1]}: {problem.strerror or problem}") from problem

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def answer(self, seconds: float) -> Mapping[str, Any] | None:
        """The answer, if it comes within this time. Raises `BrokerFailed` if the connection ends."""
        self._socket.settimeout(max(seconds, 0.01))
        try:
            while len(self._data) < 4 or len(self._data) < 4 + int.from_bytes(self._data[:4], "big"):
                more = self._socket.recv(1 << 16)
                if not more:
                    raise ConnectionResetError("the broker closed the connection")
                self._data += more
        except TimeoutError:
            return None
        except OSError as problem:
            self.close()
            raise BrokerFailed(str(problem)) from problem
        self.close()
        return wire.read_answer(self.api, self._data[4:])


class BrokerPlayer:
    """A broker as a player; `address` is host:port of the group's coordinator, `restart` a failover."""

    def __init__(
        self,
        address: str,
        topics: Mapping[str, int],
        group: str = "kassay-play",
        restart: Callable[[], None] | None = None,
    ) -> None:
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit():
            raise InputError(f"--bootstrap-server {address}: expected HOST:PORT")
        self._address = (host, int(port))
        self._group, self._restart = group, restart
        self._parked: list[_Call] = []
        self._number = 0
        self._create(topics)
        self._ids = self._topic_ids()
        self._ready(_READY, needed=True)

    def send(self, event: Mapping[str, Any]) -> GenuineStep:
        """Play an event. Raises `InputError` for one that no client can cause."""
        kind, number = event["event"], self._number
        self._number += 1
        if event.get("write_fails"):
            raise InputError(f"step {number}: write_fails: a broker's writes do not fail on demand")
        responses: list[dict[str, Any]] = []
        if kind == "advance":
            time.sleep(event["ms"] / 1000)
        elif kind == "reload":
            self._fail_over(number)
        elif kind == "metadata":
            self._create(event["topics"])
            self._ids = self._topic_ids()
        elif kind in wire.REQUESTS:
            self._request(number, kind, event)
        else:
            raise InputError(f"step {number}: {kind}: a broker does that by itself; not played here")
        responses += self._arrived()
        document = {"i": number, "t": 0, "event": dict(event), "responses": responses, "fired": []}
        return GenuineStep(document | {"records": [], "durable": 0, "state": {"type": None, "timers": []}})

    def close(self) -> None:
        """End the requests that are still parked."""
        for call in self._parked:
            call.close()

    def _request(self, number: int, kind: str, event: Mapping[str, Any]) -> None:
        api, body = wire.REQUESTS[kind](self._group, event, self._ids)
        self._parked.append(_Call(self._address, number, kind, api, body))

    def _arrived(self) -> list[dict[str, Any]]:
        """The answers that came, the last request's among them; it is given a moment."""
        answers = []
        for call in list(self._parked):
            newest = call is self._parked[-1]
            try:
                given = call.answer(_PARKED_AFTER if newest else 0.05)
            except BrokerFailed:
                given = {"error": "NETWORK_EXCEPTION"}  # its broker was restarted
            if given is None:
                continue
            self._parked.remove(call)
            shown = wire.shown(call.kind, given, self._ids)
            answers.append({"to": call.number, "kind": call.kind} | shown)
        return sorted(answers, key=lambda answer: answer["to"])

    def _fail_over(self, number: int) -> None:
        if self._restart is None:
            raise InputError(f"step {number}: reload: expected --restart COMMAND, which restarts the broker")
        self._restart()
        self._ready(_RELOADED, needed=False)

    def _ask(self, api: wire.Api, body: bytes) -> Mapping[str, Any]:
        call = _Call(self._address, 0, "", api, body)
        answer = call.answer(10)
        if answer is None:
            call.close()
            raise BrokerFailed("the broker does not answer")
        return answer

    def _create(self, topics: Mapping[str, int]) -> None:
        if topics:
            self._ask(wire.CREATE_TOPICS, wire.create_topics(topics))

    def _topic_ids(self) -> Mapping[str, bytes]:
        return wire.topic_ids(self._ask(wire.METADATA, wire.metadata()))

    def _ready(self, seconds: float, *, needed: bool) -> None:
        """Wait until the coordinator has loaded the group; raises `BrokerFailed` if it is `needed`.

        It asks by a LeaveGroup of no member: a Heartbeat is answered OK while the group is loaded.
        """
        end = time.monotonic() + seconds
        api, body = wire.REQUESTS["leave"](self._group, {"members": [{"member": "no-one"}]}, {})
        while True:
            try:
                self._ask(wire.FIND_COORDINATOR, wire.find_coordinator(self._group))
                said = wire.shown("leave", self._ask(api, body), {})["error"]
            except BrokerFailed:
                said = "no connection"
            if said not in (*_LOADING, "no connection"):
                return
            if time.monotonic() > end:
                break
            time.sleep(0.3)
        if needed:
            raise BrokerFailed(f"no coordinator for {self._group}: {said}")


def restarting(command: str) -> Callable[[], None]:
    """A failover by a command; it has to return once the broker is up again. Raises `InputError`."""

    def run() -> None:
        done = subprocess.run(command, shell=True, check=False)
        if done.returncode:
            raise InputError(f"--restart {command}: exit code {done.returncode}")

    return run
