"""What every kind has, a toy kind gets by declaring its shape, claims and rules: run by `tests/test_one_kind.py`.

`shards` is called once with a request; `leases` has a clock, events and a memory.
"""

import json
from typing import Any, NamedTuple

import jsonschema
import pytest

from kassay.assignors.registry import reference
from kassay.kinds.protocol import ScopeCell
from kassay.kinds.registry import driver_for
from kassay.model.shape.schema import schema_of
from tests.cli.runner import here
from tests.toys import leases, shards


@reference("shards-loses-the-last", kind=shards.SHARDS, source="toy")
class LosesLast(shards.InTurn):
    """The last of three shards or more goes nowhere."""

    def assign(self, request):
        placed = super().assign(request)
        return dict(list(placed.items())[:-1]) if len(placed) > 2 else placed


@reference("leases-forgets", kind=leases.LEASES, source="toy", claims=("kept",))
class Forgets(leases.ForgetsLeases):
    """It remembers nothing."""


class Toy(NamedTuple):
    """A kind, its sound rule and a faulty one, what that breaks, and how its least counterexample is told."""

    kind: Any
    shape: Any
    sound: str
    faulty: str
    broken: str
    sizes: tuple[int, int]
    least: str
    needed: tuple[str, ...]
    scope: str
    illegal: dict[str, Any]


TOYS = {
    "shards": Toy(
        shards.SHARDS, shards.SHAPE, "shards-in-turn", "shards-loses-the-last", "placed", (1, 3),
        "1 worker, 3 shards", ("3 shards",), "2x3", {"shards": [{"name": "s0", "size": 0}]},
    ),
    "leases": Toy(
        leases.LEASES, leases.LIFE, "leases-in-turn", "leases-forgets", "kept", (2, 1),
        "2 clients, 1 slot", (), "2x1", {"slots": 5},
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=TOYS)
def toy(request):
    return TOYS[request.param]


@pytest.fixture(scope="module")
def certified(toy, tmp_path_factory):
    """A run that finds the fault: its document, and the folder with the trace and the page."""
    folder = tmp_path_factory.mktemp("toy")
    options = ("--histories", "200", "--json", "out.json", "--out", "out", "--report", "html")
    done = here("certify", toy.faulty, *options, cwd=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return json.loads((folder / "out.json").read_text()), folder


@pytest.fixture(scope="module")
def trace(certified, toy):
    """Where the trace of the broken claim is."""
    (path,) = (certified[1] / "out").rglob(f"*-{toy.broken}.json")
    return path


def test_a_sound_rule_is_certified_and_the_controls_are_caught(toy, tmp_path):
    done = here("certify", toy.sound, "--histories", "700", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    certificate = json.loads((tmp_path / "out.json").read_text())
    controls = certificate["controls"]
    assert controls["caught"] == controls["of"] > 0 and not controls["missed"] and not controls["unknown"]
    assert all(certificate["reached"].values())


def test_a_fault_is_found_and_shrunk_to_its_least(certified, toy, trace):
    case = driver_for(toy.kind).form.read(json.loads(trace.read_text())["case"], "case")
    counts = driver_for(toy.kind).counts(case)
    assert (counts["members"], counts["partitions"]) == toy.sizes


def test_the_counterexample_is_explained_by_what_can_be_removed(toy, trace, tmp_path):
    done = here("explain", trace, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(words in done.stdout for words in toy.needed), done.stdout
    assert f"breaks {toy.broken}" in done.stdout


def test_it_replays(trace, tmp_path):
    assert here("replay", trace, cwd=tmp_path).returncode == 1


def test_it_is_hunted_case_by_case(toy, tmp_path):
    done = here("hunt", toy.broken, "--on", toy.faulty, "--exhaustive", toy.scope, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"minimal counterexample: {toy.least}" in done.stdout


def test_a_scope_is_exhausted(toy, tmp_path):
    options = ("--exhaustive", toy.scope, "--claims", toy.broken)
    assert here("certify", toy.sound, *options, cwd=tmp_path).returncode == 0
    assert here("certify", toy.faulty, *options, cwd=tmp_path).returncode == 1


def test_its_page_shows_who_has_what(certified, toy):
    (page,) = (certified[1] / "out").rglob("report.html")
    text = page.read_text()
    assert toy.faulty in text and "is assigned" in text


def test_its_schema_takes_its_cases_and_refuses_others(toy, trace):
    schema = schema_of(toy.shape.node)
    jsonschema.Draft202012Validator.check_schema(schema)
    case = json.loads(trace.read_text())["case"]
    jsonschema.validate(case, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**case, **toy.illegal}, schema)


VECTORS = {
    "shards-in-turn": (
        {"request": {"workers": [{"name": "w0"}], "shards": [{"name": "s0"}]}, "expected": {"s0": "w0"}},
        {"s0": "w1"},
    ),
    "leases-in-turn": ({"life": {"clients": ["c0"], "slots": 1}, "expected": {"0": "c0"}}, {"0": "c1"}),
}


@pytest.mark.parametrize("rule", VECTORS)
def test_its_vectors_are_checked(rule, tmp_path):
    vector, other = VECTORS[rule]
    for expected, code in ((vector["expected"], 0), (other, 1)):
        file = {"header": {"algorithm": rule}, "vectors": [{"id": "one", **vector, "expected": expected}]}
        (tmp_path / "toy.json").write_text(json.dumps(file))
        assert here("vectors", "toy.json", cwd=tmp_path).returncode == code


def test_a_cell_holds_each_case_once():
    for kind in (shards.SHARDS, leases.LEASES):
        cases = [repr(case) for case in driver_for(kind).cell(ScopeCell(1, 2, kind is leases.LEASES))]
        assert cases and len(set(cases)) == len(cases)
