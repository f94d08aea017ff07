"""`kassay explain`: text, JSON, and what cannot be explained."""

import json

import pytest

from kassay.certify.explain import explain
from kassay.cli.main import run
from kassay.model.errors import InputError


def test_the_command_prints_text_or_json(capsys):
    assert run(["explain", "range"]) == 0
    assert "three members, topics of four partitions" in capsys.readouterr().out
    assert run(["explain", "balanced-kip54", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["what"]) == ("kassay/explain/3", "claim")


def test_anything_else_is_a_usage_error(capsys):
    with pytest.raises(InputError, match="no claim"):
        explain("nonsense")
    assert run(["explain", "nonsense"]) == 2
    assert "kassay list claims" in capsys.readouterr().err


def test_an_upgrade_is_told_as_text_or_json(capsys):
    assert run(["explain", "sticky", "--since", "3.9"]) == 0
    assert "sticky since 3.9" in capsys.readouterr().out
    assert run(["explain", "sticky", "--since", "3.9", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "kassay/upgrade/1"
    assert run(["explain", "sticky", "--since", "never"]) == 2
    assert "'never' is no release" in capsys.readouterr().err
