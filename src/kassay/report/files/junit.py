"""JUnit XML: a suite a target, a case a claim."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.model.verdict import Verdict
from kassay.report import facts


def render(certificates: Sequence[Certificate]) -> str:
    """The document; a violation is a failure, an unknown or known finding is skipped with its reason."""
    root = ET.Element("testsuites", name="kassay")
    for certificate in certificates:
        results = certificate.claims
        suite = ET.SubElement(
            root,
            "testsuite",
            name=certificate.target,
            tests=str(len(results)),
            failures=str(sum(_failed(r) for r in results)),
            skipped=str(sum(_skipped(r) for r in results)),
            errors="0",
            time=f"{certificate.elapsed_s:.3f}",
        )
        properties = ET.SubElement(suite, "properties")
        for name in ("seed", "profile", "histories", "rebalances", "verdict"):
            ET.SubElement(properties, "property", name=name, value=str(getattr(certificate, name)))
        for result in results:
            _case(suite, certificate.target, result)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _failed(result: ClaimResult) -> bool:
    return result.verdict is Verdict.VIOLATED and result.known is None


def _skipped(result: ClaimResult) -> bool:
    return result.verdict is Verdict.UNKNOWN or result.known is not None


def _case(suite: ET.Element, target: str, result: ClaimResult) -> None:
    case = ET.SubElement(suite, "testcase", classname=f"kassay.{target}", name=result.id, time="0")
    found = result.counterexample
    if _failed(result):
        failure = ET.SubElement(case, "failure", message=found.message if found else result.why)
        lines = [result.sentence, result.why, *(found.trace.violations if found else ())]
        if command := facts.replay_command(found):
            lines.append(f"replay: {command}")
        failure.text = "\n".join(lines)
    elif _skipped(result):
        ET.SubElement(case, "skipped", message=result.known or result.why)
