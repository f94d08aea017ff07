"""The life of a target's process under its guard: begun, begun again, ended.

After a fork the guard belongs to the parent: whoever finds another process's guard starts one of their own
and leaves the other alone.
"""

from __future__ import annotations

import os
from typing import Any

from kassay.certify.processes.process import Guarded


class Life:
    """What children of every kind have in common; `life` counts the processes so far.

    `begin` starts a process and returns what it says of itself; it raises `NotLoadable`.
    """

    def __init__(self, hash_seed: int) -> None:
        self.hash_seed = hash_seed
        self.life = 0
        self._guarded: Guarded | None = None

    def begin(self) -> Any:
        """Start a process; raises `NotLoadable`."""
        raise NotImplementedError

    def _ready(self) -> Guarded:
        """The guard of this process, with which the next life begins."""
        if self._guarded is None or self._guarded.owner != os.getpid():
            self._guarded = Guarded(hash_seed=self.hash_seed)
        self.life += 1
        return self._guarded

    @property
    def alive(self) -> bool:
        """Whether there is a process to talk to."""
        return self._guarded is not None and self._guarded.alive

    def restart(self) -> None:
        """A new process in place of the present one; the objects made before are gone."""
        if self._guarded is not None and self._guarded.owner == os.getpid():
            self._guarded.kill()
        self.begin()

    def close(self) -> None:
        """End the process, its guard, and everything they started."""
        if self._guarded is not None and self._guarded.owner == os.getpid():
            self._guarded.close()
        self._guarded = None
