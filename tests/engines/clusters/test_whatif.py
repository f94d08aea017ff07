"""The whole answer: today, the candidates, and an optimum that the checker accepts.

What an assignor makes of a group that runs: moves, pauses, rounds, and answers that are none.

What an assignment comes to.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.engines.clusters.events import parse_events
from kassay.engines.clusters.figures import Loads, Racks, loads_of, racks_of
from kassay.engines.clusters.whatif import KAFKAS, play_candidate, what_if
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.solver.check.check import require_accepted
from tests.cli.runner import valid
from tests.engines.clusters.cluster import observed, offsets, topics

GROUP = observed(offsets({"a": ["t-0", "t-1", "t-2"], "b": []}), topics({"t": 4}))


def test_no_candidate_is_better_balanced_or_moves_less_than_the_optimum():
    answer = what_if(GROUP, [resolve(spec) for spec in KAFKAS])
    best = answer.optimum.steps[0]
    assert (best.loads.spread, best.moved) == (0, 1)
    assert [(str(use.partition), use.member) for use in answer.unowned] == [("t-3", "b")]
    for candidate in answer.candidates:
        switch = candidate.steps[0]
        assert switch.loads.spread >= best.loads.spread
        assert switch.moved >= best.moved or switch.loads.spread > best.loads.spread
    document = valid(answer.to_json(), "what-if-1")
    assert [each["target"] for each in document["candidates"]][:2] == ["range", "roundrobin"]


def test_the_certificate_is_of_what_the_optimum_row_shows():
    answer = what_if(GROUP, [])
    figures = require_accepted(answer.best.certificate, "g")
    assert sorted(map(len, answer.optimum.answers[0].values())) == figures["loads"]
    assert figures["moved"] == answer.optimum.steps[0].moved


SPECS = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "server-range", "optimal-sticky")
TPS = [f"{topic}-{number}" for topic in "tu" for number in range(6)]


@st.composite
def groups(draw):
    """Any owners among up to four members of two topics, some partitions unowned."""
    members = draw(st.integers(1, 4))
    owners = draw(st.lists(st.integers(-1, members - 1), min_size=len(TPS), max_size=len(TPS)))
    owned = {f"m{m}": [tp for tp, o in zip(TPS, owners) if o == m] for m in range(members)}
    for tp in ("t-0", "u-0"):  # both topics are read
        if not any(tp in tps for tps in owned.values()):
            owned["m0"].append(tp)
    return observed(offsets(owned), topics({"t": 6, "u": 6}))


@settings(max_examples=25)
@given(group=groups(), spec=st.sampled_from(SPECS))
def test_whatever_is_played_adds_up(group, spec):
    changes = parse_events("join:2,add-partitions:t+2&leave:1", group)
    candidate = play_candidate(resolve(spec), group, changes)
    assert candidate.failure is None
    assert [step.text for step in candidate.steps] == ["switch", "join:2", "add-partitions:t+2&leave:1"]
    for step, answer in zip(candidate.steps, candidate.answers):
        assert step.loads.partitions == sum(map(len, answer.values()))
        assert step.unassigned == 0 and step.rounds is not None
        assert step.moved <= step.paused
    before = group.assignment.owners()
    after = candidate.answers[0].owners()
    assert candidate.steps[0].moved == sum(after[tp] != member for tp, member in before.items())


def test_eager_rules_pause_everything_and_cooperative_ones_what_moves():
    group = observed(offsets({"a": ["t-0", "t-1", "t-2", "t-3"], "b": []}))
    eager, cooperative = (
        play_candidate(resolve(spec), group, ()) for spec in ("sticky", "cooperative-sticky")
    )
    assert [(step.moved, step.paused, step.rounds) for step in eager.steps] == [(2, 4, 1)]
    assert [(step.moved, step.paused, step.rounds) for step in cooperative.steps] == [(2, 2, 2)]


def test_what_a_leaver_had_is_orphaned_not_moved():
    group = observed(offsets({"a": ["t-0"], "b": ["t-1"], "c": ["t-2"]}))
    candidate = play_candidate(resolve("cooperative-sticky"), group, parse_events("leave:c", group))
    assert [(step.moved, step.orphaned, step.paused) for step in candidate.steps] == [(0, 0, 0), (0, 1, 0)]


HOGS = """
class Hog:
    def assign(self, partitions_per_topic, members):
        return {ANSWER}
"""


def played(tmp_path, answer):
    (tmp_path / "hog.py").write_text(HOGS.replace("{ANSWER}", answer))
    group = observed(offsets({"a": ["t-0"], "b": ["t-1"]}))
    return play_candidate(resolve(f"{tmp_path / 'hog.py'}", in_process=True), group, ())


def test_an_answer_that_is_no_assignment_is_told_with_its_step(tmp_path):
    failures = {
        "{'a': [('t', 0)], 'b': [('t', 0), ('t', 1)]}": "switch: assigns t-0 to 2 members",
        "{'a': [('t', 7)]}": "switch: assigns t-7, which does not exist, to 'a'",
        "{'z': [('t', 0)]}": "switch: assigns partitions to 'z', which is not in the group",
        "{'a': [('v', 0)]}": "switch: assigns v-0 to 'a', which does not subscribe to v",
    }
    assert {answer: played(tmp_path, answer).failure for answer in failures} == failures
    assert "switch: " in (played(tmp_path, "1 / 0").failure or "")


def test_partitions_that_are_left_out_are_counted(tmp_path):
    (step,) = played(tmp_path, "{'a': [('t', 0)]}").steps
    assert (step.unassigned, step.moved) == (1, 1)


def test_a_target_that_answers_one_request_in_two_ways_has_no_figures(tmp_path):
    """What it would move on the real group is whatever it answers that day."""
    answer = "{members[getattr(Hog, 'turn', 0)]['id']: [('t', 0)], **(setattr(Hog, 'turn', 1) or {})}"
    candidate = played(tmp_path, answer)
    assert candidate.steps == ()
    assert (
        candidate.failure
        == "switch: answers one request in two ways: a gets t-0 in one call and nothing in another"
    )


T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)


def test_loads_count_members_without_an_entry():
    loads = loads_of(["b", "a", "c"], {"b": (T0, T1), "c": (U0,)})
    assert loads == Loads(3, 3, 0, 2, "b", ("a",))
    assert loads.spread == 2


def test_racks_count_partitions_whose_replicas_have_one():
    cluster = Cluster((Topic("t", 2, ((1,), (2,))), Topic("u", 1)), (Broker(1, "x"), Broker(2, "y")))
    group = Group((Member("a", ("t", "u"), rack="x"), Member("b", ("t",))))
    given = Assignment({"a": (T0, U0), "b": (T1,)})
    assert racks_of(cluster, group, given) == Racks(1, 2)
    assert racks_of(cluster, Group((Member("a", ("t",)),)), given) is None
    assert racks_of(Cluster.of({"t": 2}), group, given) is None
