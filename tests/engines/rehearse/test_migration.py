"""Members that change their protocol under each migration policy: what the rules predict, and its comparison."""

from dataclasses import replace

import pytest

from kassay.engines.clusters.rollout import POLICIES, POLICY
from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.program import Failed, Ready
from kassay.engines.live.recording import MS, GroupSeen, Life, LiveStep, Recording
from kassay.engines.live.run import LiveOptions
from kassay.engines.live.script import LiveSeat
from kassay.engines.rehearse.migration import (
    GroupThen,
    MigrationStep,
    migrate,
    migration_scripts,
    predicted,
    require_classic,
    seen,
)
from kassay.model.errors import InputError

SEATS = tuple(LiveSeat(f"m{number}", "java", ("range",)) for number in (1, 2, 3))
SCRIPTS = dict(zip(POLICIES, migration_scripts(SEATS, LiveOptions())))
JOINED = ["classic: m1", "classic: m1 m2", "classic: m1 m2 m3"]


def words(policy, release="4.4.0"):
    return [each.words for each in predicted(SCRIPTS[policy], policy, release)]


def test_there_is_a_script_for_each_policy():
    assert {each.cluster.settings[POLICY] for each in SCRIPTS.values()} == {*POLICIES}
    assert [each.do for each in SCRIPTS["upgrade"].actions] == ["join"] * 3 + ["restart"] * 6


def test_under_both_a_group_goes_there_and_back():
    both = ["consumer: m1 m2 m3"] * 5
    assert words("bidirectional") == [*JOINED, *both, "classic: m1 m2 m3"]


def test_under_upgrade_a_group_of_classic_members_stays_a_consumer_group():
    assert words("upgrade") == [*JOINED, *["consumer: m1 m2 m3"] * 6]


def test_under_downgrade_only_a_member_that_finds_the_group_empty_changes_it():
    assert words("downgrade")[3:] == [
        "classic: m2 m3; refused: m1",
        "classic: m3; refused: m1 m2",
        "consumer: m3; refused: m1 m2",
        "consumer: m1 m3; refused: m2",
        "consumer: m1 m2 m3",
        "classic: m1 m2 m3",
    ]


@pytest.mark.parametrize(
    ("release", "back"),
    [
        ("4.4.0", ["consumer: m3; refused: m1 m2", "consumer: m3; refused: m1 m2", "classic: m1 m2 m3"]),
        ("4.2.1", ["consumer: m1 m3; refused: m2", "consumer: m1 m2 m3", "consumer: m1 m2 m3"]),
    ],
)
def test_disabled_keeps_classic_members_out_of_a_consumer_group_since_4_3(release, back):
    assert words("disabled", release)[6:] == back


def after_restart(ready_ms, *events):
    """The recording of a step in which m1 is restarted, became ready then, and is not in the group."""
    group = GroupSeen(20_000 * MS, "Stable", {"m2": frozenset()}, type="classic")
    topics = frozenset({"orders"})
    action, present = SCRIPTS["upgrade"].actions[3], {"m1": topics, "m2": topics}
    step = LiveStep(action, 0, 20_000 * MS, False, {"orders": 6}, present, group)
    ready = Ready(ready_ms * MS, "java", "1")
    life = Life(replace(SEATS[0], protocol="consumer"), 2, 0, (ready, *events))
    return Recording(SCRIPTS["upgrade"], (life,), (step,), {}), step


THEN = GroupThen("classic", frozenset({"m2"}), frozenset({"m1"}))


@pytest.mark.parametrize(
    ("ready_ms", "events"), [(1000, ()), (19_000, (Failed(19_500 * MS, False, "no"),))], ids=["mute", "error"]
)
def test_a_member_that_is_not_in_the_group_is_out(ready_ms, events):
    now = seen(*after_restart(ready_ms, *events))
    assert now == THEN and not MigrationStep("", THEN, now, ()).differs
    assert MigrationStep("", replace(THEN, protocol="consumer"), now, ()).differs


def test_a_member_that_has_only_just_started_leaves_it_unknown():
    now = seen(*after_restart(19_000))
    step = MigrationStep("", THEN, now, ())
    assert now.words == "classic: m2; not yet there: m1" and step.is_unknown and not step.differs


def test_a_group_that_could_not_be_described_leaves_it_unknown():
    recording, step = after_restart(1000)
    now = seen(recording, replace(step, group=GroupSeen(0, "", {})))
    assert now.late == {"m1", "m2"} and MigrationStep("", THEN, now, ()).is_unknown


@pytest.mark.parametrize(
    "seat",
    [LiveSeat("m1", "sarama", ("range",)), LiveSeat("m1", "java", (), "consumer")],
    ids=["no consumer groups", "not classic"],
)
def test_members_must_be_able_to_change(seat):
    require_classic(SEATS, ClientPrograms({}))
    with pytest.raises(InputError, match="--migrate: expected classic members"):
        require_classic([*SEATS, seat], ClientPrograms({}))


@pytest.mark.broker
@pytest.mark.cluster
def test_a_broker_does_under_each_policy_what_is_predicted(tmp_path):
    programs = ClientPrograms({}, broker_jars(fetch=True))
    migration = migrate(LiveOptions(SEATS, base=tmp_path), programs)
    assert not migration.differs and migration.broken == ()
