"""A plan of replicas on a terminal.

Broken placement claims in people's words.
"""

from __future__ import annotations

import io

import pytest

from kassay.engines.replicas.cluster import PlacementChange
from kassay.engines.replicas.judge import ClaimStanding, Standing
from kassay.engines.replicas.planned import plan_cluster
from kassay.engines.replicas.steps import StepBound
from kassay.properties.registry import Evidence
from kassay.report.screen.console import View, console
from kassay.report.screen.place import breaches_text, bytes_text, place_view
from tests.engines.replicas.clusters import cluster


def shown(view: View) -> str:
    """What a terminal would show."""
    file = io.StringIO()
    console(file=file).show(view)
    return file.getvalue()


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (3 << 40, "3.0 TiB"), (9 << 60, "9216.0 PiB")],
)
def test_bytes(size: int, text: str) -> None:
    assert bytes_text(size) == text


def test_brokers_stand_below_their_racks_with_what_changes() -> None:
    plan = plan_cluster(cluster({"t": [(1, 2, 3)] * 6}, sizes=True), PlacementChange(), None, StepBound(4))
    text = shown(place_view(plan, {}, 1 << 20, why=True))
    assert "cluster: 6 brokers in 3 racks, 1 topic, 6 partitions, 18 replicas, 63.0 MiB" in text
    assert text.startswith("3 rules broken today: follower-spread, replicas-even, leaders-even\n9 copies (")
    words = " ".join(text.split())
    assert "reach the best placement on these brokers" in words and ": proven least." in words
    assert "6 -> 3" in text and "why not better" in text


def test_a_topic_cannot_colour_or_break_the_screen() -> None:
    name = "t\x1b[31m\n[red]"
    plan = plan_cluster(cluster({name: [(1, 4, 2)] * 2}), PlacementChange(), None, StepBound())
    text = shown(place_view(plan, {}, 1, why=False))
    assert "\x1b" not in text and "t\\x1b[31m\\n[red]-0" in text.replace("\n", "")


def test_nothing_to_do() -> None:
    plan = plan_cluster(cluster({"t": [(1, 2)]}, {1: None, 2: None}), PlacementChange(), None, StepBound())
    text = shown(place_view(plan, {}, 1, why=False))
    assert text.startswith("No rule broken today\nNo placement on these brokers is better.\n")


LOADS = {1: 18, 2: 18, 3: 14, 4: 4}


def standing(*names: str) -> ClaimStanding:
    """A claim that these partitions break."""
    return ClaimStanding(
        "replicas-distinct", "", Standing.VIOLATED, tuple(Evidence(name, {}, "") for name in names)
    )


def test_partitions_are_summed_by_topic_the_most_broken_first() -> None:
    assert breaches_text(standing("a-b-1", "c-0", "c-1", "c-1"), 1200) == "3 of 1,200 partitions: c 2, a-b 1"
    many = breaches_text(standing(*(f"t{n}-0" for n in range(9))), 9)
    assert many == "9 of 9 partitions: t0 1, t1 1, t2 1, t3 1, t4 1, t5 1 and 3 more topics"


def test_nothing_is_summed_of_claims_about_the_whole() -> None:
    assert (
        breaches_text(ClaimStanding("leaders-even", "", Standing.VIOLATED, (Evidence("x", {}, ""),)), 5) == ""
    )
    assert breaches_text(standing(), 5) == ""
