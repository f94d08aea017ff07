"""Certificates of share groups: a weaker cover proves less, and no cover proves what is not so."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from kassay.solver.check.check import check_certificate
from tests.solver.groups import cases


def test_no_cover_makes_a_bound_that_an_even_answer_goes_below() -> None:
    rng = random.Random(5)
    weaker = 0
    for case in cases.drawn(23, 60):
        least = cases.least_taken_back(case)
        certificate = copy.deepcopy(cases.solved(case)["certificate"])
        ids = [member["id"] for member in case["members"]]
        tps = [[topic["name"], p] for topic in case["topics"] for p in range(topic["partitions"])]
        for _ in range(20):
            for cover in certificate["covers"]:
                cover["members"] = [id_ for id_ in ids if rng.random() < 0.4]
                cover["partitions"] = [tp for tp in tps if rng.random() < 0.4]
            checked = check_certificate(certificate)
            assert checked.accepted
            weaker += "interval" in checked.reason
            bound = checked.reason.partition("shared, ")[2].split()[0]
            assert int(bound) <= least, (case, certificate["covers"])
    assert weaker > 50


SHARED: dict[str, Any] = {
    "family": "D",
    "members": [
        {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1]]},
        {"id": "b", "topics": ["t"], "owned": [["t", 0], ["t", 1]]},
        {"id": "c", "topics": ["t"]},
    ],
    "topics": [{"name": "t", "partitions": 2}],
}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"moved": 0}, "copies are taken back, not 0"),
        ({"moved": 5}, "copies are taken back, not 5"),
        ({"assignment": {"a": {"t": [0]}, "b": {"t": [1]}, "c": {"t": [0]}}}, "t-1 has 1 members, not 2"),
        (
            {"assignment": {"a": {"t": [0, 1]}, "b": {"t": [0, 1]}, "c": {}}},
            "members have 0 to 2 partitions",
        ),
        ({"covers": []}, "covers are not given for exactly the parts"),
        (
            {"covers": [{"members": [], "partitions": []}, {"topic": "t", "members": [], "partitions": []}]},
            "covers are not given for exactly the parts",
        ),
        ({"covers": [{"members": [], "partitions": []}] * 2}, "a part has two covers"),
    ],
)
def test_what_is_no_even_sharing_or_no_cover_is_refused(changed: dict[str, Any], reason: str) -> None:
    certificate = cases.solved(SHARED)["certificate"]
    assert check_certificate(certificate).accepted
    assert reason in check_certificate(certificate | changed).reason
    assert not check_certificate(certificate | changed).accepted
