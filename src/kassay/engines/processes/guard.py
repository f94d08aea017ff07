"""The process between kassay and a target: starts, watches and cleans up the target.

The guard is a small single-threaded interpreter that forks a child for the target, so that a new child costs
one fork and the loading of the target. On Linux it is the subreaper of all its descendants: however a target
forks, changes its session or daemonises, its processes become children of the guard and are killed with it.
When the control socket closes, because the parent closed it or died, the guard kills all of them and exits.
On other systems, process groups serve as an approximation.

Control messages are JSON lines. In: `start`, `kill`. Out: `started` (with the descriptors of the channel),
`ended`.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from kassay.engines.processes import child
from kassay.engines.processes.proc import descendants, resident_mib
from kassay.model.surroundings import REMAINDERS

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_TAIL_MAX: Final = 8192
_READ: Final = 65536
_WATCH_S: Final = 0.05
_SWEEP_S: Final = 5.0
_LINUX: Final = sys.platform.startswith("linux")
_FORKS_MAX: Final = 4 * REMAINDERS
_NEW_HOST_NAMES: Final = 0x04000000
"""Linux's CLONE_NEWUTS."""
_NEW_USERS: Final = 0x10000000
"""Linux's CLONE_NEWUSER, which lets an ordinary user have the other."""


def main() -> None:
    """Serve the parent on the control socket, whose descriptor is the last argument."""
    with socket.socket(fileno=int(sys.argv[-1])) as control:
        guard = Guard(control)
        try:
            guard.run()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the parent is gone
        finally:
            guard.sweep()
    os._exit(0)


def prctl(option: int, argument: int) -> None:
    """Linux's prctl; no effect on other systems."""
    if _LINUX:
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


def leave_host_names() -> bool:
    """Give this process a host name that it can change without changing the machine's; False if it cannot."""
    if not _LINUX:
        return False
    import ctypes

    user, group = os.geteuid(), os.getegid()
    with suppress(OSError, AttributeError):
        unshare = ctypes.CDLL(None).unshare
        if unshare(_NEW_HOST_NAMES) == 0:
            return True
        if unshare(_NEW_HOST_NAMES | _NEW_USERS) == 0:
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with Path(f"/proc/self/{name}").open("wb") as file:
                    file.write(text.encode())
            return True
    return False


class Guard:
    """State of a guard: the child, if any, and the last output of it."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.child: int | None = None
        self.memory_mib = 0
        self.watched = False
        self.over = False
        self.tail = b""
        self.inbox = b""
        self.renamed: bool | None = None
        prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self.output, self.output_in = os.pipe()
        self.wake, wake_in = os.pipe()
        for fd in (self.output, self.wake, wake_in):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake_in, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        """Serve until the control socket closes."""
        poll = select.poll()
        for fd in (self.control.fileno(), self.wake, self.output):
            poll.register(fd, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poll.poll(_WATCH_S * 1000 if self.watched else None)}
            if self.output in ready:
                self.drain()
            if self.wake in ready:
                with suppress(BlockingIOError):
                    os.read(self.wake, _READ)
                self.reap()
            if self.watched:
                self.watch()
            if self.control.fileno() in ready and not self.receive():
                return

    def receive(self) -> bool:
        """Handle the parent's request; False when the parent is gone."""
        data = self.control.recv(_READ)
        if not data:
            return False
        *lines, self.inbox = (self.inbox + data).split(b"\n")
        for line in lines:
            order = json.loads(line)
            if order["do"] == "start":
                self.start(order)
            else:
                self.kill()
        return True

    def tell(self, event: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
        """Send one line, with descriptors if there are any."""
        line = json.dumps(event).encode() + b"\n"
        if fds:
            sent = socket.send_fds(self.control, [line], fds)
            line = line[sent:]
        self.control.sendall(line)

    def start(self, order: dict[str, Any]) -> None:
        """Fork the child of a target and send the parent its ends of the channel; 0 MiB is no limit."""
        self.sweep()
        self.drain()
        self.tail = b""
        self.memory_mib, self.over = order["memory_mib"], False
        self.watched = order["kind"] == "exec" and order["memory_mib"] > 0
        surroundings = order.get("surroundings", {})
        self.settle_in(surroundings)
        (stdin, request), (reply, stdout) = os.pipe(), os.pipe()
        mine, theirs = (stdin, stdout), (request, reply)
        guard = os.getpid()
        pid = self.fork(surroundings.get("process"))
        if pid == 0:
            try:
                self.become(order, guard, mine)
            finally:
                os._exit(70)
        self.child = pid
        self.tell({"event": "started", "renamed": bool(self.renamed), "pid": pid}, theirs)
        for fd in (*mine, *theirs):
            os.close(fd)

    def settle_in(self, surroundings: dict[str, Any]) -> None:
        """Take on a host name and a number of processors, which every child inherits; once."""
        if self.renamed is not None:
            return
        self.renamed = "host_name" in surroundings and leave_host_names()
        if self.renamed:
            with suppress(OSError):
                socket.sethostname(surroundings["host_name"])
        if "processors" in surroundings and _LINUX:
            usable = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, usable[: surroundings["processors"]])

    def fork(self, remainder: int | None) -> int:
        """`os.fork`, of which the child's id has this remainder by `REMAINDERS`, if one comes up soon."""
        for _ in range(_FORKS_MAX if remainder is not None else 0):
            pid = os.fork()
            if pid == 0:
                if os.getpid() % REMAINDERS == remainder:
                    return 0
                os._exit(0)
            if pid % REMAINDERS == remainder:
                return pid
            os.waitpid(pid, 0)
        return os.fork()

    def become(self, order: dict[str, Any], guard: int, channel: tuple[int, ...]) -> None:
        """Turn the forked child into the target; never returns."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(0)  # the guard died before the child could watch it
        channel = child.settle(channel, self.output_in)
        if order["kind"] == "exec":
            child.execute(order["argv"], order["environment"], channel)
        child.serve(channel, {**order, "renamed": bool(self.renamed)})

    def drain(self) -> None:
        """Read the target's output and keep the end of it."""
        with suppress(BlockingIOError):
            for _ in range(64):
                self.tail = (self.tail + os.read(self.output, _READ))[-_TAIL_MAX:]

    def watch(self) -> None:
        """Kill a program that exceeds its memory limit; a Python child limits its own address space."""
        if self.child is None:
            return
        if sum(map(resident_mib, [self.child, *descendants(self.child)])) > self.memory_mib:
            self.over = True
            os.kill(self.child, signal.SIGKILL)

    def kill(self) -> None:
        """Kill the child; its end is reported like any other."""
        if self.child is not None:
            with suppress(ProcessLookupError):
                os.kill(self.child, signal.SIGKILL)
            self.sweep()

    def reap(self) -> None:
        """Reap dead processes; if the child is among them, kill everything below it too."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.child:
                self.ended(status, usage.ru_maxrss)
                self.sweep()

    def ended(self, status: int, rss: int) -> None:
        """Report to the parent how the child ended."""
        self.child, self.watched = None, False
        self.drain()
        self.tell(
            {
                "event": "ended",
                "status": os.waitstatus_to_exitcode(status),
                "rss_mib": rss // 1024 if _LINUX else rss // (1024 * 1024),
                "over": self.over,
                "tail": self.tail.decode("utf-8", "replace"),
            }
        )

    def sweep(self) -> None:
        """Kill and reap every process below the guard, until none is left."""
        end = time.monotonic() + _SWEEP_S
        while time.monotonic() < end:
            if self.child is not None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.child, signal.SIGKILL)
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid:
                if pid == self.child:
                    with suppress(BrokenPipeError, ConnectionResetError):
                        self.ended(status, usage.ru_maxrss)
                continue
            below = descendants(os.getpid())
            for number in (
                signal.SIGSTOP,
                signal.SIGKILL,
            ):  # stop all of them first, so that none keeps forking
                for pid in below:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
            time.sleep(0.001)
