"""Releases of Kafka, and which implementation of a rule holds in a release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Protocol, TypeVar

from kassay.model.errors import InputError

Release = tuple[int, ...]
"""The numbers of a release: as many as any release has."""

EXPECTED: Final = "a release of Kafka such as 4.0.1 or 4.4"
_RELEASE: Final = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}")
_NUMBERS: Final = 4
"""Releases before 1.0 have four, as 0.10.2.1."""


class Held(Protocol):
    """An implementation that holds from certain releases on, each time until another takes over."""

    @property
    def since(self) -> tuple[str, ...]:
        """The releases as its author wrote them; the first names it."""


H = TypeVar("H", bound=Held)


def release_of(text: str) -> Release:
    """The release of that text, missing numbers being 0; raises `InputError` for any other text.

    >>> release_of("4.1") == release_of("4.1.0") < release_of("4.1.1") < release_of("4.10")
    True
    """
    if not _RELEASE.fullmatch(text):
        raise InputError(f"{text!r} is no release, expected {EXPECTED}")
    numbers = tuple(map(int, text.split(".")))
    return numbers + (0,) * (_NUMBERS - len(numbers))


def release_in(text: str) -> str | None:
    """The first release that a text names, None if it names none.

    >>> release_in("trunk of 2024-10-25, commit 1eb7644349cb (4.0.0-SNAPSHOT)")
    '4.0.0'
    """
    match = _RELEASE.search(text)
    return None if match is None else match[0]


def _turns(implementations: Iterable[H]) -> list[tuple[Release, str, H]]:
    """The implementations by the release in which each takes over, the oldest first."""
    turns = [(release_of(text), text, each) for each in implementations for text in each.since]
    return sorted(turns, key=lambda turn: turn[0])


def newest(implementations: Sequence[H]) -> H:
    """The implementation that holds in the newest release; the only one if no release is known."""
    turns = _turns(implementations)
    return turns[-1][2] if turns else implementations[0]


def holding(implementations: Sequence[H], release: str) -> H | None:
    """The implementation that holds in the release; None before the first.

    Raises `InputError` for a text that is no release.
    """
    wanted = release_of(release)
    until = [implementation for first, _, implementation in _turns(implementations) if first <= wanted]
    return until[-1] if until else None


def taking_over(implementations: Sequence[H], release: str) -> list[tuple[str, H]]:
    """The implementations that take over after the release and since when, the oldest first, each once.

    Raises `InputError` for a text that is no release.
    """
    wanted, over = release_of(release), [holding(implementations, release)]
    turns = []
    for first, text, implementation in _turns(implementations):
        if first > wanted and not any(implementation is each for each in over):
            over.append(implementation)
            turns.append((text, implementation))
    return turns


def oldest(implementations: Sequence[H]) -> str:
    """The first known release; empty if none is known."""
    turns = _turns(implementations)
    return turns[0][1] if turns else ""


def spans(implementations: Sequence[H], one: H) -> str:
    """The releases in which it holds, in words; empty if no release is known.

    A span ends before the release in which another takes over, and a fix that went into several lines
    makes several spans.
    """
    turns = _turns(implementations)
    words = []
    for place, (_, first, implementation) in enumerate(turns):
        if implementation is not one:
            continue
        after = next((text for _, text, other in turns[place + 1 :] if other is not one), None)
        words.append(f"{first} on" if after is None else f"{first} to before {after}")
    return ", ".join(words)
