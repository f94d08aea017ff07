"""The house itself: the links at the top, what stands in the distribution, what imports may cost."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOORS = ("model", "assignors", "properties", "solver")


@pytest.mark.parametrize("name", DOORS)
def test_the_doors_lead_to_the_packages(name):
    door = ROOT / name
    assert door.is_symlink()
    assert door.readlink() == Path(f"src/kassay/{name}")
    assert (door / "__init__.py").samefile(ROOT / "src" / "kassay" / name / "__init__.py")


def test_every_test_folder_is_a_package():
    folders = {p.parent for p in (ROOT / "tests").rglob("test_*.py")}
    assert all((folder / "__init__.py").exists() for folder in folders)


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


def test_setting_up_needs_the_standard_library_only():
    done = subprocess.run([sys.executable, "-I", str(ROOT / "dev"), "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "./dev test" in done.stdout
