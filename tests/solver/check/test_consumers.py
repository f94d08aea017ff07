"""Instances of consumers as certificates hold them: what is not there is owned and given out by nobody."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import Outcome, check_certificate, pose


def group(*owned: list[Any]) -> dict[str, Any]:
    """Two members that read t, which has two partitions; each has owned what is listed for it."""
    members = [
        {"id": f"m{number}", "topics": ["t"], "owned": list(entries)} for number, entries in enumerate(owned)
    ]
    return {"family": "A", "members": members, "topics": [{"name": "t", "partitions": 2}]}


@pytest.mark.parametrize(
    ("instance", "said"),
    [
        (group([["t", 2]], []), "m0 owned t-2, which is not in the instance"),
        (group([["t", -1]], []), "found -1, expected a whole number from 0 on"),
        (group([["u", 0]], []), "m0 owned u-0, which is not in the instance"),
        (group([["t", 1]], [["t", 1]]), "two members owned t-1"),
        (group([["t", 1], ["t", 1]], []), "two members owned t-1"),
    ],
)
def test_what_cannot_be_owned_is_refused(instance: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        pose(instance)
    assert pose(group([["t", 1]], [["t", 0]])).size == "2 members, 2 partitions of 1 topics"


def test_a_few_words_about_very_many_partitions_take_little_room() -> None:
    instance = group([["t", 1]], [["t", 999_999]])
    instance["topics"][0]["partitions"] = 1_000_000
    pose(group([["t", 1]], []))  # what is loaded with the first one
    tracemalloc.start()
    try:
        assert pose(instance).size == "2 members, 1000000 partitions of 1 topics"
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_an_instance_has_no_more_partitions_than_there_may_be() -> None:
    instance = group([["t", 1]], [])
    instance["topics"][0]["partitions"] = 1_000_000
    instance["topics"].append({"name": "u", "partitions": 1})
    with pytest.raises(InputError, match=r"^instance\.topics: found 1000001 partitions in all, expected at"):
        pose(instance)


@pytest.mark.parametrize("ghosts", [[], [0]])
def test_a_topic_that_nobody_reads_is_not_given_out(ghosts: list[int]) -> None:
    certificate = {
        "schema": "kassay/optimum-certificate/1",
        "instance": group([["t", 1]], [["t", 0]]),
        "order": "balance,movement,rack",
        "assignment": {"m0": {"t": [1]}, "m1": {"t": [0]}},
        "levels": {"m0": 0, "m1": 0},
        "prices": {"m0": 0, "m1": 0},
        "loads": [1, 1],
        "moved": 0,
        "rack_mismatch": 0,
    }
    assert check_certificate(certificate).accepted
    certificate["assignment"] = {"m0": {"t": [1], "gone": ghosts}, "m1": {"t": [0]}}
    checked = check_certificate(certificate)
    assert checked.outcome is Outcome.REFUSED
    assert checked.reason == "gone is assigned, and no member reads it"
