"""The claims on share groups, on recordings made by hand."""

import pytest

from kassay.engines.live.claims.rulings import Word
from kassay.engines.live.judge import judge
from kassay.engines.live.program import REPORTABLE, Acknowledged, RecordsRead, Span, Stall
from kassay.engines.live.recording import MS
from tests.engines.live.shares import A0, A1, act, life, recording


def read(t, partition, first, last):
    return RecordsRead(t * MS, (Span(partition, first, last, last - first + 1),))


def accepted(t, partition, first, last):
    return Acknowledged(t * MS, (t - 1) * MS, (Span(partition, first, last, last - first + 1),))


JOIN = act("join", 0, 100)
RIGHT = (
    life("m1", read(10, A0, 0, 4), accepted(20, A0, 0, 4)),
    life("m2", read(10, A1, 0, 2), accepted(20, A1, 0, 2)),
)
PRODUCED = {A0: 5, A1: 3}


def rulings(*lives, steps=(JOIN,), produced=PRODUCED, starts=None):
    verdict = judge(recording(*lives, steps=steps, produced=produced, starts=starts or {}))
    return {each.claim: (each.word, each.text) for each in verdict.rulings}


def test_a_right_group_breaks_no_claim():
    found = rulings(*RIGHT)
    vacuous = [claim for claim, (word, _) in found.items() if word is Word.VACUOUS]
    assert vacuous == ["moves"] and found["moves"][1] == "the partitions of a share group have no owner"
    assert {word for word, _ in found.values()} == {Word.HOLDS, Word.VACUOUS}


def test_members_may_share_a_partition():
    both = frozenset({A0, A1})
    found = rulings(*RIGHT, steps=(act("join", 0, 100, {"m1": both, "m2": both}),))
    assert {word for word, _ in found.values()} == {Word.HOLDS, Word.VACUOUS}


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"m1": frozenset({A0, A1}), "m2": frozenset()}, "loads [0, 2]"),
        ({"m1": frozenset({A0}), "m2": frozenset()}, ""),
    ],
)
def test_a_group_whose_counts_differ_by_two_is_unbalanced(members, text):
    word, words = rulings(*RIGHT, steps=(act("join", 0, 100, members),))["balanced"]
    assert (word, words) == ((Word.VIOLATED, text) if text else (Word.HOLDS, ""))


def test_a_partition_that_the_coordinator_assigns_to_none_is_named():
    members = {"m1": frozenset({A0}), "m2": frozenset()}
    found = rulings(*RIGHT, steps=(act("join", 0, 60_000, members, settled=False),))
    assert found["complete"] == (Word.VIOLATED, "without an owner: a-1")


def test_a_record_that_two_members_hold_is_found():
    late = life("m2", read(15, A0, 3, 4), accepted(30, A0, 3, 4), read(31, A1, 0, 2), accepted(32, A1, 0, 2))
    found = rulings(RIGHT[0], late)
    assert found["exclusive"] == (Word.VIOLATED, "a-0 3 to 4 held by m1 and m2 for 5.0 ms")
    assert found["progress"] == (Word.VIOLATED, "a-0 3 acknowledged by m1 and again by m2")


def test_what_a_stall_touches_is_unknown():
    late = life("m2", read(15, A0, 3, 3), Stall(16 * MS, 5))
    assert rulings(RIGHT[0], late)["exclusive"] == (Word.UNKNOWN, "m2 stalled")


def test_a_record_that_none_acknowledged_is_lost_once_the_group_has_settled():
    some = life("m2", read(10, A1, 0, 2), accepted(20, A1, 0, 1))
    assert rulings(RIGHT[0], some)["progress"] == (
        Word.VIOLATED,
        "1 record not acknowledged by a settled group",
    )
    steps = (act("join", 0, 100, settled=False),)
    assert rulings(RIGHT[0], some, steps=steps)["progress"][0] is Word.UNKNOWN


def test_an_acknowledgement_without_an_answer_may_have_been_accepted():
    killed = life("m2", read(10, A1, 0, 2), accepted(20, A1, 0, 1), ended=30 * MS)
    assert rulings(RIGHT[0], killed, starts={A1: 3})["progress"] == (Word.HOLDS, "")
    word, words = rulings(RIGHT[0], killed, produced={A0: 5, A1: 5}, starts={A1: 5})["progress"]
    assert word is Word.VIOLATED
    assert words == "a-1: the group has done with 2 records that no member got"


def test_a_client_that_reports_no_acknowledgement_leaves_it_unknown():
    mute = life("m1", read(10, A0, 0, 4), reports=tuple({*REPORTABLE} - {"acknowledged"}))
    found = rulings(mute, RIGHT[1])
    assert found["exclusive"][0] is Word.UNKNOWN and found["progress"][0] is Word.UNKNOWN


def test_while_a_broker_ends_locks_say_nothing():
    word, why = rulings(*RIGHT, steps=(act("restart-broker", 0, 100),))["exclusive"]
    assert (word, why) == (Word.VACUOUS, "a broker that ends gives up its locks")
