"""The page of state machines says what the tables say."""

import re

import pytest

from kassay.certify.protocols.switches import SWITCHES
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, edges
from kassay.model.protocols.values.releases import OLD_RULES
from tests.docs.markdown import fenced, rows, section
from tests.paths import DOCS
from writers.protocols import MACHINES, Machine, changes, diagram

PAGE = (DOCS / "protocols.md").read_text(encoding="utf-8")
EACH = pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.title)


def drawn(text: str) -> tuple[set[str], dict[tuple[str, str], set[str]]]:
    """The states of a Mermaid diagram, and the events on its arrows."""
    names = {short: name for name, short in re.findall(r'^ *state "(.*)" as (\w+)$', text, re.M)}
    arrows = re.findall(r"^ *(\w+) --> (\w+): (.*)$", text, re.M)
    events = {(names[one], names[other]): set(label.split(" / ")) for one, other, label in arrows}
    assert len(events) == len(arrows)
    return set(names.values()), events


def spelled(event: object) -> str:
    """An event without what Mermaid reads as its own."""
    return str(event).replace(":", "").replace(";", ",").replace("-", " ")


@EACH
def test_the_page_draws_every_state_and_every_arrow(machine: Machine) -> None:
    arrows: dict[tuple[str, str], set[str]] = {}
    for before, event, after in edges(machine.table):
        if before != after:
            arrows.setdefault((str(before), str(after)), set()).add(spelled(event))
    (shown,) = fenced(section(PAGE, machine.title))
    states = {str(state) for state in (*machine.table, *(after for _, _, after in edges(machine.table)))}
    assert drawn(shown) == drawn(diagram(machine.table)) == (states, arrows)


@EACH
def test_the_page_lists_every_rule(machine: Machine) -> None:
    handled = {
        (str(state), str(event), ", ".join(map(str, rule.targets)), rule.action.replace("|", "/"))
        for state, rules in machine.table.items()
        for event, rule in rules.items()
        if rule not in (IGNORE, IMPOSSIBLE)
    }
    listed = [tuple(row.values()) for row in rows(section(PAGE, machine.title))]
    assert (len(listed), set(listed)) == (len(handled), handled)


def test_the_page_lists_every_older_rule_and_what_finds_it() -> None:
    listed = rows(section(PAGE, "What changed in Kafka 4.4"))
    assert [row["switch"] for row in listed] == [rule.switch for rule in OLD_RULES]
    assert changes() in PAGE
    for rule in OLD_RULES:
        assert (rule.switch in SWITCHES) != bool(rule.hidden), (
            "a walk finds it, or a reason says why none does"
        )


@EACH
def test_the_page_counts_what_it_leaves_out(machine: Machine) -> None:
    rules = [rule for rules in machine.table.values() for rule in rules.values()]
    counts = re.search(
        r"^(\d+) cells, of which (\d+) .* and (\d+) are impossible", section(PAGE, machine.title), re.M
    )
    assert counts is not None
    assert [*map(int, counts.groups())] == [len(rules), rules.count(IGNORE), rules.count(IMPOSSIBLE)]
    assert f"`src/kassay/{machine.where}`" in section(PAGE, machine.title)
    assert (DOCS.parent / "src" / "kassay" / machine.where).exists()


@EACH
def test_tables_are_total_over_their_events(machine: Machine) -> None:
    events = {event for rules in machine.table.values() for event in rules}
    sparse = [state for state, rules in machine.table.items() if set(rules) != events]
    assert not sparse
