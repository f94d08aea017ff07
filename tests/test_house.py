"""Structure of the tree: folders, allowed imports, unique names, and the links at the top."""

import ast
import importlib
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests import house
from tests.paths import ROOT

DOORS = ("model", "assignors", "properties", "solver")
DOZEN = 12
LARGER = {
    "cli.commands": (24, "a command is a file, and there will be two dozen"),
}
"""Folders with more than a dozen modules, their number, and the reason."""

SAME_NAME = {
    "Broker": "Kafka's broker with all that it says of itself; the solver's has a share and a number",
    "Member": "Kafka's member with its claims; the solver's is a vertex",
    "Topic": "Kafka's topic; the solver's is a weight for each partition",
}
"""Public class names that may occur twice, with the reason."""
VAGUE = {"found", "made", "told"}
"""Names that say only how a value came about."""


OUT = {
    "rich": {"report.screen.console"},
    "html": set(),
    "jinja2": {"report.pages.layout"},
    "markupsafe": {"report.pages.layout"},
    "xml": {"report.files.junit"},
    "urllib.parse.quote": {"writing.text"},
    "shlex.quote": {"writing.text"},
    "shlex.join": set(),
    "ensure_ascii=": {"pipeline.fleet.dialects", "writing.documents"},
    ".write_text": {"pipeline.spark.java", "pipeline.spark.session"},
    ".write_bytes": {"writing.files"},
    "sys.stdout.write": {"cli.options", "solver.packing.engines.cpsat"},
    "sys.stderr.write": set(),
    "click.echo": {"cli.options"},
    "click.secho": set(),
    "print()": set(),
}
"""Exits of text from the program, and the files that may use them, which escape every name.

Java's options and CP-SAT's answers are our own, and only the other process reads them; a line of a fleet's
snapshots is only tested for valid UTF-8.
"""
PROBES = {".is_file": {"cli.main", "writing.files"}, ".is_dir": set(), "os.path.isfile": {"reading.paths"}}
"""Tests of a path's existence: `Path`'s own methods raise for too long names, so only ours are used."""
CROSS_CUTTING = {
    "test_acceptance": "the figures that the first design promised",
    "test_conformance": "every reference against every claim that it declares",
    "test_dev": "the script `dev`, beside the package",
    "test_documented_examples": "Kafka's documentation, and the articles this set out from, by target",
    "test_example_cluster": "examples/cluster, whose logs a script of the tests writes",
    "test_held": "what users hold keeps being read",
    "test_house": "these rules",
    "test_marked": "which test files need not be imported for the tests of one marker",
    "test_one_file": "what is added by adding one file",
    "faults/test_catalogue": "the faults planted in our own judges",
    "guards/test_catalogue": "the guards of coordinator and clients, removed in turn",
    "guards/test_removal": "what notices that a guard is gone",
    "guards/test_record": "what is on record of the guards, a sample judged anew",
    "guards/test_rows": "rows of tables as guards",
    "guards/test_worlds": "what removed guards are put to",
    "fuzz/test_surfaces": "whatever comes from outside, against the exit codes",
    "assignors/test_kafkas_client": "the references beside the jar of the client that they are written after",
    "certify/runs/test_aimed_cases": "recipes, drivers and blocks together: what the first cases reach",
    "cli/test_absurd": "absurd sizes and depths are refused by whatever reads documents",
    "cli/test_ranges": "every option of every command has a range",
    "cli/test_hostile": "a hostile target ends no run: the guard, the judge and the command together",
    "cli/test_hostile_names": "hostile names through every command, from end to end",
    "model/protocols/coordinator/test_check_order": "one table of errors over the requests of all groups",
    "model/protocols/coordinator/test_sessions": "timers of both kinds of group",
    "model/protocols/coordinator/streams/test_memory": "findings: what is in memory alone",
    "model/protocols/coordinator/consumer/test_migration_findings": "what a page tells of a broker, by request",
    "model/protocols/world/test_failover": "acceptance scenarios over several models",
    "model/protocols/world/test_scenarios": "acceptance scenarios over several models",
    "model/protocols/world/test_triggers": "acceptance scenarios over several models",
    "model/protocols/world/timed/test_scenarios": "acceptance scenarios over both models on a clock",
    "report/test_hostile": "hostile names in every form of report",
    "properties/test_breakable": "where the claims of all other kinds count, by brute force",
    "properties/groups/test_breakable": "where the claims of groups count, by brute force",
    "pipeline/test_packaged": "the installed package, without Java and under spark-submit",
    "pipeline/test_languages": "programs and jars, asked by workers",
    "pipeline/test_places": "other file systems, full disks",
    "pipeline/test_survival": "killed drivers and workers",
    "pipeline/walk/test_survival": "a walk killed through the command, and gone on with",
}
"""Tests that belong to no single file or folder, with their subject."""


NO_TEST_OF_ITS_OWN = {
    "__main__": "every test that runs a command in a process of its own goes through it",
    "kinds.groups.controls.balance": "faulty/test_registry plays every control",
    "kinds.groups.controls.share_groups": "faulty/test_registry plays every control",
    "kinds.groups.controls.topics": "faulty/test_registry plays every control",
    "model.errors": "names of errors alone",
    "model.verdict": "three words",
    "model.groups.assignor": "the interface and its empty parts",
    "model.groups.rounds": "an interface and its values; programs/test_rounds goes through it",
    "model.protocols.values.errors": "names alone",
    "model.protocols.values.groups": "values alone",
    "model.protocols.before_0_9.zookeeper_table": "a table; shared/test_table holds all of them",
    "model.protocols.clients.classic_table": "a table; shared/test_table holds all of them",
    "model.protocols.clients.consumer_table": "a table; shared/test_table holds all of them",
    "model.protocols.coordinator.consumer.table": "a table; shared/test_table holds all of them",
    "reading.kafka.offsets.values": "values alone; offsets/test_records reads all of them",
    "solver.check.kinds.exact": "a door to balance; test_balance goes through it",
}
"""Modules without a test file of their name, with the reason."""


def test_no_circle_of_files():
    assert house.circles(house.imports()) == []


@pytest.mark.parametrize("folder", house.folders(), ids=lambda folder: folder or "kassay")
def test_no_circle_of_rooms(folder):
    assert house.circles(house.between(house.imports(), folder)) == []


def test_no_import_goes_up():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    for contract in (each for each in settings if each["type"] == "layers"):
        floor = {
            room.strip(): height
            for height, layer in enumerate(reversed(contract["layers"]))
            for room in layer.split("|")
        }
        folder = contract["containers"][0].removeprefix("kassay").removeprefix(".")
        arrows = house.between(house.imports(), folder)
        up = [
            (here, there)
            for here in arrows
            for there in arrows[here]
            if here in floor and there in floor and floor[there] >= floor[here]
        ]
        assert up == [], contract["name"]


def test_the_protocols_are_few_floors_high():
    assert 1 < house.floors("model.protocols") <= 4


def test_a_folder_is_read_in_one_sitting():
    sizes = Counter(
        name.rpartition(".")[0] for name, path in house.modules().items() if path.name != "__init__.py"
    )
    assert {folder: n for folder, n in sizes.items() if n > LARGER.get(folder, (DOZEN,))[0]} == {}
    assert {folder for folder in LARGER if sizes[folder] <= DOZEN} == set(), "no longer exceptions"


@pytest.mark.parametrize(
    "text",
    [
        "def found(): ...",
        "async def found(): ...",
        "def f(found): ...",
        "f = lambda *found: ...",
        "found = 1",
        "found: int = 1",
        "class C:\n    found: int",
        "self.found = 1",
        "[0 for found in names]",
        "if found := name: ...",
        "with name as (found, _): ...",
        "match name:\n    case [found]: ...",
        "match name:\n    case [*found]: ...",
        "match name:\n    case {**found}: ...",
        "try: ...\nexcept OSError as found: ...",
        "import name as found",
    ],
)
def test_a_definition_is_seen_wherever_it_stands(text):
    assert "found" in {name for name, _ in house.definitions(ast.parse(text))}


def test_names_say_what_they_hold():
    """A name is the noun of its value, not a word for how the value came about."""
    vague = [
        (str(path.relative_to(ROOT)), line, name)
        for path in house.modules().values()
        for name, line in house.definitions(house.syntax(path))
        if name.strip("_") in VAGUE
    ]
    assert vague == []


@pytest.mark.parametrize("way", [*OUT, *PROBES])
def test_names_of_others_go_where_they_are_made_safe(way):
    takers = {
        name
        for name in house.modules()
        if any(each == way or each.startswith(f"{way}.") for each in house.mentions(name))
    }
    assert takers == (OUT | PROBES)[way]


def test_no_public_class_name_stands_twice():
    twice = {name: found for name, found in house.public_classes().items() if len(found) > 1}
    assert {name: found for name, found in twice.items() if name not in SAME_NAME} == {}
    assert SAME_NAME.keys() <= twice.keys(), "no longer exceptions"


@pytest.mark.parametrize("name", DOORS)
def test_the_doors_lead_to_the_packages(name):
    door = ROOT / name
    assert door.is_symlink()
    assert str(door.readlink()) == f"src/kassay/{name}"
    assert (door / "__init__.py").samefile(ROOT / "src" / "kassay" / name / "__init__.py")


def test_links_stay_out_of_the_distribution():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    targets = settings["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"]["packages"] == ["src/kassay"]
    assert not set(DOORS) & set(targets["sdist"]["only-include"])


@pytest.mark.parametrize(
    ("module", "kept_out"),
    [
        ("kassay.model.groups.player", ("networkx", "z3", "hypothesis", "rich", "click", "pyspark")),
        ("kassay.cli.main", ("networkx", "z3", "hypothesis", "rich", "pyspark", "kassay.certify")),
        ("kassay.certify.runs.run", ("z3", "pyspark", "hypothesis", "rich")),
        (
            "kassay.solver.check.balance",
            ("kassay.solver.consumers.optimum", "kassay.solver.algorithms.levels", "z3", "networkx"),
        ),
    ],
)
def test_what_an_import_does_not_bring_along(module, kept_out):
    code = f"import {module}, sys; print(*sorted(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not set(kept_out) & set(found.stdout.split())


@pytest.mark.parametrize("path", house.outside(), ids=lambda path: path.stem)
def test_what_stands_outside_the_package_imports_what_is_there(path):
    imports = [node for node in house.nodes(house.syntax(path)) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imports if node.module and node.module.startswith("kassay")]
    assert ours
    for node in ours:
        module = importlib.import_module(node.module)
        for alias in node.names:
            assert hasattr(module, alias.name) or house.is_module(f"{node.module}.{alias.name}"), alias.name


def test_setting_up_needs_the_standard_library_only():
    done = subprocess.run([sys.executable, "-I", str(ROOT / "dev"), "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "./dev test" in done.stdout


def test_the_source_of_a_test_is_found_from_the_tree():
    files = [path for path in house.tests() if path.parts[0] != "docs"]
    sources = {path for name in house.modules() for path in (house.test_of(name),)}
    lost = {path.with_suffix("").as_posix() for path in files if path not in sources}
    assert lost == CROSS_CUTTING.keys()


@pytest.mark.parametrize("folder", [folder for folder in house.folders() if house.files(folder)])
def test_the_tests_of_a_folder_are_in_the_folder_of_its_name(folder):
    assert any(path.parent == Path(*folder.split(".")) for path in house.tests())


def test_every_module_has_a_test_of_its_own_name():
    packages = house.folders()
    tests = set(house.tests())
    without = {name for name in house.modules() if name not in packages and house.test_of(name) not in tests}
    assert without == NO_TEST_OF_ITS_OWN.keys()


def _needs_spark(node: ast.AST) -> bool:
    """Whether it requests something that only the pipeline's environment has, or skips without it."""
    text = ast.unparse(node)
    return (
        any(f"importorskip('{name}'" in text for name in ("duckdb", "pyarrow")) or "pipeline.commands" in text
    )


def test_what_needs_spark_is_marked_so_or_it_would_run_nowhere():
    lost = []
    for path in sorted((house.TESTS / "pipeline").rglob("test_*.py")):
        tree = house.syntax(path)
        tests = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")]
        others = [n for n in tree.body if not isinstance(n, ast.FunctionDef)]
        if any(isinstance(n, ast.Assign) and "mark.spark" in ast.unparse(n) for n in others):
            continue
        everything = any(map(_needs_spark, others))
        for test in tests:
            fixtures = {argument.arg for argument in test.args.args}
            if everything or _needs_spark(test) or fixtures & {"spark", "undisturbed"}:
                marks = map(ast.unparse, test.decorator_list)
                lost += [f"{path.name}::{test.name}"] * (not any("mark.spark" in mark for mark in marks))
    assert lost == []
