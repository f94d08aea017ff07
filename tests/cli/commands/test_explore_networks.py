"""`kassay explore --network` as a user runs it: exit codes, seeds, and what is refused."""

import json
from pathlib import Path

import pytest

from tests.cli.runner import kassay, one_line, valid


def test_n1_is_walked_to_the_end(tmp_path: Path) -> None:
    done = kassay("explore", "classic", "--network", "N1", "--partitions", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "718 states" in done.stdout
    assert "network steps" in done.stdout


def test_a_broken_rule_shows_at_n1_with_its_messages(tmp_path: Path) -> None:
    arguments = ("--mode", "cooperative", "--network", "N1", "--switch", "no_withhold")
    done = kassay("explore", "classic", *arguments, cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "released-before-adopted violated (real)" in done.stdout
    assert "SyncGroup arrives" in done.stdout


@pytest.mark.parametrize("model", ["classic", "kip848", "migration"])
def test_n2_never_holds(tmp_path: Path, model: str) -> None:
    limits = ("--max-states", "200", "--seed", "5")
    done = kassay("explore", model, "--network", "N2", *limits, cwd=tmp_path)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "seed 5" in done.stdout
    assert "finding nothing proves nothing" in done.stdout


def test_what_a_walk_finds_exits_1_with_its_run(tmp_path: Path) -> None:
    arguments = ("--network", "N2", "--faults", "duplicate=1", "--seed", "2", "--json", "found.json")
    done = kassay("explore", "kip848", *arguments, cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    document = valid(json.loads((tmp_path / "found.json").read_text()), "explore-2")
    assert document["limit"] == "random walks"
    assert document["settings"]["seed"] == 2
    assert "heartbeat arrives" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("zookeeper", "--network", "N1"), "zookeeper has atomic only"),
        (("draft", "--network", "N2"), "draft has atomic only"),
        (
            ("classic", "--network", "N1", "--faults", "reorder=1"),
            "duplicate and reorder can happen on --network astray only",
        ),
        (("classic", "--faults", "duplicate=1"), "on --network astray only, not on atomic"),
        (("classic", "--records", "1"), "commits are sent on --network steps and astray only"),
        (("kip848", "--network", "N1", "--records", "9"), "--records: 9 is out of range"),
        (("classic", "--network", "N1", "--clock", "T1"), "steps has no integer clock"),
    ],
)
def test_what_no_network_can_do_is_one_line(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    assert told in one_line(kassay("explore", *arguments, cwd=tmp_path), 2)
