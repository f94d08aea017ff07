"""`kassay hunt`: counterexamples, scopes, files of sentences, traces that replay, and complaints of one line."""

import json

import pytest

from tests.cli.runner import here, one_line, valid


def test_the_least_counterexample_is_told_and_its_trace_replays(tmp_path):
    done = here("hunt", "max(load) - min(load) <= 1", "--on", "range", "--histories", "0", cwd=tmp_path)
    assert done.returncode == 1
    assert "minimal counterexample: 2 members, 2 partitions" in " ".join(done.stdout.split())
    (trace,) = (tmp_path / ".kassay" / "traces").iterdir()
    assert valid(json.loads(trace.read_text()), "trace-5")["claim"] == "max(load) - min(load) <= 1"
    again = here("replay", str(trace), cwd=tmp_path)
    assert again.returncode == 1
    assert "still violates max(load) - min(load) <= 1" in again.stdout
    told = here("explain", str(trace), cwd=tmp_path)
    assert told.returncode == 0
    assert "Always max(load) - min(load) <= 1." in told.stdout


def test_named_sentences_of_a_file_on_several_targets(tmp_path):
    (tmp_path / "claims.toml").write_text('even = "all t: spread(t) <= 1"\nfew = "rounds <= 1"\n')
    done = here(
        *("hunt", "claims.toml", "--on", "range", "--on", "roundrobin"),
        *("--histories", "60", "--exhaustive", "2x2", "--json", "-"),
        cwd=tmp_path,
    )
    hunts = valid(json.loads(done.stdout), "hunt-1")
    assert [(each["target"], each["claim"]) for each in hunts] == [
        ("range", "even = all t: spread(t) <= 1"),
        ("range", "few = rounds <= 1"),
        ("roundrobin", "even = all t: spread(t) <= 1"),
        ("roundrobin", "few = rounds <= 1"),
    ]
    assert [each["outcome"] for each in hunts][:2] == ["holds", "holds"]
    assert hunts[0]["scope"]["finished"] == "2x2"


def test_a_sentence_is_a_claim_for_certify_and_explain_too(tmp_path):
    claims = "complete,few = max(load) - min(load) <= max(1, 0) where equal_subscriptions"
    done = here("certify", "range", "--claims", claims, "--histories", "60", "--json", "-", cwd=tmp_path)
    assert done.returncode == 1
    certificate = valid(json.loads(done.stdout), "certificate-5")
    assert [(each["id"].split(" ")[0], each["verdict"]) for each in certificate["claims"]] == [
        ("complete", "holds"),
        ("few", "violated"),
    ]
    told = here("explain", "max(load) <= 3", cwd=tmp_path)
    assert (told.returncode, "Always max(load) <= 3." in " ".join(told.stdout.split())) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["max(laod) <= 1", "--on", "range"], "column 5: no measure 'laod' (did you mean load?)"),
        (["max(load) <= ", "--on", "range"], "column 14: found the end"),
        (["--on", "range"], "CLAIM: expected at least one, or a TOML file of them"),
        (["rounds <= 2", "--on", "placement:striped"], "column 1: no measure 'rounds'"),
        (["all k: load(k) <= 2", "--on", "partitioner:murmur2"], "column 8: no measure 'load'"),
        (["complte", "--on", "range"], "unknown claim 'complte'"),
        (
            ["max(load)", "--on", "range"],
            "unknown claim 'max(load)': expected a comparison, such as max(load)",
        ),
        (["max(load", "--on", "range"], "'max(load': a ( is not closed, expected a comparison, such as"),
        (["max(load))", "--on", "range"], "'max(load))': a ) closes nothing, expected a comparison, such as"),
        (["max(load) \u2264 1", "--on", "range"], "column 11: found '\u2264', expected <= to compare"),
        (["none.toml", "--on", "range"], "none.toml: no such file"),
        (["1 < 2", "--on", "range", "--time", "1s", "--histories", "3"], "expected one of the two"),
    ],
)
def test_complaints_are_one_line(tmp_path, arguments, complaint):
    assert complaint in one_line(here("hunt", *arguments, cwd=tmp_path), 2)


def test_what_cannot_be_loaded_ends_no_other_hunt(tmp_path):
    done = here(
        *("hunt", "members >= 1", "--on", "no-such", "--on", "range"),
        *("--histories", "0", "--exhaustive", "1x1"),
        cwd=tmp_path,
    )
    assert done.returncode == 4
    assert "UNKNOWN" in done.stdout


def test_the_worst_case_has_a_bound_and_a_trace(tmp_path):
    done = here("hunt", "--worst", "gap:2x3", "--on", "range", "--histories", "30", cwd=tmp_path)
    assert done.returncode == 0
    words = " ".join(done.stdout.split())
    assert "worst gap found at 2 members x 3 partitions: 4" in words
    assert "proven: at most 4" in words
    (trace,) = (tmp_path / ".kassay" / "traces").iterdir()
    assert here("replay", str(trace), cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--worst", "gap:"], "is not a scope; expected members x partitions"),
        (["--worst", "gab:2x2"], "did you mean gap?"),
        (["--worst", "gap:2x2", "1 < 2"], "CLAIM and --worst: expected one of the two"),
    ],
)
def test_the_worst_takes_a_size_and_no_claim(tmp_path, arguments, complaint):
    assert complaint in one_line(here("hunt", *arguments, "--on", "range", cwd=tmp_path), 2)
