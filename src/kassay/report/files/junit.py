"""JUnit XML: one suite per target, one case per claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as ET

from kassay.engines.runs.certificate import Certificate, ClaimResult
from kassay.report import facts
from kassay.writing.text import visible

_SKIPPED: Final = ("unknown", "known")


def render(certificates: Sequence[Certificate], missing: Sequence[facts.NotLoaded] = ()) -> str:
    """The document; a violation is a failure, an unknown or known finding is skipped with its reason.

    A missing target is a suite of one case with an error.
    """
    every = [facts.mark(result) for certificate in certificates for result in certificate.claims]
    root = _element(
        None,
        "testsuites",
        name="kassay",
        tests=str(len(every) + len(missing)),
        failures=str(every.count("violated")),
        errors=str(len(missing)),
        time=f"{sum(certificate.elapsed_s for certificate in certificates):.3f}",
    )
    for certificate in certificates:
        results = certificate.claims
        marks = [facts.mark(result) for result in results]
        suite = _element(
            root,
            "testsuite",
            name=certificate.target,
            tests=str(len(results)),
            failures=str(marks.count("violated")),
            skipped=str(sum(mark in _SKIPPED for mark in marks)),
            errors="0",
            time=f"{certificate.elapsed_s:.3f}",
        )
        properties = _element(suite, "properties")
        for name in ("seed", "profile", "histories", "rebalances", "verdict"):
            _element(properties, "property", name=name, value=str(getattr(certificate, name)))
        _element(properties, "property", name="warnings", value="; ".join(facts.warnings(certificate)))
        _element(properties, "property", name="interrupted", value=str(certificate.interrupted).lower())
        for result in results:
            _case(suite, certificate.target, result)
    for each in missing:
        suite = _element(
            root, "testsuite", name=each.target, tests="1", failures="0", skipped="0", errors="1", time="0"
        )
        case = _element(suite, "testcase", classname=f"kassay.{each.target}", name="loads", time="0")
        _element(case, "error", type="not-loaded", message=each.why).text = visible(each.why)
    ET.indent(root)
    raw: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return raw.decode() + "\n"


def _element(parent: ET.Element | None, name: str, /, **attributes: str) -> ET.Element:
    """A new element; characters that XML cannot represent appear as escapes."""
    element = ET.Element(name, {key: visible(value) for key, value in attributes.items()})
    if parent is not None:
        parent.append(element)
    return element


def _case(suite: ET.Element, target: str, result: ClaimResult) -> None:
    case = _element(suite, "testcase", classname=f"kassay.{target}", name=result.id, time="0")
    example = result.counterexample
    if facts.mark(result) == "violated":
        failure = _element(
            case, "failure", type="violated", message=example.message if example else result.why
        )
        lines = [result.sentence, result.why, *(example.trace.violations if example else ())]
        if command := facts.replay_command(example):
            lines.append(f"replay: {command}")
        failure.text = "\n".join(map(visible, lines))
    elif facts.mark(result) in _SKIPPED:
        _element(case, "skipped", message=result.known or result.why)
