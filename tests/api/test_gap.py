"""`kassay.gap` is what the command shows; its tables and its plots."""

import json
from xml.etree import ElementTree

import pytest

import kassay
from kassay.model.errors import InputError, TargetError
from kassay.solver.instances.groups import consumer
from tests.api.same import without_times
from tests.cli.runner import here

SUITE = [consumer(shape, 1, members=6, partitions=30) for shape in ("random", "nested")]
TARGETS = ("range", "sticky")


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in SUITE))
    return str(path)


def test_the_function_returns_what_the_command_writes(command, suite):
    function = kassay.gap(TARGETS, suite, order="balance,rack,movement").to_json()
    typed = command("gap", *TARGETS, "--suite", suite, "--order", "balance,rack,movement")
    for document in (function, typed):
        for each in document["targets"]:
            del each["seconds"]
    assert function == typed


@pytest.mark.slow
def test_a_ranking_is_what_the_command_writes(command, suite):
    result = kassay.gap(TARGETS, suite, rank=True, histories=2, seed=3)
    function, typed = (
        result.to_json(),
        command("gap", *TARGETS, "--suite", suite, "--rank", "--histories", "2", "--seed", "3"),
    )
    for document in (function, typed):
        for each in document["targets"]:
            del each["seconds"]
    assert without_times(function) == without_times(typed)
    assert repr(result) == "<Ranking: sticky, range>"
    assert [(row["place"], row["target"]) for row in result.rows()] == [(1, "sticky"), (2, "range")]
    assert "leaderboard" in result.page()


def test_a_row_is_a_target_on_an_instance():
    gaps = kassay.gap(TARGETS, SUITE)
    assert [(row["target"], row["instance"]) for row in gaps.rows()] == [
        (target, each["name"]) for target in TARGETS for each in SUITE
    ]
    (worst,) = [row for row in gaps.rows()[:2] if row["instance"] == SUITE[1]["name"]]
    assert worst["balance"] == gaps.targets[0].gaps[1].balance > 0
    assert "Worst cases" in gaps.page() and "range" in repr(gaps)


def test_each_plot_is_a_drawing_of_its_own():
    plots = kassay.gap(TARGETS, SUITE).plots()
    assert {"balance", "spread", "short", "moves"} <= set(plots)
    for plot in plots.values():
        root = ElementTree.fromstring(plot.svg)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
        assert plot.title in texts and "sticky" in texts
        assert plot._repr_svg_() == plot.svg
    assert repr(plots["short"]) == "<Plot: Instances short of the optimal balance>"


def test_a_plot_is_chosen_by_its_name():
    gaps = kassay.gap(TARGETS, SUITE)
    assert gaps.plot() == gaps.plots()["balance"] and gaps.plot("moves").title == "Moves in all"
    with pytest.raises(InputError, match="plot: found 'weight', expected one of balance"):
        gaps.plot("weight")


def test_a_class_is_a_target():
    from kassay.assignors.groups.client.range import Range

    assert kassay.gap(Range, SUITE[0]).targets[0].instances == 1


def test_misuse_is_an_error():
    with pytest.raises(TargetError, match="'rang'"):
        kassay.gap(["range", "rang"], SUITE)
    with pytest.raises(InputError, match="is of kind placer"):
        kassay.gap("placement:striped", SUITE)


def test_out_writes_the_table_and_the_plots(suite, tmp_path):
    done = here("gap", *TARGETS, "--suite", suite, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0
    found = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"gap.html", "gap.csv", "gap-balance.svg", "gap-moves.svg"} <= found
    lines = (tmp_path / "out/gap.csv").read_text().splitlines()
    assert lines[0].startswith("target,instance,balance,spread,movement,rack,moved,")
    assert len(lines) == 1 + len(TARGETS) * len(SUITE)
