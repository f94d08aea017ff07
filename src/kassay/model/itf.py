"""Traces in Apalache's Informal Trace Format (ADR-015), which many viewers read.

One state per round; the variables are plain sets, functions and integers that describe the round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_VARIABLES: Final = ("round", "generation", "topics", "owned", "answer")


def to_itf(narration: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The ITF document of the rounds of a trace."""
    states: list[dict[str, Any]] = []
    for rebalance in narration:
        for round_ in rebalance.get("rounds", []):
            members = round_.get("members", [])
            answer = round_.get("answer") or {}
            states.append(
                {
                    "#meta": {"index": len(states)},
                    "round": _number(len(states)),
                    "generation": _number(round_.get("generation", -1)),
                    "topics": _function((name, _number(n)) for name, n in round_.get("topics", {}).items()),
                    "owned": _function((m["id"], _partitions(m["owned"])) for m in members),
                    "answer": _function((name, _partitions(tps)) for name, tps in answer.items()),
                }
            )
    return {"#meta": {"format": "ITF", "source": "kassay"}, "vars": list(_VARIABLES), "states": states}


def _number(value: int) -> dict[str, str]:
    return {"#bigint": str(value)}


def _partitions(tps: Sequence[Sequence[Any]]) -> dict[str, Any]:
    return {"#set": [{"#tup": [topic, _number(partition)]} for topic, partition in tps]}


def _function(pairs: Any) -> dict[str, Any]:
    return {"#map": [[key, value] for key, value in pairs]}
