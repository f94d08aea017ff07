"""`kassay.replay` is what the command shows."""

import json

import pytest

import kassay
from kassay.model.errors import InputError
from kassay.model.kinds import Verdict
from tests.paths import ROOT

PATH = ROOT / "tests/data/faulty/double_owner.json"


def test_the_function_returns_what_the_command_writes(command, monkeypatch):
    monkeypatch.chdir(ROOT)
    replayed = kassay.replay(PATH)
    assert replayed.to_json() == command("replay", str(PATH))
    assert replayed.verdict is Verdict.VIOLATED and replayed.violations
    assert replayed.violations[0] in replayed.page()
    assert kassay.replay(json.loads(PATH.read_text())).to_json() == replayed.to_json()


def test_another_target_keeps_the_claim(command, monkeypatch):
    monkeypatch.chdir(ROOT)
    replayed = kassay.replay(PATH, target="range")
    assert replayed.to_json() == command("replay", str(PATH), "--target", "range")
    assert replayed.rows()[0]["target"] == "range"


def test_a_difference_is_replayed(command, tmp_path):
    compared = kassay.diff("range", "roundrobin", histories=10, out=tmp_path)
    replayed = kassay.replay(compared.difference)
    assert replayed.to_json() == kassay.replay(compared.path).to_json() == command("replay", compared.path)
    assert repr(replayed) == "<Replay: range and roundrobin still differ>"
    assert "roundrobin" in replayed.page() and replayed.rows()[0]["right"] == "roundrobin"
    with pytest.raises(InputError, match="expected no options"):
        kassay.replay(compared.difference, target="sticky")


def test_an_empty_path_is_named_by_its_argument():
    with pytest.raises(
        InputError, match=r"^trace: found '', expected the path of a trace or of a difference$"
    ):
        kassay.replay("")
