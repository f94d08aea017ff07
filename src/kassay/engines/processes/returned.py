"""What a caller may do after a call: change its input, and what was returned; neither belongs to the target.

Standard library only, and light: the process that runs a target imports it too.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

KEPT_MAX: Final = 64
"""Answers of more lists and dicts are not kept: to copy them would take longer than most calls."""
EMPTIED_MAX: Final = 2000
"""Values of more lists and dicts are not emptied."""
EARLIER: Final = "what an earlier call returned"


class EarlierAnswer:
    """The last answer of a target and the input of that call, as the caller holds them.

    After every other call both are emptied, as by a caller that reuses them. After the calls between, the
    answer is kept, and the next call shows whether the target changes it.
    """

    def __init__(self) -> None:
        self._answer: Any = None
        self._copy: Any = None
        self._empties = False
        self._present: tuple[Any, ...] = ()

    def take(self, answer: Any, inputs: tuple[Any, ...]) -> str | None:
        """Take the answer of a call and its input; returns what the call changed in the earlier answer."""
        changed = None
        if self._answer is not None and self._answer is not answer and self._answer != self._copy:
            changed = EARLIER
        self._answer = self._copy = None
        self._present = (answer, *inputs)
        return changed

    def finish(self) -> None:
        """Use up the answer, once the reply is made of it."""
        present, self._present = self._present, ()
        self._empties = not self._empties
        if not present:
            return
        if self._empties:
            for each in present:
                empty(each)
        elif len(containers(present[0], KEPT_MAX)) <= KEPT_MAX:
            self._answer, self._copy = present[0], deepcopy(present[0])


def containers(value: Any, most: int) -> list[Any]:
    """Every list, dict and set within the value, itself included; at least one more than `most` of more."""
    within: list[Any] = []
    todo = [value]
    while todo and len(within) <= most:
        each = todo.pop()
        kind = type(each)
        if kind is list or kind is tuple:
            todo += [inner for inner in each if type(inner) in _DEEP]
        elif kind is dict:
            todo += [inner for inner in each.values() if type(inner) in _DEEP]
        if kind is list or kind is dict or kind is set:
            within.append(each)
    return within


_DEEP: Final = frozenset({list, dict, set, tuple})


def empty(value: Any) -> None:
    """Empty every list, dict and set within the value, unless there are too many."""
    within = containers(value, EMPTIED_MAX)
    if len(within) <= EMPTIED_MAX:
        for each in within:
            each.clear()
