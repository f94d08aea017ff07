"""A badge: the JSON that an endpoint badge of shields.io is drawn from, verdicts in a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kassay.certify.runs.certificate import Certificate
from kassay.report.facts import NotLoaded
from kassay.writing.documents import json_text

_COLORS: Final = {"not-certified": "red", "unknown": "yellow", "certified": "brightgreen"}
"""Of several targets the first of these verdicts that one has gives the color."""


def render(certificates: Sequence[Certificate], missing: Sequence[NotLoaded] = ()) -> str:
    """The document, schema version 1 of shields.io's endpoint: the verdict, or how many are certified.

    Of a target that is missing nothing is known.
    """
    verdicts = [*(certificate.verdict for certificate in certificates), *("unknown" for _ in missing)]
    gravest = next((each for each in _COLORS if each in verdicts), "unknown")
    message = gravest.replace("-", " ")
    if len(verdicts) > 1:
        message = f"{verdicts.count('certified')} of {len(verdicts)} certified"
    document = {"schemaVersion": 1, "label": "kassay", "message": message, "color": _COLORS[gravest]}
    return json_text(document, indent=1) + "\n"
