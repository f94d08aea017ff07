"""Every prediction against what was seen: rebalances of real groups, with what their tools printed before."""

import gzip
import json
from collections import Counter
from functools import cache

import pytest

from kassay.certify.clusters.events import other_places, parse_events
from kassay.certify.clusters.inputs import ClusterInputs
from kassay.certify.clusters.observed import observe
from kassay.certify.clusters.played import places_max, play_candidate
from kassay.certify.clusters.whatif import alarm_of
from kassay.certify.targets.resolve import resolve
from kassay.reading.kafka.brokers import read_brokers
from tests.paths import ROOT

FIGURES = ("least", "most", "idle", "moved", "orphaned", "paused", "rounds")
REALITY = ROOT / "tests" / "data" / "reality"
target = cache(resolve)


@cache
def events():
    return json.loads(gzip.decompress((REALITY / "events.json.gz").read_bytes()))["events"]


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
                held[each["kind"], "range" if step.ranges else "exact"] += 1
    return held, failed


OTHERS = ("librdkafka", "racks")


@pytest.mark.slow  # 4 s
def test_all_figures_of_each_event_are_right_or_a_range_that_holds_the_truth():
    held, failed = replayed(lambda kind: kind not in OTHERS)
    assert failed == []
    assert sum(held.values()) == 98
    assert held["leave", "exact"] + held["kill", "exact"] + held["grow", "exact"] == 50
    assert sum(number for (_, how), number in held.items() if how == "exact") >= 77


@pytest.mark.slow  # 2 s
def test_members_of_librdkafka_and_members_in_racks_do_what_is_predicted():
    _, failed = replayed(lambda kind: kind in OTHERS)
    assert [case for case, _ in failed] == []


def test_one_event_of_each_kind_is_predicted():
    """The sample of the two tests above that runs by default."""
    first = {each["kind"]: each for each in reversed(events())}
    for each in first.values():
        assert wrong_figures(each, step_of(each, group_of(each["files"]))) == [], each["case"]


@pytest.mark.slow  # 4 s
def test_the_alarm_rings_where_facts_are_missing_and_never_with_all_of_them():
    """Of 18 predictions that are wrong without subscriptions or racks it rings for 13, of 134 with them for none."""
    told, wrong, rung = [], 0, []
    for each in events():
        rule = target(each["strategy"])
        told.append(alarm_of(group_of(each["files"]), rule))
        if each["unequal"] or each["kind"] == "racks":
            less = group_of(without(each["files"], "subs.csv", "racks.csv", "racks-brokers.csv"))
            if wrong_figures(each, step_of(each, less)):
                wrong += 1
                rung.append(alarm_of(less, rule))
    assert len(told) == 134 and set(told) == {None}
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
