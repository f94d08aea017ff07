"""What can be asked of records, and traces of what was broken.

Who caused a rebalance, from who was there before and after.
"""

import random

import pytest

from kassay.engines.audits.judging import (
    REFERENCES,
    SeenMember,
    audited_claims,
    causes,
    home,
    is_full,
    judgement,
    least_of,
    merged,
    only_owners,
    protocol_of,
    renamed,
)
from kassay.engines.audits.values import CauseWord, LogMoment, RebalanceCause, RebalanceFigures
from kassay.engines.explain import explain
from kassay.kinds.groups.oracle import best_once
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.model.groups.step import Step
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.groups.balance import ORDER
from kassay.reading.kafka.lines import Place
from kassay.writing.files import json_text
from tests.engines.audits.logs import tps

AT = LogMoment(Place("dump.txt", 3), 7, None)
HAD = (Member("a", ("t",), tps("t", 0, 1), 4), Member("b", ("t",), tps("t", 2, 3), 4))


def step(a, b, protocol=RebalanceProtocol.EAGER):
    return Step(
        Cluster.of({"t": 4}),
        Group(HAD, "a"),
        Assignment({"a": tps("t", *a), "b": tps("t", *b)}),
        5,
        protocol=protocol,
    )


@pytest.mark.parametrize(
    ("kind", "assignor", "asked"),
    [
        (CLIENT, "range", {"topic-even", "contiguous", "copartitioned"}),
        (CLIENT, "roundrobin", {"balanced-within-one"}),
        (CLIENT, "sticky", {"balanced-kip54", "sticky-minimal"}),
        (CLIENT, "cooperative-sticky", {"balanced-kip54", "cooperative", "sticky-minimal"}),
        (SERVER, "uniform", {"balanced-within-one", "sticky-minimal"}),
        (SERVER, "range", {"topic-even"}),
        (CLIENT, "theirs", set()),
        (SERVER, None, set()),
    ],
)
def test_an_assignor_is_asked_what_its_reference_declares_of_a_step(kind, assignor, asked):
    names = {each.id for part in audited_claims(kind, assignor) for each in part}
    assert names == {"single-owner", "subscribed", "complete"} | asked


def test_streams_may_hold_back_and_racks_excuse_range():
    assert "complete" not in {each.id for each in audited_claims(CLIENT, "stream").rounds}
    assert "contiguous" not in {each.id for each in audited_claims(CLIENT, "range", True).outcome}


def test_every_reference_is_there():
    for kind, names in REFERENCES.items():
        for name in names:
            assert len(audited_claims(kind, name).outcome) > 0


def test_moves_beyond_the_least_are_measured_for_all_and_found_for_the_sticky():
    swapped = step((0, 2), (1, 3))
    for assignor, claims in (("sticky", ["sticky-minimal"]), ("roundrobin", [])):
        judged = judgement(CLIENT, assignor, swapped, swapped, AT, owners_known=True)
        assert [each.claim for each in judged.findings] == claims
        assert (judged.measured, judged.measured.needless) == (RebalanceFigures(0, 0, 2, 0), 2)
    assert judgement(CLIENT, "sticky", swapped, swapped, AT, owners_known=False).measured.needless is None


def test_a_finding_is_a_trace_that_can_be_explained(tmp_path):
    twice = step((0, 1), (1, 2, 3))
    (finding,) = only_owners(CLIENT, "range", twice, AT).findings
    path = tmp_path / "trace.json"
    path.write_text(json_text(finding.trace.to_json()))
    document = explain(str(path)).to_json()
    assert (document["claim"], document["target"]) == ("single-owner", "range")
    assert document["narration"][0]["rounds"][0]["answer"]["b"] == [["t", 1], ["t", 2], ["t", 3]]


def test_a_round_that_withholds_is_no_outcome():
    cooperative = RebalanceProtocol.COOPERATIVE
    first, last = step((0,), (2, 3), cooperative), step((0,), (1, 2, 3), cooperative)
    assert (is_full(first), is_full(last)) == (False, True)
    whole = merged(first, last)
    assert (whole.group, whole.given) == (first.group, last.given)


def test_how_an_assignor_gives_on():
    eager, cooperative = RebalanceProtocol
    assert protocol_of(CLIENT, "range", True) is eager
    assert protocol_of(CLIENT, "cooperative-sticky", False) is cooperative
    assert protocol_of(CLIENT, "theirs", True) is cooperative
    assert protocol_of(CLIENT, "theirs", False) is eager
    assert protocol_of(SERVER, "uniform", True) is eager


A = SeenMember("a", None, "app-a@h", frozenset({"orders"}))
S = SeenMember("s1", "s", "s", frozenset({"orders"}))
S2 = S._replace(member_id="s2")


def test_who_came_who_went_who_is_back_and_who_reads_other_topics():
    assert causes([A], [A]) == ()
    assert causes([], [A]) == (RebalanceCause(CauseWord.JOINED, ("app-a@h",)),)
    assert causes([A], []) == (RebalanceCause(CauseWord.LEFT, ("app-a@h",)),)
    assert causes([A, S], [A, S2]) == (RebalanceCause(CauseWord.RESTARTED, ("s",)),)
    other = A._replace(topics=frozenset({"refunds"}))
    assert causes([A], [other]) == (RebalanceCause(CauseWord.RESUBSCRIBED, ("app-a@h",)),)


def test_static_members_are_known_by_their_instance():
    assert renamed([A, S], [S2]) == {"s1": "s2"}
    assert renamed([A], [A._replace(member_id="b")]) == {}


def test_a_home_is_the_instance_or_client_and_host():
    assert home("i", "app", "/10.0.0.7") == "i"
    assert home(None, "app", "/10.0.0.7") == "app@10.0.0.7"


@pytest.mark.parametrize("seed", range(60))
def test_where_all_read_the_same_the_figures_are_those_of_the_certified_optimum(seed):
    drawn = random.Random(seed)
    names = ("t", "u", "gone")[: drawn.randint(1, 3)]
    cluster = Cluster.of({name: drawn.randint(1, 7) for name in ("t", "u")})
    every = [TopicPartition(topic, n) for topic in ("t", "u", "gone") for n in range(8)]
    members = tuple(
        Member(f"m{number}", names, tuple(drawn.sample(every, drawn.randint(0, 9))), drawn.randint(-1, 2))
        for number in range(drawn.randint(1, 5))
    )
    outcome = Step(cluster, Group(members), Assignment({}), 3)
    best = best_once(outcome, ORDER)
    asked = []
    assert least_of(outcome, lambda: asked.append(1)) == (best.loads[-1] - best.loads[0], best.moved)
    assert not asked
