"""`kassay live`: what it prints and writes, and what is refused before anything starts."""

import json
from dataclasses import replace
from random import Random

import pytest

from kassay.cli.main import run
from kassay.engines.live import run as live_run
from kassay.engines.live.claims.rulings import CLAIMS
from kassay.engines.live.judge import judge
from kassay.engines.live.result import LiveFinding, LiveResult, PlayedScript
from kassay.engines.live.run import LiveOptions
from kassay.engines.live.script import LiveSeat
from kassay.engines.live.shrink import ShrunkScript
from tests.cli.runner import here, valid
from tests.engines.live.simulated import early, moves_between, simulated

CLIENTS = "java:range*2"
SCRIPT = """
[topics]
a = 2
[[member]]
name = "m1"
client = "java"
strategies = ["range"]
[[action]]
do = "join"
member = "m9"
"""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "expected one of --clients"),
        (("--clients", CLIENTS, "x.toml"), "expected one of --clients"),
        (("--clients", "jva:range"), "did you mean java?"),
        (("--clients", CLIENTS, "--release", "x"), "--release 'x'"),
        (("no.toml",), "no.toml: no such file"),
        (("bad.toml",), "action[0].member: found 'm9'"),
        (("--clients", "mine:x", "--program", "mine"), "expected key=value"),
        (("--clients", "mine:x", "--program", "java=x"), "--program java: expected a new"),
        (("--clients", "mine:x", "--program", "mine='"), "expected a command line"),
        (("--clients", CLIENTS, "--histories", "0"), "--histories"),
        (("--clients", CLIENTS, "--brokers", "2"), "--brokers"),
        (("--clients", CLIENTS, "--config", "x"), "expected key=value"),
        (("good.toml", "--brokers", "a,b,c"), "a script has them"),
    ],
)
def test_wrong_options_are_refused_in_one_line(arguments, words, tmp_path):
    (tmp_path / "bad.toml").write_text(SCRIPT)
    (tmp_path / "good.toml").write_text(SCRIPT.replace("m9", "m1"))
    done = here("live", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not (tmp_path / ".kassay").exists()


def test_without_jars_or_maven_one_line_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path))
    monkeypatch.setattr("kassay.engines.jars.java.find_java", lambda *_: None)
    assert run(["live", "--clients", CLIENTS]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "expected KASSAY_KAFKA_HOME=DIR" in line and "or --fetch" in line
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["live", "--clients", CLIENTS, "--fetch"]) == 2
    assert "no mvn on the PATH" in capsys.readouterr().err


def pretend_java_and_jars(monkeypatch):
    """Let the command find a Java and the jars of a broker, where nothing is started with them."""
    monkeypatch.setattr("kassay.engines.genuine.jars.broker_jars", lambda *_, **__: ())
    for module in ("kassay.engines.jars.java", "kassay.engines.live.clients"):
        monkeypatch.setattr(f"{module}.find_java", lambda *_: type("Java", (), {"program": "java"}))


def test_another_cluster_needs_a_yes(tmp_path, monkeypatch, capsys):
    pretend_java_and_jars(monkeypatch)
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert run(["live", "--clients", CLIENTS, "--bootstrap-server", "test:9092"]) == 2
    listed, refused = capsys.readouterr().err.splitlines()
    assert "topics kassay-<run>-<number>-" in listed and "expected --yes" in refused


@pytest.mark.parametrize(
    "words", [("--brokers", "3"), ("--config", "a=b"), ("--config", "group.consumer.assignors=x.jar")]
)
def test_brokers_of_others_are_never_set_up(words, monkeypatch, capsys):
    pretend_java_and_jars(monkeypatch)
    assert run(["live", "--clients", CLIENTS, "--bootstrap-server", "test:9092", *words]) == 2
    assert "its brokers are never stopped or configured" in capsys.readouterr().err


def result(recording, script="1.toml"):
    verdict = judge(recording)
    findings = tuple(LiveFinding(each, "leave m1", script, 3, 5) for each in verdict.violated)
    versions = {life.seat.client: "1" for life in recording.lives}
    played = PlayedScript("seed 1", script, verdict, versions, len(recording.steps), findings)
    return LiveResult("abc", "4.4.0", 1, (played,), 61.0, 700.0, ".kassay/live/abc")


def shown(monkeypatch, capsys, tmp_path, outcome):
    pretend_java_and_jars(monkeypatch)
    monkeypatch.setattr(live_run, "live", lambda *_: outcome)
    path = tmp_path / "live.json"
    code = run(["live", "--clients", CLIENTS, "--json", str(path)])
    return code, capsys.readouterr().out, valid(json.loads(path.read_text()), "live-1")


def test_a_run_without_a_finding(monkeypatch, capsys, tmp_path):
    code, text, document = shown(monkeypatch, capsys, tmp_path, result(simulated(Random(1))))
    assert (code, document["verdict"], document["findings"]) == (0, "holds", [])
    assert text.startswith("HOLDS") and "scripts and recordings: .kassay/live/abc" in text
    assert [each["claim"] for each in document["claims"]] == [*CLAIMS]
    assert {*document["by_client"]} == {*document["clients"]}


def test_a_finding_comes_with_its_step_and_how_to_replay_it(monkeypatch, capsys, tmp_path):
    recording = next(r for r in (simulated(Random(seed)) for seed in range(99)) if moves_between(r))
    broken = early(recording, *moves_between(recording)[0])
    code, text, document = shown(monkeypatch, capsys, tmp_path, result(broken))
    assert (code, document["verdict"]) == (1, "violated")
    assert text.startswith("VIOLATED  ") and "(seen in 3 of 5)" in text
    assert "replay: kassay live 1.toml" in text and "owned by" in text


def test_a_shrunk_finding_says_so_and_is_replayed_with_the_options_of_the_run(monkeypatch, capsys, tmp_path):
    recording = next(r for r in (simulated(Random(seed)) for seed in range(99)) if moves_between(r))
    whole = result(early(recording, *moves_between(recording)[0]))
    (played,) = whole.played
    shrunk = ShrunkScript(recording.script, 4, 5, 12, minimal=True)
    finding = replace(
        played.findings[0], shrunk=shrunk, shrunk_script="1-exclusive.toml", report="1-exclusive.md"
    )
    played = replace(played, findings=(finding,))
    outcome = replace(whole, played=(played,), replay=("--fetch", "--release", "4.1.2"), failed="no broker")
    code, text, document = shown(monkeypatch, capsys, tmp_path, outcome)
    assert code == 1 and document["findings"][0]["shrunk"]["candidates"] == 12
    assert f"shrunk to {len(recording.script.actions)} actions, seen in 4 of 5, after 12 candidates" in text
    assert "replay: kassay live --fetch --release 4.1.2 1-exclusive.toml" in text
    assert "report: 1-exclusive.md" in text and "ended early: no broker" in text


@pytest.mark.parametrize(("how", "code"), [({"interrupted": True}, 130), ({"failed": "no broker"}, 4)])
def test_a_run_that_ended_early_does_not_exit_with_0(how, code):
    assert replace(result(simulated(Random(1))), **how).exit_code == code


def test_a_claim_that_was_never_judged_is_unknown():
    recording = simulated(Random(1), reports=("assigned", "revoked", "lost"))
    outcome = result(recording)
    assert (outcome.word, outcome.exit_code) == ("unknown", 3)


def test_few_sightings_make_a_finding_unstable():
    (finding, *_) = [LiveFinding(each, "", "", 3, 5) for each in judge(simulated(Random(1))).rulings]
    assert not finding.unstable and replace(finding, seen=2).unstable


def test_the_same_seed_gives_the_same_scripts():
    seats = (LiveSeat("m1", "java", ("range",)), LiveSeat("m2", "aiokafka", ("range",)))
    first, second = ([*LiveOptions(seats, histories=3, seed=7).scripts()] for _ in range(2))
    assert first == second and len({script.actions for script in first}) == 3


def test_clean_says_what_it_removed(tmp_path):
    done = here("live", "--clean", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "removed 0 runs, ended 0 processes\n")
