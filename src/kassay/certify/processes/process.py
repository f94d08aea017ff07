"""The parent's side of a guard: start a child, exchange frames within a time, learn how it ended."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import kassay
from kassay.certify.processes.wire import CHANNEL_LOST, HEADER, MESSAGE_MAX, NONCE_SIZE, frame
from kassay.model.failure import FailureKind, TargetFailure, one_line

_READ: Final = 262144
_LAST_WORDS_S: Final = 5.0
"""How long the guard may take to bury a child before it is killed itself."""

_HOME: Final = str(Path(kassay.__file__).resolve().parent.parent)
_BOOT: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); from kassay.certify.processes.guard import main; main()"
)


@dataclass(frozen=True)
class Ended:
    """How a child ended: exit status, or the negative number of the signal."""

    status: int
    rss_mib: int = 0
    over: bool = False
    tail: str = ""

    def failure(self, call: str, memory_mib: int) -> TargetFailure:
        """What the end means for the call that was under way."""
        last = self.tail.strip().rpartition("\n")[2]
        words = f"; it last wrote: {one_line(last)[:120]}" if last else ""
        if self.over or (self.status < 0 and self.rss_mib >= 0.9 * memory_mib):
            message = f"{call} took more than {memory_mib} MiB of memory and was killed"
            return TargetFailure(FailureKind.MEMORY, message, call)
        if self.status == CHANNEL_LOST:
            message = f"process closed the channel to kassay during {call}"
        elif self.status < 0:
            message = f"process killed by signal {-self.status}{signal_name(-self.status)} during {call}"
        else:
            message = f"process ended with exit status {self.status} during {call} (os._exit or sys.exit?)"
        return TargetFailure(FailureKind.DIED, message + words, call)


def signal_name(number: int) -> str:
    """` (SIGSEGV)` for 11, empty for a number without a name."""
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""


class Guarded:
    """A guard and at most one child at a time.

    Usable by the process that made it, from one thread at a time; a fork of that process finds it dead.
    `call` names what was under way, for the messages.
    """

    def __init__(self, *, hash_seed: int = 0) -> None:
        self.owner = os.getpid()
        ours, theirs = socket.socketpair()
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PYTHON") or name in ("PYTHONPATH", "PYTHONHOME")
        }
        # threads of numerical libraries reserve address space by the core, and reorder sums
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment.setdefault(name, "1")
        # glibc reserves 64 MiB of address space a thread otherwise, which would count against the limit
        environment["MALLOC_ARENA_MAX"] = "1"
        environment["PYTHONHASHSEED"] = str(hash_seed)
        with theirs:
            self.guard = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", _BOOT, _HOME, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self.control = ours
        self.channel: list[socket.socket | int] = []
        self.inbox = b""
        self.received: list[int] = []
        self.ended: Ended | None = Ended(0)
        self.memory_mib = 0
        self.sequence = 0
        self.nonce = b""
        _GUARDED.add(self)
        self._finalizer = weakref.finalize(self, _close, self.guard, ours, self.channel, self.owner)

    @property
    def alive(self) -> bool:
        """Whether there is a child to talk to."""
        return self.ended is None and self.owner == os.getpid()

    def close(self) -> None:
        """End the guard and everything below it; returns when nothing is left."""
        self._finalizer()
        self.ended = self.ended or Ended(-signal.SIGKILL)

    def abandon(self) -> None:
        """In a fork of the owner: let go of the descriptors and leave the processes to their owner."""
        self._finalizer.detach()
        self.guard.returncode = 0
        self._drop_channel()
        self.control.close()
        self.ended = Ended(0)

    def start_python(self, order: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """A new child for a Python class; returns what it says of the class. Raises `TargetFailure`."""
        self.nonce = os.urandom(NONCE_SIZE)
        self.sequence = 0
        fds = self._start({**order, "kind": "python", "nonce": self.nonce.hex()}, timeout_s)
        data = socket.socket(fileno=fds[0])
        data.setblocking(False)
        self.channel.append(data)
        self._poll = select.poll()
        self._poll.register(data, select.POLLIN)
        self._poll.register(self.control, select.POLLIN)
        said: dict[str, Any] = json.loads(self._receive("import", time.monotonic() + timeout_s, timeout_s))
        return said

    def start_program(self, order: dict[str, Any], timeout_s: float) -> tuple[int, int]:
        """A new child that is a program; returns the descriptors of its standard input and output."""
        stdin, stdout = self._start({**order, "kind": "exec"}, timeout_s)
        self.channel += [stdin, stdout]
        for fd in self.channel:
            os.set_blocking(fd, False)  # type: ignore[arg-type]
        return stdin, stdout

    def _start(self, order: dict[str, Any], timeout_s: float) -> list[int]:
        self._drop_channel()
        self.memory_mib = order["memory_mib"]
        self.received.clear()
        try:
            self.control.settimeout(_LAST_WORDS_S)
            self.control.sendall(json.dumps({"do": "start", **order}).encode() + b"\n")
            self.ended = None
            end = time.monotonic() + timeout_s
            while not self.received:
                if not self._hear(end - time.monotonic()):
                    raise self.fail_timeout("start", timeout_s)
        except OSError as error:
            self.ended = Ended(0)
            raise TargetFailure(FailureKind.DIED, f"the guard process is gone: {error}", "start") from None
        return list(self.received)

    def exchange(self, payload: bytes, call: str, timeout_s: float) -> bytes:
        """The child's reply to one request; raises `TargetFailure` when there is none in time."""
        end = time.monotonic() + timeout_s
        data = self.channel[0]
        assert isinstance(data, socket.socket)
        self.sequence += 1
        message = frame(self.nonce, self.sequence, payload)
        try:
            sent = data.send(message)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise self.fail_ended(call) from None
        if sent < len(message):
            self._send_rest(data, memoryview(message)[sent:], call, end, timeout_s)
        return self._receive(call, end, timeout_s)

    def _send_rest(
        self, data: socket.socket, rest: memoryview, call: str, end: float, timeout_s: float
    ) -> None:
        poll = select.poll()
        poll.register(data, select.POLLOUT)
        while rest:
            if not poll.poll(max(0.0, end - time.monotonic()) * 1000):
                raise self.fail_timeout(call, timeout_s)
            try:
                rest = rest[data.send(rest) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self.fail_ended(call) from None

    def _receive(self, call: str, end: float, timeout_s: float) -> bytes:
        data = self.channel[0]
        assert isinstance(data, socket.socket)
        fd = data.fileno()
        size, wanted, buffer = HEADER.size, -1, b""
        parts: list[bytes] = []
        got = 0
        while True:
            left = end - time.monotonic()
            ready = self._poll.poll(left * 1000 + 1) if left > 0 else ()
            if not ready:
                raise self.fail_timeout(call, timeout_s)
            if all(found != fd for found, _ in ready):
                # nothing but news of the guard: what the child wrote before its end is here already
                raise self.fail_ended(call)
            try:
                part = data.recv(_READ)
            except BlockingIOError:
                continue
            except OSError:
                raise self.fail_ended(call) from None
            if not part:
                raise self.fail_ended(call)
            parts.append(part)
            got += len(part)
            if wanted < 0 and got >= size:
                buffer = b"".join(parts)
                parts = [buffer]
                nonce, sequence, length = HEADER.unpack_from(buffer)
                if nonce != self.nonce or sequence != self.sequence or length > MESSAGE_MAX:
                    raise self.fail_garbage(call)
                wanted = size + length
            if 0 <= wanted <= got:
                if got > wanted:
                    raise self.fail_garbage(call)
                return b"".join(parts)[size:]

    def fail_timeout(self, call: str, timeout_s: float) -> TargetFailure:
        """Kill the child for not answering."""
        self.kill()
        return TargetFailure(FailureKind.TIMEOUT, f"{call} did not answer within {timeout_s} s", call)

    def fail_garbage(self, call: str) -> TargetFailure:
        """Kill the child for writing into the channel."""
        self.kill()
        text = f"the target wrote into the channel to kassay during {call}"
        return TargetFailure(FailureKind.MALFORMED, text, call)

    def fail_ended(self, call: str) -> TargetFailure:
        """The child has ended, or has closed the channel and is ended now."""
        end = time.monotonic() + 1.0
        with suppress(OSError):
            while self.ended is None and self._hear(end - time.monotonic()):
                pass
        ended = self.ended
        if ended is None:
            self.kill()
            ended = Ended(CHANNEL_LOST)
        return ended.failure(call, self.memory_mib)

    def kill(self) -> None:
        """End the child and everything below it; the guard stays for the next."""
        if self.ended is None:
            try:
                self.control.settimeout(_LAST_WORDS_S)
                self.control.sendall(b'{"do": "kill"}\n')
                end = time.monotonic() + _LAST_WORDS_S
                while self.ended is None and self._hear(end - time.monotonic()):
                    pass
            except OSError:
                pass
            if self.ended is None:
                self.guard.kill()
                self.ended = Ended(-signal.SIGKILL)
        self._drop_channel()

    def _hear(self, timeout_s: float) -> bool:
        """Take news from the guard; False when none came in time."""
        if timeout_s <= 0:
            return False
        self.control.settimeout(timeout_s)
        try:
            data, fds, _, _ = socket.recv_fds(self.control, 65536, 4, getattr(socket, "MSG_CMSG_CLOEXEC", 0))
        except TimeoutError:
            return False
        for fd in fds:
            os.set_inheritable(fd, False)
        self.received += fds
        if not data:
            self.ended = self.ended or Ended(-signal.SIGKILL)
            raise ConnectionResetError("it closed the control socket")
        *lines, self.inbox = (self.inbox + data).split(b"\n")
        for line in lines:
            event = json.loads(line)
            if event["event"] == "ended":
                self.ended = Ended(event["status"], event["rss_mib"], event["over"], event["tail"])
        return True

    def _drop_channel(self) -> None:
        _drop(self.channel)


def _drop(channel: list[socket.socket | int]) -> None:
    """Close the parent's ends of a channel."""
    while channel:
        end = channel.pop()
        if isinstance(end, socket.socket):
            end.close()
        else:
            os.close(end)


def _close(
    guard: subprocess.Popen[bytes], control: socket.socket, channel: list[socket.socket | int], owner: int
) -> None:
    """Let the guard clean up and end; the finalizer of `Guarded`."""
    _drop(channel)
    control.close()
    if os.getpid() != owner:
        guard.returncode = 0  # not ours to wait for
        return
    try:
        guard.wait(10)
    except subprocess.TimeoutExpired:
        guard.kill()
        guard.wait()


_GUARDED: Final[weakref.WeakSet[Guarded]] = weakref.WeakSet()


def _abandon_all() -> None:
    for guarded in list(_GUARDED):
        with suppress(OSError):
            guarded.abandon()
    _GUARDED.clear()


os.register_at_fork(after_in_child=_abandon_all)
