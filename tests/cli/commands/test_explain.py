"""`kassay explain`: text, JSON, and what cannot be explained."""

import json

import pytest

from kassay.cli.main import run
from kassay.engines.explain import explain
from kassay.model.errors import InputError
from tests.cli.runner import here, kassay, one_line, valid
from tests.paths import HELD, ROOT

ONLY_WITH_CONFIG = """
class Mine:
    def configure(self, config):
        self.bad = config.get("bad") == "yes"

    def assign(self, partitions_per_topic, members):
        return {} if self.bad else {m["id"]: [] for m in members}
"""


def test_the_command_prints_text_or_json(capsys):
    assert run(["explain", "range"]) == 0
    assert "three members, topics of four partitions" in capsys.readouterr().out
    assert run(["explain", "balanced-kip54", "--json", "-"]) == 0
    document = valid(json.loads(capsys.readouterr().out), "explain-7")
    assert (document["schema"], document["what"]) == ("kassay/explain/7", "claim")
    assert run(["explain", "range", "--json", "-"]) == 0
    valid(json.loads(capsys.readouterr().out), "explain-7")


def test_a_trace_is_told_with_its_cause(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    trace = "tests/data/faulty/double_owner.json"
    assert run(["explain", trace, "--json", "-"]) == 0
    document = valid(json.loads(capsys.readouterr().out), "explain-7")
    assert document["cause"]["conditions"] == ["generation 3 as the newest"]
    assert run(["explain", trace]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert document["paragraph"] in text
    assert "<- broken here" in text


def test_anything_else_is_a_usage_error(capsys):
    with pytest.raises(InputError, match="expected a claim"):
        explain("nonsense")
    assert run(["explain", "nonsense"]) == 2
    assert "kassay list claims" in capsys.readouterr().err


def test_an_upgrade_is_told_as_text_or_json(capsys):
    assert run(["explain", "sticky", "--against", "3.9"]) == 0
    assert "sticky since 3.9" in capsys.readouterr().out
    assert run(["explain", "sticky", "--against", "3.9", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "kassay/upgrade/1"
    assert run(["explain", "sticky", "--against", "never"]) == 2
    assert "found 'never', expected a release" in capsys.readouterr().err


def test_a_trace_is_told_with_what_it_was_recorded_under(capsys, tmp_path):
    """Whatever a replay restores is said: nobody has to open the file to know it."""
    (tmp_path / "mine.py").write_text(ONLY_WITH_CONFIG)
    said = ["--config", "bad=yes", "--call-timeout", "7s", "--assume", "no-racks"]
    target = str(tmp_path / "mine.py")
    out = tmp_path / "out"
    told = ["--claims", "members", "--histories", "30", "--seed", "11", "--in-process", "--out", str(out)]
    assert run(["certify", target, *said, *told]) == 1
    (path,) = (out / "traces").iterdir()
    kept = json.loads(path.read_text())
    capsys.readouterr()
    assert run(["explain", str(path)]) == 0
    text = "".join(capsys.readouterr().out.split())  # a path is longer than a line
    for condition in (
        f"recorded against {target}, eager, source SHA-256 {kept['digest']}",
        "configuration: bad=yes",
        "limits: 7 s per call, 512 MiB",
        "the target's code runs in kassay's own process, hash seed ",
        "assumptions about inputs: no-racks",
        f"history {kept['index']} of the run with seed 11",
        f"kassay {kept['versions']['kassay']}, python {kept['versions']['python']}",
    ):
        assert "".join(condition.split()) in text, condition
    assert run(["explain", str(path), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    for name in ("conditions", "digest", "versions", "seed", "index"):
        assert document[name] == kept[name], name


def test_a_difference_is_told_with_what_it_was_recorded_under(capsys, tmp_path):
    """For both sides what is theirs, and what was the same for both."""
    (tmp_path / "mine.py").write_text(ONLY_WITH_CONFIG)
    target, out = str(tmp_path / "mine.py"), tmp_path / "out"
    options = ["--config", "bad=no", "--assume", "no-racks"]
    assert (
        run(["diff", target, "range", *options, "--histories", "20", "--seed", "5", "--out", str(out)]) == 1
    )
    (path,) = (out / "traces").iterdir()
    kept = json.loads(path.read_text())
    capsys.readouterr()
    assert run(["explain", str(path)]) == 0
    text = "".join(capsys.readouterr().out.split())
    for condition in (
        f"recorded against {target}, eager, source SHA-256 {kept['left']['digest']}",
        "recorded against range, eager",
        f"kassay {kept['right']['versions']['kassay']}",
        "configuration: bad=no",
        "limits: 20 s per call, 512 MiB",
        "assumptions about inputs: no-racks",
        f"history {kept['index']} of the run with seed 5",
    ):
        assert "".join(condition.split()) in text, condition
    assert run(["explain", str(path), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["sides"] == [kept["left"], kept["right"]]
    for name in ("conditions", "seed", "index"):
        assert document[name] == kept[name], name


def test_what_disturbed_a_group_is_told_of_a_trace_and_of_a_difference(capsys, tmp_path):
    """Failed syncs and what is withheld are in the history alone, not in the rounds that follow."""
    member = {"id": "m0", "topics": ["t"], "owned": [], "generation": -1, "rack": None, "instance_id": None}
    changes = [
        [{"event": "Join", "member": member, "config": {}}],
        [{"event": "FailedSync", "member_id": "m0"}],
        [],
    ]
    recorded = sorted((HELD / "traces").glob("*.json"))
    kept = next(d for d in (json.loads(p.read_text()) for p in recorded) if d["kind"] == "client")
    case = kept["case"] if "case" in kept else kept["history"]
    case["changes"] = changes
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(kept))
    assert run(["explain", str(path)]) == 0
    text = capsys.readouterr().out
    assert "before it: m0 joins (subscribes to t)" in text
    assert "2  m0 misses the next assignment" in text
    assert run(["explain", str(path), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["happened"] == changes


@pytest.mark.parametrize(
    ("rule", "since", "said"),
    [
        ("uniform", "3.0", "uniform@3.0: known since 4.0.0 only"),
        ("uniform", "x", "found 'x', expected a release"),
        ("uniform", "", "found '', expected a release"),
        ("uniform@4.0.0", "4.0.0", "expected a rule of Kafka"),
        ("streams-public-sticky", "3.7", "known since 3.8 only"),
        ("streams-group-sticky", "4.0", "known since 4.1 only"),
        ("optimal-connect", "4.0", "no release is known of this rule"),
        ("nope", "4.0", "'nope': expected a rule of Kafka"),
    ],
)
def test_what_is_no_rule_and_no_release_is_one_line(tmp_path, rule, since, said):
    assert said in one_line(here("explain", rule, "--against", since, cwd=tmp_path), 2)


def test_a_trace_whose_history_is_none_is_refused_in_one_line(tmp_path):
    trace = json.loads((ROOT / "docs" / "traces" / "sticky-subscribed.json").read_text())
    trace["case"]["changes"] = [None]
    (tmp_path / "t.json").write_text(json.dumps(trace))
    done = kassay("explain", "t.json", cwd=tmp_path)
    assert "t.json: case" in one_line(done, 2)


@pytest.mark.parametrize(
    "what",
    ["kip848", "no_withhold", "single-owner-on-record", "worker-joins", "bench", "abs/only", "no-racks"],
)
def test_whatever_is_listed_is_explained(what, capsys):
    assert run(["explain", what]) == 0
    assert capsys.readouterr().out.startswith(f"{what}  (")
