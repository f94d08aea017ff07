"""The page of state diagrams is what the tables say."""

import pytest

from kassay.model.protocols.shared.table import edges
from kassay.report.state_diagrams import MACHINES, Machine, diagram, page
from tests.paths import DOCS

PAGE = DOCS / "protocols.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "regenerate it: python -m kassay.report.state_diagrams > docs/protocols.md"
    )


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.title)
def test_a_diagram_has_every_state_and_every_arrow_once(machine: Machine) -> None:
    lines = diagram(machine.table).splitlines()
    states = {*machine.table, *(after for _, _, after in edges(machine.table))}
    arrows = {(before, after) for before, _, after in edges(machine.table) if before != after}
    assert sum(line.strip().startswith("state ") for line in lines) == len(states)
    assert sum("-->" in line for line in lines) == len(arrows)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.title)
def test_tables_are_total_over_their_events(machine: Machine) -> None:
    events = {event for rules in machine.table.values() for event in rules}
    sparse = [state for state, rules in machine.table.items() if set(rules) != events]
    assert not sparse
