"""Share groups: played by Kafka's rule they are clean, and each thing that can go wrong in a target is seen."""

import pytest

from kassay.certify.audits.topics import KnownTopics
from kassay.certify.audits.values import CauseWord, GroupProtocol
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave, Resubscribe, Withhold
from tests.certify.audits.logs import of_records, only, tps
from tests.offsets_log import Log, cleaned
from tests.played_log import played
from tests.played_targets import write_share


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


def target(log, epoch, **targets):
    log.share_epoch("g", epoch)
    for name, numbers in targets.items():
        log.share_target("g", name, tps("A", *numbers))
    log.share_target_epoch("g", epoch)
    log.next()


def joined(*names, ready=(0, 1, 2, 3)):
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
    log = joined("a", "b", ready=ready)
    target(log, 1, a=a, b=b)
    assert claim in {each.claim for each in only(log).findings}


def test_a_partition_that_is_shared_too_much_is_a_finding_and_many_members_of_one_are_none():
    log = joined("a", "b", "c", ready=(0, 1))
    target(log, 1, a=(0,), b=(0,), c=(0, 1))
    (finding,) = [each for each in only(log).findings if each.claim == "shared-evenly"]
    assert "orders-0" in finding.message
    for name in "abc":
        log.share_current("g", name, 1, tps("A", 0))
    log.next()
    assert "single-owner" not in {each.claim for each in only(log).findings}


def test_needless_taking_back_is_a_finding_beside_the_certified_least():
    log = joined("a", "b")
    target(log, 1, a=(0, 1), b=(2, 3))
    target(log, 2, a=(2, 3), b=(0, 1))
    (finding,) = only(log).findings
    assert (finding.claim, finding.generation) == ("fewest-taken-back", 2)
    figures = only(log).rebalances[1].measured
    assert (figures.moved, figures.least, figures.needless) == (4, 0, 4)


def test_ids_without_names_are_not_judged_and_the_description_of_topics_helps():
    log = Log()
    log.share_member("g", "a", ["orders"])
    target(log, 1, a=(0, 1))
    assert "give --topics" in (only(log).rebalances[0].why_not or "")
    assert only(log, KnownTopics({"orders": 2}, {"A": "orders"})).judged == 1


def test_a_compacted_log_is_judged_at_its_end():
    log = Log()
    write_share(log, "g", played("share-simple", a_share_life()))
    (group,) = of_records(cleaned(log.records, len(log.records))).groups
    (rebalance,) = group.rebalances
    assert (group.findings, rebalance.generation) == ([], 5)
    assert "judged as it stands at the end" in (rebalance.gap or "")
    assert rebalance.measured is not None and rebalance.measured.moved is None
