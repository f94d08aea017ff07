"""Negative controls: targets with one fault each, to show that a budget would have caught it.

A pass means little if the same histories also pass a broken assignor. Each control is a correct rule with one
fault, of a kind that has occurred in real clients and tools; `breaks` names the claim that must catch it.
Each kind of target has one file of controls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from math import inf
from typing import Any, Final, NamedTuple, TypeVar

from kassay.assignors.registry import find
from kassay.kinds.alarm import Overdue, guarded
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.assignor import AssignorBase
from kassay.model.kinds import Kind, RebalanceProtocol, every_kind
from kassay.model.modules import import_modules
from kassay.properties.registry import load_claims

PATIENCE_S: Final = 0.2
"""Seconds to wait for a control that never answers."""
ASLEEP: Final = 20
"""Idle checks in a row, a thousandth of a second apart, that show earlier that it never answers."""


class _Patience(NamedTuple):
    """How long to wait for a call, and when it counts as asleep; None: it may sleep."""

    seconds: float
    asleep: int | None = None


_PATIENCE: Final = {"terminates": _Patience(PATIENCE_S, ASLEEP), "scales": _Patience(60.0)}
"""How long to wait for controls that break these claims."""


@dataclass(frozen=True)
class Control:
    """A faulty rule, the claim that it breaks, and its rebalance protocol.

    Beyond validity it keeps the claims in `keeps` and those of the reference that it is `like`, so that none
    of these catches it.
    """

    name: str
    factory: type
    breaks: str
    protocol: RebalanceProtocol
    kind: Kind
    like: str = ""
    keeps: tuple[str, ...] = ()

    @property
    def kept(self) -> tuple[str, ...]:
        """The claims of its kind that it keeps; without the one that it breaks."""
        reference = find(self.like) if self.like else None
        named = (*(reference.claims if reference is not None else ()), *self.keeps)
        claims = load_claims()
        return tuple(n for n in dict.fromkeys(named) if (self.kind, n) in claims and n != self.breaks)

    def new(self, config: Mapping[str, str], until: float = inf) -> Any:
        """A new object; an assignor is configured, a partitioner is configured later by its sender.

        In the main thread, a call of a control that never answers, or answers late, is interrupted. It raises
        `Overdue` if it is still running at that time (`time.monotonic`).
        """
        target = self.factory()
        if isinstance(target, AssignorBase):
            target.configure(config)
        patience = _PATIENCE.get(self.breaks)
        return target if patience is None else _Interrupted(target, self.kind.method, patience, until)


class _Interrupted:
    """An object of a control whose calls end in a `TargetFailure` when the time to wait is over.

    A control that did not answer once is not waited for again, and none is waited for after the time `until`.
    """

    def __init__(self, inner: Any, method: str, patience: _Patience, until: float) -> None:
        self._inner = inner
        self._method = method
        self._patience = patience
        self._until = until
        self._overdue: TargetFailure | None = None

    def __getattr__(self, name: str) -> Any:
        held = getattr(self._inner, name)
        return partial(self._asked, name, held) if name == self._method else held

    def _asked(self, name: str, ask: Callable[..., Any], *arguments: Any) -> Any:
        if self._overdue is not None:
            raise self._overdue
        left = self._until - time.monotonic()
        if left <= 0:
            raise Overdue
        seconds, asleep = self._patience
        try:
            return guarded(name, min(seconds, left), None, ask, *arguments, sleeping=asleep)
        except TargetFailure as failure:
            if failure.kind is FailureKind.TIMEOUT:
                if left < seconds:
                    raise Overdue from None
                self._overdue = failure
            raise


_CONTROLS: Final[list[Control]] = []
_F = TypeVar("_F", bound=type)


def control(
    name: str,
    *,
    breaks: str,
    kinds: Kind | tuple[Kind, ...],
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER,
    like: str = "",
    keeps: tuple[str, ...] = (),
) -> Callable[[_F], _F]:
    """Register a class as a control of these kinds."""
    own = (kinds,) if isinstance(kinds, Kind) else kinds

    def register(factory: _F) -> _F:
        _CONTROLS.extend(Control(name, factory, breaks, protocol, kind, like, keeps) for kind in own)
        return factory

    return register


@cache
def load_controls() -> tuple[Control, ...]:
    """Every control, family by family."""
    families = dict.fromkeys(kind.family for kind in every_kind())
    for family in families:
        _load_family(family)
    return tuple(sorted(_CONTROLS, key=lambda each: each.kind.family))


def controls_of(kind: Kind) -> tuple[Control, ...]:
    """The controls that show whether cases of this kind would have caught a fault."""
    _load_family(kind.family)
    return tuple(each for each in _CONTROLS if each.kind is kind)


def _load_family(family: str) -> None:
    """Import the files that register the family's controls; those of a kind from elsewhere are there."""
    if find_spec(f"{__package__}.{family}") is not None:
        import_modules(f"{__package__}.{family}.controls")
