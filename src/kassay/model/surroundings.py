"""What a process can observe in addition to its input; a target's answer must not depend on it.

Standard library only, and light: the process that runs a target imports it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Final

NEEDED: Final = frozenset(
    {
        *("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT"),
        *("JAVA_HOME", "NODE_PATH", "GOCACHE", "KASSAY_KAFKA_CLIENTS"),
    }
)
"""The inherited variables that every environment keeps: interpreters and libraries are found by them."""
REMAINDERS: Final = 12
"""Process ids are chosen by their remainder by this number."""


@dataclass(frozen=True)
class Surroundings:
    """What a process observes in addition to its input; None keeps what kassay's own process has.

    `clock` is the time at the start of each call, in seconds since 1970, and `tick` the seconds that pass on
    a stopwatch (`time.monotonic` and its like) between two readings: a busy machine. `pause` is by how many
    seconds both are later at each call than at the one before: a quiet group. `uptime` is what
    `time.monotonic` shows at first: the seconds for which a machine is up. `time_zone` and `locale`
    are values of TZ, and of LANG and LC_ALL. `variables` replace all other inherited ones except `NEEDED`.
    `process` is the remainder of the process id by `REMAINDERS`. `processors` is the number that the process
    may use. `user` is the number of an account of the machine, `load` its load average, `memory` its MiB, of
    which a quarter is free, and `address` that of its network card. `modified` is the modification time of
    the target's file, in seconds since 1970.
    """

    clock: float | None = None
    tick: float | None = None
    pause: float | None = None
    uptime: float | None = None
    time_zone: str | None = None
    locale: str | None = None
    variables: tuple[tuple[str, str], ...] | None = None
    folder: str | None = None
    host_name: str | None = None
    processors: int | None = None
    user: int | None = None
    load: float | None = None
    memory: int | None = None
    address: int | None = None
    process: int | None = None
    hash_seed: int | None = None
    modified: float | None = None

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """All variables of the process, given those of kassay's own."""
        if self.variables is None:
            variables = dict(inherited)
        else:
            kept = {name: value for name, value in inherited.items() if name in NEEDED}
            variables = {**kept, **dict(self.variables)}
        if self.time_zone is not None:
            variables["TZ"] = self.time_zone
        if self.locale is not None:
            variables["LANG"] = variables["LC_ALL"] = self.locale
        if self.folder is not None and "PWD" in variables:
            variables["PWD"] = self.folder
        return variables

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the fields that differ from those of kassay's own process."""
        return tuple(name for name in FIELDS if getattr(self, name) is not None)

    def without(self, *names: str) -> Surroundings:
        """The same without these fields."""
        return replace(self, **dict.fromkeys(names))

    def to_json(self) -> dict[str, Any]:
        """The fields that differ from those of kassay's own process."""
        document = {name: getattr(self, name) for name in self.changed}
        if self.variables is not None:
            document["variables"] = dict(self.variables)
        return document


FIELDS: Final = tuple(field.name for field in fields(Surroundings))
"""The fields, in the order in which the cause of a difference is searched."""
CALLED: Final = {
    "clock": "clock",
    "tick": "speed of the machine",
    "pause": "time between calls",
    "uptime": "time since the machine was started",
    "time_zone": "time zone",
    "locale": "locale",
    "variables": "variables",
    "folder": "working folder",
    "host_name": "host name",
    "processors": "number of processors",
    "user": "user",
    "load": "load of the machine",
    "memory": "memory of the machine",
    "address": "network address",
    "process": "process id",
    "hash_seed": "hash seed",
    "modified": "modification time of the target's file",
}
"""The fields in words."""
OF_PYTHON: Final = ("tick", "pause", "uptime", "user", "load", "memory", "address")
"""The fields that only a process of Python is given, by the functions that report them."""
OURS: Final = Surroundings()
"""Those of kassay's own process."""


def clock_words(seconds: float) -> str:
    """A time of the clock in words, in kassay's own time zone: `2024-02-29 03:00:00`."""
    return datetime.fromtimestamp(seconds).isoformat(" ", "seconds")
