"""SARIF's form of a report."""

import json
from dataclasses import replace
from pathlib import Path

from kassay.report.files import sarif


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
    assert notification["message"]["text"].endswith(f": interrupted after {other.histories} histories")
