"""Who caused a rebalance, from who was there before and after."""

from kassay.certify.audits.causes import SeenMember, causes, home, renamed
from kassay.certify.audits.values import CauseWord, RebalanceCause

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
