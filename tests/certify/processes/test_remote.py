"""Objects in a child, as the parent sees them."""

from __future__ import annotations

from kassay.certify.processes.host import Host
from kassay.certify.processes.remote import PythonHost
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member
from tests.certify.processes.hostile import CLUSTER, FAIR, GROUP, ask


def test_a_target_that_behaves(host: Host) -> None:
    made = host.new({})
    assert made.subscription_user_data(("t",)) is None
    assert ask(host, "behave") == FAIR
    assert made.mutated is None


def test_a_mutation_is_forgotten_by_the_next_call(host: Host) -> None:
    made = host.new({"do": "mutates_members"})
    made.assign(CLUSTER, GROUP)
    made.assign(CLUSTER, Group((Member("a", ("t",)),)))
    assert made.mutated == "members[0]['owned'] was [] (list) and is [('t', 99)] (list)"


def test_large_inputs_and_answers_pass(host: Host) -> None:
    cluster = Cluster.of({f"topic-{t}": 100 for t in range(200)})
    topics = tuple(cluster.counts)
    group = Group(tuple(Member(f"member-{m}", topics) for m in range(40)))
    answer = host.new({}).assign(cluster, group)
    assert sum(map(len, answer.values())) == 20_000


def test_forgotten_objects_are_dropped(host: Host) -> None:
    for _ in range(300):
        ask(host, "behave")
    assert isinstance(host, PythonHost)
    assert host.drops == [300]
