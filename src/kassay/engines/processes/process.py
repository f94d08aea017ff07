"""The parent's side of a guard: starts a child, exchanges frames within a time limit, reports its end."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import kassay
from kassay.engines.processes.proc import Patience, is_starved
from kassay.engines.processes.wire import CHANNEL_LOST, HEADER, MESSAGE_MAX, Garbage
from kassay.model.errors import FailureKind, TargetFailure, one_line
from kassay.model.surroundings import OURS, Surroundings

_READ: Final = 65536
_POLL_MAX_MS: Final = 2**31 - 1
"""The longest wait that the system supports: 24 days."""
_BUSY_TIMES: Final = 3
_STARVED_S: Final = 0.1
"""A call whose process has no processor, seen for this long, gets its time again, so many times."""
_LAST_WORDS_S: Final = 5.0
"""Seconds for the guard to reap a child before the guard itself is killed."""

_HOME: Final = str(Path(kassay.__file__).resolve().parent.parent)
_BOOT: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); from kassay.engines.processes.guard import main; main()"
)


_OUT_OF_MEMORY: Final = re.compile(
    r"^(Terminating due to java\.lang\.OutOfMemoryError"  # Java, with -XX:+ExitOnOutOfMemoryError
    r"|MemoryError(: .*)?\s*\Z"  # Python, as the last line: a logged traceback does not end the process
    r"|FATAL ERROR: .*JavaScript heap out of memory"  # Node
    r"|fatal error: (runtime: out of memory|runtime: cannot allocate memory)"  # Go
    r"|terminate called after throwing an instance of 'std::bad_alloc'"  # C++
    r"|memory allocation of \d+ bytes failed)",  # Rust
    re.MULTILINE,
)
"""Output of runtimes that end a program because memory is exhausted."""


@dataclass(frozen=True)
class Ended:
    """End of a child: exit status, or the negative number of the signal."""

    status: int
    rss_mib: int = 0
    over: bool = False
    tail: str = ""

    @property
    def words(self) -> str:
        """The last line of the child's output, as the end of a message; empty without output."""
        last = self.tail.strip().rpartition("\n")[2]
        return f"; it last wrote: {one_line(last)[:120]}" if last else ""

    def failure(self, call: str, memory_mib: int) -> TargetFailure:
        """The failure of the current call that follows from the end; 0 MiB is no limit."""
        if self.over or (self.status < 0 and 0 < 0.9 * memory_mib <= self.rss_mib):
            message = f"{call} took more than {memory_mib} MiB of memory and was killed"
            return TargetFailure(FailureKind.MEMORY, message, call)
        if self.status and _OUT_OF_MEMORY.search(self.tail):
            return TargetFailure(FailureKind.MEMORY, f"{call} ran out of memory{self.words}", call)
        if self.status == CHANNEL_LOST:
            message = f"process closed the channel to kassay during {call}"
        elif self.status < 0:
            message = f"process killed by signal {-self.status}{signal_name(-self.status)} during {call}"
        else:
            message = f"process ended with exit status {self.status} during {call} (did it exit itself?)"
        return TargetFailure(FailureKind.DIED, message + self.words, call)


def signal_name(number: int) -> str:
    """` (SIGSEGV)` for 11; empty for a number without a name."""
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""


def environment_of(surroundings: Surroundings, hash_seed: int) -> dict[str, str]:
    """The variables of a guard and its children."""
    environment = {
        name: value
        for name, value in surroundings.environment(os.environ).items()
        if not name.startswith("PYTHON") or name in ("PYTHONPATH", "PYTHONHOME")
    }
    # threads of numerical libraries reserve address space per core, and reorder sums
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment.setdefault(name, "1")
    # otherwise glibc reserves 64 MiB of address space per thread, which counts against the limit
    environment["MALLOC_ARENA_MAX"] = "1"
    environment["PYTHONHASHSEED"] = str(hash_seed)
    return environment


class Guarded:
    """A guard and at most one child at a time.

    Usable by the process that created it, from one thread at a time; in a fork it counts as dead. `call`
    names the current call, for messages. `pid` is the child's process id. `renamed`: the guard and its
    children have a host name of their own.
    """

    def __init__(self, *, hash_seed: int = 0, surroundings: Surroundings | None = None) -> None:
        self.owner = os.getpid()
        self.surroundings = surroundings
        self.renamed = False
        self.pid = 0
        ours, theirs = socket.socketpair()
        environment = environment_of(surroundings or OURS, hash_seed)
        with theirs:
            self.guard = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", _BOOT, _HOME, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                cwd=None if surroundings is None else surroundings.folder,
            )
        self.control = ours
        self.channel: list[int] = []
        self.ahead = b""
        self.inbox = b""
        self.ended: Ended | None = Ended(0)
        self.memory_mib = 0
        self.quotes = False
        self._poll = select.poll()
        _GUARDED.add(self)
        self._finalizer = weakref.finalize(self, _close, self.guard, ours, self.channel, self.owner)

    @property
    def alive(self) -> bool:
        """Whether a child is running."""
        return self.ended is None and self.owner == os.getpid()

    def close(self) -> None:
        """End the guard and everything below it; returns when nothing is left."""
        self._finalizer()
        self.ended = self.ended or Ended(-signal.SIGKILL)

    def abandon(self) -> None:
        """In a fork of the owner: close the descriptors and leave the processes to their owner."""
        self._finalizer.detach()
        self.guard.returncode = 0
        _drop(self.channel)
        self.control.close()
        self.ended = Ended(0)

    def start(self, order: dict[str, Any], timeout_s: float) -> None:
        """Start a new child, with pipes to its ends of the channel; raises `TargetFailure`.

        What the guard waits for a processor does not count.
        """
        _drop(self.channel)
        self.ahead = b""
        self.memory_mib = order["memory_mib"]
        self.quotes = order["kind"] == "exec"
        try:
            self.control.settimeout(_LAST_WORDS_S)
            if self.surroundings is not None:
                order = {**order, "surroundings": self.surroundings.to_json()}
            self.control.sendall(json.dumps({"do": "start", **order}).encode() + b"\n")
            self.ended = None
            patience = Patience(self.guard.pid, timeout_s)
            while not self.channel:
                if not self._hear(patience.left_s) and patience.is_over():
                    raise self.fail_timeout("start", timeout_s)
        except OSError as error:
            self.ended = Ended(0)
            raise TargetFailure(FailureKind.DIED, f"the guard process is gone: {error}", "start") from None
        for fd in self.channel:
            os.set_blocking(fd, False)
        self._poll = select.poll()
        for news in (self.channel[1], self.control):
            self._poll.register(news, select.POLLIN)

    def exchange(
        self, request: bytes, call: str, timeout_s: float, size_of: Callable[[bytearray, int], int]
    ) -> bytes:
        """The child's reply to a request; raises `TargetFailure` if it does not arrive in time.

        `size_of` returns the length of the reply, given the bytes received and how many of them it saw
        before; -1 while unknown. Output beyond the reply is kept in `ahead`, which may hold the reply to an
        empty request. What the child waits for a processor does not count, and one that waits longer than it
        runs at the end has its time again: the machine is busy. Both directions are served at once, because a
        program may answer before it has read everything.
        """
        stdin, stdout = self.channel
        rest = self._written(stdin, request, call)
        reply, seen, size = bytearray(self.ahead), 0, -1
        if not request and reply:
            size, seen = size_of(reply, seen), len(reply)
        poll = self._poll
        if rest:
            poll.register(stdin, select.POLLOUT)
        patience, more = Patience(self.pid, timeout_s), _BUSY_TIMES
        while not 0 <= size <= len(reply):
            left = patience.left_s
            ready = [fd for fd, _ in poll.poll(min(left * 1000 + 1, _POLL_MAX_MS))] if left > 0 else []
            if not ready:
                if not patience.is_over():
                    continue
                if more and is_starved(self.pid, min(timeout_s, _STARVED_S)):
                    patience, more = Patience(self.pid, timeout_s), more - 1
                    continue
                raise self.fail_timeout(call, timeout_s)
            try:
                if stdin in ready:
                    rest = rest[os.write(stdin, rest) :]
                    if not rest:
                        poll.unregister(stdin)
                if stdout in ready:
                    part = os.read(stdout, _READ)
                    if not part:
                        raise self.fail_ended(call)
                    reply += part
                    if size < 0:
                        size, seen = size_of(reply, seen), len(reply)
                    if not 0 <= size <= len(reply) and len(reply) > HEADER.size + MESSAGE_MAX:
                        raise self.fail_malformed(f"answer of more than {MESSAGE_MAX >> 20} MiB", call)
                elif stdin not in ready:
                    # only the guard has news: the child's last output was read before
                    raise self.fail_ended(call)
            except BlockingIOError:
                continue
            except OSError:
                raise self.fail_ended(call) from None
            except Garbage:
                raise self.fail_garbage(call) from None
        if rest:
            poll.unregister(stdin)
        self.ahead = bytes(reply[size:])
        return bytes(reply[:size])

    def _written(self, stdin: int, request: bytes, call: str) -> memoryview:
        """The rest of the request after writing as much as the pipe accepts at once."""
        rest = memoryview(request)
        try:
            return rest[os.write(stdin, rest) :] if rest else rest
        except BlockingIOError:
            return rest
        except OSError:
            raise self.fail_ended(call) from None

    def fail_timeout(self, call: str, timeout_s: float) -> TargetFailure:
        """Kill the child because it did not answer in time."""
        return self._killed(FailureKind.TIMEOUT, f"{call} did not answer within {timeout_s} s", call)

    def fail_garbage(self, call: str) -> TargetFailure:
        """Kill the child because it wrote into the channel."""
        return self.fail_malformed(f"the target wrote into the channel to kassay during {call}", call)

    def fail_malformed(self, message: str, call: str) -> TargetFailure:
        """Kill the child because its output is not an answer."""
        return self._killed(FailureKind.MALFORMED, message, call)

    def _killed(self, kind: FailureKind, message: str, call: str) -> TargetFailure:
        """The failure for a killed child, with the last output to standard error."""
        self.kill()
        words = self.ended.words if self.quotes and self.ended is not None else ""
        return TargetFailure(kind, message + words, call)

    def fail_ended(self, call: str) -> TargetFailure:
        """The failure for a child that has ended, or that has closed the channel and is killed now."""
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
        """Kill the child and everything below it; the guard stays for the next child."""
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
        _drop(self.channel)

    def _hear(self, timeout_s: float) -> bool:
        """Receive a message from the guard; False if none arrived in time."""
        if timeout_s <= 0:
            return False
        self.control.settimeout(timeout_s)
        try:
            data, fds, _, _ = socket.recv_fds(self.control, 65536, 4, getattr(socket, "MSG_CMSG_CLOEXEC", 0))
        except TimeoutError:
            return False
        for fd in fds:
            os.set_inheritable(fd, False)
        self.channel += fds
        if not data:
            self.ended = self.ended or Ended(-signal.SIGKILL)
            raise ConnectionResetError("it closed the control socket")
        *lines, self.inbox = (self.inbox + data).split(b"\n")
        for line in lines:
            event = json.loads(line)
            if event["event"] == "ended":
                self.ended = Ended(event["status"], event["rss_mib"], event["over"], event["tail"])
            else:
                self.renamed, self.pid = event["renamed"], event["pid"]
        return True


def _drop(channel: list[int]) -> None:
    """Close the parent's ends of a channel."""
    while channel:
        os.close(channel.pop())


def _close(guard: subprocess.Popen[bytes], control: socket.socket, channel: list[int], owner: int) -> None:
    """Let the guard clean up and exit; the finalizer of `Guarded`."""
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
