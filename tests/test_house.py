"""Structure of the tree: folders, allowed imports, unique names, and the links at the top."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from kassay.model.kinds import every_kind, kind_named
from tests import house
from tests.paths import DOCS, ROOT

DOORS = ("model", "assignors", "properties", "solver")
FAMILY_DOORS = (*DOORS, "kinds")
SAME_NAME = {
    "Broker": "Kafka's broker with all that it says of itself; the solver's has a share and a number",
    "Member": "Kafka's member with what it owns; the solver's is a vertex",
    "Topic": "Kafka's topic; the solver's is a weight for each partition",
}
"""Public class names that may occur twice, with the reason."""
VAGUE = {"found", "made", "told"}
"""Names that say only how a value came about."""
FOREIGN = re.compile(
    r"\b(?:told|tells|asked|beside|nobody|somebody|dealt|anew|alike|likewise|be had|put to)\b", re.IGNORECASE
)
"""Words that make text read like a translation; `CONTRIBUTING.md` says how to write instead."""
FOREIGN_MAX = 12
"""The limit of such words in the package, its templates and the pages; lower it with the count."""
VERDICT = re.compile(r'\bALIKE\b|"alike"')
"""The verdict that two targets answer the same, in output and in JSON."""


OUT = {
    "rich": {"report.screen.console"},
    "html": set(),
    "jinja2": {"report.pages.layout"},
    "markupsafe": {"report.pages.layout"},
    "xml": {"report.files.junit"},
    "urllib.parse.quote": {"writing.text"},
    "shlex.quote": {"writing.text"},
    "shlex.join": set(),
    "ensure_ascii=": {"pipeline.fleet.dialects", "writing.files"},
    ".write_text": {"pipeline.spark", "engines.processes.arrangement"},
    ".write_bytes": {"writing.files"},
    "sys.stdout.write": {"cli.options", "solver.packing.engines"},
    "sys.stderr.write": set(),
    "click.echo": {"cli.options"},
    "click.secho": set(),
    "print()": set(),
}
"""Exits of text from the program, and the files that may use them, which escape every name.

Java's options, CP-SAT's answers and the offset of a clock are our own, and only the other process reads them; a line of a fleet's
snapshots is only tested for valid UTF-8.
"""
PROBES = {
    ".is_file": {"cli.main", "writing.files"},
    ".is_dir": {"pipeline.workers"},
    "os.path.isfile": {"reading.documents"},
}
"""Tests of a path's existence: `Path`'s own methods raise for too long names, so only ours are used.

A worker of Spark walks the installed package, and may import nothing else of kassay before it has compared it.
"""
NO_HOME = {
    "docs": "the pages of the site, and the writers of those that are made",
    "faults": "the faults planted in our own judges",
    "fuzz": "whatever comes from outside, against the exit codes",
    "guards": "the guards of coordinator and clients, removed in turn",
    "release": "the wheel, the action and the image, as users get them",
}
"""Folders of tests of no folder of the package, and what they hold."""
ENGINES = (
    *(
        "engines.runs",
        "engines.findings",
        "engines.causes",
        "engines.diff",
        "engines.hunts",
        "engines.targets",
    ),
    *("engines.processes", "engines.optimum", "engines.vectors", "engines.jars", "engines.explain"),
    *("report", "pipeline", "cli"),
)
"""What names no kind: it asks the driver of a kind, or the kind itself."""
_FORMS = "the forms in which users' code is called, a contract of its own: a new kind is called by documents"
_FLEET = "a fleet is of consumer groups"
NAMES_A_KIND = {
    "engines.optimum.gaps": "the ladder and the staircase are instances of consumer groups",
    "engines.processes.programs": _FORMS,
    "engines.processes.python": _FORMS,
    "engines.processes.values": _FORMS,
    "engines.targets.local": _FORMS,
    "engines.targets.mixed": "a group whose members run different assignors",
    "engines.targets.node": "the clients of Node.js have assignors of consumers",
    "engines.vectors.protocol": "traces of the protocols, which are no kind of target",
    "pipeline.fleet": _FLEET,
}
"""Modules and folders of the engines that name a kind, and why."""


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


def _names_a_kind(name):
    """What the module names of a kind: a module of a family, a constant of its kind, its name as a key."""
    kinds = [*every_kind(), kind_named("coordinator")]
    families = {kind.family for kind in kinds}
    modules = {
        each
        for each in house.mentions(name)
        if len(parts := each.split(".")) > 2
        and parts[0] == "kassay"
        and parts[1] in FAMILY_DOORS
        and parts[2] in families - {"protocols"}
    }
    general = {meta for kind in kinds if (meta := kind.meta.rpartition("-")[2])} - {
        kind.name for kind in kinds
    }
    words = {word for kind in kinds for word in (kind.name, kind.meta) if word} - general
    return modules | (words & house.keys_and_operands(house.syntax(house.modules()[name])))


def test_engines_name_no_kind():
    named = {
        name: _names_a_kind(name)
        for name in house.modules()
        if name.startswith(tuple(f"{each}." for each in ENGINES)) or name in ENGINES
    }
    unlisted = {
        name: sorted(names)
        for name, names in named.items()
        if names and not any(name == each or name.startswith(f"{each}.") for each in NAMES_A_KIND)
    }
    assert unlisted == {}
    listed = {
        each
        for each in NAMES_A_KIND
        if any(names and (name == each or name.startswith(f"{each}.")) for name, names in named.items())
    }
    assert listed == NAMES_A_KIND.keys(), "no longer exceptions"


@pytest.mark.parametrize("door", ["model", "properties", "kinds"])
def test_a_family_names_no_other_family(door):
    """What a family imports of another one, behind any door; import-linter holds the same behind each door."""
    families = {kind.family for kind in every_kind()}
    arrows = {
        (name, used)
        for name, all_used in house.imports().items()
        for used in all_used
        if name.split(".")[0] == door
        and (here := name.split(".")[1:2])
        and here[0] in families
        and (there := used.split(".")[1:2])
        and there[0] in families - {here[0]}
    }
    assert arrows == set()


@pytest.mark.parametrize(
    "call", ['import_module("kassay.model.kinds")', 'importlib.import_module("kassay.model.kinds", None)']
)
def test_an_import_by_a_call_is_an_import(call):
    assert [
        house.imported_by_call(node) for node in ast.walk(ast.parse(call)) if house.imported_by_call(node)
    ] == ["kassay.model.kinds"]


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


def test_text_reads_as_plain_english():
    """Foreign-sounding words stay few; the message names the files with most of them."""
    paths = [path for suffix in ("py", "j2") for path in house.SRC.rglob(f"*.{suffix}")]
    paths += [*DOCS.rglob("*.md"), *DOCS.rglob("*.html")]
    counts = Counter(
        {str(path.relative_to(ROOT)): len(foreign_words(path.read_text("utf-8"))) for path in paths}
    )
    assert counts.total() <= FOREIGN_MAX, f"most are in {counts.most_common(10)}"
    assert counts.total() >= FOREIGN_MAX - 10, f"lower FOREIGN_MAX to {counts.total()}"


def foreign_words(text):
    """The foreign-sounding words of a text, with every verdict ALIKE left out."""
    return FOREIGN.findall(VERDICT.sub("", text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Nobody is told.", ["Nobody", "told"]),
        ("an optimum that cannot be had", ["be had"]),
        ("input to the call", []),
        ("_dealt, retold, tellsome", []),
        ('ALIKE on 5 inputs, "alike", alike', ["alike"]),
    ],
)
def test_a_foreign_word_is_a_whole_word_outside_of_a_verdict(text, words):
    assert foreign_words(text) == words


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
        ("kassay.cli.main", ("networkx", "z3", "hypothesis", "rich", "pyspark", "kassay.engines")),
        ("kassay.engines.runs.run", ("z3", "pyspark", "hypothesis", "rich")),
        (
            "kassay.solver.check.balance",
            ("kassay.solver.groups.optimum", "kassay.solver.algorithms.levels", "z3", "networkx"),
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


@pytest.mark.parametrize("folder", [folder for folder in house.folders() if house.files(folder)])
def test_a_folder_with_code_has_tests_in_a_folder_or_a_file_of_its_name(folder):
    home = Path(*folder.split("."))
    tests = house.tests()
    assert any(home == path.parent or home in path.parents for path in tests) or (
        home.parent / f"test_{home.name}.py" in tests
    )


def test_a_folder_of_tests_has_a_folder_of_its_name_in_the_package():
    homes = {Path(*folder.split(".")) for folder in house.folders()}
    lost = {path.parent.as_posix() for path in house.tests() if path.parent not in homes}
    assert lost == NO_HOME.keys()


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
