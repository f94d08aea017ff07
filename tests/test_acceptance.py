"""Every acceptance scenario has a test that asserts something.

A test belongs to a scenario by its name, `test_scenario_17_...`, or to several, `test_scenario_15_to_18_...`;
the scenarios of the migration between protocols, which have no numbers, are listed here.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
NUMBERS = [*map(str, range(1, 70)), "57b"]
NAME = re.compile(r"test_scenario_(\d+b?)(?:_to_(\d+))?_")
MIGRATION = {
    "test_migration_is_safe_under_every_policy",
    "test_migration_the_other_way",
    "test_a_consumer_member_converts_a_classic_group_if_the_policy_allows",
    "test_the_last_consumer_member_leaving_converts_back_if_the_policy_allows",
    "test_a_classic_member_is_told_to_join_when_there_is_something_to_do",
    "test_failover_of_a_mixed_group_changes_nothing_but_timers",
}


def functions() -> dict[str, tuple[ast.FunctionDef, dict[str, ast.FunctionDef]]]:
    """Every test by name, with the functions of its module, in modules that test a scenario."""
    found = {}
    for path in sorted(ROOT.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(name in text for name in ("test_scenario_", *MIGRATION)):
            continue
        tree = ast.parse(text)
        local = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        found |= {name: (node, local) for name, node in local.items() if name.startswith("test_")}
    return found


TESTS = functions()


def borne() -> dict[str, list[str]]:
    """Scenario -> its tests."""
    found = defaultdict(list)
    for name in TESTS:
        if match := NAME.match(name):
            first, last = match[1].lstrip("0"), match[2]
            numbers = map(str, range(int(first), int(last) + 1)) if last else [first]
            for number in numbers:
                found[number].append(name)
    return dict(found)


def asserts(node: ast.AST, local: dict[str, ast.FunctionDef], depth: int = 3) -> bool:
    """Whether a function, or one of its module that it calls, asserts or expects an exception."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert):
            return True
        if isinstance(part, ast.Call):
            called = part.func
            if isinstance(called, ast.Attribute) and called.attr == "raises":
                return True
            known = depth and isinstance(called, ast.Name) and called.id in local
            if known and asserts(local[called.id], local, depth - 1):
                return True
    return False


def test_every_scenario_is_borne_by_a_test():
    assert sorted(set(NUMBERS) ^ set(borne())) == []


def test_the_scenarios_of_the_migration_are_there():
    assert sorted(MIGRATION - set(TESTS)) == []


@pytest.mark.parametrize(
    "name", [*sorted(MIGRATION), *(test for tests in borne().values() for test in tests)]
)
def test_each_asserts_something_and_is_not_skipped(name):
    node, local = TESTS[name]
    assert asserts(node, local), f"{name} asserts nothing"
    assert "skip" not in {
        part.attr
        for mark in node.decorator_list
        for part in ast.walk(mark)
        if isinstance(part, ast.Attribute)
    }


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("test_scenario_07_x", ("07", None)),
        ("test_scenario_31_to_35_x", ("31", "35")),
        ("test_scenario_57b_x", ("57b", None)),
    ],
)
def test_names_are_read(name, groups):
    assert NAME.match(name).groups() == groups


def test_a_test_that_asserts_nothing_is_seen():
    def parsed(text):
        tree = ast.parse(text)
        return tree.body[0], {node.name: node for node in tree.body}

    assert not asserts(*parsed("def test_x():\n    run()\ndef run():\n    pass"))
    assert asserts(*parsed("def test_x():\n    run()\ndef run():\n    assert y"))
