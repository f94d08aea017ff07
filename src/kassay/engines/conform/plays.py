"""A script of requests and faults as TOML, and playing one: on the model, on Kafka's classes, on a broker.

    topics = {foo = 1}
    [config]
    migration_policy = "BIDIRECTIONAL"
    [[step]]
    event = "join"
    member = ""
    protocols = [["range", {topics = ["foo"], version = 0}]]

A step has the fields of its event (`engines/genuine/events`); those left out have the usual values. In any
text `#1` is the first member id that the coordinator made, `#2` the second, and so on. The histories of
`kassay conform` have the same form: what it prints can be played.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Protocol

from kassay.engines.conform.intentions import Setup
from kassay.engines.genuine import events as e
from kassay.engines.genuine.coordinator import CONFIG, STREAMS_CONFIG, GenuineProcess, GenuineStep
from kassay.engines.vectors.protocol.shapes import ConfigShape, Topics
from kassay.engines.vectors.protocol.streams import BROKER, streams_config
from kassay.model import errors
from kassay.model.errors import InputError
from kassay.model.protocols.values.streams import StreamsConfig
from kassay.reading.documents import at, one_of, read_toml, wrong
from kassay.reading.values import read_as

AT_ONCE: Final = {"classic_initial_rebalance_delay_ms": 0, "consumer_assignment_interval_ms": 0}
"""What a script's configuration has where it says nothing else: no delay, and targets at once."""
EVENTS: Final[Mapping[str, type[e.GenuineEvent]]] = {
    kind.kind: kind for kind in e.GenuineEvent.__subclasses__()
}
"""The events by name."""
_USUAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "join": {"client": "c"},
    "sync": {"assignments": {}},
}
SEED: Final = 1
_FROM_SERVER: Final = re.compile(
    r".*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[\w-]{22}|.*-made-\d+"
)


@dataclass(frozen=True)
class PlayScript:
    """A script: the whole configuration, the topics at the start, and the events as documents."""

    config: Mapping[str, Any]
    topics: Mapping[str, int]
    steps: tuple[Mapping[str, Any], ...]
    title: str = ""


@dataclass(frozen=True)
class _ScriptShape:
    """A script's tables, before the fields of config and steps are read."""

    step: tuple[Mapping[str, Any], ...] = ()
    title: str = ""
    topics: Topics = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)


class ScriptPlayer(Protocol):
    """Plays the events of one script."""

    def send(self, event: Mapping[str, Any]) -> GenuineStep:
        """Play an event whose ids are real ones."""


@dataclass
class MemberIds:
    """The member ids that a coordinator made, in their order: `#1` is the first."""

    names: list[str] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)
    """The ids that the script itself has named."""

    def resolved(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """The event with ids for their marks; raises `InputError` for one that does not exist yet."""

        def real(match: re.Match[str]) -> str:
            number = int(match[1])
            if not 0 < number <= len(self.names):
                raise InputError(f"#{number}: the coordinator has made {len(self.names)} member ids so far")
            return json.dumps(self.names[number - 1])

        document: dict[str, Any] = json.loads(re.sub(r'"#(\d+)"', real, json.dumps(event)))
        self.sent.add(document.get("member") or "")
        return document

    def learn(self, step: GenuineStep) -> None:
        """Take note of new ids in a step: of its answers first, then of the state."""
        state = step.state
        ids = [answer.get("member") for answer in step.answers]
        ids += [*state.get("pending_join", ()), *(member["id"] for member in state.get("members", ()))]
        ids += [member for _, member, _ in step.timers]
        for name in dict.fromkeys(ids):
            if name and _FROM_SERVER.fullmatch(name) and name not in self.names and name not in self.sent:
                self.names.append(name)

    def marked(self, text: str) -> str:
        """The text with marks for the ids."""
        for number, name in enumerate(self.names, 1):
            text = text.replace(name, f"#{number}")
        return text


def read_script(path: Path) -> PlayScript:
    """The script in a TOML file; raises `InputError` with the file, the step and the field."""
    document = read_toml(path, "a script in TOML, with topics and [[step]] (docs/play.md)")
    with at(str(path)):
        return script_of(document)


def script_of(document: Mapping[str, Any]) -> PlayScript:
    """The script in a document; raises `InputError`."""
    script = read_as(_ScriptShape, document, closed=True)
    config = {**CONFIG, **AT_ONCE, **script.config}
    for name, value in config.items():
        if name not in CONFIG and name != "streams":
            raise InputError(f"config.{name}: unknown field, expected {one_of([*CONFIG, 'streams'], name)}")
        if name not in _read_fields() and type(value) is not type(CONFIG[name]):
            kind = "true or false" if isinstance(CONFIG[name], bool) else "a whole number"
            raise wrong(f"config.{name}", value, kind)
    read_as(ConfigShape, {key: config[key] for key in _read_fields() & config.keys()}, "config")
    if "streams" in config:
        streams_config(config["streams"], BROKER, StreamsConfig(), "config.streams")
        config["streams"] = {**STREAMS_CONFIG, **config["streams"]}
    if not script.step:
        raise InputError("step: expected at least one [[step]]")
    steps = tuple(_event(step, f"step {number}") for number, step in enumerate(script.step))
    return PlayScript(config, dict(script.topics), steps, script.title)


def _read_fields() -> set[str]:
    return {each.name for each in fields(ConfigShape)}


def _event(step: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """An event with all of its fields."""
    kind = step.get("event", errors.MISSING)
    if not isinstance(kind, str) or kind not in EVENTS:
        raise wrong(f"{where}: event", kind, one_of(EVENTS, str(kind)))
    known = {each.name: each for each in fields(EVENTS[kind])}
    values = {**_USUAL.get(kind, {}), **{name: value for name, value in step.items() if name != "event"}}
    for name in values:
        if name not in known:
            raise InputError(f"{where} ({kind}): unknown field {name!r}, expected {one_of(known, name)}")
        if not _is_json(values[name]):
            raise InputError(f"{where} ({kind}): {name}: found a date or a time, expected it in quotes")
    for name, each in known.items():
        if name not in values and each.default is MISSING:
            raise InputError(f"{where} ({kind}): {name} is missing")
    return EVENTS[kind](**values).document()


def _is_json(value: Any) -> bool:
    """Whether JSON has such values too: all of TOML's but dates and times."""
    try:
        json.dumps(value)
    except TypeError:
        return False
    return True


def played(script: PlayScript, player: ScriptPlayer) -> Iterator[tuple[GenuineStep, MemberIds]]:
    """Each step as it is played, with the ids made so far. Raises `InputError`."""
    ids = MemberIds()
    for event in script.steps:
        step = player.send(ids.resolved(event))
        ids.learn(step)
        yield step, ids


class KafkaPlayer:
    """Kafka's own classes as a player; raises `GenuineFailed` if they cannot be driven.

    A log that does not load leaves the group without a coordinator: every request is answered
    NOT_COORDINATOR, as Kafka's runtime answers in the name of a context that failed.
    """

    def __init__(self, script: PlayScript, process: GenuineProcess) -> None:
        process.start(script.config, script.topics, SEED)
        self._process = process
        self._number = 0
        self._lost = ""

    def send(self, event: Mapping[str, Any]) -> GenuineStep:
        """Play an event."""
        number, self._number = self._number, self._number + 1
        if event["event"] == "reload" and not self._lost:
            self._lost = str(self._process.replays()["log"].get("unloadable", ""))
        if not self._lost:
            return self._process.send(event)
        return unloaded(number, event, self._lost)


def unloaded(number: int, event: Mapping[str, Any], why: str) -> GenuineStep:
    """The step of a coordinator whose log does not load."""
    kind = event["event"]
    answers = [{"to": number, "kind": kind, "error": "NOT_COORDINATOR"}] if "member" in event else []
    document = {"i": number, "t": 0, "event": dict(event), "responses": answers, "fired": [], "records": []}
    more = {"more": {"exception": f"the log does not load: {why}"}} if kind == "reload" else {}
    return GenuineStep(document | {"durable": 0, "state": {"type": None, "timers": []}} | more)


def played_as_toml(setup: Setup, steps: Iterable[GenuineStep]) -> str:
    """A history that was played as a script that can be played again, on whatever coordinator."""
    ids = MemberIds()
    events = []
    for step in steps:
        event = step.document["event"]
        ids.sent |= {event.get("member") or ""} - {*ids.names}
        events.append(json.loads(ids.marked(json.dumps(event))))
        ids.learn(step)
    return as_toml(setup.config, setup.topics, events)


def as_toml(config: Mapping[str, Any], topics: Mapping[str, int], events: Iterable[Mapping[str, Any]]) -> str:
    """A script as TOML: what is not usual, and ids as marks already."""
    other = {k: v for k, v in config.items() if {**CONFIG, **AT_ONCE}.get(k) != v}
    if "streams" in other:
        other["streams"] = {k: v for k, v in other["streams"].items() if STREAMS_CONFIG.get(k) != v}
    lines = [f"topics = {_toml(topics)}"]
    if other:
        lines += ["", "[config]", *(f"{key} = {_toml(value)}" for key, value in other.items())]
    for event in events:
        kind = event["event"]
        known = {each.name: each.default for each in fields(EVENTS[kind])} if kind in EVENTS else {}
        usual = {**known, **_USUAL.get(kind, {})}
        lines += ["", "[[step]]", f'event = "{kind}"']
        lines += [
            f"{key} = {_toml(value)}"
            for key, value in event.items()
            if key != "event" and value is not None and usual.get(key, MISSING) != value
        ]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items() if each is not None)
        return f"{{{inner}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(each) for each in value)}]"
    return json.dumps(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
