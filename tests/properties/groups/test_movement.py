"""Claims about what moves, and when, on rebalances that keep them and on ones that break them."""

import pytest

from kassay.model.groups.history import Join, NewLeader, StaticReturn
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS
from kassay.model.groups.step import Rebalanced
from kassay.properties.registry import load_claims
from tests.properties.groups.steps import AB, COOPERATIVE, FAIR, evidence, member, rebalanced, step


@pytest.mark.parametrize(
    ("claim", "good", "bad", "subject"),
    [
        (
            "cooperative",
            step([member("a", owned="t0 t1 t2 t3"), member("b")], {"a": "t0 t1", "b": ""}),
            step([member("a", owned="t0 t1 t2 t3"), member("b")], {"a": "t0 t1", "b": "t2 t3"}),
            "t-2",
        ),
    ],
)
def test_what_may_be_given_on(claim, good, bad, subject):
    assert evidence(claim, good) == []
    found = evidence(claim, bad)
    assert found
    assert found[0].subject == subject
    assert found[0].facts


def test_cooperative_minds_only_the_newest_claims():
    stale = [member("a", owned="t0", generation=1), member("b", owned="t1", generation=2), member("c")]
    assert evidence("cooperative", step(stale, {"a": "", "b": "t1", "c": "t0"}))
    newer = [member("a", owned="t0", generation=1), member("b", owned="t0", generation=2)]
    assert evidence("cooperative", step(newer, {"a": "", "b": "t0"})) == []
    assert evidence("cooperative", step(newer, {"a": "t0", "b": ""}))


def test_convergence():
    one = step(AB, FAIR)
    assert evidence("converges", rebalanced(one, one)) == []
    assert evidence("converges", rebalanced(one, one, settled=False))
    assert evidence("converges", rebalanced(one, one, one, revocations=1)), "eager: nobody revokes again"
    coop = step(AB, FAIR, protocol=COOPERATIVE)
    assert evidence("converges", rebalanced(coop, coop, coop, revocations=2)) == []
    assert evidence("converges", rebalanced(*[coop] * 4, revocations=3))
    assert evidence("converges:1", rebalanced(coop, coop, coop))
    assert evidence("converges:2", rebalanced(coop, coop, coop)) == []
    failed = step(AB, FAIR, failed_sync=frozenset({"a"}))
    assert evidence("converges", rebalanced(failed, one, one, revocations=1)) is None


@pytest.mark.parametrize(
    ("claim", "settled", "revoking", "at"),
    [
        ("converges", False, 2, 5),  # it never came to rest: where the rounds ran out
        ("converges:3", False, 2, 3),  # where they ran out of those that were promised
        ("converges:3", True, 2, 3),
        ("converges", True, 3, 4),  # two may revoke: the third is one too many
        ("converges", True, 4, 2),  # as many as there are, so the first did too
    ],
)
def test_convergence_is_broken_where_the_rounds_run_out(claim, settled, revoking, at):
    given = [{"a": "t0 t1", "b": ""}, {"a": "t1", "b": ""}, {"a": "", "b": ""}, {"a": "t0", "b": ""}]
    answers = [*given, {"a": "", "b": "t0"}, {"a": "", "b": "t0"}]
    steps = [step(AB, answer, protocol=COOPERATIVE) for answer in answers]
    (broken,) = evidence(claim, rebalanced(*steps, settled=settled, revocations=revoking))
    assert broken.at == at


def test_stability():
    one, other = step(AB, FAIR), step(AB, {"a": "t2 t3", "b": "t0 t1"})
    assert evidence("stable", rebalanced(one, one)) == []
    assert evidence("stable", rebalanced(one, other))
    assert evidence("stable", rebalanced(one)) is None
    assert evidence("stable", rebalanced(one, quiet=True, before=other.given))
    coop = step(AB, FAIR, protocol=COOPERATIVE)
    assert evidence("stable", rebalanced(coop, coop)) is None, "rounds of one change are no second asking"


def test_another_leader_moves_nothing():
    one, other = step(AB, FAIR), step(AB, {"a": "t2 t3", "b": "t0 t1"})
    led = {"change": (NewLeader("b"),), "before": one.given}
    assert evidence("leader-neutral", rebalanced(one, **led)) == []
    assert [each.subject for each in evidence("leader-neutral", rebalanced(other, **led))] == ["a"]
    assert evidence("leader-neutral", rebalanced(one, other, **led)), "asked again it must say the same"
    assert evidence("leader-neutral", rebalanced(other, **{**led, "before": None})) is None, "not at rest"
    assert evidence("leader-neutral", rebalanced(other, quiet=True, **led)) is None, "who led leads on"
    joins = (*led["change"], Join(member("c")))
    assert evidence("leader-neutral", rebalanced(other, change=joins, before=one.given)) is None


def test_static_members_keep_what_they_had():
    back = [member("a2", owned="t0 t1", instance_id="i"), member("b", owned="t2 t3")]
    change = (StaticReturn("a", "a2"),)
    kept = Rebalanced(
        0, change, (step(back, {"a2": "t0 t1", "b": "t2 t3"}),), True, 0, renamed=(("a", "a2"),)
    )
    lost = Rebalanced(
        0, change, (step(back, {"a2": "t2 t3", "b": "t0 t1"}),), True, 0, renamed=(("a", "a2"),)
    )
    assert evidence("static-stable", kept) == []
    assert evidence("static-stable", lost)[0].subject == "a2"


def test_every_member_that_is_back_keeps_all_it_had():
    back = [member("a2", owned="t0 t1", instance_id="i"), member("b2", owned="t2 t3", instance_id="j")]
    names = (("a", "a2"), ("b", "b2"))
    change = tuple(StaticReturn(*pair) for pair in names)

    def against(given):
        at_rest = Rebalanced(0, change, (step(back, given),), True, 0, renamed=names)
        return [each.subject for each in evidence("static-stable", at_rest)]

    assert against({"a2": "t0 t1", "b2": "t2 t3"}) == []
    assert against({"a2": "t0 t1", "b2": "t2"}) == ["b2"], "half of it is not all"
    assert against({"a2": "t0 t1 t2 t3", "b2": ""}) == ["a2", "b2"], "more than it had is not the same either"
    assert against({"a2": "t0 t2", "b2": "t1 t3"}) == ["a2", "b2"]


def test_what_a_static_member_claims_is_not_taken_from_it_at_once():
    owners = [member("a", owned="t0 t1 t2 t3", instance_id="i"), member("b")]
    assert evidence("cooperative", step(owners, {"a": "t0 t1", "b": "t2 t3"}))


def test_a_group_at_rest_is_asked_again_for_the_claims_about_rest():
    confirming = {claim_id for (kind, claim_id), claim in load_claims().items() if claim.confirm}
    assert confirming == {"converges", "leader-neutral", "stable"}
    assert all(load_claims()[kind, "stable"].confirm for kind in CONSUMER_GROUPS)


def test_what_a_member_owns_of_anothers_topic_can_be_taken_too_early():
    """One reader alone suffices, if the owner is not the reader; its own partitions cannot be taken."""
    breakable = load_claims()[CLIENT, "cooperative"].breakable
    assert breakable(step([member("a", "t"), member("b", "", "t0")], {}))
    assert not breakable(step([member("a", "t", "t0"), member("b", "")], {}))
