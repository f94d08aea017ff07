"""Traces: written, read back, and refused with the field that is wrong."""

import json

import pytest

from kassay.engines.runs.replay import read_trace
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.model.trace import SCHEMA, Conditions, Trace

CASE = {
    "cluster": {"brokers": [], "topics": [{"name": "t", "partitions": 2}]},
    "reports": "joined",
    "changes": [[{"event": "Join", "member": {"id": "a", "topics": ["t"]}, "config": {}}]],
}
CONDITIONS = Conditions({"a": "b"}, 0.5, 64, True, ("no-racks",), ("pure", "topic-even"), None)
TRACE = Trace(
    CLIENT, "range", None, RebalanceProtocol.EAGER, "topic-even", False, CASE, ("topic-even: t",),
    seed=1, index=2, conditions=CONDITIONS, versions={"kassay": "1.0", "python": "3.11.4"},
)  # fmt: skip


def test_a_saved_trace_is_read_back(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(TRACE.to_json()))
    assert read_trace(path) == TRACE


@pytest.mark.parametrize("version", [2, 3, 4])
def test_traces_of_other_versions_are_refused(tmp_path, version):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(TRACE.to_json() | {"schema": f"kassay/trace/{version}"}))
    with pytest.raises(InputError, match=f"trace/{version}' is of another version of kassay"):
        read_trace(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(schema="kassay/trace/6"), "another version"),
        (lambda d: d.update(schema="other/1"), "expected 'kassay/trace/5'"),
        (lambda d: d.pop("claim"), "claim: missing"),
        (lambda d: d.pop("conditions"), "conditions: missing"),
        (lambda d: d.pop("versions"), "versions: missing"),
        (lambda d: d["conditions"].pop("config"), "conditions.config: missing"),
        (lambda d: d["conditions"].update(call_timeout_s=float("1e10")), "seconds above 0 and at most"),
        (lambda d: d["conditions"].update(call_timeout_s=True), "call_timeout_s: expected a number of"),
        (lambda d: d["conditions"].update(memory_mib=0), "memory_mib: expected a whole number of at least 1"),
        (lambda d: d["conditions"].update(hash_seed=2**32), "hash_seed: expected a whole number"),
        (lambda d: d.update(kind=3), "kind: expected a string, got 3"),
        (lambda d: d.update(kind="C"), "kind: kind 'C': expected one of client, .*"),
        (lambda d: d.update(extra=1), "extra: unknown field"),
        (lambda d: d.update(index="x"), "index: expected a whole number"),
        (lambda d: d.pop("broken"), "broken: missing"),
        (lambda d: d.pop("could_be"), "could_be: missing"),
        (lambda d: d.update(broken=[{}]), r"broken\[0\].step: missing"),
        (lambda d: d.update(could_be={"step": -1}), "could_be.step: expected a whole number"),
        (lambda d: d.pop("answers"), "answers: missing"),
        (lambda d: d.pop("repeated"), "repeated: missing"),
        (lambda d: d.update(repeated={"plays": 0, "broken": 0}), "repeated.plays: expected a whole number"),
        (lambda d: d.update(repeated={"plays": 2, "broken": 3}), "repeated.broken: expected at most 2"),
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


def test_traces_are_written_in_version_5():
    assert SCHEMA == "kassay/trace/5"
