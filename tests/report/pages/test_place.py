"""A placement's page: the verdict first, every broker and step, names as text."""

from __future__ import annotations

from typing import Any

import pytest

from kassay.engines.replicas.cluster import PlacementChange
from kassay.engines.replicas.planned import ClusterPlan, plan_cluster
from kassay.engines.replicas.sources import ClusterSources
from kassay.engines.replicas.steps import StepBound
from kassay.model.cluster import Broker
from kassay.reading.kafka.topics import read_topics
from kassay.report.pages.layout import PAGE_BYTES_MAX
from kassay.report.pages.place import judged_view_of, render, view_of
from tests.browser import on_paper, sound
from tests.engines.replicas.clusters import RACKS, cluster

NAME = "<script>alert(1)</script>"


def plan() -> ClusterPlan:
    """A plan with steps, of a topic whose name is no friend."""
    change = PlacementChange(removed=frozenset({3}), added=(Broker(9, "c"),))
    return plan_cluster(
        cluster({NAME: [(1, 2, 3)] * 7 + [(1, 4, 2)]}, sizes=True), change, None, StepBound(3)
    )


def test_the_verdict_the_brokers_and_the_steps_are_there() -> None:
    view = view_of(plan(), {}, 10**6, "again")
    assert (view.word, view.look) == ("3 rules broken today", "bad")
    assert view.meaning.endswith("reach the best placement on these brokers: proven least.")
    assert {row[1] for row in view.brokers} == {"1", "2", "3", "4", "5", "6", "9"}
    assert len(view.steps) == len(plan().steps) and len(view.charts) == 3
    assert next(each.claim for each in view.claims if each.look == "bad") == "rack-spread"


def test_the_page_of_a_judgement_has_no_plan() -> None:
    view = judged_view_of(plan(), "again")
    assert (view.word, view.look) == ("3 rules broken today", "bad")
    assert view.meaning.startswith("3 claims violated today: rack-spread")
    assert not view.steps and not view.moves and not any("->" in cell for row in view.brokers for cell in row)
    assert "Steps" not in render(plan(), {}, 1, "again", judged=True)
    rows: dict[str, list[tuple[int, ...]]] = {"t": [(1, 2), (2, 1)]}
    fine = plan_cluster(cluster(rows, {1: None, 2: None}), PlacementChange(), None, StepBound())
    assert judged_view_of(fine, "again").word == "No rule broken"


def test_partitions_that_are_not_planned_are_in_the_verdict() -> None:
    text = (
        "Topic: t\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: \n"
        "\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,3\tIsr: 1\n"
        "\tTopic: t\tPartition: 1\tLeader: none\tReplicas: 3,2\tIsr: 3\n"
    )
    brokers = [Broker(1, "a"), Broker(2, "b"), Broker(4, "c")]
    change = PlacementChange(removed=frozenset({3}))
    sources = ClusterSources(topics=list(read_topics(text, "t.txt")))
    sources.add_brokers(brokers, "b.csv")
    blocked = plan_cluster(sources.cluster(leaving=change.leaving), change, None, StepBound())
    view = view_of(blocked, {}, 1, "again")
    assert (view.word, view.look) == ("1 partition not planned", "bad")


def test_a_name_is_text_and_nothing_to_do_is_said() -> None:
    page = render(plan(), {}, 10**6, "again")
    assert NAME not in page and "&lt;script&gt;" in page
    rows: dict[str, list[tuple[int, ...]]] = {"t": [(1, 2)]}
    still = plan_cluster(cluster(rows, {1: None, 2: None}), PlacementChange(), None, StepBound())
    assert view_of(still, {}, 1, "again").word == "No rule broken"


def test_a_large_cluster_fits_the_page() -> None:
    racks = {n: f"r{n % 3}" for n in range(130)}
    rows: dict[str, list[tuple[int, ...]]] = {"t": [(n % 20, 20 + n % 7, 40) for n in range(400)]}
    large = plan_cluster(
        cluster(rows, racks | dict.fromkeys(RACKS, "r0")), PlacementChange(), None, StepBound(40)
    )
    page = render(large, {}, 1, "again")
    assert len(page.encode()) < PAGE_BYTES_MAX


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_in_a_browser(open_page: Any, dark: bool) -> None:
    page = open_page(render(plan(), {}, 10**6, "kassay place again"), dark=dark)
    sound(page)


@pytest.mark.browser
def test_all_of_a_placement_is_on_paper(open_page: Any) -> None:
    on_paper(open_page(render(plan(), {}, 10**6, "kassay place again"), dark=True), "table", ".plot svg")
