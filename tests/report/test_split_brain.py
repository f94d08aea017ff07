"""The page on herd effect and split brain is what the models do, and its traces are shortest ones."""

import pytest

from kassay.certify.protocols.explore import explore
from kassay.model.explore import Severity
from kassay.model.protocols.shared.faults import parse_faults
from kassay.report.split_brain import CASES, WALKS, case, herd, page, walk
from tests.paths import DOCS

PAGE = (DOCS / "split-brain.md").read_text(encoding="utf-8")
AGAIN = "regenerate it: python -m kassay.report.split_brain > docs/split-brain.md"


def test_the_seven_changes_are_fresh() -> None:
    table, total = herd()
    assert "\n".join(table) in PAGE, AGAIN
    assert f"the seven changes above cost {total}." in PAGE, AGAIN
    assert total == 1 + 2 + 3 + 4 + 3 + 2 + 1


@pytest.mark.parametrize("told", CASES, ids=lambda told: told[0][1])
def test_the_traces_are_fresh(told: tuple[tuple[str, ...], str, str]) -> None:
    assert case(*told) in PAGE, AGAIN


def test_no_shorter_run_splits_the_brain() -> None:
    """Nothing nearer to the start than the trace breaks it: walked without invariants, level by level."""
    result = explore("zookeeper", switches=frozenset({"zk_no_owner_guard"}))
    found = next(v for v in result.exploration.violations if v.invariant == "I2")
    graph = result.exploration.graph
    double = [
        depth
        for state, depth in zip(graph.states, graph.depths, strict=True)
        if len({tp for c in state.consumers for tp in c.owned}) < sum(len(c.owned) for c in state.consumers)
    ]
    assert min(double) == found.length


@pytest.mark.parametrize("told", [each for each in WALKS if each[2] != "pause=1"], ids=str)
def test_the_walks_are_fresh(told: tuple[str, str | None, str]) -> None:
    assert walk(*told) in PAGE, AGAIN


@pytest.mark.slow
def test_the_page_is_fresh() -> None:
    assert page().rstrip("\n") + "\n" == PAGE, AGAIN


@pytest.mark.slow
@pytest.mark.parametrize(("model", "mode", "faults"), WALKS)
def test_with_a_coordinator_there_is_no_split_brain(model: str, mode: str | None, faults: str) -> None:
    done = explore(model, mode=mode, faults=parse_faults(faults)).exploration
    assert done.limit is None
    assert not [v for v in done.violations if v.invariant in ("I2", "I5", "I7")]
    assert not [v for v in done.violations if v.severity is Severity.REAL]
