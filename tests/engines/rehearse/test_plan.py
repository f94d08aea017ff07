"""Plans of rehearsals: what `what-if` plans for the example cluster, as scripts for real clients."""

from dataclasses import replace
from pathlib import Path

import pytest

from kassay.engines.clusters.clients.rules import client_named
from kassay.engines.clusters.inputs import read_cluster
from kassay.engines.clusters.observed import observe
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.script import script_of, script_toml
from kassay.engines.rehearse.plan import RehearsalGoal, plan_of, planned_from
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError
from kassay.model.groups.group import Group

EXAMPLE = Path(__file__).parents[3] / "examples" / "cluster"
PROGRAMS = ClientPrograms({})


def group(static=0):
    files = [str(EXAMPLE / name) for name in ("groups.txt", "topics.txt")]
    observed = observe(read_cluster(files), None)
    members = tuple(
        member._replace(instance_id=f"host-{i}" if i < static else None)
        for i, member in enumerate(observed.group.members)
    )
    return replace(observed, group=Group(members, observed.group.leader))


def plan(goal, client="java", static=0, **more):
    wanted = RehearsalGoal(resolve("range"), resolve(goal), client_named(client), **more)
    return plan_of(group(static), wanted, PROGRAMS)


def test_the_example_is_rolled_twice_to_cooperative_sticky():
    played = plan("cooperative-sticky")
    assert [str(roll.setting) for roll in played.rolls] == [
        "partition.assignment.strategy=cooperative-sticky,range",
        "partition.assignment.strategy=cooperative-sticky",
    ]
    script = played.script()
    assert script.topics == {"bills": 4, "orders": 7, "users": 4} or sum(script.topics.values()) == 15
    assert [seat.name for seat in script.seats] == [f"m{n:02}" for n in range(1, 7)]
    assert [action.do for action in script.actions] == ["join"] * 6 + ["leave", "join"] * 12
    first, second = (script.actions[played.steps_of(number)[0][1]].strategies for number in (0, 1))
    assert (first, second) == (("cooperative-sticky", "range"), ("cooperative-sticky",))
    assert played.steps_of(0)[0] == (6, 7, "m01") and played.steps_of(1)[-1] == (28, 29, "m06")


def test_a_script_of_a_rehearsal_is_read_back():
    import tomllib

    script = plan("uniform", static=2).script()
    assert script_of(tomllib.loads(script_toml(script)), "x.toml") == script
    assert script.cluster.settings == {"group.consumer.migration.policy": "bidirectional"}


def test_static_members_restart_in_one_action():
    played = plan("cooperative-sticky", static=2)
    script = played.script()
    assert [seat.instance for seat in script.seats][:3] == ["i-m01", "i-m02", None]
    assert [action.do for action in script.actions[6:10]] == ["restart", "restart", "leave", "join"]
    assert [each[2] for each in played.steps_of(0)] == [f"m{n:02}" for n in range(1, 7)]
    assert played.steps_of(0)[:3] == [(6, 6, "m01"), (7, 7, "m02"), (8, 9, "m03")]


def test_librdkafka_stops_all_members_for_cooperative_sticky():
    played = plan("cooperative-sticky", "librdkafka")
    (roll,) = played.rolls
    assert roll.stops and roll.planned is None
    assert [action.do for action in played.script().actions[6:]] == ["leave", "join"]
    assert {action.member for action in played.script().actions[6:]} == {"*"}
    assert played.steps_of(0) == [(6, 7, "")]


def test_another_library_is_one_roll_with_the_same_rule():
    played = plan("range", next_client=client_named("librdkafka"))
    (roll,) = played.rolls
    assert (roll.client, str(roll.setting)) == ("librdkafka", "partition.assignment.strategy=range")
    assert roll.planned is not None and roll.planned.rebalances == (12, 12)
    assert {seat.client for seat in played.members} == {"java", "librdkafka"}


def test_a_policy_under_which_the_group_does_not_arrive_is_said():
    played = plan("uniform", policy="disabled")
    assert "expected upgrade, bidirectional" in played.refused and played.policy == "disabled"
    assert [roll.planned for roll in played.rolls] == [None]
    assert plan("uniform", policy="upgrade").refused == ""


def test_the_plan_is_made_again_for_what_the_members_own_at_first():
    played = plan("roundrobin")
    owned = {played.names[m.member_id]: m.owned for m in played.observed.group.members}
    assert planned_from(played, owned) == tuple(roll.planned for roll in played.rolls)
    assert planned_from(played, {}) != tuple(roll.planned for roll in played.rolls)


@pytest.mark.parametrize(
    ("goal", "client", "words"),
    [
        ("sticky", "librdkafka", "sticky"),
        ("uniform", "aiokafka", "--to uniform"),
    ],
)
def test_what_the_library_does_not_have_is_refused(goal, client, words):
    with pytest.raises(InputError, match=words):
        plan(goal, client)


def test_a_large_group_is_refused():
    observed = group()
    many = tuple(observed.group.members[0]._replace(member_id=f"x{n}") for n in range(17))
    wanted = RehearsalGoal(resolve("range"), resolve("sticky"), client_named("java"))
    with pytest.raises(InputError, match="at most 16 members"):
        plan_of(replace(observed, group=Group(many, None)), wanted, PROGRAMS)
