"""Calls a plain object of this process and translates its failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from kassay.assignors.plain.answers import Malformed
from kassay.model.failure import FailureKind, TargetFailure, failed

T = TypeVar("T")


class PlainTarget:
    """The shared part of the adapters of the plain forms.

    After each call, `mutated` says what the call changed in its input, or is None. Raises `TargetFailure` for
    any exception of the object (RAISED, MEMORY) and for an answer of the wrong form (MALFORMED).
    """

    def __init__(self, target: Any, *, source: str | None = None) -> None:
        self.mutated: str | None = None
        self._target = target
        self._source = source

    def configure(self, config: Mapping[str, str]) -> None:
        """Pass the configuration to an object that accepts one."""
        if hasattr(self._target, "configure"):
            self._call("configure", lambda _: None, dict(config))

    def _call(self, method: str, check: Callable[[object], T], *by_place: Any, **by_name: Any) -> T:
        """The object's answer after `check`."""
        try:
            return check(getattr(self._target, method)(*by_place, **by_name))
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), method) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and similar exceptions are the target's too
            raise self._failure(error, method) from None

    def _failure(self, error: BaseException, method: str) -> Exception:
        """The failure that represents an exception raised by the object."""
        return failed(error, method, self._source)
