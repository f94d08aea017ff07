"""The player: rounds, generations, claims and second looks."""

from hypothesis import HealthCheck, given, settings

from kassay.model.calls import Failure, Look
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Member
from kassay.model.groups.history import (
    AddPartitions,
    Crash,
    DeleteTopic,
    FailedSync,
    History,
    Join,
    Leave,
    Rebalance,
    ReportOwned,
    Reports,
    Resubscribe,
    Return,
    StaticReturn,
)
from kassay.model.groups.player import ROUNDS_MAX, Player
from kassay.model.kinds import RebalanceProtocol
from tests.strategies import histories

T = Cluster.of({"t": 4})


def tp(p):
    return TopicPartition("t", p)


class Deal(AssignorBase):
    """Deals partitions over the members in listing order."""

    name = "deal"

    def assign(self, cluster, group):
        given = {m.member_id: [] for m in group.members}
        for p in range(cluster.counts.get("t", 0)):
            given[group.members[p % len(group.members)].member_id].append(tp(p))
        return Assignment(given)


class CarefulDeal(Deal):
    """Deals as well, and leaves out what another member still owns."""

    protocols = (RebalanceProtocol.COOPERATIVE,)

    def assign(self, cluster, group):
        claims = {p: m.member_id for m in group.members for p in m.owned}
        dealt = super().assign(cluster, group)
        return Assignment({m: [p for p in tps if claims.get(p, m) == m] for m, tps in dealt.items()})


def play(history, assignor=Deal, **options):
    return list(Player(lambda _: assignor(), **options).play(history))


def join(*names, **extras):
    return tuple(Join(Member(name, ("t",), **extras)) for name in names)


def test_eager_members_adopt_the_answer():
    first, second = play(History(T, (join("a"), join("b"))))
    assert first.steps[0].given["a"] == (tp(0), tp(1), tp(2), tp(3))
    group = second.steps[0].group
    assert group.by_id["a"].owned == (tp(0), tp(1), tp(2), tp(3))
    assert (group.by_id["a"].generation, group.by_id["b"].generation) == (1, -1)
    assert len(second.steps) == 1
    assert group.leader == "a"


def test_cooperative_rounds_go_on_until_nobody_gives_up_or_gains():
    history = History(T, (join("a"), join("b")))
    _, second = play(history, CarefulDeal, protocol=RebalanceProtocol.COOPERATIVE)
    assert [set(s.given["b"]) for s in second.steps] == [set(), {tp(1), tp(3)}, {tp(1), tp(3)}]
    assert second.settled
    assert second.revocations == 1
    outcome = second.outcomes[0]
    assert set(outcome.group.by_id["a"].owned) == {tp(0), tp(1), tp(2), tp(3)}, "counted from the start"
    assert set(outcome.given["b"]) == {tp(1), tp(3)}


def test_a_group_that_never_rests_is_cut_off():
    class Restless(Deal):
        def assign(self, cluster, group):
            turn = max(0, *(m.generation for m in group.members)) % 2
            ids = [m.member_id for m in group.members][:: 1 if turn else -1]
            return Assignment({m: [tp(p) for p in range(4) if p % 2 == i] for i, m in enumerate(ids)})

    (only,) = play(History(T, (join("a", "b"),)), Restless, protocol=RebalanceProtocol.COOPERATIVE)
    assert not only.settled
    assert len(only.steps) == ROUNDS_MAX
    assert only.outcomes == ()


def test_a_member_that_returns_brings_its_old_claims():
    changes = (join("a", "b"), (Crash("b"),), join("c"), (Return("b"),))
    last = play(History(T, changes))[-1].steps[0]
    assert last.group.by_id["b"].owned == (tp(1), tp(3))
    assert last.group.by_id["b"].generation == 1
    assert last.contradictory
    assert tp(1) in last.previous
    assert last.previous[tp(1)] == "c"


def test_a_failed_sync_keeps_the_old_list():
    for reports, generation in ((Reports.JOINED, 2), (Reports.GOT, 1)):
        changes = (join("a"), (FailedSync("a"), *join("b")), (Rebalance(),))
        _, second, _ = play(History(T, changes, reports))
        again = second.steps[1].group.by_id["a"]
        assert again.owned == (tp(0), tp(1), tp(2), tp(3))
        assert again.generation == generation


def test_a_static_member_comes_back_under_a_new_id():
    changes = (join("a", instance_id="i"), join("b"), (StaticReturn("a", "a2"),))
    last = play(History(T, changes))[-1]
    assert last.renamed == (("a", "a2"),)
    assert last.steps[0].group.members[0].member_id == "a2"
    assert last.steps[0].group.by_id["a2"].owned == (tp(0), tp(2))


def test_claims_say_what_the_history_says():
    changes = (join("a", "b"), (ReportOwned("b", (tp(0), tp(9)), 1),))
    step = play(History(T, changes))[-1].steps[0]
    assert step.group.by_id["b"].owned == (tp(0), tp(9))
    assert step.contradictory
    assert tp(0) not in step.previous, "two reports at one generation: nobody"


def test_topics_grow_and_go():
    changes = (join("a"), (AddPartitions("t", 6),), (DeleteTopic("t"),), (Resubscribe("a", ()),))
    steps = [r.steps[0] for r in play(History(T, changes))]
    assert [len(s.given["a"]) for s in steps] == [4, 6, 0, 0]


def test_events_about_nobody_do_nothing():
    changes = (join("a"), (Leave("x"), Crash("y"), Return("z"), StaticReturn("a", "b")))
    _, second = play(History(T, changes))
    assert second.quiet
    assert list(second.steps[0].group.by_id) == ["a"]


def test_an_empty_group_is_not_asked():
    assert len(play(History(T, (join("a"), (Leave("a"),), join("b"))))) == 2


def test_a_failure_ends_the_history():
    class Breaks(Deal):
        def assign(self, cluster, group):
            if len(group.members) > 1:
                raise KeyError("b")
            return super().assign(cluster, group)

    rebalances = play(History(T, (join("a"), join("b"), join("c"))), Breaks)
    assert len(rebalances) == 2
    answer = rebalances[-1].steps[0].answer
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.RAISED
    assert "KeyError" in answer.message


def test_second_looks_ask_another_object_in_between():
    asked = []

    class Noted(Deal):
        def assign(self, cluster, group):
            asked.append((id(self), tuple(m.member_id for m in group.members)))
            return Assignment(dict.fromkeys(group.by_id, ()))

    history = History(T, (join("a", "b"),))
    play(history, Noted, looks=frozenset({Look.AGAIN, Look.OTHER, Look.PERMUTED}))
    (first, order), (other, turned), (again, same) = asked
    assert first == again != other
    assert order == same == tuple(reversed(turned))


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(histories())
def test_generations_rise_and_owned_lists_come_from_answers(history):
    last = 0
    for rebalanced in play(history):
        for step in rebalanced.steps:
            assert step.generation > last
            last = step.generation
            assert step.group.members
