"""The forms that a user's class can have, and the checks of its answers, in the target's own terms.

The forms of a user's class by name: which method is called, with which arguments, and for which kind.
Standard library only and light: the child process that runs users' code imports it too. The returned
values are made of exact built-in types, so that a subclass cannot run code later.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

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


METHODS: Final = ("assign", "place", "partition")
PLAIN, FULL, PLACER, PARTITIONER = "plain", "full", "placer", "partitioner"
PROCESSES, MEMBERS, WORKERS = "processes", "members", "workers"

DOCUMENTS: Final = {PROCESSES: "application", MEMBERS: "group", WORKERS: "cluster"}
"""The forms that take one document and return one, and the name of that argument."""

_OF_GROUPS: Final = "assign(self, partitions_per_topic, members)"
CALLED: Final = {
    "assignor": _OF_GROUPS,
    "server-assignor": _OF_GROUPS,
    "share-assignor": _OF_GROUPS,
    "placer": "place(self, num_partitions, replication_factor, brokers, existing=None)",
    "partitioner": "partition(self, topic, key, value, num_partitions, available)",
    "task-assignor": "assign(self, application), by level: member assign(self, group)",
    "connect-assignor": "assign(self, cluster)",
}
"""The kinds that a target may declare, and the method that its class then has."""
LEVELLED: Final = "task-assignor"
"""The one of them that has levels."""
FORM_BY_METHOD: Final = {"place": PLACER, "partition": PARTITIONER}
"""The form of a class with one of these methods; one with `assign` has several to choose from."""
ASSIGN: Final = f"{_OF_GROUPS} or assign(self, cluster, group)"
TAKES: Final = {
    "assign": (2, 2, f"{ASSIGN}, or one argument and a META of kind task-assignor or connect-assignor"),
    "place": (3, 4, CALLED["placer"]),
    "partition": (5, 5, CALLED["partitioner"]),
}
"""For each method the fewest and the most arguments that it may need, and how it is written."""


def document_form(meta: dict[Any, Any]) -> str | None:
    """The form of `DOCUMENTS` that a target's META declares; None if it declares none.

    A task assignor works on processes unless its level is `member`; one that declares a level need not
    declare its kind.
    """
    kind = meta.get("kind")
    if kind == "connect-assignor":
        return WORKERS
    if kind == "task-assignor" or (kind is None and meta.get("level") is not None):
        return MEMBERS if meta.get("level") == "member" else PROCESSES
    return None


def parameters(target: type, method: str) -> tuple[list[str], set[str]]:
    """The names of the bound method's parameters, and of its required ones; `*` stands for any number."""
    import inspect

    raw = inspect.getattr_static(target, method)
    function = getattr(target, method)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ["*"], set()
    if not isinstance(raw, staticmethod | classmethod) and parameters:
        variadic = parameters[0].kind is inspect.Parameter.VAR_POSITIONAL
        parameters = parameters if variadic else parameters[1:]
    names, needed = [], set()
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            names.append("*")
        elif parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            names.append(parameter.name)
            if parameter.default is inspect.Parameter.empty:
                needed.add(parameter.name)
    return names, needed


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
