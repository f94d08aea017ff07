"""`kassay play`: a script on the model, on Kafka's classes, and what is refused."""

import json

import pytest

from kassay.cli.main import run
from tests.cli.runner import valid
from tests.genuine import genuine_jars
from tests.paths import EXAMPLES

C = str(EXAMPLES / "coordinator" / "c-join-timer.toml")


def test_a_script_is_played_and_printed(tmp_path, capsys):
    path = tmp_path / "play.json"
    assert run(["play", "coordinator", C, "--json", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("C: a creation that failed")
    assert "fires join; IllegalStateException" in shown
    document = valid(json.loads(path.read_text()), "play-1")
    assert len(document["steps"]) == 3


@pytest.mark.java
def test_kafkas_classes_do_the_same(capsys, monkeypatch):
    monkeypatch.setenv("KASSAY_KAFKA_HOME", str(genuine_jars()[0].parent))
    assert run(["play", "coordinator", C, "--genuine"]) == 0
    genuine = capsys.readouterr().out
    assert run(["play", "coordinator", C]) == 0
    assert genuine == capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing.toml",), "nothing.toml"),
        ((C, "--genuine", "--bootstrap-server", "a:1"), "--genuine: expected without"),
        ((C, "--bootstrap-server", "a"), "expected HOST:PORT"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments, words, capsys):
    assert run(["play", "coordinator", *arguments]) == 2
    assert words in capsys.readouterr().err
