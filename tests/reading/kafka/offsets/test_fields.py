"""Every field of a genuine record changes what is read, or is listed here as not used."""

import copy
import gzip
import json

from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.records import read_record
from tests.paths import DOCS, ROOT

DATA = ROOT / "tests" / "data" / "audits"
FILES = ("dump-4.4.0.txt.gz", "restless-4.4.txt.gz")
NOT_USED = {"rebalanceTimeoutMs", "assignmentEpochs", "assignmentTimestamp"}
"""Of consumer groups; `docs/audit.md` names them."""


def records():
    decoder = json.JSONDecoder()
    for name in FILES:
        for line in gzip.decompress((DATA / name).read_bytes()).decode().splitlines():
            at = line.find('key: {"type":')
            if at < 0 or line[at : at + 16] in ('key: {"type":"0"', 'key: {"type":"1"'):
                continue
            key, end = decoder.raw_decode(line, at + len("key: "))
            payload = line[end:].strip().removeprefix("payload: ")
            if payload != "<DELETE>":
                yield key, json.loads(payload)


def leaves(value, path=()):
    """The paths of a value's leaves, with one other value for each."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list) and value and not isinstance(value[0], (int, str)):
        yield from leaves(value[0], (*path, 0))
    elif isinstance(value, list):
        yield path, [*value, 77 if value and isinstance(value[0], int) else "other"]
    elif isinstance(value, bool) or value is None:
        yield path, "b3RoZXI="
    else:
        yield path, value + 1 if isinstance(value, int) else f"{value}x"


def varied(value, path, other):
    value = copy.deepcopy(value)
    at = value
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = other
    return value


def test_every_field_that_is_not_listed_changes_what_is_read():
    unused, used = set(), set()
    for key, value in list(records())[:150]:
        before = read_record(key, value)
        for path, other in leaves(value["data"]):
            field = next(step for step in reversed(path) if isinstance(step, str))
            try:
                same = read_record(key, {**value, "data": varied(value["data"], path, other)}) == before
            except InputError:
                same = False
            (unused if same else used).add(field)
    assert unused - used <= NOT_USED
    assert not NOT_USED & (used - unused), "used by now: no longer list it"
    assert all(f"`{name}`" in (DOCS / "audit.md").read_text() for name in NOT_USED)
