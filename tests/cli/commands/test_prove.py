"""`kassay prove`: verdicts, counterexamples, exit codes."""

import json

import pytest

from tests.cli.runner import kassay, one_line, valid


def proofs(done):
    return {each["name"]: each for each in valid(json.loads(done.stdout), "proofs-1")["proofs"]}


@pytest.mark.slow
def test_every_claim_comes_out_as_it_is_stated(tmp_path):
    done = kassay("prove", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = proofs(done)
    assert all(each["as_expected"] for each in found.values())
    refuted = {name: each["counterexample"] for name, each in found.items() if each["verdict"] == "refuted"}
    assert refuted["ceil-range-even/all"] == {"P": 4, "C": 3, "N": 2}
    assert refuted["abs/sign"] == {"x": -(2**31)}
    assert len(found) - len(refuted) >= 25
    assert {"base", "step"} <= {name.partition("/")[2] for name in found if name.startswith("range-cover/")}


def test_some_claims_by_name_as_a_table(tmp_path):
    done = kassay("prove", "abs", "ceil-range-even/all", cwd=tmp_path)
    assert done.returncode == 0
    assert "not for x = -2147483648" in done.stdout
    assert "not for P = 4, C = 3, N = 2" in done.stdout
    assert (
        done.stdout.splitlines()[0] == "AS EXPECTED  3 claims: 2 refuted as expected, 1 proved, for all sizes"
    )


def test_too_little_time_is_unknown(tmp_path):
    done = kassay("prove", "replicas-distinct", "--time", "1ms", "--json", "-", cwd=tmp_path)
    assert done.returncode == 3
    assert "unknown" in {each["verdict"] for each in proofs(done).values()}


def test_an_unknown_name_is_one_line(tmp_path):
    assert "found 'no-such', expected one of" in one_line(kassay("prove", "no-such", cwd=tmp_path), 2)


def test_proofs_and_suites_are_listed(tmp_path):
    for thing in ("proofs", "suites"):
        done = kassay("list", thing, "--json", "-", cwd=tmp_path)
        assert valid(json.loads(done.stdout), "list-3")["items"]
