"""A badge of a run."""

import json
from dataclasses import replace

import pytest

from kassay.model.kinds import Verdict
from kassay.report.files import badge
from tests.engines.runs.written import certificate, result

GOOD, BAD, OPEN = (certificate(result("complete", verdict)) for verdict in Verdict)


@pytest.mark.parametrize(
    ("certificates", "message", "color"),
    [
        ([GOOD], "certified", "brightgreen"),
        ([BAD], "not certified", "red"),
        ([OPEN], "unknown", "yellow"),
        ([GOOD, GOOD], "2 of 2 certified", "brightgreen"),
        ([GOOD, OPEN], "1 of 2 certified", "yellow"),
        ([OPEN, GOOD, BAD], "1 of 3 certified", "red"),
        ([replace(GOOD, interrupted=True)], "unknown", "yellow"),
        ([], "unknown", "yellow"),
    ],
)
def test_the_gravest_verdict_gives_the_color(certificates, message, color):
    document = json.loads(badge.render(certificates))
    assert document == {"schemaVersion": 1, "label": "kassay", "message": message, "color": color}
