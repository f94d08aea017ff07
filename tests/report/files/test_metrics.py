"""The metrics as Prometheus reads them: its own parsers, its rules for names, and labels of any group name."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kassay.engines.watch.figures import best_figures, quick_figures, useful_counts
from kassay.engines.watch.watcher import Watched, WatchedGroup
from kassay.model.errors import InputError
from kassay.report.files.metrics import LABEL_MAX, NAMES, label, metrics_text, registry_of
from tests.engines.watch.sights import cluster_sight, sight

prometheus = pytest.importorskip("prometheus_client")
exposition = pytest.importorskip("prometheus_client.openmetrics.exposition")
openmetrics = pytest.importorskip("prometheus_client.openmetrics.parser")
text_string_to_metric_families = pytest.importorskip(
    "prometheus_client.parser"
).text_string_to_metric_families

HOSTILE = ['a"b', "a\\b", "a\nb", "a{b}", "a=b,c", "\x1b[31m", "\u202e", "g" * 500, "ü", " ", ""]


def watched(*sights):
    """An observation of these groups."""
    groups = [
        WatchedGroup(replace(quick_figures(each), best=best_figures(each), useful=useful_counts(each)), 3, 1)
        for each in sights
    ]
    return Watched(0.5, 7, cluster_sight(*sights, dropped=2), tuple(groups), 1)


def skewed(name="g"):
    return sight({"a": ["t-0", "t-1", "t-2"], "b": ["t-3"]}, {"t": 4}, name=name)


def samples(text):
    """The value of each series."""
    return {
        (each.name, *sorted(each.labels.items())): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def text_of(observation):
    return prometheus.generate_latest(registry_of(lambda: observation)).decode()


def test_every_metric_has_help_type_and_value():
    text = text_of(watched(skewed()))
    families = {each.name: each for each in text_string_to_metric_families(text)}
    assert {*families} == {name.removesuffix("_total") for name in NAMES}
    for family in families.values():
        assert family.documentation and family.samples
        assert family.type == ("counter" if f"{family.name}_total" in NAMES else "gauge")
    found = samples(text)
    group = ("group", "g")
    assert found["kassay_up",] == 1
    assert found["kassay_group_spread_partitions", group] == 2
    assert found["kassay_group_optimum_spread_partitions", group] == 0
    assert found["kassay_group_optimum_distance_partitions", group] == 1
    assert found["kassay_group_useful_members_upper", group] == 4
    assert found["kassay_group_needless_moves_total", group] == 1
    assert found["kassay_groups", ("type", "classic")] == 1
    assert found["kassay_groups_dropped",] == 2
    info = ("assignor", "sticky"), group, ("state", "Stable"), ("type", "classic")
    assert found["kassay_group_info", *info] == 1


def test_openmetrics_is_read_too():
    registry = registry_of(lambda: watched(skewed()))
    text = exposition.generate_latest(registry).decode()
    assert {each.name for each in openmetrics.text_string_to_metric_families(text)} == {
        name.removesuffix("_total") for name in NAMES
    }


def test_names_follow_the_rules_of_prometheus():
    for name in NAMES:
        assert re.fullmatch(r"kassay_[a-z]+(_[a-z]+)*", name)
        assert not name.endswith(("_count", "_sum", "_bucket", "_gauge"))
    assert [name for name in NAMES if name.endswith("_total")] == [*NAMES[-2:]]


def test_no_label_is_a_partition():
    labels = {
        key
        for family in text_string_to_metric_families(text_of(watched(skewed())))
        for each in family.samples
        for key in each.labels
    }
    assert labels == {"group", "type", "state", "assignor"}


@pytest.mark.parametrize("names", [HOSTILE], ids=["hostile"])
def test_groups_of_any_name_are_told_apart(names):
    found = samples(text_of(watched(*map(skewed, names))))
    groups = [dict(key[1:])["group"] for key in found if key[0] == "kassay_group_members"]
    assert len(groups) == len({*groups}) == len(names)
    assert all(len(each) <= LABEL_MAX and each.isprintable() for each in groups)
    assert 'a"b' in groups and "a\\b" in groups


def test_long_labels_end_in_a_digest():
    one, two = label("g" * 500), label("g" * 501)
    assert one != two and len(one) == len(two) == LABEL_MAX


def test_a_value_that_is_not_known_has_no_series():
    unsettled = sight({"a": ["t-0"], "b": []}, {"t": 2}, state="PreparingRebalance", assignor=None)
    found = {key[0] for key in samples(text_of(watched(unsettled)))}
    assert "kassay_group_spread_partitions" not in found
    assert {"kassay_group_stable", "kassay_group_members", "kassay_group_double_owned_partitions"} <= found


def test_without_an_answer_there_is_no_group():
    silent = Watched(0.1, failure=InputError("refused"))
    assert samples(metrics_text(silent)) == {("kassay_up",): 0, ("kassay_scrape_duration_seconds",): 0.1}


def test_a_single_observation_counts_no_moves():
    found = {key[0] for key in samples(metrics_text(watched(skewed())))}
    assert found == {*NAMES[:-2]}
