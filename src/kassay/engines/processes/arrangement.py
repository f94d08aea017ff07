"""Other surroundings for a target: of its process, and a copy of its file.

Gives the present process other surroundings: a clock, variables, a folder, a host name; for Python only.

The clock of Python's own modules is shifted by time-machine, at the level of C; other libraries that read the
system's clock are not affected. Stopwatches are replaced in the module `time`, before a target is loaded.

A copy of a target's file with another modification time, between links to the files next to it.

The clock of any other program is shifted by libfaketime, where the machine has it.
"""

from __future__ import annotations

import mmap
import os
import platform
import pwd
import shutil
import socket
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

READS_MAX: Final = 400
"""The number of distinct variables after which their names are no longer recorded."""


class Arrangement:
    """The surroundings of this process; `renames`: it has a host name of its own.

    `reads` are the names of the variables read through `os.environ` since `record`, in order.
    """

    def __init__(self, *, renames: bool) -> None:
        self.reads: dict[str, None] = {}
        self._renames = renames
        self._folder = str(Path.cwd())
        self._host_name = socket.gethostname()
        self._cpu_count = os.cpu_count
        self._real = {name: getattr(os, name) for name in _OF_THE_MACHINE if hasattr(os, name)}
        self._address = uuid.getnode()  # before the clock is shifted, which may change how it is found
        self._clock: float | None = None
        self._travel: Any = None
        self._coordinates: Any = None
        self.tick = 0.0
        self._pause = self._ahead = 0.0
        self._passed = 0.0
        for name in _STOPWATCHES:
            setattr(time, name, self._ticking(getattr(time, name), name))

    def apply(self, wanted: Mapping[str, Any]) -> str:
        """Take on the surroundings, in the form of `wire`; returns why the clock is not shifted, or ""."""
        environment = wanted["environment"]
        for name in [name for name in os.environ if name not in environment]:
            del os.environ[name]
        os.environ.update(environment)
        time.tzset()
        os.chdir(wanted.get("folder") or self._folder)
        self._name_host(wanted.get("host_name") or self._host_name)
        self._count_processors(wanted.get("processors"))
        self._be_on(wanted)
        self.tick = wanted.get("tick") or 0.0
        self._pause = wanted.get("pause") or 0.0
        uptime = wanted.get("uptime")
        self._ahead = 0.0 if uptime is None else uptime - self._passed - _UP()
        lacks = self._set_clock(wanted.get("clock"))
        return self._set_clock(time.time()) if self._pause and self._clock is None else lacks

    def restart_clock(self) -> None:
        """Set a shifted clock to its start, where each call begins; later by the pause at each of them."""
        if self._coordinates is not None and self._clock is not None:
            self._passed += self._pause
            self._clock += self._pause
            self._coordinates.move_to(self._clock)

    def record(self) -> None:
        """Record from now on which variables are read."""
        owner: Any = type(os.environ)
        read = owner.__getitem__
        reads = self.reads

        def recorded(environ: Any, name: Any) -> Any:
            """The variable's value."""
            if len(reads) < READS_MAX:
                reads[os.fsdecode(name)] = None
            return read(environ, name)

        owner.__getitem__ = recorded

    def _ticking(self, read: Callable[[], float], name: str) -> Callable[[], float]:
        """The stopwatch, on which `tick` seconds more pass at each reading of any of them."""
        in_nanoseconds, is_up = name.endswith("_ns"), name.startswith("monotonic")

        def ticking() -> float:
            """The time of the stopwatch."""
            self._passed += self.tick
            more = self._passed + self._ahead if is_up else self._passed
            return read() + (int(more * 1e9) if in_nanoseconds else more)

        return ticking

    def _name_host(self, name: str) -> None:
        """Set the host name: the system's if it is this process's own, else that of Python's functions."""
        if self._renames:
            with suppress(OSError):
                socket.sethostname(name)
        elif name != self._host_name or socket.gethostname() != name:
            _pretend_host(name)
        if hasattr(platform, "_uname_cache"):
            platform._uname_cache = None

    def _count_processors(self, number: int | None) -> None:
        counted: Callable[[], int | None] = self._cpu_count if number is None else (lambda: number)
        for name in ("cpu_count", "process_cpu_count"):
            if hasattr(os, name):
                setattr(os, name, counted)

    def _be_on(self, wanted: Mapping[str, Any]) -> None:
        """Let the functions of `os` and `uuid` report the user, load, memory and address that are wanted."""
        for name, real in self._real.items():
            setattr(os, name, real)
        said: dict[str, object] = {}
        if wanted.get("user") is not None:
            who = account(wanted["user"])
            said |= dict.fromkeys(("getuid", "geteuid"), who.pw_uid)
            said |= {"getgid": who.pw_gid, "getegid": who.pw_gid, "getlogin": who.pw_name}
        if wanted.get("load") is not None:
            said["getloadavg"] = (wanted["load"],) * 3
        for name in said.keys() & self._real.keys():
            setattr(os, name, partial(said.get, name))
        if wanted.get("memory") is not None:
            os.sysconf = partial(_sysconf, self._real["sysconf"], wanted["memory"] * 2**20)
        address = wanted.get("address")
        what_getnode_returns = self._address if address is None else address
        uuid._node = what_getnode_returns  # type: ignore[attr-defined]

    def _set_clock(self, clock: float | None) -> str:
        """Shift the clock, or let it be the system's again."""
        self._clock = clock
        if clock is None:
            if self._travel is not None:
                self._travel.stop()
            self._travel = self._coordinates = None
            return ""
        if self._coordinates is None:
            try:
                time_machine = _time_machine()
            except ImportError:
                return "time-machine is not installed"
            self._travel = time_machine.travel(clock, tick=True)
            self._coordinates = self._travel.start()
        self._coordinates.move_to(clock)
        return ""


_OF_THE_MACHINE: Final = ("getuid", "geteuid", "getgid", "getegid", "getlogin", "getloadavg", "sysconf")
"""The functions of `os` that report the user, the load and the memory."""


def account(number: int) -> pwd.struct_passwd:
    """The account of this number on this machine; they are counted round and round."""
    every = pwd.getpwall()
    return every[number % len(every)]


def _sysconf(real: Callable[[Any], int], memory: int, name: Any) -> int:
    """The system's answer, but for the pages of so many bytes of memory, a quarter of them free."""
    pages = memory // real("SC_PAGE_SIZE")
    named = {"SC_PHYS_PAGES": pages, "SC_AVPHYS_PAGES": pages // 4}
    for each, value in named.items():
        if name in (each, os.sysconf_names.get(each)):
            return value
    return real(name)


_NEEDLESS: Final = ("pytest", "dateutil.parser")


def _time_machine() -> Any:
    """The library, without what it imports where it is there: that would be most of the time of a start."""
    hidden: dict[str, Any] = {name: None for name in _NEEDLESS if name not in sys.modules}
    sys.modules.update(hidden)  # None refuses the import
    try:
        return import_module("time_machine")
    finally:
        for name in hidden:
            del sys.modules[name]


_STOPWATCHES: Final = tuple(
    f"{name}{unit}" for name in ("monotonic", "perf_counter", "process_time") for unit in ("", "_ns")
)
_UP: Final = time.monotonic
_UNAME: Final = os.uname if hasattr(os, "uname") else None


def _pretend_host(name: str) -> None:
    """Let Python's functions report this host name."""
    socket.gethostname = lambda: name
    if _UNAME is not None:
        real = _UNAME()

        def uname() -> os.uname_result:
            """The system's description with the other name."""
            return os.uname_result((real.sysname, name, *real[2:]))

        os.uname = uname


def reload_of(source_module: str | None) -> None:
    """Forget the module, so that it is imported again."""
    if source_module is not None:
        sys.modules.pop(source_module, None)


NEIGHBOURS_MAX: Final = 500
"""A file with more neighbours than this is not copied."""


class FileCopies:
    """Copies of files, which `close` removes; `used`: there is one."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.used = False

    def of(self, file: Path, modified: float) -> Path | None:
        """The file's copy, modified at that time (seconds since 1970); None if it cannot stand alone.

        A file of a package is not copied: what it imports depends on its place.
        """
        try:
            neighbours = list(file.parent.iterdir())
            if len(neighbours) > NEIGHBOURS_MAX or (file.parent / "__init__.py").exists():
                return None
            folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="kassay-")))
            for neighbour in neighbours:
                if neighbour.name != file.name:
                    (folder / neighbour.name).symlink_to(neighbour)
            copy = folder / file.name
            shutil.copyfile(file, copy)
            os.utime(copy, (modified, modified))
        except OSError:
            return None
        self.used = True
        return copy

    def close(self) -> None:
        """Remove the copies."""
        self._stack.close()


LIBRARY: Final = "KASSAY_FAKETIME"
"""The variable that names the file of libfaketime; empty: none is used, whatever the machine has."""
_PLACES: Final = ("usr/lib/*/faketime", "usr/lib*/faketime", "usr/local/lib/faketime")
_FILE: Final = "libfaketimeMT.so.1"
_OF_GO: Final = b"\xff Go buildinf:"


def clock_library() -> str | None:
    """The file of libfaketime for programs with threads; None if there is none, or on other systems."""
    if not sys.platform.startswith("linux"):
        return None
    from kassay.reading.documents import is_there

    named = os.environ.get(LIBRARY)
    if named is not None:
        return named if named and is_there(named) else None
    files = (str(file) for place in _PLACES for file in sorted(Path("/").glob(f"{place}/{_FILE}")))
    return next(files, None)


class ProgramClock:
    """The clock of a program that is started in this `environment`; `move_to` shifts it at any time.

    Stopwatches keep the system's time: programs wait by them.
    """

    def __init__(self, library: str) -> None:
        self._folder = TemporaryDirectory(prefix="kassay-")
        self._offset = Path(self._folder.name, "offset")
        self.environment = {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": str(self._offset),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def move_to(self, clock: float) -> None:
        """Let the program's clock go on from this time, in seconds since 1970."""
        fresh = self._offset.with_suffix(".new")
        fresh.write_text(f"{clock - time.time():+.3f}\n")
        fresh.replace(self._offset)

    def lacks(self, pid: int) -> str:
        """Why the process does not follow this clock, or ""."""
        try:
            if _FILE.partition(".")[0] not in Path(f"/proc/{pid}/maps").read_text(errors="replace"):
                return "the program is linked statically"
            with (
                Path(f"/proc/{pid}/exe").open("rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as program,
            ):
                of_go = program.find(_OF_GO) >= 0
        except (OSError, ValueError):
            return "the program is gone"
        return "a program of Go reads the system's clock itself" if of_go else ""

    def close(self) -> None:
        """Remove the file."""
        self._folder.cleanup()
