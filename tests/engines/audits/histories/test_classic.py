"""Classic groups: causes, rounds, gaps, and records that are not what they seem."""

import pytest

from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import CauseWord
from tests.engines.audits.logs import member, of_records, only, tps
from tests.offsets_log import Log
from tests.played_log import a_life, played, write_classic

HALVES = [member("a", tps("orders", 0, 1)), member("b", tps("orders", 2, 3))]


def causes(group):
    return [tuple(cause.word for cause in each.causes) for each in group.rebalances]


def written(*generations, protocol="range", numbers=None):
    log = Log()
    for number, members in zip(numbers or range(1, 99), generations):
        log.classic("billing", number, protocol, members[0].member_id if members else None, members)
        log.next()
    return log


def test_the_causes_in_a_life():
    log = Log()
    write_classic(log, "g", "range", played("range", a_life()))
    group = only(log)
    assert causes(group) == [
        (),
        (CauseWord.LEFT,),
        (CauseWord.JOINED,),
        (CauseWord.TOPICS,),
        (CauseWord.LEADER,),
        (CauseWord.RESUBSCRIBED,),
    ]
    assert group.returns == {"app-b@10.0.0.7": 1}
    assert [each.measured.moved is None for each in group.rebalances] == [True] + [False] * 5


def test_rounds_of_a_cooperative_rebalance_follow_each_other_up():
    log = Log()
    write_classic(log, "g", "cooperative-sticky", played("cooperative-sticky", a_life()))
    group = only(log)
    follow_ups = [
        each.turn for each in group.rebalances if CauseWord.FOLLOW_UP in {c.word for c in each.causes}
    ]
    assert follow_ups and set(follow_ups) == {1}
    assert group.findings == []


def rounds_of(*given):
    """Generations of a cooperative group of two; what each has is what it claims in the next."""
    log, had = Log(), [(), ()]
    for number, each in enumerate(given, start=1):
        orders = [tps("orders", *numbers) for numbers in each]
        members = [
            member(name, tps_, owned=owned, generation=number - 1 if number > 1 else -1)
            for name, tps_, owned in zip("ab", orders, had)
        ]
        log.classic("billing", number, "cooperative-sticky", "a", members)
        log.next()
        had = orders
    return log


def test_a_change_after_which_too_many_rounds_revoke_is_a_finding_once_the_group_is_at_rest():
    slow = [((0, 1, 2, 3), ()), ((1, 2, 3), ()), ((2, 3), (0,)), ((3,), (0, 1)), ((3,), (0, 1, 2))]
    group = only(rounds_of(*slow))
    assert [each.turn for each in group.rebalances] == [0, 0, 1, 2, 3]
    (broken,) = [each for each in group.findings if each.claim == "converges"]
    assert (broken.generation, broken.moment.offset) == (2, group.rebalances[-1].moment.offset)
    assert broken.message == "The group revoked partitions in 3 rounds, but only 2 are allowed."
    assert "converges" not in group.rebalances[1].judged, "of a round that withholds nothing is known yet"
    two_at_once = only(rounds_of(*slow[:2], ((3,), (0,)), ((3,), (0, 1, 2))))
    assert "converges" in two_at_once.rebalances[-1].judged
    assert not [each for each in two_at_once.findings if each.claim == "converges"]


def test_a_group_that_never_comes_to_rest_is_a_finding_once():
    to_and_fro = [((1, 2), ()), ((2,), (0,))]
    group = only(rounds_of(((0, 1, 2), ()), *to_and_fro * 10))
    broken = [each for each in group.findings if each.claim == "converges"]
    assert [each.message for each in broken] == ["The group is not stable after 12 rounds."]


def test_moves_of_an_eager_group_stand_in_the_generation_before():
    swapped = [member("a", tps("orders", 2, 3)), member("b", tps("orders", 0, 1))]
    first, second = only(written(HALVES, swapped)).rebalances
    assert (first.measured.moved, second.measured.moved, second.measured.least) == (None, 4, 0)


def test_a_rebalance_that_began_anew_is_no_gap_where_nothing_is_missing():
    group = only(written(HALVES, HALVES, numbers=(1, 4)))
    assert (group.abandoned, group.gaps) == (2, [])
    assert group.rebalances[1].measured.moved == 0


def test_a_jump_over_missing_offsets_is_a_gap_and_nothing_is_said_across_it():
    log = written(HALVES, HALVES[:1], HALVES, numbers=(1, 2, 4))
    (group,) = of_records([log.records[0], log.records[2]]).groups
    last = group.rebalances[1]
    assert group.gaps == ["generations 2 to 3 are not there"]
    assert (last.causes, last.measured.moved, group.abandoned) == ((), None, 0)
    assert last.judged


def test_the_generation_before_is_enough_though_offsets_are_missing():
    log = written(HALVES, HALVES)
    log.records[1:1] = []
    (group,) = of_records(
        [log.records[0], log.records[1].__class__(**{**vars(log.records[1]), "offset": 9})]
    ).groups
    assert (group.gaps, group.rebalances[1].measured.moved) == ([], 0)


def test_an_earlier_generation_is_another_life():
    group = only(written(HALVES, HALVES, numbers=(5, 1)))
    assert group.gaps == ["generation 1 follows generation 5: another life"]


def static(name, *numbers, topics=("orders",)):
    return member(name, tps("orders", *numbers), topics=topics, instance="i-0")


def test_a_static_member_that_is_back_under_another_id_is_no_rebalance():
    log = written([static("old", 0, 1), HALVES[1]], [static("new", 0, 1), HALVES[1]], numbers=(1, 1))
    group = only(log)
    assert (len(group.rebalances), group.kept) == (1, 1)


def test_what_a_static_member_reads_is_not_believed_where_its_leader_may_have_seen_another():
    log = written([static("old", 0, 1)], [static("new", 0, 1, topics=("refunds",))], numbers=(1, 1))
    assert only(log).findings == []
    (group,) = of_records(log.records[1:]).groups
    assert (group.findings, group.rebalances[0].judged) == ([], ("single-owner",))


def test_a_generation_without_a_leader_was_no_assignors():
    log = Log()
    log.classic("billing", 3, "range", None, [member("a", tps("orders", 0, 2))])
    (rebalance,) = only(log).rebalances
    assert rebalance.judged == () and "without a leader" in rebalance.why_not


def test_an_empty_group_bytes_of_others_and_two_of_one_id_are_told():
    log = written([], HALVES)
    log.classic("connect", 1, "sessioned", "a", [HALVES[0].__class__("a", b"\x00", b"\x01")], "connect")
    log.classic("broken", 1, "range", "a", [HALVES[0].__class__("a", b"\xff\xff", b"\x01")])
    log.classic("twins", 1, "range", "a", [HALVES[0], HALVES[0]])
    whys = {each.name: each.rebalances[0].why_not for each in of_records(log.records).groups}
    assert whys["billing"] == "the group is empty"
    assert whys["connect"] == "its members speak 'connect', not the protocol of consumers"
    assert whys["broken"].startswith("bytes that do not decode: value.data.members[0].subscription: byte 0")
    assert whys["twins"] == "two of its members have one id"


@pytest.mark.parametrize(
    ("members", "claims"),
    [
        ([member("a", tps("orders", 0, 1)), member("b", tps("orders", 1))], {"single-owner", "contiguous"}),
        ([member("a", tps("orders", 0, 2))], {"complete", "contiguous"}),
        ([member("a", tps("refunds", 0))], {"subscribed"}),
        ([member("a", tps("orders", 0, 1, 2)), member("b", tps("orders", 3))], {"topic-even"}),
    ],
)
def test_a_planted_fault_is_found_in_one_record(members, claims):
    assert {each.claim for each in only(written(members)).findings} == claims


def test_a_partition_taken_before_its_owner_gave_it_up_is_found():
    members = [
        member("a", tps("orders", 0), owned=tps("orders", 0, 1), generation=4),
        member("b", tps("orders", 1), generation=4),
    ]
    group = only(written(members, protocol="cooperative-sticky", numbers=(5,)))
    (finding,) = (each for each in group.findings if each.claim == "cooperative")
    assert "orders-1 was assigned to b, but a still owns it (generation 4)." in finding.message


def test_an_assignor_of_others_is_asked_for_validity_alone():
    group = only(
        written([member("a", tps("orders", 0, 1, 2)), member("b", tps("orders", 3))], protocol="mine")
    )
    assert group.findings == [] and "balanced-kip54" not in group.rebalances[0].judged


def test_a_partition_lost_since_is_found_where_it_is_described_today():
    log = written(HALVES, [HALVES[0], member("b", tps("orders", 2))])
    assert only(log).findings == []
    (finding,) = only(log, KnownTopics({"orders": 4})).findings
    words = "orders-3 was assigned to no member, although a and b subscribe to orders."
    assert (finding.claim, finding.message) == ("complete", words)


def test_rebalances_in_a_row_are_no_unrest_for_their_beginnings_are_not_recorded():
    log = Log()
    for number in range(1, 4):
        log.classic("billing", number, "range", "a", HALVES)
        log.next(20_000)
    assert only(log).longest_unrest_ms is None


def test_rounds_of_one_rebalance_are_an_unrest():
    log = rounds_of(((0, 1, 2, 3), ()), ((0, 1), ()), ((0, 1), (2, 3)))
    last = only(log).rebalances[-1]
    assert (last.turn, last.unrest_ms) == (1, log.records[2].timestamp - log.records[1].timestamp)
