"""The sentences of evidence: every claim says what is wrong as an engineer would write it."""

import re

import pytest

from kassay.kinds.controls import load_controls
from kassay.kinds.judging import Subject
from tests.kinds.caught import WITHIN, job_for

KINDS = {control.kind.name: control.kind for control in load_controls()}
CASES = 6
"""Cases of each control after the first one that breaks a claim."""
SENTENCES_MAX = 400
"""The most sentences of a control that are read."""


def violations(control):
    """What the control breaks, within the calls of one process."""
    job = job_for(control)
    subject = Subject(control.new, control.protocol, job.claims)
    left, found = CASES, []
    for index in range(WITHIN):
        found += job.driver.examine(job.case(index), subject).violations
        left -= bool(found)
        if not left or len(found) > SENTENCES_MAX:
            break
    return found[:SENTENCES_MAX]


def faults(evidence):
    """What is wrong with the sentence, in words."""
    words = evidence.words
    if evidence.subject.lower() not in words.lower():
        yield f"does not name {evidence.subject!r}"
    if not words.endswith("."):
        yield "ends without a full stop"
    if words[:-1].endswith((":", ",", ";", " ", ".")) and not words.endswith("..."):
        yield "ends with two marks"
    if "  " in words or "\n" in words or "None" in words:
        yield "has double spaces, several lines or a None"
    if re.search(r"(?<![\w'\"])-(?![\w'\"])", words):
        yield "has a dash for nothing"
    if re.search(r"\b1 (partitions|members|tasks|threads|rounds|replicas|workers|moves|copies)\b", words):
        yield "has a plural of one"
    if re.search(
        r"(?<![\d.])(?:[02-9]|\d\d+) (partition|member|task|thread|round|replica|move|copy)\b", words
    ):
        yield "has a singular of several"


@pytest.mark.parametrize(
    "control",
    [control for control in load_controls() if control.breaks not in ("terminates", "scales")],
    ids=lambda control: f"{control.kind}-{control.name}",
)
def test_evidence_is_a_sentence_about_its_subject(control):
    wrong = [(str(v), fault) for v in violations(control) for fault in faults(v.evidence)]
    assert wrong == []
