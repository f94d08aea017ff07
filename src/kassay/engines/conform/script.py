"""A played history as a short script: one line an event, ids renamed, and what Kafka did."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kassay.engines.conform.intentions import Setup
from kassay.engines.genuine.coordinator import CONFIG, STREAMS_CONFIG, GenuineStep

_UUID: Final = re.compile(
    r"[\w.-]*?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?![A-Z_]{22}\b)[\w-]{22}\b"
)
"""A member id that a server made: behind a client's id, or a `Uuid` of Kafka; no error is one."""
_MUTE: Final = ("session_timeout", "protocol_type", "client", "rebalance_timeout")
"""Fields of a request that are left out where they have their usual values."""
_USUAL: Final = (30_000, "consumer", None)
_IDLE: Final = {"endpoint_epoch": 0, "shutdown": False}
"""Fields that are left out at these values."""


def script(setup: Setup, steps: Iterable[GenuineStep]) -> tuple[str, ...]:
    """The lines: the settings that are not the usual ones, then each event and its answers."""
    names: dict[str, str] = {}
    other = {key: value for key, value in setup.config.items() if CONFIG.get(key) != value}
    streams = other.pop("streams", {})
    other |= {key: value for key, value in streams.items() if STREAMS_CONFIG[key] != value}
    lines = [f"topics {_plain(setup.topics)}" + "".join(f", {key} {_plain(other[key])}" for key in other)]
    lines += [_renamed(event_line(step), names) for step in steps]
    return tuple(lines)


def event_line(step: GenuineStep) -> str:
    """One line: the event, and the timers that fired, the answers and the exception."""
    event = step.document["event"]
    shown = " ".join([event["event"], *_fields(event)])
    in_order = sorted(step.answers, key=lambda answer: int(answer["to"]))
    answers = "; ".join(_answer(answer, step.document["i"]) for answer in in_order)
    fired = ", ".join(" ".join(filter(None, timer)) for timer in step.document["fired"])
    outcome = "; ".join(filter(None, [fired and f"fires {fired}", answers, step.exception]))
    return f"{step.document['i']}  {shown}" + (f"  -> {outcome}" if outcome else "")


def renamed(text: str, steps: Iterable[GenuineStep]) -> str:
    """The text with the ids that the script of these steps has."""
    names: dict[str, str] = {}
    for step in steps:
        _renamed(json.dumps(step.document["event"]) + json.dumps(step.answers), names)
    return _renamed(text, names)


def _renamed(text: str, names: dict[str, str]) -> str:
    return _UUID.sub(lambda match: names.setdefault(match[0], f"id{len(names) + 1}"), text)


def _fields(event: Mapping[str, Any]) -> list[str]:
    shown = []
    for key, value in event.items():
        usual = key in _MUTE and (value in _USUAL or key == "client")
        if key == "event" or value is None or usual or (key in _IDLE and value == _IDLE[key]):
            continue
        shown.append(f"{key}={_plain(_SHORT.get(key, _same)(value))}")
    return shown


def _same(value: Any) -> Any:
    return value


def _protocols(protocols: list[Any]) -> list[str]:
    return [f"{name}({', '.join(metadata.get('topics', ['raw']))})" for name, metadata in protocols]


def _topology(topology: Mapping[str, Any]) -> str:
    """`1(0: foo changelogs=[a])`: the epoch, and of each subtopology what it has."""
    parts = []
    for part in topology["subtopologies"]:
        more = [
            f"{key}={_plain(value)}" for key, value in part.items() if key not in ("id", "sources") and value
        ]
        parts.append(" ".join([f"{part['id']}:", *part["sources"], *more]))
    return f"{topology['epoch']}({'; '.join(parts)})"


_SHORT: Final[Mapping[str, Callable[[Any], Any]]] = {"protocols": _protocols, "topology": _topology}
"""Fields that are shown shorter than as JSON."""


def _answer(answer: Mapping[str, Any], number: int) -> str:
    """An answer: its error, or the epoch and the assignment; of an earlier request its number, too."""
    to = "" if answer["to"] == number else f"to {answer['to']}: "
    if answer["error"] != "NONE":
        member = answer.get("member") if answer["error"] == "MEMBER_ID_REQUIRED" else None
        return f"{to}{answer['error']}" + (f" {member}" if member else "")
    parts = [
        f"{key}={_plain(answer[key])}"
        for key in ("member", "epoch", "generation", "protocol", "assignment", "active", "standby", "warmup")
        if answer.get(key) is not None
    ]
    parts += answer.get("status", ())
    return " ".join([f"{to}OK", *parts])


def _plain(value: Any) -> str:
    """A value without the quotes of JSON where they only clutter."""
    return json.dumps(value).replace('"', "") if not isinstance(value, str) else value or '""'
