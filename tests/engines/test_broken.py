"""Where a case breaks its promise."""

import json
from dataclasses import replace

import pytest

from kassay.kinds.broken import broken_steps, plain
from kassay.kinds.registry import driver_for
from kassay.model.cluster import TopicPartition
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.player import ROUNDS_MAX
from kassay.model.kinds import RebalanceProtocol
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER
from kassay.model.streams.kinds import STREAMS
from kassay.properties.claims import parse_claim
from tests.engines.cases import smallest

CONTROLS = [
    (CLIENT, "gives-twice", (0, 0), "t0-0"),
    (CLIENT, "hands-over-at-once", (0, 0), "t0-0"),
    (CLIENT, "never-rests", (0, 1), "m0"),
    (CLIENT, "loses-last", (0, 0), "t0-0"),
    (PLACER, "repeats-broker", (0,), "partition 0"),
    (PARTITIONER, "remembers-keys", (1,), "record to t1"),
    (STREAMS, "runs-twice", (0,), "0_0"),
    (CONNECT, "hands-connector-over", (1,), "c0-1"),
]


@pytest.mark.parametrize(("kind", "name", "place", "subject"), CONTROLS)
def test_the_place_is_that_of_what_is_told_and_the_evidence_names_whom(kind, name, place, subject):
    driver, case, asked, claim = smallest(kind, name)
    broken = broken_steps(driver, driver.play(case, asked), asked, claim)
    assert broken[0].place == place
    assert broken[0].evidence.subject.startswith(subject)
    told = driver.narrate(case, asked)[place[0]]
    assert len(place) == 1 or len(told["rounds"]) > place[1]
    document = broken[0].to_json()
    assert json.loads(json.dumps(document)) == document
    assert (document["step"], document["round"]) == (place + (None,))[:2]


class TakesBack(AssignorBase):
    """Gives everything to the first member, takes it back, and then gives it again or never."""

    def __init__(self, again):
        self.again = again

    def assign(self, cluster, group):
        owned = any(member.owned for member in group.members)
        gives = not owned and (self.again or group.members[0].generation < 0)
        every = tuple(tp for tps in cluster.partitions.values() for tp in tps)
        first = group.members[0].member_id
        return Assignment({id_: every if gives and id_ == first else () for id_ in group.by_id})


@pytest.mark.parametrize(
    ("claim", "again", "places"),
    [
        ("converges", True, [(0, ROUNDS_MAX - 1)]),
        ("converges:4", True, [(0, 4)]),
        ("complete", False, [(0, 2), (0, 2)]),  # withheld in round 2, lost in round 3, and so at the end
    ],
)
def test_evidence_stands_in_the_round_by_which_it_is_plain(claim, again, places):
    driver, case, asked, _ = smallest(CLIENT, "gives-twice")
    statement = parse_claim(claim, CLIENT)
    protocol = RebalanceProtocol.COOPERATIVE
    subject = replace(asked, new=lambda _: TakesBack(again), protocol=protocol, claims=(statement,))
    assert [
        step.place for step in broken_steps(driver, driver.play(case, subject), subject, statement)
    ] == places


@pytest.mark.parametrize("kind", [CLIENT, STREAMS, PLACER])
def test_nothing_is_broken_by_a_sound_rule(kind):
    from kassay.assignors.registry import load_all
    from kassay.kinds.judging import Subject
    from kassay.properties.registry import validity_claims

    driver = driver_for(kind)
    rule = next(each for each in load_all().values() if each.kind is kind)
    name = {CLIENT: "gives-twice", STREAMS: "runs-twice", PLACER: "repeats-broker"}[kind]
    _, case, _, _ = smallest(kind, name)
    for claim in validity_claims(kind):
        subject = Subject(lambda _: rule.factory(), rule.protocol, (claim,))
        assert broken_steps(driver, driver.play(case, subject), subject, claim) == []


def test_facts_become_what_json_can_hold():
    facts = {
        "tps": (TopicPartition("t", 1), TopicPartition("u", 2)),
        "n": 3,
        "loads": {1: (2,)},
        "none": None,
    }
    assert plain(facts) == {"tps": ["t-1", "u-2"], "n": 3, "loads": {"1": [2]}, "none": None}
