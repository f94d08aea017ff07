"""The page on herd effect and split brain says what the models do, and its traces are shortest ones."""

import re

import pytest

from kassay.model.explore.values import Severity
from kassay.model.protocols.faults import parse_faults
from tests.docs.markdown import fenced, flat, rows, section
from tests.explored import explore
from tests.paths import DOCS
from writers.split_brain import CASES, WALKS, case, herd, walk

PAGE = (DOCS / "split-brain.md").read_text(encoding="utf-8")
AGAIN = "regenerate it: python docs/writers/split_brain.py > docs/split-brain.md"
WALKED = {row["command"]: row for row in rows(section(PAGE, "Why a coordinator ends it"))}


def test_the_seven_changes_are_as_played() -> None:
    table, total = herd()
    first = section(PAGE, "One consumer, two, three, four, and back, on three partitions")
    assert rows(first) == rows("\n".join(table)), AGAIN
    assert re.findall(r"the seven changes above cost (\d+)", first) == [str(total)], AGAIN
    assert [int(row["rebalances it cost"]) for row in rows(first)] == [1, 2, 3, 4, 3, 2, 1]


@pytest.mark.parametrize("told", CASES, ids=lambda told: told[0][1])
def test_the_traces_are_as_walked(told: tuple[tuple[str, ...], str, str]) -> None:
    text, trace = re.split(r"(?=```)", case(*told), maxsplit=1)
    assert flat(text) in flat(section(PAGE, "Split brain")), AGAIN
    assert fenced(trace)[0] in fenced(section(PAGE, "Split brain")), AGAIN


def test_no_shorter_run_splits_the_brain() -> None:
    """Nothing nearer to the start than the trace breaks it: walked without invariants, level by level."""
    result = explore("zookeeper", switches=frozenset({"zk_no_owner_guard"}))
    found = next(v for v in result.exploration.violations if v.invariant == "single-current-owner")
    graph = result.exploration.graph
    double = [
        depth
        for state, depth in zip(graph.states, graph.depths, strict=True)
        if len({tp for c in state.consumers for tp in c.owned}) < sum(len(c.owned) for c in state.consumers)
    ]
    assert min(double) == found.length


def test_the_page_lists_every_walk() -> None:
    assert len(WALKED) == len(WALKS)


@pytest.mark.parametrize(
    "told", [pytest.param(each, marks=[pytest.mark.slow] * (each[2] == "pause=1")) for each in WALKS], ids=str
)
def test_the_walks_are_as_walked(told: tuple[str, str | None, str]) -> None:
    (row,) = rows(f"| command | states | verdict | found |\n|---|---|---|---|\n{walk(*told)}")
    assert WALKED[row["command"]] == row, AGAIN


@pytest.mark.slow
@pytest.mark.parametrize(("model", "mode", "faults"), WALKS)
def test_with_a_coordinator_there_is_no_split_brain(model: str, mode: str | None, faults: str) -> None:
    done = explore(model, mode=mode, faults=parse_faults(faults)).exploration
    assert done.limit is None
    assert not [
        v
        for v in done.violations
        if v.invariant in ("single-current-owner", "commits-fenced", "complete-at-rest")
    ]
    again = (model, mode, faults) == ("classic", "cooperative", "failover=1")
    broken = {v.invariant for v in done.violations if v.severity is Severity.REAL}
    assert broken == ({"generation-once"} if again else set()), "B in docs/coordinator-findings.md"
