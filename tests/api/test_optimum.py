"""`kassay.optimum` is what the command shows, and its linear models have kassay's values."""

import json

import pytest

import kassay
from kassay.model.errors import InputError
from tests.api.same import without_times
from tests.cli.runner import here

THREE = {
    "family": "A",
    "name": "three",
    "members": [
        {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1]]},
        {"id": "b", "topics": ["t", "u"]},
        {"id": "c", "topics": ["u"], "owned": [["u", 0]]},
    ],
    "topics": [{"name": "t", "partitions": 2}, {"name": "u", "partitions": 1}],
}
LOPSIDED = THREE | {
    "name": "lopsided",
    "topics": [{"name": "t", "partitions": 9}, {"name": "u", "partitions": 1}],
}


def test_the_function_returns_what_the_command_writes(command, tmp_path):
    path = tmp_path / "lopsided.json"
    path.write_text(json.dumps(LOPSIDED))
    found = kassay.optimum(path, order="balance,rack,movement").to_json()
    assert found["why_not_better"]
    assert without_times(found) == without_times(
        command("optimum", str(path), "--order", "balance,rack,movement")
    )


def test_one_instance_has_its_assignment_and_its_certificate():
    best = kassay.optimum(THREE)
    assert repr(best) == "<Optima: three optimal, loads 1 1 1, 1 moved>"
    assert best.assignment == {"a": {"t": [0]}, "b": {"t": [1]}, "c": {"u": [0]}}
    assert best.check().accepted and kassay.check(best.certificate, THREE).accepted
    assert "Optimal" in best.page() and "t-1" in best.page()


def test_several_instances_are_a_table():
    several = kassay.optimum([THREE, LOPSIDED])
    assert repr(several) == "<Optima: 2 optimal>"
    assert [row["name"] for row in several.rows()] == ["three", "lopsided"]
    assert [each.status for each in several] == ["optimal", "optimal"]
    assert several.check().accepted and "2 optimal" in several.page()
    with pytest.raises(InputError, match="found 2 instances, expected one"):
        several.assignment  # noqa: B018


def test_what_has_no_assignment_has_a_status():
    infeasible = {
        "family": "B",
        "brokers": [{"id": 0, "max_replicas": 1}, {"id": 1}],
        "topics": [{"name": "t", "partitions": 2, "rf": 2}],
    }
    found = kassay.optimum(infeasible)
    assert (found.status, found.assignment, found.certificate, found.levels()) == ("infeasible", {}, None, {})
    assert "max_replicas" in found.page()


@pytest.mark.parametrize("instance", [{"family": "Z"}, [{}], "missing.json", "smal", 7])
def test_misuse_is_an_error(instance):
    with pytest.raises((InputError, TypeError)):
        kassay.optimum(instance)


def test_out_writes_a_file_for_each_level_and_a_page(tmp_path):
    (tmp_path / "group.json").write_text(json.dumps(THREE))
    (tmp_path / "level-9-old.mps").write_text("")
    assert here("optimum", "group.json", "--out", ".", cwd=tmp_path).returncode == 0
    levels = kassay.optimum(THREE).levels()
    assert {path.name: path.read_text() for path in tmp_path.glob("*.mps")} == levels
    assert [*levels] == ["level-1-balance.mps", "level-2-movement.mps", "level-3-rack.mps"]
    assert "three" in (tmp_path / "optimum.html").read_text()


def test_out_has_a_folder_for_each_of_several_instances(tmp_path):
    (tmp_path / "groups.jsonl").write_text(f"{json.dumps(THREE)}\n{json.dumps(LOPSIDED)}\n")
    assert here("optimum", "groups.jsonl", "--out", "out", cwd=tmp_path).returncode == 0
    found = sorted(str(path.relative_to(tmp_path / "out")) for path in tmp_path.glob("out/*/level-1-*"))
    assert found == ["1-three/level-1-balance.mps", "2-lopsided/level-1-balance.mps"]
