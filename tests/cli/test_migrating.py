"""`kassay live --migrate`: what it prints and writes, and what is refused before anything starts."""

import json
from dataclasses import replace

import pytest

from kassay.cli.main import run
from kassay.engines.rehearse import migration as migrating
from kassay.engines.rehearse.migration import GroupThen, Migration, MigrationStep
from tests.cli.commands.test_live import pretend_java_and_jars, result
from tests.cli.runner import here, valid
from tests.engines.rehearse.test_seen import restarted

BOTH = GroupThen("consumer", frozenset({"m1", "m2"}))
WITHOUT = GroupThen("classic", frozenset({"m2"}), frozenset({"m1"}))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--migrate", "x.toml"), "no such file"),
        (("--migrate", "--clients", "sarama:range*2"), "expected classic members whose library"),
        (("--migrate", "--clients", "java:consumer*2"), "found java:consumer"),
        (("--migrate", "--clients", "java:range", "--bootstrap-server", "x:1"), "its brokers are never"),
    ],
)
def test_wrong_options_are_refused_in_one_line(arguments, words, tmp_path):
    done = here("live", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not (tmp_path / ".kassay").exists()


@pytest.mark.parametrize(("then", "verdict", "code"), [(WITHOUT, "AS PREDICTED", 0), (BOTH, "DIFFERS", 1)])
def test_predicted_stands_next_to_seen(then, verdict, code, monkeypatch, capsys, tmp_path):
    step = MigrationStep("restart m1 as consumer", then, WITHOUT, ("m1: migration is disabled",))
    outcome = Migration({"disabled": (step,)}, (), replace(result(restarted()), interrupted=False))
    monkeypatch.setattr(migrating, "migrate", lambda *_: outcome)
    pretend_java_and_jars(monkeypatch)
    path = tmp_path / "migration.json"
    assert run(["live", "--migrate", "--clients", "java:range*2", "--json", str(path)]) == code
    text, document = capsys.readouterr().out, valid(json.loads(path.read_text()), "migration-1")
    assert (
        text.startswith(f"{verdict}  after 1 of 1 action")
        and "group.consumer.migration.policy=disabled" in text
    )
    assert "classic: m2; refused: m1" in text and "  migration is disabled" in text
    assert ("differs: " in text) is document["differs"] is bool(code)
