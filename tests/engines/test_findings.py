"""What could have been: an answer that keeps the promise, by the certified optimum where there is one."""

import json

import pytest

from kassay.engines.findings import broken_and_could_be
from kassay.kinds.controls import load_controls
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import CLIENT, SHARE
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS
from kassay.model.trace import COULD_BE
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Scope
from tests.engines.cases import smallest

SHOWN = [
    (CLIENT, "restarts-per-topic", "t1-0 to m0, t0-0 to m1 (loads 1 and 1)"),
    (CLIENT, "deals-afresh", "no move (loads 1 and 0)"),
    (CLIENT, "forgets-racks", "0 partitions in another rack than the replicas"),
    (CLIENT, "counts-partitions", "move t0-1 from m99 to m95 (weights 55, 51, 51, 50, 50 and 5)"),
    (CLIENT, "hands-over-at-once", "nothing to m0, nothing to m1 (loads 0 and 0)"),
    (CLIENT, "never-rests", "no move (loads 1 and 0)"),
    (SHARE, "shuffles-the-moved", "no move (loads 1 and 1)"),
    (PLACER, "starts-at-the-first", "partition 1 on broker 1"),
    (PLACER, "settles-for-less", "refused with InvalidReplicationFactorException"),
    (PLANNER, "goes-round-about", "no move"),
    (PARTITIONER, "keeps-the-sign", "partition 1"),
    (STREAMS, "runs-twice", "0_0"),
    (CONNECT, "gives-lost-work-to-one", "w0 starts c0 and c0-0; w1 starts c0-1"),
]
BY_ITSELF = [
    control
    for control in load_controls()
    if not parse_claim(control.breaks, control.kind).kind.looks
    and parse_claim(control.breaks, control.kind).kind.scope is not Scope.TIMING
    and control.breaks != "terminates"
]


def of_smallest(kind, name):
    """Where a play of the control's smallest case breaks its claim, and what the answer could have been."""
    driver, case, subject, claim = smallest(kind, name)
    return broken_and_could_be(driver, case, list(driver.play(case, subject)), subject, claim)


@pytest.mark.slow_cases(
    "client-counts-partitions-move t0-1 from m99 to m95 (weights 55, 51, 51, 50, 50 and 5)"
)
@pytest.mark.parametrize(("kind", "name", "words"), SHOWN)
def test_the_line_says_what_the_answer_could_have_been(kind, name, words):
    broken, possible = of_smallest(kind, name)
    assert words in possible["words"]
    assert (possible["step"], possible["round"]) == (broken[0]["step"], broken[0]["round"])
    assert COULD_BE.read(json.loads(json.dumps(possible)), "trace") == possible


def test_an_optimum_is_told_with_its_goals_beside_those_of_the_answer():
    _, possible = of_smallest(CLIENT, "restarts-per-topic")
    assert (possible["by"], possible["certified"]) == ("the certified optimum", True)
    assert possible["measures"]["balance"] == [1, 1]
    assert possible["instead_of"]["balance"] == [2, 0]
    assert sorted(tp for tps in possible["answer"].values() for tp in tps) == [["t0", 0], ["t1", 0]]


def test_what_compares_two_answers_has_none_that_is_right_by_itself():
    broken, possible = of_smallest(CLIENT, "remembers")
    assert broken
    assert possible is None


@pytest.mark.slow
@pytest.mark.parametrize("control", BY_ITSELF, ids=lambda control: f"{control.kind}-{control.name}")
def test_beside_every_faulty_answer_stands_one_that_keeps_the_claim(control):
    _, possible = of_smallest(control.kind, control.name)
    assert possible is not None
