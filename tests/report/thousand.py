"""A campaign with many findings: traces on record, each under names of its own."""

from __future__ import annotations

import json
import re
from functools import cache
from hashlib import blake2b
from typing import Any

from tests.kinds.boards import trace
from tests.paths import DOCS
from tests.report.screen.campaign_document import DOCUMENT

KINDS = 8
"""So many findings are of one target against one claim, at most, as in a campaign."""
TOPICS = ("orders", "payments", "clicks", "stock", "refunds", "ledger", "mail", "search", "geo", "audit")


@cache
def _on_record() -> tuple[str, ...]:
    documents = map(trace, sorted((DOCS / "traces").glob("*.json")))
    return tuple(json.dumps(document) for document in documents if document.get("violations"))


def _renamed(text: str, number: int) -> str:
    """The trace with topics and members that no other one has."""
    text = re.sub(r"\bt(\d)\b", lambda m: f"{TOPICS[(number + int(m[1])) % 10]}-{number}", text)
    return re.sub(r"\bm(\d)\b", lambda m: f"consumer-{number}-{m[1]}", text)


def findings(count: int) -> tuple[list[dict[str, Any]], list[str]]:
    """So many findings as a campaign's document has them, and their traces as texts."""
    rows, traces = [], []
    for number in range(count):
        text = _renamed(_on_record()[number % len(_on_record())], number)
        document = json.loads(text)
        message = document["violations"][0]
        rows.append(
            {
                "identity": blake2b(f"{number}".encode(), digest_size=8).hexdigest(),
                "target": f"{document['target']}-v{number // (KINDS * len(_on_record()))}",
                "profile": "small",
                "claim": document["claim"],
                "input": "contradictory" if document["contradictory"] else "ordinary",
                "kind": re.sub(r"\d+", "#", message),
                "failed": 1 + number % 7,
                "others": 0,
                "broken_by": "",
                "history": 11 * number,
                "seed": number,
                "members": 2,
                "partitions": 3,
                "events": 1,
                "message": message,
            }
        )
        traces.append(text)
    order = sorted(range(count), key=lambda n: (rows[n]["target"], rows[n]["claim"]))
    return [rows[n] for n in order], [traces[n] for n in order]


def campaign(count: int) -> tuple[dict[str, Any], list[str]]:
    """The outcome of a campaign with so many findings, and their traces."""
    rows, traces = findings(count)
    pairs = dict.fromkeys((row["target"], row["claim"]) for row in rows)
    verdicts = [
        {"target": t, "profile": "*", "claim": c, "verdict": "violated", "why": "broken"} for t, c in pairs
    ]
    return {**DOCUMENT, "findings": rows, "verdicts": verdicts}, traces
