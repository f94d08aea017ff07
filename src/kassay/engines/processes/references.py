"""References other than assignors, in a separate process with its own hash seed.

They are ours and trusted: calls travel as pickles, without limits. The purpose is to detect answers that
depend on the process.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final

from kassay.engines.processes.arrangement import Arrangement
from kassay.engines.processes.host import Host
from kassay.model.surroundings import Surroundings

KEPT: Final = 8
"""The most recent objects that a child keeps; histories use one or two at a time."""

ARRANGE: Final = "arrange"
"""The call that gives the child other surroundings."""
METHODS: Final = frozenset({"assign", "place", "plan", "partition", "configure", "close"})


class ReferenceHost(Host):
    """Creates objects of a reference in a child process; a context manager that ends it."""

    def __init__(
        self, factory: Callable[[], Any], hash_seed: int, surroundings: Surroundings | None = None
    ) -> None:
        self._factory = factory
        self._hash_seed = hash_seed
        self._last_number = 0
        self._lacks = ""
        self._child = self._start()
        if surroundings is not None:
            self.arrange(surroundings)

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
        path = os.pathsep.join(entry for entry in sys.path if entry)
        env = {**os.environ, "PYTHONHASHSEED": str(self._hash_seed), "PYTHONPATH": path}
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)

    def new(self, config: Mapping[str, str]) -> RemoteReference:  # noqa: ARG002  # who uses it configures it
        """A new object in the child."""
        self._last_number += 1
        self.call(self._last_number, "", self._factory)
        return RemoteReference(self, self._last_number)

    def call(self, number: int, method: str, *arguments: Any) -> Any:
        """The answer to one call; raises what the object raised."""
        sent, answers = self._child.stdin, self._child.stdout
        assert sent is not None
        assert answers is not None
        pickle.dump((number, method, arguments), sent)
        sent.flush()
        raised, answer = pickle.load(answers)
        if raised:
            raise answer
        return answer

    @property
    def rearranges(self) -> bool:
        """The child gives itself its surroundings."""
        return True

    @property
    def unchanged(self) -> Mapping[str, str]:
        """What only the process's start could change, and the clock if its library is missing."""
        fixed = dict.fromkeys(("process", "modified"), "a rule of kassay's own")
        return {**fixed, **dict.fromkeys(("clock", "pause"), self._lacks)} if self._lacks else fixed

    def arrange(self, surroundings: Surroundings) -> None:
        """Let the child take on the surroundings; another hash seed needs a new child."""
        seed = self._hash_seed if surroundings.hash_seed is None else surroundings.hash_seed
        if seed != self._hash_seed:
            self._hash_seed = seed
            self.restart()
        environment = surroundings.environment(os.environ)
        self._lacks = self.call(0, ARRANGE, {**surroundings.to_json(), "environment": environment})

    def restart(self) -> None:
        """Start a new process; earlier objects are lost."""
        self.close()
        self._child = self._start()

    def close(self) -> None:
        """End the process."""
        self._child.terminate()
        self._child.communicate()


class RemoteReference:
    """Proxy of one object in the child, with the methods of its kind."""

    def __init__(self, host: ReferenceHost, number: int) -> None:
        self._host = host
        self._number = number

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in METHODS:
            raise AttributeError(name)
        return lambda *arguments: self._host.call(self._number, name, *arguments)


def serve() -> None:
    """Answer calls from standard input until it ends."""
    calls, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    objects: dict[int, Any] = {}
    arrangement: Arrangement | None = None
    while True:
        try:
            number, method, arguments = pickle.load(calls)
        except EOFError:
            return
        try:
            if method == ARRANGE:
                arrangement = arrangement or Arrangement(renames=False)
                _answer(answers, False, arrangement.apply(arguments[0]))
                continue
            if arrangement is not None:
                arrangement.restart_clock()
            if not method:
                objects = {number: arguments[0](), **dict(list(objects.items())[:KEPT])}
                _answer(answers, False, None)
            else:
                _answer(answers, False, getattr(objects[number], method)(*arguments))
        except Exception as error:  # sent to the parent, which handles it as its own object's error
            _answer(answers, True, error)


def _answer(answers: BinaryIO, raised: bool, answer: Any) -> None:
    """Write one answer; an error that cannot be pickled becomes one that can."""
    try:
        data = pickle.dumps((raised, answer))
        pickle.loads(data)
    except Exception as error:  # an exception's __init__ may not accept its own arguments
        data = pickle.dumps((True, RuntimeError(f"{type(answer).__name__}: {answer} ({error})")))
    answers.write(data)
    answers.flush()
