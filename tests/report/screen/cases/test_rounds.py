"""The rounds of a trace on a terminal: what varies, the broken round, the guilty, and what could have been."""

import pytest
from rich.console import Console

from kassay.certify.findings.could_be import broken_and_could_be
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import CLIENT
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS
from kassay.report.facts import could_be_of
from kassay.report.screen.cases.rounds import story
from tests.certify.findings.cases import smallest


def shown(kind, name):
    driver, case, subject, promised = smallest(kind, name)
    broken, possible = broken_and_could_be(driver, case, subject, promised)
    screen = Console(width=250)
    with screen.capture() as out:
        screen.print(story(driver.narrate(case, subject), broken=broken, possible=could_be_of(possible)))
    return out.get()


@pytest.mark.slow_cases("client-counts-partitions-words1")
@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (
            CLIENT,
            "gives-twice",
            ["topics t0[1]  <- broken here", "t0-0!", "could be: 1 0: m0 t0-0, m1 -"],
        ),
        (CLIENT, "counts-partitions", ["weights: ", "m02!", " by weight in 2 moves: "]),
        (CLIENT, "forgets-racks", ["replicas in racks: t0-0 ", "(rack "]),
        (CLIENT, "deals-by-member-id", ["(static ", "round 2"]),
        (CLIENT, "serves-its-leader", ["m0 leads", "m1 leads"]),
        (PLACER, "repeats-broker", ["<- broken here", "0!", "could be: partition 0 on 0 1"]),
        (PARTITIONER, "remembers-keys", ["<- broken here", "could be: partition 0"]),
        (STREAMS, "ignores-threads", ["at rest", "<- broken here", "0000!"]),
        (CONNECT, "gives-lost-work-to-one", ["w0!", "could be: w0 starts c0 c0-0, w1 starts c0-1"]),
        (PLANNER, "goes-round-about", ["<- broken here", "could be: 0 moves: none"]),
    ],
)
def test_the_cause_is_at_a_glance(kind, name, words):
    text = shown(kind, name)
    assert [each for each in words if each not in text] == []
    assert text.count("<- broken here") == 1


def test_a_simple_trace_stays_simple():
    text = shown(CLIENT, "gives-twice")
    assert not any(word in text for word in ("leads", "weights", "racks", "static", "user data", "@"))


def test_a_broken_round_far_behind_is_shown():
    rounds = [
        {"generation": n, "topics": {"t": 1}, "members": [], "answer": {}, "leader": None} for n in range(20)
    ]
    broken = [{"step": 0, "round": 15, "subject": "t-0", "facts": {}}]
    screen = Console(width=150)
    with screen.capture() as out:
        screen.print(story([{"rounds": rounds}], broken=broken))
    text = out.get()
    assert "8 rounds before" in text
    assert "round 16, generation 15, topics t[1]  <- broken here" in text
    assert "and 4 more rounds" in text
