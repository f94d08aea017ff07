"""`kassay conform`: what it prints, and what it needs."""

import json

import pytest

from kassay.cli.main import run
from tests.cli.runner import valid
from tests.genuine import genuine_jars


def test_without_jars_one_line_says_what_is_needed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path))
    assert run(["conform", "--steps", "1"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "needs Kafka 4.4.0's jars: expected KASSAY_KAFKA_HOME=DIR" in line and "--fetch" in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--release", "3.9.0"), "not modelled; expected one of 4.4.0, 4.3.1"),
        (("share",), "unknown kind of histories 'share'; expected one or more of"),
        (("--steps", "0"), "--steps"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys):
    assert run(["conform", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_folder_without_jars_is_refused(monkeypatch, capsys):
    monkeypatch.setenv("KASSAY_KAFKA_HOME", "no/such/folder")
    assert run(["conform"]) == 2
    assert "KASSAY_KAFKA_HOME=no/such/folder: no libs" in capsys.readouterr().err


@pytest.mark.java
def test_it_prints_both_results_and_what_is_not_driven(tmp_path, capsys, monkeypatch):
    path = tmp_path / "conform.json"
    monkeypatch.setenv("KASSAY_KAFKA_HOME", str(genuine_jars()[0].parent))
    assert run(["conform", "--steps", "300", "--json", str(path)]) == 0
    shown = capsys.readouterr().out
    differences, broken, not_driven = (
        shown.index(words) for words in ("Differences between", "Invariants that Kafka", "Not driven")
    )
    assert differences < broken < not_driven
    document = valid(json.loads(path.read_text()), "conform-1")
    assert sum(document["steps"].values()) >= 300 and document["differences"] == []
