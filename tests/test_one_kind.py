"""A kind is declared in one file: what every kind has, a toy kind gets by declaring its shape, claims and rules."""

import ast
import json

import jsonschema
import pytest

from kassay.assignors.registry import reference
from kassay.kinds.registry import driver_for
from kassay.model.shape.schema import schema_of
from tests.cli.runner import here
from tests.paths import ROOT
from tests.toys import shards

LINES_MAX = {"shards": 150}


@reference("shards-loses-the-last", kind=shards.SHARDS, source="toy")
class LosesLast(shards.InTurn):
    """The last of three shards or more goes nowhere."""

    def assign(self, request):
        placed = super().assign(request)
        return dict(list(placed.items())[:-1]) if len(placed) > 2 else placed


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A run that finds the fault: its document, and the folder with the trace."""
    folder = tmp_path_factory.mktemp("toy")
    arguments = ("--claims", "placed,even,total", "--histories", "200", "--json", "-", "-q", "--out", "out")
    done = here("certify", "shards-loses-the-last", *arguments, "--report", "html", cwd=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return json.loads(done.stdout), folder


@pytest.fixture(scope="module")
def trace(certified):
    """Where the trace of the broken claim is."""
    (path,) = certified[1].rglob("*.trace.json")
    return path


@pytest.mark.parametrize("name", LINES_MAX)
def test_a_toy_is_short(name):
    text = (ROOT / "tests" / "toys" / f"{name}.py").read_text()
    ast.parse(text)
    assert len(text.splitlines()) <= LINES_MAX[name]


def test_a_sound_rule_is_certified_and_the_controls_are_caught(tmp_path):
    done = here("certify", "shards-in-turn", "--histories", "300", "--json", "-", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    certificate = json.loads(done.stdout)["certificates"][0]
    assert certificate["controls"] == {"caught": 2, "of": 2, "unknown": 0, "missed": [], "unproven": []} | {
        "unproven": certificate["controls"]["unproven"]
    }
    assert certificate["reached"]["draining"] > 0


def test_a_fault_is_found_and_shrunk_to_its_least(certified):
    document, _ = certified
    (certificate,) = document["certificates"]
    broken = {claim["id"]: claim for claim in certificate["claims"]}["placed"]
    assert broken["verdict"] == "violated"
    case = broken["counterexample"]["trace"]["case"]
    assert len(case["workers"]) == 1 and len(case["shards"]) == 3
    assert [shard["size"] for shard in case["shards"]] == [1, 1, 1]


def test_the_counterexample_is_explained_by_what_can_be_removed(trace, tmp_path):
    done = here("explain", trace, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 shards" in done.stdout and "1 worker" in done.stdout


def test_it_replays(trace, tmp_path):
    assert here("replay", trace, cwd=tmp_path).returncode == 1


def test_it_is_hunted_case_by_case(tmp_path):
    done = here("hunt", "placed", "--on", "shards-loses-the-last", "--exhaustive", "2x3", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "least counterexample: 1 worker, 3 shards" in done.stdout


def test_a_scope_is_exhausted(tmp_path):
    sound = here("certify", "shards-in-turn", "--exhaustive", "2x3", "--claims", "placed", cwd=tmp_path)
    assert sound.returncode == 0, sound.stdout + sound.stderr
    faulty = here(
        "certify", "shards-loses-the-last", "--exhaustive", "2x3", "--claims", "placed", cwd=tmp_path
    )
    assert faulty.returncode == 1


def test_its_page_shows_who_has_what(certified):
    (page,) = certified[1].rglob("report.html")
    text = page.read_text()
    assert "shards-loses-the-last" in text and "is assigned" in text


def test_its_schema_takes_its_cases_and_refuses_others(certified):
    schema = schema_of(shards.SHAPE.node)
    jsonschema.Draft202012Validator.check_schema(schema)
    case = certified[0]["certificates"][0]["claims"]
    examples = [each["counterexample"]["trace"]["case"] for each in case if each.get("counterexample")]
    assert examples
    for example in examples:
        jsonschema.validate(example, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**example, "shards": [{"name": "s0", "size": 0}]}, schema)


def test_its_vectors_are_checked(tmp_path):
    request = {"workers": [{"name": "w0"}], "shards": [{"name": "s0"}]}
    vectors = [{"id": "one", "request": request, "expected": {"s0": "w0"}}]
    header = {"algorithm": "shards-in-turn"}
    (tmp_path / "toy.json").write_text(json.dumps({"header": header, "vectors": vectors}))
    assert here("vectors", "toy.json", cwd=tmp_path).returncode == 0
    vectors[0]["expected"] = {"s0": "w1"}
    (tmp_path / "toy.json").write_text(json.dumps({"header": header, "vectors": vectors}))
    assert here("vectors", "toy.json", cwd=tmp_path).returncode == 1


def test_a_cell_holds_each_case_once():
    driver = driver_for(shards.SHARDS)
    from kassay.kinds.protocol import ScopeCell

    cases = [repr(case) for case in driver.cell(ScopeCell(2, 2, False))]
    assert cases and len(set(cases)) == len(cases)
