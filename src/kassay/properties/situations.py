"""The registry of situations that a generator must reach, filled by a decorator over each predicate.

A pass says what it saw: a claim that needs a situation which never came up stays `unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from kassay.model.kinds import Kind
from kassay.properties.registry import load

Predicate = Callable[[Any], bool | str | None]
_F = TypeVar("_F", bound=Predicate)


@dataclass(frozen=True)
class Situation:
    """An input worth having seen; `parts` are the variants that must all be reached, if it has any.

    `reached` says whether something that was played (or asked) is in the situation, or in which part of it.
    """

    id: str
    kinds: tuple[Kind, ...]
    sentence: str
    reached: Predicate
    required_by: tuple[str, ...]
    parts: tuple[str, ...] = ()
    excluded_by: tuple[str, ...] = ()

    def name_in(self, scene: object) -> str | None:
        """The name under which the scene counts: the id, with the part if it has parts; None for none."""
        part = self.reached(scene)
        return (f"{self.id}:{part}" if self.parts else self.id) if part else None

    def missing(self, reached: Mapping[str, int]) -> list[str]:
        """The names under which the situation was not reached; empty if it was."""
        names = [f"{self.id}:{part}" for part in self.parts] or [self.id]
        return [name for name in names if not reached.get(name)]


SITUATIONS: Final[dict[tuple[Kind, str], Situation]] = {}


def situation(
    situation_id: str,
    *,
    kinds: Kind | tuple[Kind, ...] = Kind.CLIENT,
    required_by: tuple[str, ...],
    parts: tuple[str, ...] = (),
    excluded_by: tuple[str, ...] = (),
    sentence: str | None = None,
) -> Callable[[_F], _F]:
    """Register a predicate; the first line of its docstring is the sentence unless one is given."""
    own = (kinds,) if isinstance(kinds, Kind) else kinds

    def register(reached: _F) -> _F:
        says = sentence or (reached.__doc__ or "").strip().splitlines()[0]
        for kind in own:
            SITUATIONS[kind, situation_id] = Situation(
                situation_id, own, says, reached, required_by, parts, excluded_by
            )
        return reached

    return register


def load_situations() -> Iterable[Situation]:
    """Every situation, those of all kinds."""
    load()
    return dict.fromkeys(SITUATIONS.values())


def situations_of(kind: Kind) -> tuple[Situation, ...]:
    """The situations of a kind."""
    return tuple(found for found in load_situations() if kind in found.kinds)


def required(claim_id: str, kind: Kind, assume: frozenset[str]) -> list[Situation]:
    """The situations without which the claim cannot hold for a target of this kind."""
    return [
        found
        for found in situations_of(kind)
        if claim_id in found.required_by and not assume & set(found.excluded_by)
    ]
