"""Targets that run in kassay's own process: references, client libraries, and files by `--in-process`.

What they raise becomes a `TargetFailure`. A call that takes too long is interrupted by an alarm where
that is possible: in the main thread, outside C calls, and not in code that catches everything.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Mapping
from types import FrameType, TracebackType
from typing import Any, TypeVar

from kassay.assignors.plain.answers import Malformed, check_user_data
from kassay.assignors.plain.assignor import full_answer
from kassay.certify.processes.values import changed, check_answer
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.failure import FailureKind, TargetFailure, failed
from kassay.model.groups.assignor import Assignor, GroupMetadata
from kassay.model.groups.group import Assignment, Group

T = TypeVar("T")


class Overdue(BaseException):
    """Raised by the alarm inside a target's call; no `Exception`, so that few targets catch it."""


class Deadline:
    """A context in which `Overdue` is raised after so many seconds, as far as Python allows."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        self._armed = threading.current_thread() is threading.main_thread()
        if self._armed:
            self._before = signal.signal(signal.SIGALRM, _overdue)
            signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)


def _overdue(_number: int, _frame: FrameType | None) -> None:
    raise Overdue


def guarded(call: str, timeout_s: float, source: str | None, function: Callable[..., T], *args: Any) -> T:
    """The function's value; raises `TargetFailure` for whatever it raises, and when it takes too long.

    What it prints goes to standard error, since standard output may be a document.
    """
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        with Deadline(timeout_s):
            return function(*args)
    except KeyboardInterrupt:
        raise
    except Overdue:
        message = f"{call} did not answer within {timeout_s} s"
        raise TargetFailure(FailureKind.TIMEOUT, message, call) from None
    except Malformed as malformed:
        raise TargetFailure(FailureKind.MALFORMED, str(malformed), call) from None
    except BaseException as error:  # SystemExit and its like are the target's too
        raise failed(error, call, source) from error
    finally:
        sys.stdout = stdout


class LocalAssignor:
    """An assignor of this process behind the same wall as one in a child: answers or `TargetFailure`s.

    With `strict` the answer is checked and changes of the input are looked for; a reference gets frozen
    values and builds its own, so it does without.
    """

    def __init__(
        self,
        inner: Assignor,
        timeout_s: float,
        *,
        name: str = "",
        source: str | None = None,
        strict: bool = False,
    ) -> None:
        self.inner = inner
        self.timeout_s = timeout_s
        self.source = source
        self.strict = strict
        self.name = name or inner.name
        self.protocols = tuple(getattr(inner, "protocols", ()))
        self.mutated: str | None = None

    @property
    def reported_generation(self) -> int | None:
        """The generation that the object's own subscription would carry, where it has one."""
        return getattr(self.inner, "reported_generation", None)

    def configure(self, config: Mapping[str, str]) -> None:
        """Hand the configuration on."""
        guarded("configure", self.timeout_s, self.source, self.inner.configure, config)

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """What the object adds to its subscription."""
        call = "subscription_user_data"
        data = guarded(call, self.timeout_s, self.source, self.inner.subscription_user_data, topics)
        return guarded(call, self.timeout_s, self.source, check_user_data, data) if self.strict else data

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """What the object answers."""
        if not self.strict:
            answer = guarded("assign", self.timeout_s, self.source, self.inner.assign, cluster, group)
            self.mutated = getattr(self.inner, "mutated", None)
            return answer
        given = Cluster(cluster.topics, cluster.brokers), Group(group.members, group.leader, group.assigned)
        pairs, data = guarded(
            "assign", self.timeout_s, self.source, lambda: check_answer(self.inner.assign(*given))
        )
        self.mutated = changed((cluster, group), given)
        return full_answer(pairs, data)

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Tell the object what its member got."""
        learn = self.inner.on_assignment
        guarded("on_assignment", self.timeout_s, self.source, learn, assignment, user_data, metadata)


class LocalHost:
    """Makes objects in this process; there is nothing to start or to end."""

    def __init__(self, make: Callable[[Mapping[str, str]], Any]) -> None:
        self._make = make

    def new(self, config: Mapping[str, str]) -> Any:
        """A new, configured object."""
        return self._make(config)

    def restart(self) -> None:
        """Nothing: objects of this process outlive each other's failures."""

    def close(self) -> None:
        """Nothing to end."""

    def __enter__(self) -> LocalHost:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
