"""A badge: the JSON for an endpoint badge of shields.io, with the verdict in a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kassay.engines.runs.certificate import Certificate
from kassay.report.facts import NotLoaded
from kassay.writing.files import json_text

_COLORS: Final = {"not-certified": "red", "unknown": "yellow", "certified": "brightgreen"}
"""The color is that of the first of these verdicts that any target has."""


def render(certificates: Sequence[Certificate], missing: Sequence[NotLoaded] = ()) -> str:
    """The document, schema version 1 of shields.io's endpoint: the verdict, or the number certified.

    The verdict on a missing target is unknown.
    """
    verdicts = [*(certificate.verdict for certificate in certificates), *("unknown" for _ in missing)]
    gravest = next((each for each in _COLORS if each in verdicts), "unknown")
    message = gravest.replace("-", " ")
    if len(verdicts) > 1:
        message = f"{verdicts.count('certified')} of {len(verdicts)} certified"
    document = {"schemaVersion": 1, "label": "kassay", "message": message, "color": _COLORS[gravest]}
    return json_text(document, indent=1) + "\n"
