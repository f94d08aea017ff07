"""Where placement claims are violated: how many places, of which topics, and each in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from kassay.certify.replicas.judge import ClaimStanding
from kassay.properties.registry import Evidence, as_text
from kassay.writing.text import counted

_BY_PARTITION: Final = frozenset({"replicas-distinct", "rack-spread", "no-fenced-leader"})
"""Claims whose evidence is about one partition each."""
_LISTED: Final = 6
"""The maximum number of topics, or brokers, to name."""


def breach_text(claim: str, evidence: Evidence) -> str:
    """One violation of the claim, as a sentence.

    >>> racks = {"replicas": (1, 4), "in racks": ("a", "a"), "racks wanted": 2, "in one": 1}
    >>> breach_text("rack-spread", Evidence("orders-5", racks))
    'orders-5: brokers 1 4 are in racks a a: 1 rack, 2 are possible'
    """
    facts = evidence.facts
    if claim == "rack-spread":
        return f"{evidence.subject}: {_racks(facts)}"
    if claim == "no-fenced-leader":
        able = as_text(facts["could be"])
        return (
            f"{evidence.subject}: led by broker {facts['led by fenced']}, which is fenced, could be by {able}"
        )
    if claim in ("replicas-even", "leaders-even"):
        return _loads(evidence.subject, facts)
    return f"{evidence.subject}: " + ", ".join(f"{key} {as_text(value)}" for key, value in facts.items())


def breaches_text(standing: ClaimStanding, partitions: int) -> str:
    """How many of the partitions violate the claim and their topics; empty for other claims."""
    if standing.claim not in _BY_PARTITION or not standing.evidence:
        return ""
    broken = list(dict.fromkeys(each.subject for each in standing.evidence))
    topics = Counter(name.rpartition("-")[0] for name in broken)
    listed = [f"{topic} {count:,}" for topic, count in topics.most_common(_LISTED)]
    rest = len(topics) - len(listed)
    more = f" and {counted(rest, 'more topic')}" if rest else ""
    return f"{len(broken):,} of {partitions:,} partitions: {', '.join(listed)}{more}"


def _racks(facts: Mapping[str, Any]) -> str:
    """Too few racks, or too many replicas in one."""
    held = Counter(facts["in racks"])
    where = f"brokers {as_text(facts['replicas'])} are in racks {as_text(facts['in racks'])}"
    if len(held) < facts["racks wanted"]:
        return f"{where}: {counted(len(held), 'rack')}, {facts['racks wanted']} are possible"
    rack, most = held.most_common(1)[0]
    return f"{where}: {most} in {rack}, no more than {facts['in one']} are needed in one rack"


def _loads(what: str, facts: Mapping[str, Any]) -> str:
    """The least and the greatest load of a broker, the brokers with it, and the possible loads."""
    loads: Mapping[int, int] = facts["are"]
    least, most = min(loads.values()), max(loads.values())
    best: Sequence[int] = facts["could be"]
    ends = f"least: {_brokers(loads, least)}; most: {_brokers(loads, most)}"
    return f"{least} to {most} {what} a broker ({ends}), {_span(best)} possible"


def _span(loads: Sequence[int]) -> str:
    return f"{loads[0]} each is" if min(loads) == max(loads) else f"{min(loads)} to {max(loads)} are"


def _brokers(loads: Mapping[int, int], load: int) -> str:
    """The brokers with this load."""
    return _first(broker for broker, its in loads.items() if its == load)


def _first(brokers: Iterable[int]) -> str:
    names = [str(broker) for broker in brokers]
    rest = len(names) - _LISTED
    return " ".join(names[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")
