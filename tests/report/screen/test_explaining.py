"""Explanations on a terminal: everything that a document says."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from kassay.engines.explain import explain
from kassay.report.screen.explaining import explanation_view
from tests.paths import DOCS


def shown(explanation):
    console = Console(width=250, file=StringIO())
    console.print(explanation_view(explanation))
    return " ".join(console.file.getvalue().split())


def test_a_claim_is_told_with_each_reading_and_what_it_takes():
    explanation = explain("stable")
    document, text = explanation.to_json(), shown(explanation)
    for reading in document["readings"]:
        assert reading["sentence"] in text
        assert f"holds after {reading['minimum']} judgements or more" in text
        for situation in reading["situations"]:
            assert f"{situation['id']}: {situation['sentence']}" in text
    assert "client-side assignors, server-side assignors, share groups: " in text
    assert "Streams tasks: " in text
    assert f"declared by {', '.join(document['declared_by'])}" in text


@pytest.mark.parametrize(
    ("argument", "said"), [("3", "{argument_expected}, 3 unless given"), ("", "{argument_expected}")]
)
def test_an_argument_is_told_with_its_default(argument, said):
    explanation = explain("converges")
    reading = replace(explanation.readings[0], argument=argument)
    text = shown(replace(explanation, readings=(reading,), declared_by=()))
    assert f"converges:VALUE, {said.format_map(vars(reading))}" in text
    assert ("unless given" in text) is bool(argument)
    assert text.endswith("declared by no reference")
    bare = replace(reading, argument=None, more="")
    assert "argument" not in shown(replace(explanation, readings=(bare,)))


def test_a_trace_is_told_with_its_rounds_and_its_violations():
    explanation = explain(str(DOCS / "traces" / "sticky-converges.json"))
    text = shown(explanation)
    assert "sticky breaks converges" in text
    assert all(" ".join(line.split()) in text for line in explanation.trace.violations)
    assert "a claim that this version does not know" in shown(replace(explanation, claim=None))


def test_the_numbers_of_a_rule_stand_in_its_tables():
    explanation = explain("range")
    document, text = explanation.to_json(), shown(explanation)
    for row in document["growth"]:
        others = " ".join(str(number) for number in row["others"].values())
        assert f"{row['topics']} {' '.join(map(str, row['loads']))} {row['spread']} {others}" in text
    for row in document["leaving"]:
        cells = " ".join(f"{row['moved'][rule]} ({row['needed'][rule]})" for rule in row["moved"])
        assert f"{row['topics']} {row['partitions']} {cells}" in text
