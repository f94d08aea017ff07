"""Hosts of a target's objects: the common interface, and hosts of guarded child processes.

After a fork, the guard belongs to the parent: a process that holds another process's guard starts its own and
leaves the other untouched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from kassay.engines.processes.proc import resident_mib
from kassay.engines.processes.process import Guarded
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.kinds import RebalanceProtocol
from kassay.model.surroundings import Surroundings
from kassay.reading.documents import SECONDS, YEAR_S, wrong

MEMORY_MIB: Final = (32, 2**20)
"""The least and the most memory of a target's process, in MiB."""


@dataclass(frozen=True)
class Limits:
    """Limits of a call and of a target's start; raises `InputError` for a value that limits nothing."""

    call_timeout_s: float = 2.0
    memory_mib: int = 512
    start_timeout_s: float = 10.0

    def __post_init__(self) -> None:
        if not 0 < self.call_timeout_s <= YEAR_S:
            raise wrong("call timeout", self.call_timeout_s, SECONDS)
        if not MEMORY_MIB[0] <= self.memory_mib <= MEMORY_MIB[1]:
            raise wrong("memory", self.memory_mib, f"MiB from {MEMORY_MIB[0]} to {MEMORY_MIB[1]}")


LIMITS: Final = Limits()


@dataclass(frozen=True)
class Start:
    """Start of a target's process, and configuration of its objects.

    With `surroundings`, even if none of them is changed, the process can be given others later.
    """

    limits: Limits = LIMITS
    hash_seed: int = 0
    surroundings: Surroundings | None = None
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER
    config: tuple[tuple[str, str], ...] = ()


START: Final = Start()


class Host:
    """Creates objects of a target; a context manager that closes itself."""

    def new(self, config: Mapping[str, str]) -> Any:
        """A new, configured object in the full form: an `Assignor`, a `Placer`, ..., by kind."""
        raise NotImplementedError

    def of_group(self) -> Host:
        """The host for the objects of one group, created in the order in which members join."""
        return self

    def restart(self) -> None:
        """Replace a dead process by a new one; earlier objects are lost with the old one."""

    @property
    def rearranges(self) -> bool:
        """Whether most surroundings can be given to a running process."""
        return False

    @property
    def moves_clock(self) -> bool:
        """Whether a running process, which `rearranges` or not, can be given another clock."""
        return self.rearranges

    @property
    def loaded_once(self) -> str:
        """Why a running process does not load the target again in other surroundings; "" if it does."""
        return ""

    @property
    def reads(self) -> tuple[str, ...]:
        """The variables that the target read, as far as that is known."""
        return ()

    @property
    def resident_mib(self) -> float:
        """The memory of the objects' process in MiB; 0 if that is not known."""
        return 0.0

    @property
    def unchanged(self) -> Mapping[str, str]:
        """The fields of the surroundings that the process does not have as wanted, with the reasons."""
        return {}

    def arrange(self, surroundings: Surroundings) -> None:
        """Give the process these surroundings; earlier objects are lost. Raises `TargetNotLoadable`."""
        raise NotImplementedError

    def close(self) -> None:
        """End whatever was started; leaving the context does the same."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class Maker:
    """Creates a host's objects; the objects' own configuration takes precedence."""

    host: Host
    config: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, own: Mapping[str, str]) -> Any:
        """A new object."""
        return self.host.new({**self.config, **own})

    def of_group(self) -> Callable[[Mapping[str, str]], Any]:
        """The factory for the objects of one group."""
        host = self.host.of_group()
        return Maker(host, self.config) if self.config else host.new


class GuardedHost(Host):
    """A host whose objects live in a child process under limits; `life` counts its processes so far.

    A child that died, ran out of time or out of memory is lost with its objects; the next `new` starts
    another.
    """

    name: str
    """The name that the child reports."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.life = 0
        self._count = 0
        self._guarded: Guarded | None = None
        try:
            self.begin()
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """Start a process, which describes itself; raises `TargetNotLoadable`."""
        raise NotImplementedError

    def make(self, number: int, config: dict[str, str]) -> ChildObject:
        """The object of this number."""
        raise NotImplementedError

    def new(self, config: Mapping[str, str]) -> ChildObject:
        """A new object; its constructor runs with its first call."""
        if not self.alive:
            self.begin()
        self._count += 1
        return self.make(self._count, {**dict(self.start.config), **config})

    def _ready(self) -> Guarded:
        """This process's guard, with a live child."""
        if self._guarded is None or self._guarded.owner != os.getpid():
            self._guarded = Guarded(hash_seed=self.start.hash_seed, surroundings=self.start.surroundings)
        self.life += 1
        return self._guarded

    def guard_of(self, proxy: ChildObject, method: str) -> Guarded:
        """The guard of the object's process; raises `TargetFailure` if that process is gone."""
        if self._guarded is None or proxy.life != self.life or not self._guarded.alive:
            raise TargetFailure(FailureKind.DIED, "the object went down with its process", method)
        return self._guarded

    @property
    def alive(self) -> bool:
        """Whether a child process is running."""
        return self._guarded is not None and self._guarded.alive

    @property
    def resident_mib(self) -> float:
        """The memory of the process in MiB; 0 if that is not known."""
        return resident_mib(self._guarded.pid) if self._guarded is not None and self.alive else 0.0

    def restart(self) -> None:
        """Replace the process by a new one; earlier objects are lost."""
        if self._guarded is not None and self._guarded.owner == os.getpid():
            self._guarded.kill()
        self.begin()

    def arrange(self, surroundings: Surroundings) -> None:
        """Replace the guard and the process by new ones with these surroundings."""
        if self.start.surroundings == surroundings and self.alive:
            return
        self.close()
        seed = self.start.hash_seed if surroundings.hash_seed is None else surroundings.hash_seed
        self.start = replace(self.start, surroundings=surroundings, hash_seed=seed)
        self.begin()

    def close(self) -> None:
        """End the process, its guard, and everything that they started."""
        if self._guarded is not None and self._guarded.owner == os.getpid():
            self._guarded.close()
        self._guarded = None


class ChildObject:
    """Proxy of one object in a child process; configured at creation."""

    def __init__(self, host: GuardedHost, number: int) -> None:
        self.number = number
        self.life = host.life
        self.name = host.name
        self.mutated: str | None = None

    def configure(self, config: Mapping[str, str]) -> None:
        """No effect: the object is configured at creation."""
