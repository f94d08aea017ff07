"""Every prediction against what was seen: rebalances of real groups, with what their tools printed before."""

import gzip
import json
from collections import Counter
from functools import cache

import pytest

from kassay.engines.clusters.events import other_places, parse_events
from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.observed import observe
from kassay.engines.clusters.played import places_max, play_candidate
from kassay.engines.clusters.rolled import rolled
from kassay.engines.clusters.rolling_scene import ClientSetting
from kassay.engines.clusters.rollout import POLICIES
from kassay.engines.clusters.whatif import alarm_of
from kassay.engines.targets.resolve import resolve
from kassay.reading.kafka.brokers import read_brokers
from tests.paths import ROOT

FIGURES = ("least", "most", "idle", "moved", "orphaned", "paused", "rounds")
REALITY = ROOT / "tests" / "data" / "reality"
target = cache(resolve)


@cache
def rolls():
    return json.loads(gzip.decompress((REALITY / "rolls.json.gz").read_bytes()))["rolls"]


@cache
def events():
    return json.loads(gzip.decompress((REALITY / "events.json.gz").read_bytes()))["events"]


@cache
def executed():
    """Events and rolls of a second time, predicted before they were executed."""
    return json.loads(gzip.decompress((REALITY / "executed-4.4.0.json.gz").read_bytes()))


def group_of(files):
    """The group that these files describe."""
    inputs = ClusterInputs()
    for name, text in files.items():
        if name == "racks-brokers.csv":
            inputs.take_brokers(read_brokers(text, name), name)
        else:
            inputs.take(text, name)
    return observe(inputs)


def without(files, *names):
    return {name: text for name, text in files.items() if name not in names}


def step_of(each, group):
    changes = parse_events(each["event"], group)
    others = other_places(changes, group, places_max(group, changes))
    return play_candidate(target(each["strategy"]), group, changes, others).steps[1]


def wrong_figures(each, step):
    """The figures that were seen outside of their predicted range."""
    return [
        figure
        for figure, seen in zip(FIGURES, each["seen"])
        if seen is not None and not step.range_of(figure).least <= seen <= step.range_of(figure).most
    ]


def replayed(kinds):
    """By kind of event: predictions that hold in every figure, and those that do not."""
    held, failed = Counter(), []
    for each in events():
        if kinds(each["kind"]):
            step = step_of(each, group_of(each["files"]))
            if wrong := wrong_figures(each, step):
                failed.append((each["case"], wrong))
            else:
                held[each["kind"], "range" if step.ranges.keys() - {"rounds"} else "exact"] += 1
    return held, failed


def misses(cases):
    """The predictions of which a figure was not as seen."""
    wrong = {each["case"]: wrong_figures(each, step_of(each, group_of(each["files"]))) for each in cases}
    return {case: figures for case, figures in wrong.items() if figures}


OTHERS = ("librdkafka", "racks")


@pytest.mark.slow  # 4 s
def test_all_figures_of_each_event_are_right_or_a_range_that_holds_the_truth():
    held, failed = replayed(lambda kind: kind not in OTHERS)
    assert failed == []
    assert sum(held.values()) == 98
    assert held["leave", "exact"] + held["kill", "exact"] + held["grow", "exact"] == 50
    assert sum(number for (_, how), number in held.items() if how == "exact") >= 77


@pytest.mark.slow  # 4 s
def test_rounds_are_the_fewest_unless_a_member_joins_again_before_others_have_their_partitions():
    more = []
    for each in [*events(), *executed()["events"]]:
        step = step_of(each, group_of(each["files"]))
        seen = each["seen"][FIGURES.index("rounds")]
        if seen not in (None, step.range_of("rounds").least):
            more.append(each["case"])
    assert more == ["g-coop.4.join-2"]


@pytest.mark.slow  # 2 s
def test_members_of_librdkafka_and_members_in_racks_do_what_is_predicted():
    _, failed = replayed(lambda kind: kind in OTHERS)
    assert [case for case, _ in failed] == []


def test_one_event_of_each_kind_is_predicted():
    """The sample of the two tests above that runs by default."""
    first = {each["kind"]: each for each in reversed(events())}
    for each in first.values():
        assert wrong_figures(each, step_of(each, group_of(each["files"]))) == [], each["case"]


def test_events_executed_after_they_were_predicted_are_as_predicted():
    """One took three rounds: a member joined again before two others had sent SyncGroup."""
    assert len(executed()["events"]) == 42
    assert misses(executed()["events"]) == {}


def test_members_of_the_consumer_protocol_come_in_the_order_of_the_coordinators_map():
    """By id, the member with the partition to give up would not be the one with most."""
    (grown,) = (each for each in executed()["events"] if each["case"] == "u-uniform.6.grow")
    step = step_of(grown, group_of(grown["files"]))
    assert [step.figures[figure] for figure in FIGURES] == grown["seen"]


@pytest.mark.slow  # 4 s
def test_the_alarm_rings_where_facts_are_missing_and_never_with_all_of_them():
    """Of 18 predictions that are wrong without subscriptions or racks it rings for 13, of 134 with them for none."""
    alarms, wrong, rung = [], 0, []
    for each in events():
        rule = target(each["strategy"])
        alarms.append(alarm_of(group_of(each["files"]), rule))
        if each["unequal"] or each["kind"] == "racks":
            less = group_of(without(each["files"], "subs.csv", "racks.csv", "racks-brokers.csv"))
            if wrong_figures(each, step_of(each, less)):
                wrong += 1
                rung.append(alarm_of(less, rule))
    assert len(alarms) == 134 and set(alarms) == {None}
    rings = [each for each in rung if each is not None]
    assert (len(rings), wrong) == (13, 18)
    assert all("of a stable group: racks or subscriptions are missing" in each for each in rings)


def test_without_the_facts_that_matter_the_alarm_rings_or_the_figures_hold():
    """One case of each kind of missing fact."""
    for name in ("range.uneq.1.join-1", "racks.range.rf2.5-7.1.leave-1"):
        (each,) = (each for each in events() if each["case"] == name)
        less = group_of(without(each["files"], "subs.csv", "racks.csv", "racks-brokers.csv"))
        rings = alarm_of(less, target(each["strategy"])) is not None
        assert rings or wrong_figures(each, step_of(each, less)) == []


REMOTES = {"uniform": "uniform", "server-range": "range"}
DEPLOYS = ("c2c", "u2u")


def setting_of(text):
    """The setting that a roll's name stands for."""
    return ClientSetting(remote=REMOTES[text]) if text in REMOTES else ClientSetting(tuple(text.split("+")))


def totals_of(roll):
    """The predicted totals of each step."""
    names = dict.fromkeys(name for text in (roll["first"], *roll["way"]) for name in text.split("+"))
    way = [setting_of(text) for text in roll["way"]]
    config = POLICIES[roll["policy"]]._replace(assignors=("uniform", "range"))
    return rolled(
        group_of(roll["files"]), [target(name) for name in names], setting_of(roll["first"]), way, config
    )


@pytest.mark.slow  # 2 s
def test_every_rolling_restart_takes_as_many_rebalances_as_were_seen():
    """22 steps between rules, and two deploys: a member that is back at once may save some of them."""
    found = [is_exact for roll in rolls() for is_exact in exact_steps(roll)]
    assert (sum(found), len(found)) == (23, 24)  # the other is `r2c-now`, whose members came back at once


def exact_steps(roll):
    """For each step, which is as seen, whether its number of rebalances is exact."""
    for seen, step in zip(roll["seen"], totals_of(roll), strict=True):
        rebalances, moved, restarted, revoked, loads = seen
        assert step.quick <= rebalances <= step.rebalances.most, roll["case"]
        assert step.moved.least <= moved <= step.moved.most, roll["case"]
        assert list(step.loads) == loads, roll["case"]
        assert abs(step.restarted - restarted) <= 3, roll["case"]
        assert abs(step.revoked - revoked) <= max(4, revoked // 3), roll["case"]
        yield step.rebalances == (rebalances, rebalances)


def test_rolling_changes_executed_after_they_were_predicted_are_as_predicted():
    """From range to cooperative-sticky, and from both to the consumer protocol."""
    for roll in executed()["rolls"]:
        assert all(exact_steps(roll)), roll["case"]


@pytest.mark.parametrize("case", DEPLOYS)
def test_a_deploy_is_one_event_that_costs_what_was_seen(case):
    (roll,) = (each for each in rolls() if each["case"] == case)
    ((rebalances, moved, restarted, revoked, _),) = roll["seen"]
    step = step_of({"event": "deploy", "strategy": roll["first"]}, group_of(roll["files"]))
    assert step.range_of("rounds").least <= rebalances <= step.range_of("rounds").most
    assert abs(step.moved - moved) <= 3 and abs(step.orphaned - restarted) <= 2
    assert abs(step.paused - revoked) <= 3


def test_static_members_keep_their_partitions_in_a_deploy_and_in_a_migration():
    (roll,) = (each for each in rolls() if each["case"] == "r2u-static")
    group = group_of(roll["files"])
    step = step_of({"event": "deploy", "strategy": "range"}, group)
    assert (step.rounds, step.moved, step.paused, step.orphaned) == (0, 0, 0, 13)
    (total,) = totals_of(roll)
    assert (total.rebalances, total.moved, total.revoked, total.loads) == ((0, 0), (0, 0), 0, (2, 5))
