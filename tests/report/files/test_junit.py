"""JUnit's form of a report."""

from xml.etree import ElementTree as ET

from kassay.report.files import junit


def test_junit_counts_what_failed(certificates):
    root = ET.fromstring(junit.render(certificates))
    suites = root.findall("testsuite")
    assert [s.get("name") for s in suites] == [c.target for c in certificates]
    for suite, certificate in zip(suites, certificates):
        failed = {c.get("name") for c in suite.findall("testcase") if c.find("failure") is not None}
        assert failed == {r.id for r in certificate.claims if r.verdict == "violated"}
        assert int(suite.get("failures")) == len(failed)
        assert int(suite.get("tests")) == len(certificate.claims)
