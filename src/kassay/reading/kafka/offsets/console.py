"""Output of the console consumer with `GroupMetadataMessageFormatter`: classic groups, without offsets.

    {"key":{"type":2,"data":{"group":"billing"}},"value":{"version":3,"data":{...}}}{"key":...

The objects follow each other without a line end. Other output between them, such as `Processed a total of 12
messages`, is skipped. Members' bytes are base64.

Source: Kafka `CoordinatorRecordMessageFormatter` (`ApiMessageFormatter` before 4.1), 3.8 to 4.4.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import Final

from kassay.model.errors import InputError
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.offsets.dump import UNTYPED, LogBatch, LogItem, LogRow
from kassay.reading.kafka.offsets.records import read_record, type_of

TOOL: Final = "kafka-console-consumer with GroupMetadataMessageFormatter"
LONGEST: Final = 1 << 26
"""The most characters of one object: a group of 10,000 members has a tenth of that."""
_CHUNK: Final = 1 << 20
_NEXT: Final = re.compile(r'\{"key":')
_DECODER: Final = json.JSONDecoder()


def read_console(read: Callable[[int], bytes], file: str) -> Iterator[LogItem]:
    """The records that `read`, called with a number of bytes, returns; places are `FILE:1`, `FILE:2`, ...

    Each record is a batch of its own. An unreadable record is a row that says why.
    """
    for number, held in enumerate(_objects(read), start=1):
        yield LogBatch()
        place = Place(file, number)
        if isinstance(held, str):
            yield LogRow(place, None, None, UNTYPED, 0, unread=held)
            continue
        try:
            key = held.get("key")
            kind = type_of(key, "key")
            row = LogRow(place, None, None, kind, hash(json.dumps(key)))
            yield row._replace(record=read_record(key, held.get("value")))
        except InputError as error:
            yield LogRow(place, None, None, UNTYPED, 0, unread=str(error))


def _objects(read: Callable[[int], bytes]) -> Iterator[dict[str, object] | str]:
    """The objects in order; a text says why one is unreadable."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    text, size, more = "", _CHUNK, True
    while more:
        chunk = read(size)
        more = bool(chunk)
        text += decode(chunk, not more)
        at = 0
        while (begin := _NEXT.search(text, at)) is not None:
            at = begin.start()
            try:
                held, at = _DECODER.raw_decode(text, at)
            except (ValueError, RecursionError) as error:
                if more and len(text) - at < LONGEST and not isinstance(error, RecursionError):
                    break
                yield f"not JSON: {error}"
                at += 1
                continue
            yield held
        text = text[at:] if begin is not None else text[-len('{"key":') :]
        # An object that is longer than the present text is not parsed again for every chunk.
        size = max(_CHUNK, len(text))
