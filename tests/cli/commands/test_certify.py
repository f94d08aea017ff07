"""`kassay certify`: exit codes, JSON, determinism, baselines, bad input."""

import html
import json

import pytest

from tests.cli.runner import here, kassay, one_line, valid

QUICK = ("--histories", "150")
PLAIN = ("--assume", "plain-names,plain-numbers,small-sizes")


def certificate(done):
    return valid(json.loads(done.stdout), "certificate-5")


@pytest.mark.slow
def test_a_sound_rule_is_certified(tmp_path):
    done = kassay("certify", "roundrobin", "--histories", "2500", "--json", "-", cwd=tmp_path)
    found = certificate(done)
    assert done.returncode == 0, found
    assert found["verdict"] == "certified"
    assert found["controls"]["caught"] == found["controls"]["of"] == 13
    assert found["controls"]["unproven"] == []
    assert all(count > 0 for count in found["reached"].values())
    assert {claim["verdict"] for claim in found["claims"]} == {"holds"}


@pytest.mark.slow
def test_the_rounding_rule_ends_at_its_smallest_counterexamples(tmp_path):
    claims = "topic-even,balanced-within-one"
    done = kassay("certify", "ceil-range", "--claims", claims, *QUICK, "--json", "-", cwd=tmp_path)
    assert done.returncode == 1
    even, within = certificate(done)["claims"]
    sizes = [[c["counterexample"][k] for k in ("members", "partitions", "events")] for c in (even, within)]
    assert sizes == [[3, 4, 0], [2, 2, 0]]
    assert "2" in even["counterexample"]["message"]
    trace = json.loads((tmp_path / even["counterexample"]["trace"]).read_text())
    valid(trace, "trace-5")
    replayed = kassay("replay", even["counterexample"]["trace"], "--json", "-", cwd=tmp_path)
    assert replayed.returncode == 1
    assert valid(json.loads(replayed.stdout), "replay-3")["violated"]
    other = kassay("replay", even["counterexample"]["trace"], "--target", "range", cwd=tmp_path)
    assert other.returncode == 0
    assert "no longer violates" in other.stdout


def test_too_few_histories_are_unknown(tmp_path):
    done = kassay("certify", "range", "--histories", "2", "--json", "-", cwd=tmp_path)
    assert done.returncode == 3
    assert certificate(done)["verdict"] == "unknown"


@pytest.mark.slow
def test_several_targets_make_a_list_and_the_gravest_outcome_wins(tmp_path):
    done = kassay(
        "certify",
        "range",
        "no-such",
        "ceil-range",
        "--claims",
        "topic-even",
        *QUICK,
        "--json",
        "-",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 4
    assert [c["target"] for c in certificate(done)] == ["range", "ceil-range"]
    assert "no-such" in done.stderr


@pytest.mark.slow
def test_same_seed_same_bytes_under_any_hash_seed_and_any_jobs(tmp_path):
    made = []
    for number, (hash_seed, jobs) in enumerate((("1", "1"), ("77", "1"), ("random", "2"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = kassay(
            "certify",
            "sticky",
            "ceil-range",
            "--claims",
            "subscribed,topic-even,deterministic",
            *QUICK,
            "--seed",
            "5",
            "--jobs",
            jobs,
            "--json",
            "-",
            cwd=folder,
            env={"PYTHONHASHSEED": hash_seed},
        )
        assert done.returncode == 1
        documents = json.loads(done.stdout)
        for document in documents:
            del document["elapsed_s"]
        traces = {p.name: p.read_bytes() for p in sorted((folder / ".kassay" / "traces").iterdir())}
        made.append((documents, traces))
    assert made[0] == made[1] == made[2]
    assert "ceil-range-topic-even.json" in made[0][1]


EVEN = ("certify", "ceil-range", "--claims", "topic-even", "--json", "-", "--exhaustive")
"""Blocks rounded up are uneven from three members and four partitions on."""


@pytest.mark.slow
def test_exhaustive_to_a_scope(tmp_path):
    cut = "2x3 is without racks, weights, static members, unknown topics, repeated topics, later changes"
    assume = "no-conflicting-claims,no-static,no-duplicate-topics"
    done = kassay(*EVEN, "2x3", "--assume", assume, cwd=tmp_path)
    found = certificate(done)
    assert done.returncode == 0
    assert "2x3" in found["claims"][0]["why"]
    assert found["notes"] == [cut]
    bigger = kassay(*EVEN, "3x4", "--assume", "equal-subscriptions", "--time", "5s", cwd=tmp_path)
    assert bigger.returncode == 1


def test_a_claim_that_needs_what_a_scope_leaves_out_is_unknown(tmp_path):
    done = kassay(*EVEN, "2x2", "--assume", "no-conflicting-claims", cwd=tmp_path)
    assert done.returncode == 3
    (claim,) = certificate(done)["claims"]
    assert claim["why"].startswith("needs static members, repeated topics, which 2x2 leaves out: ")


@pytest.mark.slow
def test_a_baseline_accepts_what_is_known(tmp_path):
    common = ("certify", "ceil-range", "--claims", "topic-even", *QUICK, *PLAIN, "--baseline", "known.json")
    assert kassay(*common[:-2], cwd=tmp_path).returncode == 1
    mistyped = one_line(kassay(*common, cwd=tmp_path), 2)
    assert mistyped.startswith("kassay: --baseline known.json: no such file; expected a baseline (to create")
    assert "--baseline-update" in mistyped
    assert not (tmp_path / "known.json").exists()
    first = kassay(*common, "--baseline-update", cwd=tmp_path)
    assert first.returncode == 0
    assert "warning: baseline: known.json was not there" in first.stdout
    assert "baseline known.json: written, accepts 1 finding" in first.stderr
    written = (tmp_path / "known.json").read_text()
    valid(json.loads(written), "baseline-1")
    more = kassay(*common[:3], "topic-even,balanced-within-one", *common[4:], cwd=tmp_path)
    assert more.returncode == 1, "what is not in the baseline still fails"
    assert (tmp_path / "known.json").read_text() == written, "which only --baseline-update changes"
    accepted = kassay(*common, "--json", "-", cwd=tmp_path)
    assert accepted.returncode == 0
    assert certificate(accepted)["claims"][0]["known"]
    stale = ("certify", "range", "--claims", "topic-even", *QUICK, *PLAIN, "--baseline", "known.json")
    entry = json.loads((tmp_path / "known.json").read_text())
    entry["findings"][0]["target"] = "range"
    (tmp_path / "known.json").write_text(json.dumps(entry))
    assert "was not found again: obsolete" in kassay(*stale, cwd=tmp_path).stdout
    entry["findings"][0].update(target="ceil-range", expires="2020-01-31")
    (tmp_path / "known.json").write_text(json.dumps(entry))
    assert kassay(*common, cwd=tmp_path).returncode == 1


def test_the_verdicts_of_several_targets_come_last_a_line_each(tmp_path):
    common = ("certify", "range", "no-such", "ceil-range", "--claims", "topic-even", *QUICK, *PLAIN)
    usual = kassay(*common, cwd=tmp_path).stdout.splitlines()
    quiet = kassay(*common, "-q", "--report", "junit", cwd=tmp_path)
    lines = quiet.stdout.splitlines()
    assert usual[-3:] == lines
    assert [line.partition("  ")[0] for line in lines] == ["CERTIFIED", "NOT CERTIFIED", "NOT LOADED"]
    assert quiet.stderr.count("\n") == 1
    assert not [line for line in usual if line.startswith("reached:")]
    verbose = kassay(*common, "-v", cwd=tmp_path).stdout
    assert "\nreached: " in verbose
    one_line(here(*common, "-v", "-q", cwd=tmp_path), 2)


@pytest.mark.slow
def test_a_first_baseline_is_written_only_where_every_target_was_put_to_the_test(tmp_path):
    common = (
        "certify",
        "ceil-range",
        "no-such",
        "--claims",
        "topic-even",
        *QUICK,
        "--baseline",
        "known.json",
        "--baseline-update",
    )
    done = kassay(*common, cwd=tmp_path)
    assert done.returncode == 4
    assert "baseline known.json: not written" in done.stderr
    assert not (tmp_path / "known.json").exists()


@pytest.mark.slow
def test_reports_are_written(tmp_path):
    done = kassay(
        "certify", "ceil-range", "--claims", "topic-even", *QUICK, "--report", "html,junit,sarif,markdown",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    written = {p.name for p in (tmp_path / ".kassay").iterdir() if p.is_file()}
    assert written == {".gitignore", "report.html", "junit.xml", "report.sarif", "report.md"}
    assert "def test_topic_even():" in html.unescape((tmp_path / ".kassay" / "report.html").read_text())


@pytest.mark.slow
def test_settings_that_narrow_a_run_are_named_on_the_line_of_its_verdict(tmp_path):
    settings = 'claims = "subscribed,complete"\nassume = "no-racks"\nseed = 9\n'
    (tmp_path / "pyproject.toml").write_text(f"[tool.kassay.certify]\n{settings}")
    named = ["claims = subscribed,complete", "assume = no-racks"]
    common = ("certify", "range", "--histories", "60")
    done = kassay(*common, "--json", "found.json", "--report", "html", cwd=tmp_path)
    words = f"narrowed by pyproject.toml: {', '.join(named)}"
    assert done.stdout.splitlines()[0].endswith(f"; {words}")
    assert valid(json.loads((tmp_path / "found.json").read_text()), "certificate-5")["narrowed_by"] == named
    assert words in (tmp_path / ".kassay" / "report.html").read_text()
    # What the command line says is known to who typed it.
    typed = kassay(*common, "--claims", "complete", "-q", cwd=tmp_path)
    assert typed.stdout.endswith("; narrowed by pyproject.toml: assume = no-racks\n")


@pytest.mark.parametrize(
    ("command", "schema"),
    [
        (("diff", "range", "range", "--histories", "5"), "diff-1"),
    ],
)
def test_settings_that_narrow_a_hunt_or_a_comparison_are_named_too(tmp_path, command, schema):
    (tmp_path / "pyproject.toml").write_text('[tool.kassay]\nassume = "no-racks"\n')
    done = here(*command, "--json", "found.json", cwd=tmp_path)
    assert "  narrowed by pyproject.toml: assume = no-racks" in done.stdout.splitlines()
    document = valid(json.loads((tmp_path / "found.json").read_text()), schema)
    assert document["narrowed_by"] == ["assume = no-racks"]


@pytest.mark.slow
def test_options_may_stand_in_pyproject(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.kassay.certify]\nhistories = 40\nseed = 9\n")
    found = certificate(kassay("certify", "range", "--json", "-", cwd=tmp_path))
    assert (found["histories"], found["seed"]) == (40, 9)


BAD_METAS = {
    "kinds": {"kind": "connect"},
    "levels": {"kind": "task-assignor", "level": "thread"},
    "protocols": {"kind": "connect-assignor", "protocol": "lazy"},
    "claims": {"kind": "connect-assignor", "claims": ["rack-local"]},
}
"""What targets of the new kinds may say wrongly of themselves."""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("certify", "range", "--claims", "no-such"), 2, "unknown claim 'no-such'"),
        (("certify", "range", "--assume", "peace"), 2, "unknown assumption 'peace'"),
        (("certify", "range", "--time", "soon"), 2, "expected e.g. 60s"),
        (("certify", "range", "--time", "1s", "--histories", "3"), 2, "expected one of the two"),
        (("certify", "range", "--exhaustive", "3"), 2, "not a scope"),
        (("certify", "range", "--report", "pdf"), 2, "expected one of html"),
        (("certify", "range", "--config", "x"), 2, "expected key=value"),
        (("certify", "range", "--baseline", "broken.json"), 2, "broken.json"),
        (("certify", "range", "--protocol", "cooperative"), 2, "speaks eager only"),
        (("certify", "range", "--seed", "x"), 2, "not a seed"),
        (("certify", "uniform@3.9"), 2, "uniform@3.9: known since 4.0.0 only"),
        (("certify", "uniform@x"), 2, "uniform@x: found 'x', expected a release"),
        (("certify", "uniform@"), 2, "found '', expected a release"),
        (("certify", "share-simple@3.9"), 2, "known since 4.0.0 only"),
        (("certify", "streams-group-sticky@4.0"), 2, "known since 4.1 only"),
        (("certify", "streams-public-sticky@3.7"), 2, "known since 3.8 only"),
        (("certify", "connect-incremental@3.9"), 2, "known since 4.0.0 only"),
        (("certify", "optimal-connect@4.4"), 2, "no release is known of this rule"),
        (("certify", "connect-incremental", "--claims", "rack-local"), 2, "the target is of kind connect"),
        (("certify", "share-simple", "--claims", "converges"), 2, "the target is of kind share"),
        (("certify", "streams-group-sticky", "--claims", "balanced-kip54"), 2, "of kind streams"),
        (("certify", "connect-incremental", "--protocol", "eager"), 2, "speaks cooperative only"),
        (("certify", "connect-eager", "--protocol", "cooperative"), 2, "speaks eager only"),
        (("certify", "connect-incremental", "--exhaustive", "2x2"), 2, "kind connect has no scopes"),
        (("certify", "streams-group-sticky", "--exhaustive", "2x2"), 2, "kind streams has no scopes"),
        (("certify", "connect-incrementall"), 4, "did you mean connect-incremental?"),
        (("certify", "kinds.py", "--in-process"), 4, "META: kind: found 'connect', expected"),
        (
            ("certify", "levels.py", "--in-process"),
            4,
            "level: found 'thread', expected 'process' or 'member'",
        ),
        (("certify", "protocols.py", "--in-process"), 4, "protocol: found 'lazy'"),
        (("certify", "claims.py", "--in-process"), 4, "claims[0]: unknown claim 'rack-local'"),
        (("gap", "uniform@x"), 2, "found 'x', expected a release"),
        (("gap", "--rank", "uniform@3.9"), 2, "known since 4.0.0 only"),
        (("certify",), 2, "Missing argument"),
        (("nonsense",), 2, "No such command"),
        (("certify", "missing.py"), 4, "missing.py: no such file"),
        (("certify", "no-such"), 4, "there is no target"),
        (("replay", "missing.json"), 2, "no such file"),
        (("replay", "broken.json"), 2, "broken.json:1: not JSON"),
        (("replay", "newer.json"), 2, "another version"),
        (("vectors", "missing"), 2, "no such file or folder"),
        (("vectors", "broken.json"), 2, "broken.json:1: not JSON"),
        (("list", "nonsense"), 2, "nonsense"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, code, said):
    (tmp_path / "broken.json").write_text("{")
    for name, meta in BAD_METAS.items():
        (tmp_path / f"{name}.py").write_text(f"META = {meta}\nclass A:\n    def assign(self, cluster): ...\n")
    (tmp_path / "newer.json").write_text('{"schema": "kassay/trace/99"}')
    assert said in one_line(here(*arguments, cwd=tmp_path), code)


def test_list_things(tmp_path):
    for thing in ("assignors", "placers", "partitioners", "claims", "situations", "assumptions", "controls"):
        done = here("list", thing, "--json", "-", cwd=tmp_path)
        assert done.returncode == 0
        assert valid(json.loads(done.stdout), "list-3")["items"]
        assert here("list", thing, cwd=tmp_path).stdout
