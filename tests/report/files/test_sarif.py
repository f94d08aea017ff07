"""SARIF's form of a report."""

import json
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
