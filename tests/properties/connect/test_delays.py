"""Claims about delays count where an answer breaks them, and say what is wrong."""

from dataclasses import replace

import pytest

from kassay.model.connect.history import ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, ConnectRequest, ConnectWorker, WorkerChange
from kassay.properties.claims import parse_claim
from kassay.properties.registry import applies
from tests.properties.confirming import both_seen, confirm
from tests.properties.connect.requests import requests, steps

EVEN = ConnectRequest((("a", 0), ("b", 0)), (ConnectWorker("x", ("a",)), ConnectWorker("y", ("b",))), 10, 5)
UNEVEN = replace(EVEN, workers=(ConnectWorker("x", ("a", "b")), ConnectWorker("y")))
MISSING = replace(EVEN, workers=(ConnectWorker("x", ("a",)),))
KEEP = ConnectAssignment({"x": WorkerChange()})
TAKE = ConnectAssignment({"x": WorkerChange((), ("a",))})


def subjects(claim_id, step):
    found = parse_claim(claim_id, CONNECT)
    return [e.subject for e in found.kind.predicate(step)] if applies(found.kind, step) else None


@pytest.mark.parametrize(
    ("request_", "delay", "lost", "subjects_"),
    [
        (EVEN, 0, (), []),
        (EVEN, 1, (), ["the delay"]),
        (UNEVEN, 1, (), []),
        (MISSING, 5, (("b", 10),), []),
        (MISSING, 6, (("b", 10),), ["the delay"]),
        (EVEN, -1, (), ["the delay"]),
        (MISSING, 3, (("b", 8),), []),
        (MISSING, 4, (("b", 8),), ["the delay"]),
        (MISSING, 5, (("b", 5),), []),
        (MISSING, 5, (("b", 4),), []),
    ],
)
def test_a_delay_needs_a_loss_or_too_much_on_a_worker(request_, delay, lost, subjects_):
    step = ConnectStep(request_, ConnectAssignment({}, delay), lost_since=lost)
    assert subjects("delayed-for-loss", step) == subjects_


def test_what_is_given_out_waits_no_more():
    given = ConnectAssignment({"x": WorkerChange(("b",))}, 5)
    assert subjects("delayed-for-loss", ConnectStep(MISSING, given, lost_since=(("b", 8),))) == []


@pytest.mark.parametrize(
    ("since", "answer", "subjects_"),
    [
        (6, KEEP, None),
        (5, KEEP, ["b"]),
        (5, TAKE, []),
        (4, TAKE, ["b"]),
        (4, ConnectAssignment({"x": WorkerChange(("b",))}), []),
    ],
)
def test_lost_work_is_given_out_when_its_delay_is_over(since, answer, subjects_):
    assert subjects("lost-returns", ConnectStep(MISSING, answer, lost_since=(("b", since),))) == subjects_


@pytest.mark.parametrize(
    ("known", "answer", "subjects_"),
    [
        ({}, TAKE, None),
        ({"waits_until_ms": 10}, TAKE, None),
        ({"waits_until_ms": 11}, TAKE, ["x"]),
        ({"waits_until_ms": 11}, KEEP, []),
        ({"took_back": True}, TAKE, ["x"]),
    ],
)
def test_nothing_is_taken_back_while_a_delay_is_on_or_right_after_a_round_that_did(known, answer, subjects_):
    assert subjects("backs-off", ConnectStep(UNEVEN, answer, **known)) == subjects_
    assert subjects("backs-off", ConnectStep(replace(UNEVEN, max_delay_ms=0), answer, took_back=True)) is None


@pytest.mark.parametrize(
    ("claim_id", "known"),
    [
        ("delayed-for-loss", {}),
        ("delayed-for-loss", {"lost_since": (("a", 10),)}),
        ("backs-off", {"took_back": True}),
        ("backs-off", {"waits_until_ms": 11}),
    ],
)
def test_a_claim_counts_where_an_answer_breaks_it(claim_id, known):
    found = parse_claim(claim_id, CONNECT)
    outcomes = {confirm(found, list(steps(request, **known))) for request in requests(1)}
    assert outcomes == ({True} if claim_id == "delayed-for-loss" else {True, False})


def test_overdue_work_counts_where_there_is_some():
    found = parse_claim("lost-returns", CONNECT)
    lost = [request for request in requests(1) if request.configured - request.runners.keys()]
    both_seen(
        confirm(found, list(steps(request, lost_since=((request.connectors[0][0], since),))))
        for request in lost
        for since in (1, 9)
    )
