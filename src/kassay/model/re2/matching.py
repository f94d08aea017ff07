"""Matches a whole name against a regular expression, following all paths in parallel.

Time is linear in the length of the name; repetitions are expanded, so there are as many states as in RE2.
Source: K. Thompson, "Regular expression search algorithm", CACM 11 (1968).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from kassay.model.re2.nodes import Assertion, Chars, Choice, Node, Repeat, Sequence
from kassay.model.re2.syntax import InvalidExpression, Reader

STATES_MAX: Final = 200_000

_Edge: TypeAlias = tuple[Chars | Assertion | None, int]
"""The condition of a transition (None: empty) and its target."""


class Expression(NamedTuple):
    """A compiled expression: the transitions of each state; it starts in state 0 and accepts in the last."""

    states: tuple[tuple[_Edge, ...], ...]

    def matches(self, name: str) -> bool:
        """Whether the expression matches the whole name."""
        present = self._closure({0}, name, 0)
        for place, char in enumerate(name):
            after = {
                target
                for state in present
                for condition, target in self.states[state]
                if isinstance(condition, Chars) and condition.holds(char)
            }
            present = self._closure(after, name, place + 1)
        return len(self.states) - 1 in present

    def _closure(self, states: set[int], name: str, place: int) -> set[int]:
        """All states that are reachable without consuming a character."""
        waiting = list(states)
        while waiting:
            for condition, target in self.states[waiting.pop()]:
                free = condition is None or (
                    isinstance(condition, Assertion) and _is_at(condition, name, place)
                )
                if free and target not in states:
                    states.add(target)
                    waiting.append(target)
        return states


def _is_at(assertion: Assertion, name: str, place: int) -> bool:
    before, after = name[:place][-1:], name[place : place + 1]
    if assertion.kind in ("word", "no word"):
        return (_is_word(before) != _is_word(after)) == (assertion.kind == "word")
    side = before if assertion.kind.endswith("begin") else after
    return side == "" or (assertion.kind.startswith("line") and side == "\n")


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


class _Builder:
    """Builds the states of an expression."""

    def __init__(self) -> None:
        self.states: list[list[_Edge]] = [[]]

    def state(self) -> int:
        if len(self.states) >= STATES_MAX:
            raise InvalidExpression("expression is too large")
        self.states.append([])
        return len(self.states) - 1

    def add(self, node: Node, start: int) -> int:
        """Add the states of a node that starts in `start`; returns its end state."""
        if isinstance(node, Sequence):
            for part in node.nodes:
                start = self.add(part, start)
            return start
        if isinstance(node, Repeat):
            return self._repeat(node, start)
        if isinstance(node, Choice):
            ends = [self.add(part, self._linked(start)) for part in node.nodes]
            end = self.state()
            for each in ends:
                self.states[each].append((None, end))
            return end
        end = self.state()
        self.states[start].append((node, end))
        return end

    def _linked(self, start: int) -> int:
        state = self.state()
        self.states[start].append((None, state))
        return state

    def _repeat(self, node: Repeat, start: int) -> int:
        for _ in range(node.least):
            start = self.add(node.node, start)
        if node.most < 0:
            loop = self._linked(start)
            self.states[self.add(node.node, loop)].append((None, loop))
            return self._linked(loop)
        ends = [start]
        for _ in range(node.most - node.least):
            ends.append(self.add(node.node, ends[-1]))
        end = self.state()
        for each in ends:
            self.states[each].append((None, end))
        return end


@lru_cache(maxsize=256)
def compiled(text: str) -> Expression:
    """The compiled expression; raises `InvalidExpression` if the text is not valid RE2."""
    builder = _Builder()
    end = builder.add(Reader(text).read(), 0)
    last = builder.state()
    builder.states[end].append((None, last))
    return Expression(tuple(map(tuple, builder.states)))
