"""Frames on a terminal: what varies, the broken frame, the guilty, and what could have been."""

import pytest
from rich.console import Console

from kassay.certify.findings.could_be import broken_and_could_be
from kassay.kinds.frames import Cell, Frame, Grid, Row
from kassay.kinds.views import frames_of
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import CLIENT
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS
from kassay.report.screen.story import story, window
from tests.certify.findings.cases import smallest


def shown(kind, name):
    driver, case, subject, promised = smallest(kind, name)
    broken, possible = broken_and_could_be(driver, case, subject, promised)
    screen = Console(width=250)
    with screen.capture() as out:
        steps, document = driver.narrate(case, subject), driver.form.write(case)
        screen.print(story(frames_of(kind, steps, document, (), broken, possible)))
    return out.get()


@pytest.mark.slow_cases("client-counts-partitions-words1")
@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (
            CLIENT,
            "gives-twice",
            [
                "Round 1 of 1, generation 1  <- broken here",
                "Topics: t0 (1 partition)",
                "t0-0!",
                "could be: 1 0: m0 t0-0, m1 -",
            ],
        ),
        (CLIENT, "counts-partitions", ["Weights: ", "m02!", " by weight in 2 moves: "]),
        (CLIENT, "forgets-racks", ["Replicas in racks: t0-0 ", "(rack "]),
        (CLIENT, "deals-by-member-id", ["(static ", "Round 2 of "]),
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
    assert not any(word in text for word in ("leads", "Weights", "racks", "static", "user data", "-1"))


def test_a_broken_round_far_behind_is_shown():
    rounds = [
        {"generation": n, "topics": {"t": 1}, "members": [], "answer": {}, "leader": None} for n in range(20)
    ]
    broken = [{"step": 0, "round": 15, "subject": "t-0", "facts": {}}]
    steps = [{"change": 0, "settled": True, "rounds": rounds}]
    screen = Console(width=150)
    with screen.capture() as out:
        screen.print(story(frames_of(CLIENT, steps, {}, (), broken)))
    text = out.get()
    assert "8 rounds before" in text
    assert "Round 16 of 20, generation 15  <- broken here\n    Topics: t (1 partition)" in text
    assert "and 4 more rounds" in text


def test_of_a_large_table_the_guilty_rows_are_shown():
    rows = tuple(Row(f"m{n}", (Cell(text=str(n)),), guilty=n == 50) for n in range(70))
    screen = Console(width=150)
    with screen.capture() as out:
        screen.print(story([Frame("round-1", "1", "Round 1", Grid(("member", "load"), rows))], 8))
    text = out.get()
    assert "19 members before" in text
    assert "m50!" in text
    assert "and 19 more members" in text


def test_the_first_that_is_marked_is_always_shown():
    assert window([False] * 9, 4) == (0, 4)
    assert window([False] * 8 + [True], 4) == (5, 4)
    assert window([True] + [False] * 8, 4) == (0, 4)
    assert window([], 4) == (0, 0)
