"""Targets and instances of commands that measure several."""

import json

import pytest

from kassay.cli.targets import CALL_TIMEOUT_S, asked_again, complained, instances_of, measurable
from kassay.engines.optimum.instances import names_suite
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.solver.instances.groups import consumer

CHOSEN = {"configs": ("a=1",), "suite_name": None}


def test_targets_load_once_each_and_those_that_do_not_are_told_a_line_each(capsys):
    found, missing = measurable(["range", "no-such", "sticky", "range", "none.py"], CHOSEN, CONSUMER_GROUPS)
    assert [target.spec for target in found] == ["range", "sticky"]
    assert len(missing) == 2
    assert capsys.readouterr().err == ""
    assert complained(missing)
    assert not complained([])
    lines = capsys.readouterr().err.splitlines()
    assert [line.startswith("kassay: ") for line in lines] == [True, True]
    assert "'no-such'" in lines[0]
    assert "none.py: no such file" in lines[1]
    assert found[0].start.limits.call_timeout_s == CALL_TIMEOUT_S
    assert dict(found[0].start.config) == {"a": "1"}


def test_a_target_that_answers_no_instances_is_refused():
    with pytest.raises(InputError, match="placement:striped: is of kind placer, expected an assignor"):
        measurable(["range", "placement:striped"], CHOSEN, CONSUMER_GROUPS)


def test_what_is_wrong_with_the_call_is_all_that_is_told(capsys):
    with pytest.raises(InputError, match="is of kind placer"):
        measurable(["no-such", "placement:striped"], CHOSEN, CONSUMER_GROUPS)
    assert capsys.readouterr().err == ""


def test_instances_come_from_the_file_else_the_suite_else_bench(tmp_path):
    path = tmp_path / "one.json"
    path.write_text(json.dumps(consumer("join", 1, members=2, partitions=3)))
    instances, source = instances_of(CHOSEN | {"suite_name": str(path)})
    assert ([each.document["name"] for each in instances], source) == (["A-join-2x3-s1"], str(path))
    assert instances_of(CHOSEN | {"suite_name": "small"})[1] == "suite small"
    instances, source = instances_of(CHOSEN)
    assert (len(list(instances)), source) == (52, "suite bench")


def test_the_words_that_ask_a_target_again_are_its_properties():
    assert asked_again({"configs": ()}) == []
    assert asked_again({"configs": ("a=1", "b=2")}) == ["--config", "a=1", "--config", "b=2"]


def test_a_name_is_a_suite_unless_there_is_such_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert names_suite("small") and names_suite("smal")
    assert not names_suite("small.json") and not names_suite("-")
    (tmp_path / "mine").write_text("{}")
    assert not names_suite("mine")
