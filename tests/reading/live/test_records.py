"""Records of `__consumer_offsets` as bytes, against what Kafka's own kafka-dump-log prints of them."""

import base64
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.records import read_record
from kassay.reading.live import records
from kassay.reading.live.records import record_json
from tests.paths import DATA

GENUINE = json.loads((DATA / "live" / "records.json").read_text("utf-8"))
"""Key and value as bytes, and as the tool prints them; the bytes of classic members it prints as JSON."""
TYPES = sorted(records._schemas())
FORMS = {"INT8": ">b", "INT16": ">h", "UINT16": ">H", "INT32": ">i", "INT64": ">q"}


@pytest.mark.parametrize(("key", "value", "shown_key", "shown_value"), GENUINE)
def test_a_record_is_what_the_tool_prints(key, value, shown_key, shown_value):
    got = record_json(base64.b64decode(key), None if value is None else base64.b64decode(value))
    assert got[0] == shown_key
    if shown_key["type"] == "2":
        assert read_record(*got) == read_record(shown_key, shown_value)
    else:
        assert got[1] == shown_value


def values(kind):
    """JSON values of a type, with their bytes."""
    if isinstance(kind, list):
        return structures(kind)
    if isinstance(kind, dict) and "array" not in kind:
        present = structures(kind["nullable"]).map(lambda each: (each[0], b"\1" + each[1]))
        return st.just((None, b"\xff")) | present
    if isinstance(kind, dict):
        return st.lists(values(kind["array"]), max_size=3).map(lambda each: listed(each, kind["compact"]))
    if kind in FORMS:
        size = struct.calcsize(FORMS[kind]) * 8
        low, high = (0, 2**size - 1) if kind.startswith("U") else (-(2 ** (size - 1)), 2 ** (size - 1) - 1)
        return st.integers(low, high).map(lambda each: (each, struct.pack(FORMS[kind], each)))
    if kind == "UUID":
        return st.binary(min_size=16, max_size=16).map(
            lambda raw: (base64.urlsafe_b64encode(raw).decode().rstrip("="), raw)
        )
    is_bytes, is_compact = kind.endswith("BYTES"), kind.startswith("COMPACT")
    content = (
        st.binary(max_size=300)
        if is_bytes
        else st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
    )

    def sized(value):
        raw = value if is_bytes else value.encode()
        shown = base64.b64encode(raw).decode() if is_bytes else value
        head = varint(len(raw) + 1) if is_compact else struct.pack(">i" if is_bytes else ">h", len(raw))
        return shown, head + raw

    null = (None, varint(0) if is_compact else struct.pack(">i" if is_bytes else ">h", -1))
    return content.map(sized) | (st.just(null) if "NULLABLE" in kind else st.nothing())


def listed(each, is_compact):
    head = varint(len(each) + 1) if is_compact else struct.pack(">i", len(each))
    return [value for value, _ in each], head + b"".join(raw for _, raw in each)


def structures(fields):
    """JSON objects of the fields with their bytes; no tagged field but an unknown one."""
    plain = [
        (records._camel(name), kind)
        for name, kind in fields
        if not (isinstance(kind, dict) and "tagged" in kind)
    ]
    end = b"\1" + varint(99) + varint(3) + b"xyz" if len(plain) < len(fields) else b""
    return st.tuples(*(values(kind) for _, kind in plain)).map(
        lambda each: (
            {name: value for (name, _), (value, _) in zip(plain, each, strict=True)},
            b"".join(raw for _, raw in each) + end,
        )
    )


def varint(number):
    raw = bytearray()
    while number > 0x7F:
        raw.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*raw, number])


@pytest.mark.slow
@given(st.sampled_from(TYPES), st.data())
def test_what_is_written_by_the_schema_is_read_back(kind, data):
    schema = records._schemas()[kind]
    key, raw_key = data.draw(structures(schema["key"]))
    version = data.draw(st.sampled_from(sorted(schema["value"])))
    value, raw = data.draw(structures(schema["value"][version]))
    got = record_json(struct.pack(">h", kind) + raw_key, struct.pack(">h", int(version)) + raw)
    assert got == ({"type": str(kind), "data": key}, {"version": version, "data": value})


@given(st.binary(max_size=40), st.none() | st.binary(max_size=40))
def test_any_bytes_are_read_or_refused_in_a_line(key, value):
    try:
        record_json(key, value)
    except InputError as error:
        assert "\n" not in str(error)
