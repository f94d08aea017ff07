"""What docs/protocol-findings.md says of Kafka, as walks."""

import pytest

from kassay.engines.protocols.explore import ExploreResult
from kassay.model.explore.values import Severity
from kassay.properties.protocols.logged import GONE, ONCE
from tests.explored import explore, only_known


def real(result: ExploreResult) -> dict[str, int]:
    """The real violations with the lengths of their traces."""
    found = result.exploration.violations
    return {v.invariant: v.length for v in found if v.severity is Severity.REAL}


@pytest.mark.slow_cases("2")
@pytest.mark.parametrize("static", [1, 2])
def test_a_static_member_back_in_mid_hand_over_leaves_a_partition_to_nobody(static):
    result = explore("classic", mode="cooperative", static=static, faults="crash=1")
    assert list(real(result)) == ["complete-at-rest"]
    assert result.exploration.liveness.dead_ends
    (found,) = (v for v in result.exploration.violations if v.severity is Severity.REAL)
    told = [step.action.name for step in found.trace[1:]]
    assert told.index("crashes") < told.index("restart")
    assert "no member of the stable group owns" in found.message


@pytest.mark.parametrize(("mode", "static"), [("eager", 1), ("eager", 2), ("cooperative", 0)])
def test_eager_groups_and_dynamic_members_hand_over_completely(mode, static):
    assert explore("classic", mode=mode, static=static, faults="crash=1").verdict == "holds"


@pytest.mark.slow_cases(
    "cooperative-1-loss=1",
    "cooperative-1-pause=1",
    "cooperative-1-slow=1",
    "cooperative-2-loss=1",
    "cooperative-2-pause=1",
    "cooperative-2-slow=1",
    "eager-1-loss=1",
)
@pytest.mark.parametrize("faults", ["pause=1", "loss=1", "failover=1", "slow=1"])
@pytest.mark.parametrize("static", [1, 2])
@pytest.mark.parametrize("mode", ["eager", "cooperative"])
def test_a_static_member_that_a_round_went_by_is_a_zombie_until_it_adopts_anew(mode, static, faults):
    result = explore("classic", mode=mode, static=static, faults=faults)
    again = (mode, faults) == ("cooperative", "failover=1")
    only_known(result, *["generation-once"] * again)  # B in docs/coordinator-findings.md
    others = (v for v in result.exploration.violations if v.invariant not in (GONE, ONCE))
    assert {v.severity for v in others} <= {Severity.ZOMBIE}


@pytest.mark.slow
def test_two_who_prefer_different_assignors_never_come_to_rest():
    result = explore("kip848", partitions=1, remote_assignors=("uniform", "range"))
    assert real(result) == {}
    assert not result.exploration.liveness.dead_ends
    assert result.exploration.liveness.livelocks
    for livelock in result.exploration.liveness.livelocks:
        assert {action.name for action in livelock.cycle} == {"heartbeat"}
        assert any(action.rounds for action in livelock.cycle)


def test_two_who_agree_or_of_whom_one_asks_come_to_rest():
    for preferred in (("uniform", "uniform"), ("range", "")):
        assert explore("kip848", partitions=1, remote_assignors=preferred).verdict == "holds"
    before = explore("kip848", partitions=1, remote_assignors=("uniform", "range"), release="2024-10")
    assert before.verdict == "holds"


@pytest.mark.exhaustive
def test_who_never_sent_syncgroup_is_not_timed_after_a_failover():
    result = explore("classic", partitions=1, faults="slow=1,failover=1")
    assert real(result) == {"generation-once": 16}, "finding B"
    assert len(result.exploration.liveness.dead_ends) == 8
    assert not result.exploration.liveness.livelocks


@pytest.mark.slow_cases("1")
@pytest.mark.parametrize("static", [0, 1])
def test_a_leave_that_cannot_be_written_leaves_a_member_that_nobody_watches(static):
    result = explore("kip848", static=static, faults="leave=1,write=1")
    assert real(result) == {"members-watched": 3}
    assert str(result.exploration.violations[0].trace[-1].action) == (
        f"c{static + 1} -> coordinator: closes(epoch -1; the write fails)"
    )
    assert result.exploration.liveness.dead_ends


@pytest.mark.parametrize("fault", ["pause=1", "slow=1"])
def test_who_is_fenced_may_commit_where_the_group_is_empty(fault):
    kafka = frozenset({"commits_out_of_group"})
    result = explore("kip848", partitions=1, faults=f"{fault},leave=1", switches=kafka)
    assert set(real(result)) == {"commits-fenced"}
    assert real(explore("kip848", partitions=1, faults=fault, switches=kafka)) == {}, (
        "somebody is always there"
    )


def test_without_a_clean_leave_nobody_is_left_unwatched_by_a_failed_write():
    for faults in ("write=1", "crash=1,write=1", "write=1,failover=1"):
        assert explore("kip848", faults=faults).verdict == "holds"


@pytest.mark.slow
def test_a_log_that_is_compacted_while_it_is_read_may_not_load():
    result = explore("kip848", topics=2, partitions=1, faults="failover=1,subscribe=1", log="compacted")
    assert real(result) == {"every-log-loads": 12}
    assert str(result.exploration.violations[0].trace[-1].action).endswith("its log cannot be read")
    assert result.exploration.liveness.dead_ends


@pytest.mark.slow
@pytest.mark.parametrize(("release", "verdict"), [("4.4.0", "holds"), ("2024-10", "violated")])
def test_members_that_leave_for_good_do_no_harm_to_the_log_since_4_4(release, verdict):
    result = explore("kip848", faults="failover=1,leave=1", log="compacted", release=release)
    assert result.verdict == verdict
    assert set(real(result)) == ({"every-log-loads"} if verdict == "violated" else set())


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["upgrade", "bidirectional"])
def test_a_failed_upgrade_leaves_a_dead_member_unwatched(policy):
    chosen = {"members": 2, "partitions": 1, "faults": "crash=1", "policy": policy}
    assert real(explore("migration", **chosen)) == {"no-exception-in-timer": 11}
    result = explore("migration", release="2024-10", **chosen)
    found = {v.invariant: v for v in result.exploration.violations if v.severity is Severity.REAL}
    assert found["members-watched"].length == 11
    assert found.keys() <= {"members-watched", "no-exception-in-timer"}
    told = [str(step.action) for step in found["members-watched"].trace[1:]]
    assert "session of c1-1 expires" in told[6]
    assert told[-1].endswith("GROUP_ID_NOT_FOUND")
    assert len(result.exploration.liveness.dead_ends) == 4


@pytest.mark.parametrize("policy", ["disabled", "downgrade"])
def test_without_upgrades_nobody_is_left_unwatched(policy):
    result = explore("migration", members=2, partitions=1, faults="crash=1", policy=policy)
    assert result.verdict == "holds"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("faults", "broken"),
    [
        ("", ()),
        pytest.param("failover=1", ("generation-once",), marks=pytest.mark.slow),
        ("leave=1", ("no-exception-in-timer",)),
    ],
)
def test_without_crash_and_pause_a_small_migration_breaks_what_is_known_alone(faults, broken):
    only_known(explore("migration", members=2, partitions=1, faults=faults), *broken)


BACK = (("consumer", "classic"),)
FINDINGS = [
    ({"members": 1, "static": 1, "kinds": (("classic", "consumer"),)}, {"complete-at-rest": 9}),
    ({"static": 2, "kinds": (("classic",), *BACK)}, {"complete-at-rest": 9}),
    (
        {"members": 1, "static": 1, "partitions": 1, "kinds": BACK, "faults": "partitions=1"},
        {"no-epoch-zero": 6, "complete-at-rest": 7},
    ),
    ({"policy": "upgrade", "kinds": (("classic",), ("consumer",)), "faults": "leave=1"}, {}),
    (
        {"partitions": 1, "kinds": (("consumer",), ("classic",)), "faults": "leave=1,failover=1"},
        {"memory-is-log": 6, "every-log-loads": 6, "complete-at-rest": 8},
    ),
]


@pytest.mark.parametrize(("chosen", "broken"), FINDINGS, ids=str)
def test_a_conversion_leaves_partitions_to_nobody(chosen, broken):
    result = explore("migration", **chosen)
    assert real(result) == broken
    assert result.exploration.liveness.dead_ends


@pytest.mark.parametrize(
    ("chosen", "older"),
    [(FINDINGS[0][0], "upgrade_always_bumps"), (FINDINGS[3][0], "classic_follows_group_epoch")],
)
def test_the_rule_before_leaves_them_to_somebody(chosen, older):
    assert explore("migration", switches=frozenset({older}), **chosen).verdict == "holds"


TIMER_OF_THE_FORMER = {"no-exception-in-timer": 13}
"""Finding T, with the steps to it."""


@pytest.mark.slow
def test_a_timer_of_the_life_before_last_removes_who_is_well():
    chosen = {"static": 1, "partitions": 1, "kinds": (("classic", "consumer", "classic"), ("classic",))}
    result = explore("migration", **chosen)
    timers = {"no-timer-of-what-is-gone": 12, "no-exception-in-timer": 13}
    assert real(result) == {"complete-at-rest": 9, "live-members-kept": 13} | timers
    (one,) = (each for each in result.exploration.violations if each.invariant == "live-members-kept")
    assert one.trace[-1].action.name == "join timer fires"
    mended = explore("migration", switches=frozenset({"conversion_stops_timers"}), **chosen)
    assert real(mended) == {"complete-at-rest": 9}


@pytest.mark.deep
def test_and_forgets_who_is_dead():
    """Where no static member that upgrades is left without partitions for good, this is what remains."""
    chosen = {"static": 1, "partitions": 1, "kinds": (("classic", "consumer", "classic"), ("classic",))}
    older = frozenset({"upgrade_always_bumps"})
    result = explore("migration", faults="crash=1", switches=older, **chosen)
    known = {"no-epoch-zero": 12, "no-timer-of-what-is-gone": 12} | TIMER_OF_THE_FORMER  # F and T
    broken = {"members-watched": 9, "live-members-kept": 12, "complete-at-rest": 15}
    assert real(result) == broken | known
    (dead,) = (each for each in result.exploration.violations if each.invariant == "complete-at-rest")
    assert dead.trace[-1].action.name == "join timer fires"
    mended = explore("migration", faults="crash=1", switches=older | {"conversion_stops_timers"}, **chosen)
    assert real(mended) == {"members-watched": 9, "no-epoch-zero": 12}


@pytest.mark.slow
def test_a_leave_of_a_classic_member_that_cannot_be_written_leaves_it_unwatched():
    result = explore("migration", partitions=1, faults="write=1", stop_at_first=True)
    assert {*real(result)} == {"members-watched"}
    (one,) = (each for each in result.exploration.violations if each.severity is Severity.REAL)
    assert one.trace[-1].action.name.startswith("closes")


@pytest.mark.exhaustive
def test_an_upgrade_that_fails_before_the_first_generation_leaves_a_static_member_unwatched():
    result = explore("migration", static=1, partitions=1)
    assert real(result) == {"complete-at-rest": 9, "members-watched": 12}


@pytest.mark.exhaustive
def test_to_and_fro_without_static_members_and_faults_breaks_what_one_timer_of_kafka_breaks():
    """Finding T: the timer of a classic group that was replaced fires in the next one."""
    result = explore("migration", partitions=1, kinds=(("classic", "consumer", "classic"),) * 2)
    only_known(result, "no-exception-in-timer")


@pytest.mark.slow
def test_there_and_back_a_partition_is_given_out_before_it_is_free():
    """A consumer beside a classic member leaves once and comes back: the settings that walk nothing else."""
    result = explore("migration", kinds=(("classic",), ("consumer", "consumer")))
    assert real(result) == {"live-members-kept": 9, "released-before-adopted": 14}
    (early,) = (
        v.message
        for v in result.exploration.violations
        if (v.invariant, v.severity) == ("released-before-adopted", Severity.REAL)
    )
    assert early == "c2 adopts t-1, which c1 still owns"


RELEASED = [
    ("4.4.0", {"complete-at-rest": 9, "members-watched": 9, "live-members-kept": 12, **TIMER_OF_THE_FORMER}),
    ("2024-10", {"members-watched": 8, "live-members-kept": 12, **TIMER_OF_THE_FORMER}),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("release", "broken"), RELEASED)
def test_there_and_back_after_a_crash(release, broken):
    """With one partition: 49,421 states and 36,860."""
    result = explore("migration", static=1, partitions=1, faults="crash=1", release=release)
    assert real(result) == broken
    assert result.exploration.liveness.dead_ends


@pytest.mark.deep
@pytest.mark.parametrize(("release", "broken"), RELEASED)
def test_there_and_back_after_a_crash_a_second_partition_is_given_out_too_early_as_well(release, broken):
    """33 and 28 CPU seconds. What the second partition adds is found without a crash, too: see above."""
    result = explore("migration", static=1, faults="crash=1", release=release)
    assert real(result) == broken | {"released-before-adopted": 17}
    assert result.exploration.liveness.dead_ends


@pytest.mark.exhaustive
@pytest.mark.parametrize("partitions", [1, pytest.param(2, marks=pytest.mark.deep)])
def test_a_consumer_that_was_only_away_does_not_come_back_to_a_classic_group(partitions):
    """49,326 states; with two partitions 40 CPU seconds."""
    result = explore("migration", partitions=partitions, faults="pause=1")
    assert real(result) == {"no-exception-in-timer": 11}, "finding T"
    assert not result.exploration.liveness.dead_ends


UPGRADED = {"released-before-adopted", "single-current-owner"}
"""What an upgrade in the middle of a cooperative hand-over breaks."""
DEFAULTS = [  # Without --protocol an assignor is eager.
    ("zookeeper", {}),
    ("draft", {}),
    ("classic", {"mode": "eager"}),
    ("classic", {"mode": "cooperative"}),
    ("kip848", {}),
    ("migration", {"mode": "eager"}),
    ("migration", {"mode": "cooperative"}),
]
WITH_NETWORKS = [(model, more) for model, more in DEFAULTS if model not in ("zookeeper", "draft")]


def listed(model, more):
    """What may be violated really in a walk without faults: what docs/protocol-findings.md has."""
    return UPGRADED if (model, more.get("mode")) == ("migration", "cooperative") else set()


@pytest.mark.slow_cases("migration-{'mode': 'eager'}")
@pytest.mark.parametrize(("model", "more"), [each for each in DEFAULTS if not listed(*each)], ids=str)
def test_what_is_walked_by_default_breaks_nothing_but_what_is_listed(model, more):
    """What is listed has a test of its own."""
    assert explore(model, **more).verdict == "holds"


@pytest.mark.parametrize(
    ("model", "more"), [each for each in WITH_NETWORKS if each[0] != "migration"], ids=str
)
def test_nor_does_it_in_steps(model, more):
    result = explore(model, network="steps", **more)
    assert result.verdict == "holds"


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", ["eager", "cooperative"])
def test_nor_does_a_migration_in_steps(mode):
    result = explore("migration", mode=mode, partitions=1, network="steps")
    # In steps the owner can hear of the group's new epoch before it has read its assignment.
    heard = {"target-epoch-exclusive"} if mode == "cooperative" else set()
    assert set(real(result)) <= listed("migration", {"mode": mode}) | heard
    assert (result.exploration.liveness.dead_ends, result.exploration.liveness.livelocks) == ((), ())


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("model", "more"), WITH_NETWORKS, ids=str)
def test_nor_does_it_at_random_astray(model, more, seed):
    result = explore(model, network="astray", seed=seed, states_max=500, **more)
    assert set(real(result)) <= listed(model, more)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("model", "more"), WITH_NETWORKS, ids=str)
def test_nor_does_it_at_random_astray_for_long(model, more, seed):
    """Of classic groups that is all there is, 710 states and 1,197: the walks end when they meet nothing new."""
    result = explore(model, network="astray", seed=seed, states_max=3_000, **more)
    assert set(real(result)) <= listed(model, more)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize(("model", "more"), [each for each in WITH_NETWORKS if each[0] != "classic"], ids=str)
def test_nor_does_it_at_random_astray_for_longer(model, more, seed):
    """Of KIP-848 all there is, some 5,000 states: 47 to 85 CPU seconds, most of them for the last thousand."""
    result = explore(model, network="astray", seed=seed, states_max=20_000, **more)
    assert set(real(result)) <= listed(model, more)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "lengths"), [("4.4.0", (17, 18)), ("2024-10", (19, 19))])
def test_an_upgrade_in_mid_hand_over_gives_out_what_is_still_owned(release, lengths):
    result = explore("migration", mode="cooperative", release=release)
    assert real(result) == dict(zip(("released-before-adopted", "single-current-owner"), lengths))
    messages = {v.message for v in result.exploration.violations if v.severity is Severity.REAL}
    if release == "2024-10":
        assert messages == {
            "c2 adopts t-1, which c1 still owns",
            "c1 and c2 both own t-1, and both are current members",
        }
    assert (result.exploration.liveness.dead_ends, result.exploration.liveness.livelocks) == ((), ())


def test_a_lost_answer_leaves_a_task_of_a_streams_group_without_owner():
    result = explore("streams", faults="loss=1")
    assert real(result) == {"complete-at-rest": 12}
    assert result.exploration.liveness.dead_ends
    assert explore("streams", partitions=1, faults="failover=1").verdict == "holds"


def test_a_stream_thread_that_has_just_joined_names_no_tasks():
    result = explore("streams", switches=frozenset({"streams_names_reconciled"}))
    assert {"commits-fenced", "single-current-owner"} <= set(real(result))
    (found,) = (v for v in result.exploration.violations if v.invariant == "single-current-owner")
    assert not any(step.action.fault for step in found.trace[1:] if step.action.name != "start")


def test_a_missing_source_topic_ends_threads_with_an_endpoint_alone():
    missing = {"members": 1, "partitions": 1, "faults": "topic=1"}
    assert real(explore("streams", endpoints=1, **missing)) == {"no-server-error": 2}
    assert explore("streams", **missing).verdict == "holds"


def test_a_refused_join_moves_what_a_static_member_is_led_towards():
    result = explore("streams", partitions=1, static=1, faults="crash=1")
    assert list(real(result)) == ["refused-changes-nothing"]


def test_a_stream_thread_whose_removal_cannot_be_written_is_watched_until_it_can():
    assert explore("streams", partitions=1, faults="crash=1,write=1").verdict == "holds"
