"""The functions of the package's root: which there are, that they stay, what they return, and their examples."""

import ast
import dataclasses
import doctest
import inspect
import json
import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import pytest

import kassay
import kassay.api
from kassay.report.result import Result
from tests.genuine import genuine_jars
from tests.paths import DOCS, ROOT

FUNCTIONS = sorted(each.name for each in pkgutil.iter_modules(kassay.api.__path__))


def test_the_root_has_a_function_for_each_file():
    assert [name for name in dir(kassay) if name != "__version__"] == FUNCTIONS
    for name in FUNCTIONS:
        assert inspect.isfunction(getattr(kassay, name)), name
    with pytest.raises(AttributeError, match="no attribute 'certified'"):
        kassay.certified  # noqa: B018


def test_the_types_of_the_root_are_those_of_the_files():
    tree = ast.parse((ROOT / "src/kassay/__init__.pyi").read_text(encoding="utf-8"))
    typed = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert [(node.module, node.names[0].name, node.names[0].asname) for node in typed] == [
        (f"kassay.api.{name}", name, name) for name in FUNCTIONS
    ]


def test_functions_stay_when_every_module_is_imported():
    """A module of the same name would take the place of a function once it is imported."""
    code = (
        "import kassay, pkgutil, importlib, inspect\n"
        "for each in pkgutil.walk_packages(kassay.__path__, 'kassay.'):\n"
        "    if 'pipeline' in each.name or 'foreign' in each.name or each.name.endswith('__main__'): continue\n"
        "    importlib.import_module(each.name)\n"
        "print(*[name for name in dir(kassay) if inspect.isfunction(getattr(kassay, name))])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == FUNCTIONS


NEEDS = {"conform": "java", "campaign": "spark", "fleet": "spark", "interop": "broker", "live": "broker"}
"""The marks of examples that need more than Python."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=[getattr(pytest.mark, NEEDS[each])] if each in NEEDS else [])
        for each in FUNCTIONS
    ],
)
def test_examples_run_and_their_results_are_values(name, monkeypatch):
    if NEEDS.get(name) == "java":
        monkeypatch.setenv("KASSAY_KAFKA_HOME", str(genuine_jars()[0].parent))
    monkeypatch.chdir(ROOT)
    home = import_module(f"kassay.api.{name}")
    shown = []

    def show(value):
        if value is not None:
            shown.append(value)
            print(repr(value))

    monkeypatch.setattr(sys, "__displayhook__", show)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder(exclude_empty=True).find(home):
        runner.run(test, clear_globs=False)
        shown += test.globs.values()
    results = [each for each in shown if isinstance(each, Result)]
    assert f"kassay.{name}(" in (getattr(home, name).__doc__ or ""), "expected an example"
    assert results and not runner.failures
    for result in results:
        assert len(repr(result)) < 200 and "\n" not in repr(result)
        assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()
        assert len({tuple(row) for row in result.rows()}) < 2, "expected the same columns in all rows"
        if find_spec("pandas"):  # environments of examples that need a broker or Java have none
            assert len(result.to_frame()) == len(result.rows())
        assert result._repr_html_().startswith("<iframe srcdoc=") and "Reproduce</h2>" not in result.page()
        for each in dataclasses.fields(result):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(result, each.name, None)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_returns_a_result(name):
    returned = inspect.get_annotations(getattr(kassay, name), eval_str=False)["return"]
    home = import_module(f"kassay.api.{name}")
    assert issubclass(getattr(home, returned), Result)
    assert "command" not in returned.lower()


def test_each_command_has_its_function_or_a_reason():
    """The table of `docs/api.md`."""
    rows = [
        [cell.strip(" `") for cell in line.split("|")[1:-1]]
        for line in (DOCS / "api.md").read_text(encoding="utf-8").splitlines()
        if line.count(" | ") == 2 and line.startswith("| `")
    ]
    commands = json.loads((DOCS / "cli.json").read_text(encoding="utf-8"))
    table = {command: function.removeprefix("kassay.") for command, function, _ in rows}
    assert sorted(table) == sorted(name for name in commands["commands"] if name)
    assert sorted(each for each in table.values() if each != "-") == FUNCTIONS
    assert all(words for _, function, words in rows if function == "-"), "expected a reason"
