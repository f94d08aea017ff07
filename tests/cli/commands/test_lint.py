"""`kassay lint`: findings with their outcome, release, source and command; exit codes."""

import json
import shlex

import pytest

from tests.cli.runner import here, one_line, valid


def test_each_finding_says_the_outcome_where_it_holds_and_what_shows_it(tmp_path):
    (tmp_path / "c.properties").write_text(
        "group.id=g\npartition.assignment.strategy=range,cooperative-sticky\n"
    )
    done = here("lint", "c.properties", cwd=tmp_path)
    assert done.returncode == 1
    assert "c.properties:2: partition.assignment.strategy: error: the client does not start" in done.stdout
    assert "\n    kassay what-if FILE... --to cooperative-sticky --library librdkafka\n" in done.stdout
    document = valid(json.loads(here("lint", "c.properties", "--json", "-", cwd=tmp_path).stdout), "lint-1")
    assert document["errors"] == 1 and document["findings"][0]["rule"] == "mixed-protocols"


def test_right_settings_end_with_0_and_bad_input_with_2(tmp_path):
    (tmp_path / "c.properties").write_text("group.id=g\n")
    assert here("lint", "c.properties", cwd=tmp_path).returncode == 0
    assert "is not measured" in one_line(here("lint", "c.properties", "--library", "x", cwd=tmp_path), 2)
    assert "no such file" in one_line(here("lint", "none.properties", cwd=tmp_path), 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("group.id=g\ngroup.protocol=consumer\ngroup.instance.id=a\n", "UNRELEASED_INSTANCE_ID"),
        ("node.id=1\ngroup.consumer.migration.policy=disabled\n", "ends with a fatal error"),
    ],
)
def test_the_walk_that_a_finding_names_shows_its_outcome(tmp_path, text, shown):
    (tmp_path / "f.properties").write_text(text)
    (finding,) = json.loads(here("lint", "f.properties", "--json", "-", cwd=tmp_path).stdout)["findings"]
    walk = here(*shlex.split(finding["command"])[1:], cwd=tmp_path)
    assert shown in walk.stdout
