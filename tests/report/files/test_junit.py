"""JUnit's form of a report."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from kassay.report.facts import NotLoaded
from kassay.report.files import junit
from tests.hostile import ALL
from tests.paths import DATA


@pytest.fixture(scope="module")
def schema():
    """What validates under Jenkins' schema, and what it raises; imported here since that takes 0.3 s."""
    from xmlschema import XMLSchema, XMLSchemaValidationError

    schema = XMLSchema(str(DATA / "schemas" / "junit-10.xsd"))
    return schema.validate, XMLSchemaValidationError


def test_it_is_valid_under_the_schema_of_jenkins(certificates, every_mark, schema):
    validate, invalid = schema
    hostile = replace(every_mark, target=ALL, notes=(ALL,))
    for case in (certificates, [every_mark, hostile], [replace(every_mark, elapsed_s=4321.0)], []):
        validate(junit.render(case))
    with pytest.raises(invalid):
        validate('<testsuites><testsuite name="no-numbers"/></testsuites>')


def test_the_numbers_of_all_suites_stand_above_them(certificates):
    root = ET.fromstring(junit.render(certificates))
    for name in ("tests", "failures", "errors"):
        assert int(root.get(name)) == sum(int(suite.get(name)) for suite in root.findall("testsuite"))


def test_junit_counts_what_failed(certificates):
    root = ET.fromstring(junit.render(certificates))
    suites = root.findall("testsuite")
    assert [s.get("name") for s in suites] == [c.target for c in certificates]
    for suite, certificate in zip(suites, certificates):
        failed = {c.get("name") for c in suite.findall("testcase") if c.find("failure") is not None}
        assert failed == {r.id for r in certificate.claims if r.verdict == "violated"}
        assert int(suite.get("failures")) == len(failed)
        assert int(suite.get("tests")) == len(certificate.claims)


def test_each_verdict_is_what_a_server_of_builds_makes_of_it(every_mark):
    suite = ET.fromstring(junit.render([every_mark])).find("testsuite")
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    children = {name: [(child.tag, child.get("message")) for child in case] for name, case in cases.items()}
    example = every_mark.claims[2].counterexample
    assert children == {
        "holds": [],
        "unknown": [("skipped", "two situations are missing")],
        "violated": [("failure", example.message)],
        "without-a-case": [("failure", "broken in 3 of 60 checks")],
        "known": [("skipped", "accepted until the next release")],
    }
    counts = {name: suite.get(name) for name in ("tests", "failures", "skipped", "errors")}
    assert counts == {"tests": "5", "failures": "2", "skipped": "2", "errors": "0"}


def test_a_target_that_was_not_loaded_is_an_error_of_its_own(every_mark, schema):
    validate, _ = schema
    text = junit.render([every_mark], [NotLoaded(f"mine{ALL}.py", ALL)])
    validate(text)
    root = ET.fromstring(text)
    assert (root.get("tests"), root.get("errors")) == ("6", "1")
    _, suite = root.findall("testsuite")
    (case,) = suite.findall("testcase")
    assert case.find("error").get("type") == "not-loaded"
