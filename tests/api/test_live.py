"""`kassay.live` is what the command shows."""

from random import Random

import pytest

import kassay
from kassay.engines.live import run as live_run
from kassay.model.errors import InputError
from tests.cli.commands.test_live import CLIENTS, pretend_java_and_jars, result
from tests.engines.live.simulated import early, moves_between, simulated


@pytest.mark.parametrize("breaks", [False, True])
def test_the_function_returns_what_the_command_writes(breaks, command, monkeypatch):
    recording = next(each for each in map(simulated, map(Random, range(99))) if moves_between(each))
    outcome = result(early(recording, *moves_between(recording)[0]) if breaks else recording)
    pretend_java_and_jars(monkeypatch)
    monkeypatch.setattr(live_run, "live", lambda *_: outcome)
    played = kassay.live(clients=[CLIENTS])
    assert played.to_json() == command("live", "--clients", CLIENTS)
    assert played.verdict == ("violated" if breaks else "holds")
    assert [row["violated"] > 0 for row in played.rows() if row["claim"] == "exclusive"] == [breaks]
    assert "live histories" in played.page()


@pytest.mark.parametrize(
    ("script", "options", "words"),
    [
        (None, {}, "expected one of"),
        ("x.toml", {"clients": [CLIENTS]}, "expected one of"),
        (None, {"clients": ["jva:range"]}, "did you mean java?"),
        (None, {"clients": [CLIENTS], "brokers": 2}, "brokers 2: expected 1 or 3"),
        (None, {"clients": [CLIENTS], "programs": {"java": "x"}}, "programs java: expected a new"),
        ("no.toml", {}, "no.toml: no such file"),
    ],
)
def test_misuse_raises(script, options, words):
    with pytest.raises(InputError, match=words.replace("?", r"\?")):
        kassay.live(script, **options)
