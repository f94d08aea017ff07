"""Instances of consumers as certificates hold them: what is not there is owned and given out by nobody.

What forces a balance: the named sets do, by arithmetic.
"""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import Outcome, check_certificate, derived, pose
from kassay.solver.check.consumers import why_not_better
from kassay.solver.instances.families import Wanted, solve_document
from kassay.solver.instances.groups import consumer


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


TOO_MUCH = re.compile(
    r"(.+) (?:has|have) (\d+) partitions?, read by (.+?)( alone)?; "
    r"(\d+) x (\d+) = (\d+) is too little, so one of them has at least (\d+)\."
)
TOO_LITTLE = re.compile(
    r"(.+?) reads? (.+?)(?: \((\d+) partitions?\))? and nothing else; "
    r"(\d+) x (\d+) = (\d+) is more, so one of them has at most (\d+)\."
)


def said(case: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    result = solve_document(case, Wanted())
    sentences: list[str] = derived(result["certificate"], "why_not_better")
    return result, sentences


def forcing_group(members: dict[str, str], **topics: int) -> dict[str, Any]:
    return {
        "family": "A",
        "members": [{"id": m, "topics": list(read)} for m, read in members.items()],
        "topics": [{"name": name, "partitions": count} for name, count in topics.items()],
    }


def test_a_sentence_names_who_forces_it() -> None:
    _, (heaviest, lightest) = said(forcing_group({"a": "t", "b": "tu", "c": "u"}, t=11, u=1))
    assert heaviest == (
        "t has 11 partitions, read by a, b alone; 2 x 5 = 10 is too little, so one of them has at least 6."
    )
    assert (
        lightest
        == "c reads u (1 partition) and nothing else; 1 x 2 = 2 is more, so one of them has at most 1."
    )


def test_who_reads_nothing_has_nothing() -> None:
    _, (heaviest, lightest) = said(forcing_group({"a": "t", "b": ""}, t=2))
    assert heaviest.startswith("t has 2 partitions, read by a alone; 1 x 1 = 1 is too little")
    assert lightest == "b reads no topic and nothing else; 1 x 1 = 1 is more, so one of them has at most 0."


def test_an_even_balance_needs_no_sentence() -> None:
    assert said(consumer("join", 1))[1] == []
    assert said(forcing_group({"a": "tu", "b": "tu"}, t=1, u=1))[1] == []


def test_the_smallest_of_several_sets_is_named() -> None:
    """Both a with b and c alone have topics that nobody else reads, and three partitions each."""
    _, (heaviest, _) = said(forcing_group({"a": "tu", "b": "tu", "c": "v", "d": ""}, t=3, u=3, v=3))
    assert "v has 3 partitions, read by c alone" in heaviest


def test_topics_that_go_together_are_counted_together() -> None:
    case = forcing_group({"a": "tu", "b": "", "c": "tu"}, t=3, u=3)
    case["copartition"] = [["t", "u"]]
    result, (heaviest, lightest) = said(case)
    assert result["loads"] == [0, 2, 4]
    assert heaviest == (
        "t, u have 6 partitions, read by a, c alone; 2 x 2 = 4 is too little, so one of them has at least 4."
    )
    assert lightest.endswith("1 x 2 = 2 is more, so one of them has at most 0.")


@pytest.mark.parametrize("seed", range(25))
def test_what_is_said_is_so(seed: int) -> None:
    case = consumer("random", seed, members=6, partitions=22, topics=5, density=30)
    result, sentences = said(case)
    if result["loads"][-1] - result["loads"][0] <= 1:
        assert sentences == []
        return
    reads = {member["id"]: set(member["topics"]) for member in case["members"]}
    counts = {topic["name"]: topic["partitions"] for topic in case["topics"]}
    topics, total, members, _, size, less, product, bound = TOO_MUCH.fullmatch(sentences[0]).groups()
    named = set(topics.split(", "))
    assert {m for m in reads if reads[m] & named} == set(members.split(", "))
    assert int(size) == len(members.split(", "))
    assert sum(counts[t] for t in named) == int(total) > int(product) == int(size) * int(less)
    assert int(bound) == result["loads"][-1] == int(less) + 1
    members, topics, total, size, more, product, bound = TOO_LITTLE.fullmatch(sentences[1]).groups()
    own = set().union(*(reads[m] for m in members.split(", ")))
    assert own == (set() if topics == "no topic" else set(topics.split(", ")))
    assert sum(counts[t] for t in own) == int(total or 0) < int(product) == int(size) * int(more)
    assert int(bound) == result["loads"][0] == int(more) - 1
    assert int(size) == len(members.split(", "))


def test_whom_a_sentence_can_do_without_is_not_named() -> None:
    """Somebody has to have four of eight that a and b have; that t alone is too much says so without b."""
    result, (heaviest, lightest) = said(forcing_group({"a": "tu", "b": "uv", "c": "w"}, t=4, u=1, v=3, w=1))
    assert result["loads"] == [1, 4, 4]
    assert "; 1 x 3 = 3 is too little, so one of them has at least 4." in heaviest
    assert (
        lightest
        == "c reads w (1 partition) and nothing else; 1 x 2 = 2 is more, so one of them has at most 1."
    )


def test_of_many_names_the_first_few_are_listed() -> None:
    members = {f"m{i}": ["t"] for i in range(10)} | {"z": []}
    form = {
        "members": [{"id": m, "topics": row} for m, row in members.items()],
        "topics": [{"name": "t", "partitions": 20}],
        "copartition": [],
    }
    assignment = {f"m{i}": {"t": [i, 10 + i]} for i in range(10)} | {"z": {}}
    heaviest, _ = why_not_better(form, assignment)
    assert "read by m0, m1, m2, m3, m4, m5, m6, m7 and 2 more alone;" in heaviest
    assert pose(forcing_group({"a": "t"}, t=1)).form["copartition"] == []
