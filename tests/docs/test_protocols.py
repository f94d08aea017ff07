"""The page of state machines and its data say what the tables say."""

import csv
import re

import pytest

from kassay.engines.protocols.switches import SWITCHES
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, edges
from kassay.model.protocols.values.releases import OLD_RULES
from tests.docs.markdown import fenced, rows, section
from tests.paths import DOCS
from writers.protocols import MACHINES, OLDER, RULES, Machine, changes, diagram, files

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
def test_the_data_has_every_rule(machine: Machine) -> None:
    every = {
        (str(state), str(event), " / ".join(map(str, rule.targets)), rule.action): rule
        for state, rules in machine.table.items()
        for event, rule in rules.items()
    }
    with RULES.open(encoding="utf-8", newline="") as file:
        listed = [row for row in csv.DictReader(file) if row.pop("machine") == machine.title]
    assert len(listed) == len(every)
    counts = {"ignored": 0, "impossible": 0}
    for row, ((state, event, to, action), rule) in zip(listed, every.items(), strict=True):
        said = {IGNORE: "ignored", IMPOSSIBLE: "impossible"}.get(rule, action)
        assert [*row.values()] == [state, event, to, said]
        counts[said] = counts.get(said, 0) + 1
    shown = section(PAGE, machine.title)
    omitted = re.search(r"; (\d+) cells, (\d+) ignored, (\d+) impossible\.$", shown, re.M)
    assert omitted is not None
    assert [*map(int, omitted.groups())] == [len(every), counts["ignored"], counts["impossible"]]
    assert f"`src/kassay/{machine.where}`" in shown
    assert (DOCS.parent / "src" / "kassay" / machine.where).exists()


def test_page_and_data_are_what_the_writer_writes() -> None:
    stale = [path.name for path, text in files().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "regenerate them: python docs/writers/protocols.py"


def test_every_older_rule_is_listed_with_what_finds_it() -> None:
    listed = rows(section(PAGE, "What changed in Kafka 4.4"))
    assert [row["switch"] for row in listed] == [rule.switch for rule in OLD_RULES]
    assert changes() in PAGE
    with OLDER.open(encoding="utf-8", newline="") as file:
        stated = [*csv.DictReader(file)]
    for rule, row in zip(OLD_RULES, stated, strict=True):
        assert (row["switch"], row["older rule"], row["4.4.0"]) == (rule.switch, rule.was, rule.now)
        assert row["found by"]
        assert (rule.switch in SWITCHES) != bool(rule.hidden), (
            "a walk finds it, or a reason says why none does"
        )


@EACH
def test_tables_are_total_over_their_events(machine: Machine) -> None:
    events = {event for rules in machine.table.values() for event in rules}
    sparse = [state for state, rules in machine.table.items() if set(rules) != events]
    assert not sparse
