"""Traces: written, read back, and refused with the field that is wrong."""

import json

import pytest

from kassay.certify.runs.replay import read_trace
from kassay.model.errors import InputError
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.groups.trace import SCHEMA, Trace
from kassay.model.kinds import Kind

CASE = {
    "cluster": {"brokers": [], "topics": [{"name": "t", "partitions": 2}]},
    "reports": "joined",
    "changes": [[{"event": "Join", "member": {"id": "a", "topics": ["t"]}, "config": {}}]],
}
TRACE = Trace(
    Kind.CLIENT, "range", None, RebalanceProtocol.EAGER, "topic-even", False, CASE, ("topic-even: t",)
)


def test_a_saved_trace_is_read_back(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(TRACE.to_json()))
    assert read_trace(path) == TRACE


def test_a_trace_of_version_1_is_read_with_the_letter_of_its_kind(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(TRACE.to_json() | {"schema": "kassay/trace/1", "kind": "C"}))
    assert read_trace(path) == TRACE


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(schema="kassay/trace/3"), "another version"),
        (lambda d: d.update(schema="other/1"), "expected 'kassay/trace/2'"),
        (lambda d: d.pop("claim"), "claim: missing"),
        (lambda d: d.update(kind=3), "kind: expected client or .*, got 3"),
        (lambda d: d.update(extra=1), "extra: unknown field"),
        (lambda d: d.update(index="x"), "index: expected a whole number"),
    ],
)
def test_a_damaged_trace_is_refused_by_field(tmp_path, change, said):
    document = TRACE.to_json()
    change(document)
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=said) as caught:
        read_trace(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[1]", b"null"])
def test_what_is_no_trace_is_refused(tmp_path, content):
    path = tmp_path / "t.json"
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_trace(path)
    with pytest.raises(InputError, match="no such file"):
        read_trace(tmp_path / "missing.json")


def test_traces_are_written_in_version_2():
    assert SCHEMA == "kassay/trace/2"
