"""Facts about a group that no tool of Kafka prints, written by users: comma-separated lines after titles.

`consumer,rack` gives the racks of consumers, `consumer,topics` their subscriptions (separated by blanks), and
`topic,partition,lag` the weight of each partition. A consumer is named by its member id, its instance id, its
client id or its host, as the tools print them; one name may match several members.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.shape.codec import MOST
from kassay.reading.documents import at
from kassay.reading.kafka.assignments import partition_number
from kassay.reading.kafka.lines import Place

RACKS: Final = ("consumer", "rack")
SUBSCRIPTIONS: Final = ("consumer", "topics")
LAGS: Final = ("topic", "partition", "lag")
_TITLES: Final = (RACKS, SUBSCRIPTIONS, LAGS)
_LAG: Final = re.compile(r"\d{1,12}", re.ASCII)
LAG_MAX: Final = MOST**2


class Said(NamedTuple):
    """The content of a line about a consumer: its rack, or the topics that it subscribes to."""

    place: Place
    consumer: str
    values: tuple[str, ...]


def titles_of(text: str) -> tuple[str, ...] | None:
    """The titles of the text, if they are one of the three; else None."""
    first = next((line for line in text.removeprefix("\ufeff").splitlines() if line.strip()), "")
    names = tuple(part.strip().lower() for part in first.split(","))
    return names if names in _TITLES else None


def read_said(text: str, file: str, titles: tuple[str, ...]) -> tuple[Said, ...]:
    """The lines about consumers; raises `InputError` with file, line and what was expected."""
    said = []
    for place, (consumer, value) in _rows(text, file, titles):
        if not consumer:
            raise place.wrong("consumer", consumer, "a member id, an instance id, a client id or a host")
        values = (value,) if titles == RACKS else tuple(value.split())
        said.append(Said(place, consumer, tuple(each for each in values if each)))
    return tuple(said)


def read_lags(text: str, file: str) -> dict[TopicPartition, int]:
    """The lag of each partition; raises `InputError` with file, line, field and what was expected."""
    lags: dict[TopicPartition, int] = {}
    for place, (topic, partition, lag) in _rows(text, file, LAGS):
        if not _LAG.fullmatch(lag) or int(lag) > LAG_MAX:
            raise place.wrong("lag", lag, f"a whole number from 0 to {LAG_MAX}")
        with at(str(place)):
            tp = TopicPartition(topic, partition_number(partition, "partition"))
        if lags.setdefault(tp, int(lag)) != int(lag):
            raise place.wrong("lag", lag, f"one lag for {tp}, found {lags[tp]} above")
    return lags


def _rows(text: str, file: str, titles: tuple[str, ...]) -> Iterator[tuple[Place, list[str]]]:
    """The rows below the titles, with the same number of cells."""
    if titles_of(text) != titles:
        raise InputError(f"{file}:1: expected the titles {','.join(titles)}")
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    below = False
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            place = Place(file, reader.line_num)
            if not below:
                below = True
            elif len(cells) != len(titles):
                raise place.wrong("line", ",".join(row), ",".join(titles))
            else:
                yield place, cells
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num}: not CSV ({error})") from None
