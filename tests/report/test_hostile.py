"""Names of others in every report: each form stays what it is and shows them as text."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.engines.runs.certificate import Certificate
from kassay.report.files import junit, markdown, sarif
from kassay.report.pages import certificates as pages
from kassay.report.screen.console import Screen, console
from kassay.report.screen.terminal import certificate_view
from kassay.writing.text import shell_command, visible
from tests.hostile import ALL, SOME, TEXTS

NAMES = st.tuples(TEXTS, TEXTS)


def renamed(certificate: Certificate, name: str, message: str) -> Certificate:
    """The certificate as of a target whose names are these: members, topics, claims, messages, files."""

    def narrated(step: dict[str, object]) -> dict[str, object]:
        return json.loads(
            json.dumps(step).replace('"m0"', json.dumps(name)).replace('"t0"', json.dumps(message))
        )

    results = []
    for result in certificate.claims:
        example = result.counterexample
        if example is not None:
            trace = replace(
                example.trace,
                violations=(message, f"{name} has nothing"),
                narration=[narrated(step) for step in example.trace.narration],
            )
            example = replace(example, trace=trace, message=message, path=name)
        results.append(
            replace(result, id=name, sentence=message, why=name, known=None, counterexample=example)
        )
    return replace(
        certificate, target=f"{name}.py", claims=tuple(results), notes=(message,), assume=frozenset({name})
    )


def on_a_terminal(certificate: Certificate) -> str:
    file = StringIO()
    screen: Screen = console(file=file)
    screen.show(certificate_view(certificate))
    return file.getvalue()


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("br", "meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def ink(text: str) -> str:
    return "".join(text.split())


@pytest.fixture(scope="session")
def certificate(certificates: list[Certificate]) -> Certificate:
    """One with a counterexample that has rounds."""
    return next(c for c in certificates if any(r.counterexample for r in c.claims))


@SOME
@given(names=NAMES)
def test_a_terminal_shows_every_name_and_wraps_no_command(
    certificate: Certificate, names: tuple[str, str]
) -> None:
    name, message = names
    shown = on_a_terminal(renamed(certificate, name, message))
    assert all(c.isprintable() for c in shown if c != "\n")
    assert ink(visible(f"{name}.py")) in ink(shown)
    command = f"  replay: {shell_command(('kassay', 'replay', name))}"
    assert command in [line[: len(command)] for line in shown.splitlines()]


@SOME
@given(names=NAMES)
def test_junit_is_xml_with_the_same_cases(certificate: Certificate, names: tuple[str, str]) -> None:
    name, message = names
    root = ET.fromstring(junit.render([renamed(certificate, name, message)]).encode())
    plain = ET.fromstring(junit.render([certificate]))
    assert [each.tag for each in root.iter()] == [each.tag for each in plain.iter()]
    assert {case.get("name") for case in root.iter("testcase")} == {visible(name)}
    assert {failure.get("message") for failure in root.iter("failure")} == {visible(message)}


@SOME
@given(names=NAMES)
def test_html_has_the_same_elements_and_shows_the_names(
    certificate: Certificate, names: tuple[str, str]
) -> None:
    name, message = names
    page, plain = (
        Page(pages.render([renamed(certificate, name, message)])),
        Page(pages.render([renamed(certificate, "n", "m")])),
    )
    assert page.tags == plain.tags
    assert not page.open
    assert visible(name) in page.text
    assert visible(message) in page.text
    assert shell_command(("kassay", "replay", name)) in page.text


@SOME
@given(names=NAMES)
@example(names=("n", "    m"))
@example(names=("    n", "    "))
def test_markdown_keeps_its_lines_and_columns(certificate: Certificate, names: tuple[str, str]) -> None:
    name, message = names
    text = markdown.render([renamed(certificate, name.replace("\\", "/"), message)])
    lines = text.splitlines()
    plain = markdown.render([renamed(certificate, "n", "m")]).splitlines()
    assert len(lines) == len(plain)
    for line, other in zip(lines, plain):
        assert line.isprintable()
        assert columns(line) == columns(other)
        assert re.match(r"#+ |\* |\| |    |", line)[0] == re.match(r"#+ |\* |\| |    |", other)[0]  # type: ignore[index]


def columns(line: str) -> int:
    """The cells of a row: GitHub parts at bars without a backslash, inside code as well."""
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) if line.startswith("|") else 0


@SOME
@given(names=NAMES)
def test_sarif_is_json_with_uris(certificate: Certificate, names: tuple[str, str]) -> None:
    name, message = names
    document = json.loads(sarif.render([renamed(certificate, name, message)]).encode())
    results = document["runs"][0]["results"]
    assert results
    for result in results:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        parts = urlsplit(uri)
        assert (parts.scheme, parts.netloc, parts.query, parts.fragment) in (
            ("", "", "", ""),
            ("file", "", "", ""),
        )
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/:-]|%[0-9A-F]{2})+", uri)
        assert visible(message) in result["message"]["text"]


@pytest.mark.parametrize("form", [junit.render, pages.render, markdown.render, sarif.render])
def test_every_report_can_be_written(
    certificate: Certificate, form: Callable[[list[Certificate]], str]
) -> None:
    assert form([renamed(certificate, ALL, ALL)]).encode()


def test_the_command_of_a_report_is_what_a_shell_takes(certificate: Certificate) -> None:
    text = markdown.render([renamed(certificate, "a b;c", "m")])
    command = next(line for line in text.splitlines() if line.startswith("    kassay"))
    assert shlex.split(command) == ["kassay", "replay", "a b;c"]
