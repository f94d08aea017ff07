"""`kassay live FILE...`: what it prints and writes, and what is refused before anything starts."""

import json
from pathlib import Path

import pytest

from kassay.cli.main import run
from kassay.engines.rehearse import rehearsal as rehearsing
from kassay.engines.rehearse.rehearsal import Rehearsal, compared
from tests.cli.commands.test_live import pretend_java_and_jars, result
from tests.cli.runner import here, valid
from tests.engines.rehearse.test_plan import plan
from tests.engines.rehearse.test_seen import restarted

EXAMPLE = Path(__file__).parents[2] / "examples" / "cluster"
FILES = (str(EXAMPLE / "groups.txt"), str(EXAMPLE / "topics.txt"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (FILES, "expected one --to TARGET, or --library A,B"),
        (("--to", "sticky"), "with the output of kafka-consumer-groups.sh"),
        (("--to", "sticky", "--clients", "java:range"), "expected one of --clients"),
        ((*FILES, "--clients", "java:range"), "expected one of --clients"),
        ((*FILES, "--to", "sticky", "--library", "librdkafka"), "--to sticky: not with"),
        ((*FILES, "--to", "uniform", "--library", "kafkajs"), "--to uniform"),
        ((*FILES, "--library", "java,jva"), "jva"),
        (
            (
                *FILES,
                "--to",
                "uniform",
                "--config",
                "group.consumer.migration.policy=no",
            ),
            "expected disabled, upgrade, downgrade, bidirectional",
        ),
        (
            (*FILES, "--to", "sticky", "--bootstrap-server", "x:1"),
            "--bootstrap-server: its brokers",
        ),
    ],
)
def test_wrong_options_are_refused_in_one_line(arguments, words, tmp_path):
    done = here("live", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not (tmp_path / ".kassay").exists()


def test_planned_stands_next_to_seen(monkeypatch, capsys, tmp_path):
    played = plan("roundrobin")
    seen = rehearsing.roll_seen(restarted(), [(1, 2, "m2")])
    rolls = tuple(compared(played, roll, roll.planned, seen) for roll in played.rolls)
    outcome = Rehearsal(played, rolls, result(restarted()))
    monkeypatch.setattr(rehearsing, "rehearse", lambda *_: outcome)
    pretend_java_and_jars(monkeypatch)
    path = tmp_path / "rehearsal.json"
    run(["live", *FILES, "--to", "roundrobin", "--json", str(path)])
    text, document = capsys.readouterr().out, valid(json.loads(path.read_text()), "rehearsal-1")
    assert "group billing, rehearsed: 6 members, 3 topics, 15 partitions" in text
    assert "1. restart 6 members one by one with" in text and "from this start" in text
    assert "rebalances" in text and "differs: rebalances: not explained" in text
    assert [each["seen"]["moved"] for each in document["rolls"]] == [1, 1]
    assert document["live"]["schema"] == "kassay/live/1"
