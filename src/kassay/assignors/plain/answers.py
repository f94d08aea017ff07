"""Checks whether the answer of a target has the required form, with errors in the target's own terms.

Standard library only and light: the child process that runs users' code imports it too. The returned values
are made of exact built-in types, so that a subclass cannot run code later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

Pair = tuple[str, int]

_PARTITION_MAX: Final = 2**31 - 1
_SHOWN_MAX: Final = 60
_PAIRS: Final = (tuple, list)
_BUILTINS: Final = frozenset({bool, int, float, str, bytes, list, tuple, dict, set, frozenset})


class Malformed(ValueError):
    """The answer does not have the required form; the message says where and what was expected."""


def type_name(value: object) -> str:
    """The name of the type as users know it: `str`, `generator`, `numpy.int64`."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def shown(value: object) -> str:
    """The value with its type, shortened; never raises, whatever the value's `__repr__` does."""
    if value is None:
        return "None"
    if type(value) in _BUILTINS:
        try:
            text = repr(value) if isinstance(value, int | float) or len(value) <= _SHOWN_MAX else ""  # type: ignore[arg-type]  # all other built-ins here have a length
        except Exception:  # the items are the target's own
            text = ""
        if 0 < len(text) <= _SHOWN_MAX:
            return f"{text} ({type_name(value)})"
    name = type_name(value)
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def check_assignment(answer: object) -> dict[str, list[Pair]]:
    """The checked answer of a plain `assign`; raises `Malformed`."""
    if not isinstance(answer, dict):
        raise Malformed(
            f"answer is {shown(answer)}, expected a dict of member id to list of (topic, partition) pairs, "
            "as in {'m0': [('t0', 0)]}"
        )
    checked: dict[str, list[Pair]] = {}
    for member_id, pairs in answer.items():
        if type(member_id) is not str:
            if not isinstance(member_id, str):
                raise Malformed(f"answer has the key {shown(member_id)}, expected a member id (str)")
            member_id = str.__str__(member_id)
        if not isinstance(pairs, list | tuple):
            raise Malformed(
                f"answer[{member_id!r}] is {shown(pairs)}, expected a list of (topic, partition) pairs, "
                "as in [('t0', 0)]"
            )
        for pair in pairs:
            if type(pair) not in _PAIRS or len(pair) != 2:
                break
            topic, partition = pair
            if type(topic) is not str or type(partition) is not int or not 0 <= partition <= _PARTITION_MAX:
                break
        else:
            checked[member_id] = list(map(tuple, pairs))
            continue
        checked[member_id] = [_pair(member_id, index, pair) for index, pair in enumerate(pairs)]
    return checked


def _pair(member_id: str, index: int, pair: object) -> Pair:
    """One entry, read by the slow path that reports errors; claims judge negative numbers."""
    where = f"answer[{member_id!r}][{index}]"
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise Malformed(f"{where} is {shown(pair)}, expected a (topic, partition) pair")
    topic, partition = pair
    if not isinstance(topic, str):
        raise Malformed(f"{where} has the topic {shown(topic)}, expected a str")
    return str.__str__(topic), integer(f"{where} has the partition", partition)


def integer(what: str, value: object) -> int:
    """A whole number of 32 bits; raises `Malformed`, whose message begins with `what`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Malformed(f"{what} {shown(value)}, expected an int")
    number = int.__int__(value)
    if not -_PARTITION_MAX - 1 <= number <= _PARTITION_MAX:
        raise Malformed(f"{what} of {number.bit_length()} bits, expected an int of 32 bits")
    return number


def check_placement(answer: object) -> list[list[int]]:
    """The checked answer of a plain `place`; raises `Malformed`."""
    if not isinstance(answer, list | tuple):
        raise Malformed(
            f"answer is {shown(answer)}, expected a list of replica lists, as in [[0, 1], [1, 2]]"
        )
    checked = []
    for index, replicas in enumerate(answer):
        if not isinstance(replicas, list | tuple):
            raise Malformed(
                f"answer[{index}] is {shown(replicas)}, expected a list of broker ids, as in [0, 1]"
            )
        checked.append([integer(f"answer[{index}] has the broker", broker) for broker in replicas])
    return checked


def check_user_data(data: object, what: str = "subscription_user_data") -> bytes | None:
    """User data, or None; raises `Malformed`, whose message begins with `what`."""
    if data is None or type(data) is bytes:
        return data
    if not isinstance(data, bytes | bytearray):
        raise Malformed(f"{what} is {shown(data)}, expected bytes or None")
    return bytes(data)


def changed(names: Iterable[str], before: Iterable[Any], after: Iterable[Any]) -> str | None:
    """What a call changed in its input, or None; the values are compared one by one."""
    return next(filter(None, map(difference, before, after, names)), None)


def difference(before: Any, after: Any, where: str) -> str | None:
    """Where the target changed its input, or None: `members[0]['owned'] was [...] and is []`."""
    if before is after:
        return None
    try:
        if type(before) is type(after) and before == after:
            if isinstance(before, dict) and list(before) != list(after):
                return f"the keys of {where} are in another order"
            return None
        if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
            steps: Any = [(f"{where}[{key!r}]", before[key], after[key]) for key in before]
        elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            steps = [(f"{where}[{i}]", old, new) for i, (old, new) in enumerate(zip(before, after))]
        else:
            steps = []
        for inner, old, new in steps:
            if change := difference(old, new, inner):
                return change
    except Exception:  # a comparison runs the target's own code if it put its own objects there
        return f"{where} was changed"
    return f"{where} was {shown(before)} and is {shown(after)}"
