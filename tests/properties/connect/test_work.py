"""Claims about one rebalance count where an answer breaks them, and say what is wrong."""

import pytest

from kassay.model.calls import Look, Probe
from kassay.model.connect.history import ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, ConnectRequest, ConnectWorker, WorkerChange
from kassay.properties.claims import parse_claim
from tests.properties.confirming import both_seen, confirm
from tests.properties.connect.requests import requests, steps

X, Y = "x", "y"


def evidence(claim_id, running, changes, **known):
    workers = tuple(ConnectWorker(worker, own) for worker, own in running.items())
    request = ConnectRequest((("a", 0), ("b", 0)), workers)
    answer = ConnectAssignment({worker: WorkerChange(*lists) for worker, lists in changes.items()})
    predicate = parse_claim(claim_id, CONNECT).kind.predicate
    return [found.subject for found in predicate(ConnectStep(request, answer, **known))]


@pytest.mark.parametrize(
    ("claim_id", "running", "changes", "subjects"),
    [
        ("exists", {X: ()}, {X: (("a",),)}, []),
        ("exists", {X: ()}, {X: (("c",),), "z": ()}, ["c", "z"]),
        ("single-owner", {X: ("a",), Y: ("a",)}, {X: ((), ("a",))}, []),
        ("single-owner", {X: ("a",), Y: ()}, {Y: (("a",),)}, ["a"]),
        ("complete", {X: ("a",)}, {X: (("b",),)}, []),
        ("complete", {X: ("a",)}, {}, ["b"]),
        ("deleted-stops", {X: ("old",)}, {X: ((), ("old",))}, []),
        ("deleted-stops", {X: ("old",)}, {}, ["old"]),
        ("revoke-before-assign", {X: ("a",), Y: ()}, {X: ((), ("a",))}, []),
        ("revoke-before-assign", {X: ("a",), Y: ()}, {X: ((), ("a",)), Y: (("a",),)}, ["a"]),
    ],
)
def test_what_is_wrong_is_named(claim_id, running, changes, subjects):
    assert evidence(claim_id, running, changes) == subjects


@pytest.mark.parametrize("claim_id", ["single-owner", "deleted-stops", "revoke-before-assign"])
def test_a_claim_about_a_round_counts_where_an_answer_breaks_it(claim_id):
    found = parse_claim(claim_id, CONNECT)
    both_seen(confirm(found, list(steps(request))) for request in requests(1))


def test_that_everything_runs_counts_where_something_may_be_left_out_at_rest():
    found = parse_claim("complete", CONNECT)
    both_seen(confirm(found, [s for s in steps(request) if s.at_rest]) for request in requests(1))


@pytest.mark.parametrize("claim_id", ["deterministic", "order-independent"])
def test_second_looks_count_where_another_answer_is_valid(claim_id):
    found = parse_claim(claim_id, CONNECT)
    look = Look.PERMUTED if claim_id == "order-independent" else Look.AGAIN
    request = ConnectRequest((("a", 0),), (ConnectWorker(X), ConnectWorker(Y)))
    one, other = (ConnectAssignment({worker: WorkerChange(("a",))}) for worker in (X, Y))
    assert confirm(found, [ConnectStep(request, one, (Probe(look, then),)) for then in (one, other)])
    later = ConnectStep(request, one, (Probe(look, ConnectAssignment(one.workers, 1)),))
    assert [found.subject for found in found.kind.predicate(later)] == ["the delay"]
