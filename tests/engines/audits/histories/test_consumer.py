"""Consumer groups of KIP-848: names, epochs, static members, unrest, and what stands at the end of a compacted log.

Share groups: played by Kafka's rule they are clean, and each thing that can go wrong in a target is seen.
"""

import pytest

from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import CauseWord, GroupProtocol
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave, Resubscribe, Withhold
from tests.engines.audits.logs import audited, of_records, only, tps
from tests.offsets_log import Log, cleaned, dump
from tests.played_log import a_life, played, write_consumer
from tests.played_targets import write_share


def joined(log, *names, topics=("orders",), **how):
    for name in names:
        log.subscription("g", name, list(topics), client=name, **how)


def target(log, epoch, group_epoch=None, **targets):
    log.epoch("g", group_epoch or epoch)
    for name, numbers in targets.items():
        log.target("g", name, tps("A", *numbers))
    log.target_epoch("g", epoch)
    log.next()


def test_the_causes_in_a_life_and_how_long_each_took():
    log = Log()
    write_consumer(log, "g", "uniform", played("uniform", a_life()))
    group = only(log)
    assert [tuple(cause.word for cause in each.causes) for each in group.rebalances] == [
        (CauseWord.BEGAN,),
        (CauseWord.LEFT,),
        (CauseWord.JOINED,),
        (CauseWord.TOPICS,),
        (CauseWord.UNSEEN,),
        (CauseWord.RESUBSCRIBED,),
    ]
    assert group.returns == {"app-b@10.0.0.7": 1}
    assert all(each.unrest_ms > 0 for each in group.rebalances)
    assert group.findings == []


def test_without_names_groups_of_one_mind_are_judged_and_others_asked_for_owners_alone():
    log = Log()
    joined(log, "a", "b", assignor="uniform")
    target(log, 1, a=(0, 1, 2), b=(3,))
    (finding,) = only(log).findings
    assert finding.claim == "balanced-within-one"
    joined(log, "b", topics=("refunds",), assignor="uniform")
    target(log, 2, a=(0,), b=(1,))
    assert only(log).rebalances[1].judged == ("single-owner",)


def test_names_come_from_the_description_of_topics():
    log = Log()
    joined(log, "a", topics=("refunds",))
    target(log, 1, a=(0, 1))
    assert only(log).findings == []
    (finding,) = only(log, KnownTopics({"orders": 2}, {"A": "orders"})).findings
    assert finding.claim == "subscribed"


def test_a_target_for_an_older_epoch_is_not_held_against_who_is_there_now():
    log = Log()
    joined(log, "a", "b", assignor="uniform")
    target(log, 1, 2, a=(0, 1, 3))
    (rebalance,) = only(log).rebalances
    assert (rebalance.judged, rebalance.findings) == (("single-owner",), ())


def test_a_regular_expression_reads_what_it_was_resolved_to():
    log = Log()
    log.named("g", {"A": ("orders", 2)})
    joined(log, "a", topics=(), regex="ord.*")
    log.add(
        16,
        {"groupId": "g", "regularExpression": "ord.*"},
        (0, {"topics": ["orders"], "version": 1, "timestamp": 1}),
    )
    target(log, 1, a=(0, 1))
    (rebalance,) = only(log).rebalances
    assert rebalance.findings == () and "subscribed" in rebalance.judged


def test_a_static_member_is_replaced_in_one_batch_and_owns_nothing_twice():
    log = Log()
    joined(log, "a", instance="i-0")
    target(log, 1, a=(0, 1))
    log.current("g", "a", 1, tps("A", 0, 1))
    log.next()
    log.current("g", "b", 1, tps("A", 0, 1))
    log.current("g", "a", None)
    log.target("g", "a", None)
    log.subscription("g", "a", None)
    joined(log, "b", instance="i-0")
    log.target("g", "b", tps("A", 0, 1))
    log.next()
    assert only(log).findings == []


def test_a_partition_that_is_still_to_be_given_up_is_owned():
    log = Log()
    joined(log, "a", "b")
    target(log, 1, a=(0, 1), b=())
    log.current("g", "a", 1, tps("A", 0), tps("A", 1), state=1)
    log.next()
    log.current("g", "b", 1, tps("A", 1))
    log.next()
    log.current("g", "b", 1, tps("A", 1))
    (finding,) = only(log).findings
    assert "A-1: owned by b (epoch 1) while a still has it (epoch 1, offset 6)" in finding.message


def broken_then_mended():
    """A lost partition in the middle of the log, and another at its end."""
    log = Log()
    log.named("g", {"A": ("orders", 4)})
    joined(log, "a", "b", assignor="uniform")
    for epoch, (a, b) in enumerate((((0, 1), (2,)), ((0, 1), (2, 3)), ((0,), (2, 3))), start=1):
        target(log, epoch, a=a, b=b)
        log.current("g", "a", epoch, tps("A", *a))
        log.current("g", "b", epoch, tps("A", *b))
        log.next()
    return log


def test_the_end_of_a_compacted_log_is_judged_as_it_stands():
    log = broken_then_mended()
    assert [each.generation for each in only(log).findings] == [1, 3]
    (group,) = of_records(cleaned(log.records, len(log.records))).groups
    (rebalance,) = group.rebalances
    assert [each.generation for each in group.findings] == [3]
    assert "judged as it stands at the end" in rebalance.gap
    assert rebalance.measured is None or rebalance.measured.moved is None


def test_a_log_that_begins_late_is_not_judged():
    log = broken_then_mended()
    (group,) = audited(dump(log.records[4:], start=4)).groups
    assert (group.findings, group.rebalances) == ([], [])
    assert "not all of the log is here" in group.gaps[0]


def test_a_target_of_somebody_whose_own_records_are_missing_is_not_judged():
    log = broken_then_mended()
    kept = [each for each in log.records if each.type != 5 or each.key["memberId"] != "b"]
    (group,) = of_records([*kept]).groups
    assert group.findings == []
    assert all("whose own records are not there" in (each.why_not or "") for each in group.rebalances)
    assert (group.moved, group.needless) == (None, None), "an unknown number is no 0"


def test_what_was_judged_is_withdrawn_where_a_gap_follows_that_the_cleaner_cannot_have_made():
    log = broken_then_mended()
    for _ in range(2):
        joined(log, "a", "b", assignor="uniform")
        log.epoch("g", 3)
    target(log, 4, a=(0, 1), b=(3,))
    kept = [each for each in log.records if each.offset not in (0, 1)]
    assert [each.generation for each in of_records(kept).groups[0].findings][-1] == 4
    log.epoch("g", 5)
    log.epoch("g", 6)
    (group,) = of_records([*kept, log.records[-1]]).groups
    assert group.findings == []
    assert any("offsets are missing behind it" in (each.why_not or "") for each in group.rebalances)


def test_a_deleted_group_begins_anew():
    log = broken_then_mended()
    for name in ("a", "b"):
        log.current("g", name, None)
        log.target("g", name, None)
        log.subscription("g", name, None)
    log.target_epoch("g", None)
    log.epoch("g", None)
    log.next()
    joined(log, "c", assignor="uniform")
    target(log, 1, c=(0, 1, 2, 3))
    last = only(log).rebalances[-1]
    assert (last.generation, last.measured.moved) == (1, None)
    assert dump(log.records)


def a_share_life() -> History:
    """Members come and go, and at first a topic's second half has no state."""
    a, b, c = (Member(name, ("orders",)) for name in "abc")
    return History(
        Cluster.of({"orders": 6, "refunds": 2}),
        (
            (Withhold("orders", (3, 4, 5)), Join(a), Join(b)),
            (Withhold("orders", ()),),
            (Join(c),),
            (Leave("a"),),
            (Resubscribe("c", ("orders", "refunds")),),
        ),
    )


def test_a_life_by_kafkas_rule_is_judged_and_clean():
    log = Log()
    write_share(log, "g", played("share-simple", a_share_life()))
    group = only(log)
    assert (group.protocol, group.judged, group.findings) == (GroupProtocol.SHARE, 5, [])
    assert {"assignable", "shared-evenly", "complete", "fewest-taken-back"} <= {
        claim for each in group.rebalances for claim in each.judged
    }
    assert [each.measured.moved for each in group.rebalances] == [None, 0, 2, 0, 0]
    assert [each.measured.least for each in group.rebalances] == [None, 0, 2, 0, 0]
    assert [each.causes[0].word for each in group.rebalances] == [
        CauseWord.BEGAN,
        CauseWord.TOPICS,
        CauseWord.JOINED,
        CauseWord.LEFT,
        CauseWord.RESUBSCRIBED,
    ]
    assert all(each.unrest_ms > 0 for each in group.rebalances)


def share_target(log, epoch, **targets):
    log.share_epoch("g", epoch)
    for name, numbers in targets.items():
        log.share_target("g", name, tps("A", *numbers))
    log.share_target_epoch("g", epoch)
    log.next()


def share_joined(*names, ready=(0, 1, 2, 3)):
    log = Log()
    for name in names:
        log.share_member("g", name, ["orders"], client=name)
    log.shareable("g", {"A": "orders"}, tps("A", *ready), tps("A", *({0, 1, 2, 3} - set(ready))))
    return log


@pytest.mark.parametrize(
    ("claim", "ready", "a", "b"),
    [
        ("complete", (0, 1, 2, 3), (0, 1), (2,)),
        ("assignable", (0, 1, 2), (0, 1), (2, 3)),
        ("balanced-within-one", (0, 1, 2, 3), (0, 1, 2), (3,)),
        ("single-owner", (0, 1, 2, 3), (0, 1, 1), (2, 3)),
    ],
)
def test_what_is_wrong_with_a_target_is_a_finding(claim, ready, a, b):
    log = share_joined("a", "b", ready=ready)
    share_target(log, 1, a=a, b=b)
    assert claim in {each.claim for each in only(log).findings}


def test_a_partition_that_is_shared_too_much_is_a_finding_and_many_members_of_one_are_none():
    log = share_joined("a", "b", "c", ready=(0, 1))
    share_target(log, 1, a=(0,), b=(0,), c=(0, 1))
    (finding,) = [each for each in only(log).findings if each.claim == "shared-evenly"]
    assert "orders-0" in finding.message
    for name in "abc":
        log.share_current("g", name, 1, tps("A", 0))
    log.next()
    assert "single-owner" not in {each.claim for each in only(log).findings}


def test_needless_taking_back_is_a_finding_beside_the_certified_least():
    log = share_joined("a", "b")
    share_target(log, 1, a=(0, 1), b=(2, 3))
    share_target(log, 2, a=(2, 3), b=(0, 1))
    (finding,) = only(log).findings
    assert (finding.claim, finding.generation) == ("fewest-taken-back", 2)
    figures = only(log).rebalances[1].measured
    assert (figures.moved, figures.least, figures.needless) == (4, 0, 4)


def test_ids_without_names_are_not_judged_and_the_description_of_topics_helps():
    log = Log()
    log.share_member("g", "a", ["orders"])
    share_target(log, 1, a=(0, 1))
    assert "add the output of kafka-topics --describe" in (only(log).rebalances[0].why_not or "")
    assert only(log, KnownTopics({"orders": 2}, {"A": "orders"})).judged == 1


def test_a_compacted_log_is_judged_at_its_end():
    log = Log()
    write_share(log, "g", played("share-simple", a_share_life()))
    (group,) = of_records(cleaned(log.records, len(log.records))).groups
    (rebalance,) = group.rebalances
    assert (group.findings, rebalance.generation) == ([], 5)
    assert "judged as it stands at the end" in (rebalance.gap or "")
    assert rebalance.measured is not None and rebalance.measured.moved is None
