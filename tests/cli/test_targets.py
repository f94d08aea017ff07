"""Targets and instances of commands that measure several."""

import pytest

from kassay.cli.targets import asked_again, complained, measurable
from kassay.engines.targets.limits import CALL_TIMEOUT_S
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CONSUMER_GROUPS

CHOSEN = {"configs": ("a=1",)}


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


def test_the_words_that_ask_a_target_again_are_its_properties():
    assert asked_again({"configs": ()}) == []
    assert asked_again({"configs": ("a=1", "b=2")}) == ["--config", "a=1", "--config", "b=2"]
