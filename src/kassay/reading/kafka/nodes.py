"""A broker as Kafka's `Node` prints itself: `host:port (id: 4 rack: r1 isFenced: false)`.

Source: `org.apache.kafka.common.Node.toString`; since 4.0 with `isFenced`. A rack is any
text; `null` is none.
"""

from __future__ import annotations

import re
from typing import Final

from kassay.model.cluster import Broker
from kassay.reading.kafka.lines import Place, whole

_NODE: Final = re.compile(
    r"[^,\s]*:-?\d+ \(id: (?P<id>\d+) rack: (?P<rack>.*?)(?: isFenced: (?P<fenced>true|false))?\)"
    r"(?=,[^,\s]*:-?\d+ \(id: |\Z)"
)
EXPECTED: Final = "brokers such as `host:9092 (id: 4 rack: r1)`"


def read_node(text: str, place: Place, field: str) -> Broker:
    """The broker that the whole text is; raises `InputError`."""
    match = _NODE.fullmatch(text)
    if match is None:
        raise place.wrong(field, text, EXPECTED)
    return _broker(match, place, field)


def read_nodes(text: str, place: Place, field: str) -> tuple[Broker, ...]:
    """The brokers between commas, none for an empty text; raises `InputError`."""
    brokers, at = [], 0
    while at < len(text):
        match = _NODE.match(text, at)
        if match is None:
            raise place.wrong(field, text[at:], EXPECTED)
        brokers.append(_broker(match, place, field))
        at = match.end() + 1
    return tuple(brokers)


def _broker(match: re.Match[str], place: Place, field: str) -> Broker:
    rack = match["rack"]
    return Broker(
        whole(match["id"], place, f"{field}: id"),
        None if rack in ("null", "") else rack,
        match["fenced"] == "true",
    )
