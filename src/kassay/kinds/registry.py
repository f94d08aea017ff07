"""Which driver serves which kind of target."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, TypeVar

from kassay.kinds.protocol import Driver
from kassay.model.errors import InputError
from kassay.model.kinds import Kind

_D = TypeVar("_D", bound=type[Driver[Any]])
_CLASSES: Final[dict[Kind, type[Driver[Any]]]] = {}
_DRIVERS: Final[dict[Kind, Driver[Any]]] = {}


def drives(*kinds: Kind) -> Callable[[_D], _D]:
    """Register the class as the driver of these kinds."""

    def register(driver: _D) -> _D:
        for kind in kinds:
            _CLASSES[kind] = driver
        return driver

    return register


def driver_for(kind: Kind) -> Driver[Any]:
    """The driver of a kind; raises `InputError` for one that cannot be certified."""
    if not kind.certified:
        raise InputError(f"targets of kind {kind} cannot be certified")
    if kind not in _DRIVERS:
        if kind not in _CLASSES:
            import_module(f"{__package__}.{kind.family}.kind")
        _DRIVERS[kind] = _CLASSES[kind](kind)
    return _DRIVERS[kind]
