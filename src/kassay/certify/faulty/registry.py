"""Negative controls: targets with one fault each, to show that a budget would have caught it.

A pass means little if the same histories pass a broken assignor as well. Each control is a correct
rule with one thing done wrong, of a kind that really happened in clients and tools; `breaks` names
the claim that must catch it. There is one file of them for a kind of target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar

from kassay.certify.targets.local import OwnClass
from kassay.certify.targets.resolve import Target
from kassay.model.groups.assignor import AssignorBase, RebalanceProtocol
from kassay.model.kinds import Kind
from kassay.model.modules import import_modules


@dataclass(frozen=True)
class Control:
    """A faulty rule, the claim that it breaks, and how it speaks."""

    name: str
    factory: type
    breaks: str
    protocol: RebalanceProtocol
    kind: Kind

    def target(self) -> Target:
        """The control as a target, to open it in another process."""
        return Target(f"control:{self.name}", self.name, self.kind, OwnClass(self.factory), self.protocol)

    def new(self, config: Mapping[str, str]) -> Any:
        """A new object; an assignor is configured, a partitioner will be by whoever sends."""
        target = self.factory()
        if isinstance(target, AssignorBase):
            target.configure(config)
        return target


_CONTROLS: Final[list[Control]] = []
_F = TypeVar("_F", bound=type)


def control(
    name: str,
    *,
    breaks: str,
    kind: Kind = Kind.CLIENT,
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER,
) -> Callable[[_F], _F]:
    """Register a class as a control of the kind."""

    def register(factory: _F) -> _F:
        _CONTROLS.append(Control(name, factory, breaks, protocol, kind))
        return factory

    return register


@cache
def load_controls() -> tuple[Control, ...]:
    """Every control; imports the files of all kinds."""
    import_modules("kassay.certify.faulty")
    return tuple(_CONTROLS)


def controls_of(kind: Kind) -> tuple[Control, ...]:
    """The controls that show whether cases of this kind would have caught a fault."""
    return tuple(control for control in load_controls() if control.kind is kind)
