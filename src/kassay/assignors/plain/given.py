"""Checks whether the answer of a Streams or Connect assignor has the required form.

Standard library only and light: the child process that runs users' code imports it too. The returned values
are made of exact built-in types, with every optional field filled in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from kassay.assignors.plain.answers import Malformed, shown
from kassay.assignors.plain.forms import MEMBERS, PROCESSES, WORKERS

Given = dict[str, Any]
"""A checked answer: dicts, lists and scalars as JSON has them."""

DEPTH_MAX: Final = 100
"""How deeply lists and dicts may be nested in the memory of a leader."""
MS_MAX: Final = 2**40
_INT_MAX: Final = 2**63


class _Spelling(NamedTuple):
    """A notation for names: what it names, and the strings that match it."""

    what: str
    expected: str
    pattern: re.Pattern[str]


_NUMBER: Final = r"(0|[1-9]\d{0,8})"
_TASK: Final = _Spelling(
    "task ids", "a task id (str) as in '0_3'", re.compile(rf"{_NUMBER}_{_NUMBER}", re.ASCII)
)
_CONNECTOR: Final = _Spelling("connector names", "a connector name (str)", re.compile(".*", re.DOTALL))
_CONNECTOR_TASK: Final = _Spelling(
    "task ids", "a task id (str) as in 'to-s3-0'", re.compile(rf".*-{_NUMBER}", re.ASCII | re.DOTALL)
)


def check_processes(answer: object) -> Given:
    """Each process's `active` and `standby` tasks, and its `followup_ms`; raises `Malformed`."""
    expected = "a dict of process id to {'active': [...], 'standby': [...], 'followup_ms': None}"
    checked = {}
    for where, process_id, given in _entries("answer", answer, expected, "a process id"):
        fields = _fields(where, given, ("active", "standby", "followup_ms"))
        followup = fields.get("followup_ms")
        checked[process_id] = {
            **_both(where, fields),
            "followup_ms": None if followup is None else _ms(f"{where}['followup_ms']", followup, " or None"),
        }
    return checked


def check_members(answer: object) -> Given:
    """Each member's `active` and `standby` tasks; raises `Malformed`.

    `warmup` may be present and empty: the broker's assignors assign no warm-up tasks.
    """
    expected = "a dict of member id to {'active': [...], 'standby': [...]}"
    checked = {}
    for where, member_id, given in _entries("answer", answer, expected, "a member id"):
        fields = _fields(where, given, ("active", "standby", "warmup"))
        if _texts(f"{where}['warmup']", fields.get("warmup", []), _TASK):
            raise Malformed(f"{where}['warmup'] has tasks, expected none: Kafka 4.4 assigns no warm-up tasks")
        checked[member_id] = _both(where, fields)
    return checked


def check_workers(answer: object) -> Given:
    """What each of the `workers` must start and stop, `delay_ms`, and `memory`; raises `Malformed`."""
    fields = _fields("answer", answer, ("workers", "delay_ms", "memory"))
    if "workers" not in fields:
        raise Malformed("answer has no 'workers', expected a dict of worker id to what it starts and stops")
    expected = "a dict of worker id to {'assigned': {...}, 'revoked': {...}}"
    workers = {}
    for where, worker_id, change in _entries("answer['workers']", fields["workers"], expected, "a worker id"):
        parts = _fields(where, change, ("assigned", "revoked"))
        workers[worker_id] = {
            part: _work(f"{where}[{part!r}]", parts.get(part, {})) for part in ("assigned", "revoked")
        }
    return {
        "workers": workers,
        "delay_ms": _ms("answer['delay_ms']", fields.get("delay_ms", 0)),
        "memory": _json("answer['memory']", fields.get("memory")),
    }


CHECKS: Final[dict[str, Callable[[object], Given]]] = {
    PROCESSES: check_processes,
    MEMBERS: check_members,
    WORKERS: check_workers,
}
"""The check of each form's answer."""


def _entries(where: str, value: object, expected: str, key: str) -> Iterator[tuple[str, str, object]]:
    """The location, the key and the value of each entry of a dict."""
    if not isinstance(value, dict):
        raise Malformed(f"{where} is {shown(value)}, expected {expected}")
    for name, entry in value.items():
        if not isinstance(name, str):
            raise Malformed(f"{where} has the key {shown(name)}, expected {key} (str)")
        plain = str.__str__(name)
        yield f"{where}[{plain!r}]", plain, entry


def _fields(where: str, value: object, names: tuple[str, ...]) -> dict[str, object]:
    """A dict with no keys other than these; each key is optional."""
    *others, last = names
    keys = f"{', '.join(others)} or {last}"
    fields = {}
    for _, name, entry in _entries(where, value, f"a dict with the keys {keys}", keys):
        if name not in names:
            raise Malformed(f"{where} has the key {shown(name)}, expected {keys}")
        fields[name] = entry
    return fields


def _texts(where: str, value: object, spelling: _Spelling) -> list[str]:
    """A list of strings in this notation."""
    if not isinstance(value, list | tuple):
        raise Malformed(f"{where} is {shown(value)}, expected a list of {spelling.what}")
    texts = []
    for index, text in enumerate(value):
        if not isinstance(text, str) or not spelling.pattern.fullmatch(text):
            raise Malformed(f"{where}[{index}] is {shown(text)}, expected {spelling.expected}")
        texts.append(str.__str__(text))
    return texts


def _both(where: str, fields: dict[str, object]) -> dict[str, list[str]]:
    """The active and the standby tasks; a missing key means no tasks."""
    return {role: _texts(f"{where}[{role!r}]", fields.get(role, []), _TASK) for role in ("active", "standby")}


def _work(where: str, value: object) -> dict[str, list[str]]:
    """Connectors, and tasks of connectors."""
    fields = _fields(where, value, ("connectors", "tasks"))
    return {
        "connectors": _texts(f"{where}['connectors']", fields.get("connectors", []), _CONNECTOR),
        "tasks": _texts(f"{where}['tasks']", fields.get("tasks", []), _CONNECTOR_TASK),
    }


def _ms(where: str, value: object, or_else: str = "") -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MS_MAX:
        raise Malformed(f"{where} is {shown(value)}, expected ms (int) from 0 to 2^40{or_else}")
    return int.__int__(value)


def _json(where: str, value: object, depth: int = 0) -> Any:
    """The value as it is after a round trip through JSON: a tuple becomes a list."""
    expected = "what JSON can hold: dicts with texts as keys, lists, texts, numbers, True, False, None"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and -_INT_MAX <= value < _INT_MAX:
        return int.__int__(value)
    if isinstance(value, float) and math.isfinite(value):
        return float.__float__(value)
    if isinstance(value, dict | list | tuple) and depth == DEPTH_MAX:
        raise Malformed(f"{where} is nested deeper than {DEPTH_MAX} levels, expected less")
    if isinstance(value, dict):
        entries = _entries(where, value, "a dict", "a text")
        return {name: _json(inner, entry, depth + 1) for inner, name, entry in entries}
    if isinstance(value, list | tuple):
        return [_json(f"{where}[{index}]", each, depth + 1) for index, each in enumerate(value)]
    raise Malformed(f"{where} is {shown(value)}, expected {expected}")
