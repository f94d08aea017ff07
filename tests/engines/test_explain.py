"""`kassay explain`: claims and traces in words, rules in numbers from a run."""

import pytest
from rich.console import Console

from kassay.assignors import registry
from kassay.engines.explain import explain
from kassay.kinds.groups.measures import TOPICS_MAX
from kassay.properties.registry import load_claims
from kassay.report.screen.explaining import explanation_view
from tests.paths import DOCS

TRACES = DOCS / "traces"


def text(explanation):
    with (screen := Console(width=200)).capture() as shown:
        screen.print(explanation_view(explanation))
    return shown.get()


def test_range_grows_apart_by_one_partition_a_topic_and_the_others_do_not():
    rows = explain("range").to_json()["growth"]
    assert [(row["topics"], row["loads"], row["spread"]) for row in rows] == [
        (n, [2 * n, n, n], n) for n in range(1, TOPICS_MAX + 1)
    ]
    assert all(row["others"][rule] <= 1 for row in rows for rule in ("roundrobin", "sticky"))


@pytest.mark.parametrize("spec", ["sticky", "cooperative-sticky", "roundrobin"])
def test_when_one_of_three_leaves_sticky_moves_what_it_left_and_round_robin_much_more(spec):
    rows = explain(spec).to_json()["leaving"]
    by_size = {row["partitions"]: row for row in rows}
    assert by_size[4]["moved"] | {"range": 0, "optimal-sticky": 0, "cooperative-sticky": 0} == {
        "sticky": 1,
        "roundrobin": 3,
        "range": 0,
        "optimal-sticky": 0,
        "cooperative-sticky": 0,
    }
    for row in rows:
        assert row["moved"]["sticky"] == row["needed"]["sticky"]
        assert row["moved"]["roundrobin"] > row["needed"]["roundrobin"]


@pytest.mark.parametrize("spec", sorted(registry.load_all()))
def test_every_reference_is_told_with_its_header_and_what_it_declares(spec):
    explanation = explain(spec)
    document, shown = explanation.to_json(), " ".join(text(explanation).split())
    assert document["header"]
    assert " ".join(document["source"].split()) in shown
    assert all(claim["id"] in shown for claim in document["declares"])
    assert ("leaving" in document) == (document["kind"] in ("client", "server") and spec != "failover")


@pytest.mark.parametrize("claim_id", sorted({claim_id for _, claim_id in load_claims()}))
def test_every_claim_is_told_with_its_sentence_and_source(claim_id):
    explanation = explain(claim_id)
    document, shown = explanation.to_json(), text(explanation)
    readings = {found.sentence for (_, name), found in load_claims().items() if name == claim_id}
    assert {reading["sentence"] for reading in document["readings"]} == readings
    assert all(reading["source"] in shown for reading in document["readings"])


def test_a_claim_names_the_situations_that_it_needs_for_its_kind():
    by_kind = {reading["kinds"][0]: reading for reading in explain("stable").to_json()["readings"]}
    of_groups, of_tasks = by_kind["client"], by_kind["streams"]
    assert of_groups["kinds"] == ["client", "server", "share"]
    assert [s["id"] for s in of_groups["situations"]] == ["no-change"]
    assert "process-leaves" in {s["id"] for s in of_tasks["situations"]}
    assert "sticky-minimal" in {c["id"] for c in explain("optimal-sticky").to_json()["declares"]}


def test_a_trace_is_told_round_by_round():
    shown = text(explain(str(TRACES / "sticky-converges.json")))
    assert "sticky breaks converges" in shown
    assert "Round 3 of 3, generation 3" in shown
