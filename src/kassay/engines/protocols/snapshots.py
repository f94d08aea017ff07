"""The states of a trace as tables of text: each client, the coordinator, and the records.

A table has a column for each field that differs from its default in some state of the trace, with the model's
name of the field. So it shows everything in a state of any model, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.explore.states import Interned
from kassay.model.protocols.before_0_9.proposal_coordinator import ProposalWorld
from kassay.model.protocols.before_0_9.zookeeper import ZooKeeperWorld
from kassay.model.protocols.values.errors import NONE
from kassay.model.protocols.values.in_flight import Returned, Wire, name_of
from kassay.model.protocols.values.requests import ZERO_BYTES, TopicImage
from kassay.model.protocols.world.context import World
from kassay.model.protocols.world.timed import Timed

_LEFT_OUT: Final = frozenset(
    {
        *("clients", "consumers", "members", "group"),
        *("connection", "client_id", "session_timeout", "rebalance_timeout", "protocol_type"),
    }
)
"""Fields with their own table, constant fields, and numbers that only distinguish late replies."""
_FIRST: Final = (
    "run",
    "role",
    "state",
    "status",
    "member_id",
    "generation",
    "epoch",
    "target_epoch",
    "owned",
)
"""The first columns, in the order of a reader's interest."""
_ALWAYS: Final = frozenset({"run", "state", "status", "member_id"})
"""Fields that are informative even at their default."""
_NOTHING: Final = "-"


class StateTable(NamedTuple):
    """A table of a state: one row per item, named in its first cell."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class StateSnapshot(NamedTuple):
    """A state: its tables, and the clients with an unread reply in the inbox."""

    tables: tuple[StateTable, ...]
    unread: frozenset[str]


class _Part(NamedTuple):
    title: str
    rows: tuple[tuple[str, dict[str, Any]], ...]


def snapshots(states: Sequence[Any]) -> tuple[StateSnapshot, ...]:
    """The states of one trace, each with the same tables and the same columns in them."""
    parts = [list(_parts(state)) for state in states]
    fields: dict[str, dict[str, None]] = {}
    for state in parts:
        for part in state:
            known = fields.setdefault(part.title, {})
            for _, values in part.rows:
                known |= dict.fromkeys(name for name, value in values.items() if text_of(value) != _NOTHING)
    ordered = {
        title: tuple(sorted(known, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST)))
        for title, known in fields.items()
    }
    return tuple(
        StateSnapshot(
            tuple(_table(part, ordered[part.title]) for part in tables),
            frozenset(_unread(state)),
        )
        for state, tables in zip(states, parts, strict=True)
    )


def _table(part: _Part, fields: tuple[str, ...]) -> StateTable:
    rows = (
        (name, *(text_of(values[field]) if field in values else _NOTHING for field in fields))
        for name, values in part.rows
    )
    return StateTable(part.title, tuple(field.replace("_", " ") for field in fields), tuple(rows))


def _parts(state: Any) -> Iterator[_Part]:
    """The parts of a state, by owner."""
    if isinstance(state, Timed):
        clocks = [clock._asdict() for clock in state.clocks]
        for part in _parts(state.world):
            if part.title == "clients":
                pairs = zip(part.rows, clocks, strict=True)
                part = part._replace(rows=tuple((name, {**values, **more}) for (name, values), more in pairs))
            yield part
    elif isinstance(state, World):
        yield from _world(state)
    elif isinstance(state, ZooKeeperWorld):
        yield _Part("clients", _numbered(state.consumers))
        yield _Part("zookeeper", (("znodes", _fields(state)),))
    elif isinstance(state, ProposalWorld):
        yield _Part("clients", _numbered(state.consumers))
        yield _Part("coordinator", (("coordinator", _fields(state.coordinator)),))
        yield _Part("zookeeper", (("znodes", _fields(state.stored)),))


def _world(state: World) -> Iterator[_Part]:
    yield _Part("clients", _numbered([cell.value for cell in state.clients]))
    known = state.broker.value.state
    group = known.group
    shared = {"role": known.role, "state": "no group" if group is None else ""}
    yield _Part("coordinator", (("group", {**shared, **({} if group is None else _fields(group))}),))
    members = () if group is None else tuple((one.member_id, _record(one)) for one in group.members)
    yield _Part("members on record", members)
    if state.offsets.value is not None:
        yield _Part("offsets", (("committed", _fields(state.offsets.value)),))


def _numbered(values: Iterable[Any]) -> tuple[tuple[str, dict[str, Any]], ...]:
    return tuple((f"c{number}", _fields(value)) for number, value in enumerate(values, 1))


def _fields(value: Any) -> dict[str, Any]:
    """The fields of a named tuple that differ from their defaults or are always informative."""
    defaults = value._field_defaults
    return {
        name: each
        for name, each in value._asdict().items()
        if name not in _LEFT_OUT and (name in _ALWAYS or name not in defaults or each != defaults[name])
    }


def _record(member: Any) -> dict[str, Any]:
    """The record of a member without its id, which is its name."""
    return {name: value for name, value in _fields(member).items() if name != "member_id"}


def _unread(state: Any) -> Iterator[str]:
    world = state.world if isinstance(state, Timed) else state
    if isinstance(world, World):
        for number, cell in enumerate(world.clients, 1):
            if cell.value.inbox:
                yield f"c{number}"


def text_of(value: Any) -> str:
    """A value of a state as a short text; `-` if it is empty, absent or false.

    >>> text_of(True), text_of(()), text_of((TopicPartition("t", 0), TopicPartition("t", 1)))
    ('yes', '-', 't-0 t-1')
    """
    if isinstance(value, Interned):
        return text_of(value.value)
    if isinstance(value, bool):
        return "yes" if value else _NOTHING
    if value is None or value == "" or value == ():
        return _NOTHING
    if isinstance(value, int):
        return _NOTHING if value == -1 else str(value)
    if value == ZERO_BYTES:
        return "nothing yet"
    return _compound(value)


def _answer(reply: Any) -> str:
    """A reply by the name of its request, and its error if it has one."""
    name = type(reply).__name__.removesuffix("Reply")
    return name if reply.error in ("", NONE) else f"{name}: {reply.error}"


def _compound(value: Any) -> str:
    """Values with parts of their own, and texts."""
    if isinstance(value, TopicPartition):
        return str(value)
    if isinstance(value, Wire):
        sent = [f"{name_of(request)} sent" for request in value.sent]
        back = [f"answer to {name_of(returned.request)}" for returned in value.back]
        return ", ".join(sent + back) or _NOTHING
    if isinstance(value, Returned):
        return f"answer to {name_of(value.request)}"
    if isinstance(value, TopicImage):
        return f"{value.name}: {value.partitions}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        if "error" in value._fields:
            return _answer(value)
        listed = ((name, text_of(each)) for name, each in _fields(value).items())
        texts = [f"{name.replace('_', ' ')} {text}" for name, text in listed if text != _NOTHING]
        return ", ".join(texts) or _NOTHING
    if isinstance(value, tuple):
        simple = all(isinstance(each, str | int | TopicPartition) for each in value)
        return (" " if simple else "; ").join(map(text_of, value))
    return str(value)
