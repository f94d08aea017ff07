"""SARIF's form of a report."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from kassay.report.facts import NotLoaded
from kassay.report.files import sarif
from tests.paths import DATA

SCHEMA = json.loads((DATA / "schemas" / "sarif-2.1.0.json").read_text())


def valid(text):
    document = json.loads(text)
    jsonschema.validate(document, SCHEMA)
    return document["runs"][0]


@pytest.mark.slow
def test_it_is_valid_under_the_schema_of_sarif(certificates, every_mark):
    for case in (certificates, [every_mark], [replace(every_mark, interrupted=True)], []):
        valid(sarif.render(case))
    with pytest.raises(jsonschema.ValidationError):
        valid('{"version": "2.1.0", "runs": [{"results": []}]}')


def test_a_result_names_its_rule_its_line_and_what_stays_the_same(every_mark):
    run = valid(sarif.render([every_mark]))
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert [rules[each["ruleIndex"]]["id"] for each in results] == [each["ruleId"] for each in results]
    assert all("kassay explain" in rule["help"]["text"] for rule in rules)
    moved = replace(every_mark, elapsed_s=99.0, seed=7)
    again = valid(sarif.render([moved]))["results"]
    prints = [each["partialFingerprints"]["kassay/claim"] for each in results]
    assert [each["partialFingerprints"]["kassay/claim"] for each in again] == prints
    assert len(set(prints)) == len(prints)


def test_the_rule_of_a_claim_says_its_source(certificates):
    (rule,) = [
        r for r in valid(sarif.render(certificates))["tool"]["driver"]["rules"] if r["id"] == "complete"
    ]
    assert "Source: " in rule["fullDescription"]["text"]
    assert rule["properties"]["tags"] == ["kafka", "client"]


def test_a_file_in_the_repository_is_told_from_its_root(every_mark, tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "mine.py").write_text("\n\nclass Mine: ...\n")
    monkeypatch.chdir(tmp_path)
    result, *_ = valid(sarif.render([replace(every_mark, target="mine.py:Mine")]))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "mine.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3},
    }


def test_what_code_scanning_does_not_take_is_left_out_and_said(every_mark, monkeypatch):
    size = len(sarif.render([every_mark]))
    monkeypatch.setattr(sarif, "BYTES_MAX", 1500)
    run = valid(sarif.render([every_mark]))
    assert 0 < len(run["results"]) < 3
    assert (
        "results are left out" in run["invocations"][-1]["toolExecutionNotifications"][-1]["message"]["text"]
    )
    assert len(sarif.render([every_mark])) < size


def test_sarif_points_at_files_only(certificates):
    document = json.loads(sarif.render(certificates))
    results = document["runs"][0]["results"]
    assert results
    assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results} == {
        Path(certificates[1].target).as_uri()
    }
    assert {rule["id"] for rule in document["runs"][0]["tool"]["driver"]["rules"]} == {
        r["ruleId"] for r in results
    }


def test_only_what_is_violated_is_a_result_and_what_is_accepted_is_suppressed(every_mark):
    results = json.loads(sarif.render([every_mark]))["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["violated", "without-a-case", "known"]
    reasons = [[each["justification"] for each in result.get("suppressions", [])] for result in results]
    assert reasons == [[], [], ["accepted until the next release"]]


def test_there_are_no_more_results_than_code_scanning_takes(every_mark, monkeypatch):
    monkeypatch.setattr(sarif, "RESULTS_MAX", 2)
    results = json.loads(sarif.render([every_mark]))["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["violated", "without-a-case"]


def test_each_target_is_an_invocation_and_an_interrupted_one_did_not_succeed(certificates):
    one, other = certificates
    document = json.loads(sarif.render([one, replace(other, interrupted=True)]))
    invocations = document["runs"][0]["invocations"]
    assert [each["executionSuccessful"] for each in invocations] == [True, False]
    assert [each["exitCode"] for each in invocations] == [1, 1]
    (notification,) = invocations[1]["toolExecutionNotifications"]
    assert notification["message"]["text"].endswith(
        f": interrupted after {other.histories} histories: nothing is certified"
    )


def test_a_target_that_was_not_loaded_is_an_invocation_that_did_not_succeed(
    every_mark, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("class Mine(\n")
    run = valid(sarif.render([every_mark], [NotLoaded("mine.py", "line 1: '(' was never closed")]))
    *_, lost = run["invocations"]
    assert (lost["executionSuccessful"], lost["exitCode"]) == (False, 4)
    (notice,) = lost["toolExecutionNotifications"]
    assert notice["level"] == "error" and "never closed" in notice["message"]["text"]
    assert notice["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "mine.py"
