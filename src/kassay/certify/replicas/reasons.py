"""Reasons why a placement is not better: limits from brokers, racks and bounds, verifiable by counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kassay.certify.replicas.placed import PlacedCluster, PlacementChange, listed
from kassay.certify.replicas.propose import Proposal
from kassay.properties.placement.replicas import rack_rule


def impossible(cluster: PlacedCluster, change: PlacementChange) -> Iterator[str]:
    """Why no placement exists: one sentence per replication factor that the brokers cannot hold."""
    left = len(change.apply(cluster).brokers)
    factors: dict[int, set[str]] = {}
    for tp, row in cluster.rows.items():
        factors.setdefault(len(row), set()).add(tp.topic)
    for factor, topics in sorted(factors.items()):
        if factor > left:
            names = ", ".join(sorted(topics)[:4]) + (", ..." if len(topics) > 4 else "")
            are = "is" if left == 1 else "are"
            yield f"RF {factor} needs {factor} brokers; {left} {are} left (topics: {names})"


def reasons(proposal: Proposal) -> Iterator[str]:
    """What keeps the proposal from being better: one sentence with numbers per reason."""
    yield from _of_racks(proposal)
    witness = proposal.figures.get("witness")
    if witness:
        yield f"{witness['sentence']} (proven by the certificate)"
    yield from _of_brokers(proposal)
    yield from _of_leaving(proposal)
    yield from _of_goals(proposal)


def _of_racks(proposal: Proposal) -> Iterator[str]:
    """What the rack rule requires of racks with few brokers."""
    target = proposal.target
    if not target.has_racks:
        yield "racks are not known, so no rack rule is kept"
        return
    sizes = Counter(str(broker.rack) for broker in target.brokers)
    factors = Counter(len(row) for row in target.rows.values())
    total = sum(factor * count for factor, count in factors.items())
    forced: Counter[str] = Counter()
    for factor, count in sorted(factors.items()):
        rule = rack_rule(target.brokers, factor)
        ideal = -(-factor // len(sizes))
        if rule.most > ideal:
            small = ", ".join(sorted(rack for rack, size in sizes.items() if size < ideal))
            yield (
                f"RF {factor} over {len(sizes)} racks would put at most {ideal} in a rack, but there are too "
                f"few brokers in {small}: another rack holds up to {rule.most}"
            )
        if factor >= len(sizes):
            for rack in sizes:
                forced[rack] += count
    for rack, size in sorted(sizes.items()):
        share = total * size / len(target.brokers)
        if forced[rack] > share + 1:
            each = -(-forced[rack] // size)
            yield (
                f"rack {rack} has {size} of {len(target.brokers)} brokers: {forced[rack]} partitions with a "
                f"replica in each rack put at least {forced[rack]} there, so one of its brokers holds {each} "
                f"or more, where an even share would be {total / len(target.brokers):.1f}"
            )


def _of_brokers(proposal: Proposal) -> Iterator[str]:
    cordoned = proposal.target.cordoned
    if cordoned:
        yield f"{listed(cordoned)} cordoned: no new replica goes there, whatever balance would want"
    fenced = [broker.broker_id for broker in proposal.target.brokers if broker.fenced]
    if fenced:
        yield f"{listed(fenced)} fenced: leads nothing that another replica can lead"


def _of_leaving(proposal: Proposal) -> Iterator[str]:
    leaving = proposal.change.leaving
    if leaving:
        held = sum(len(leaving.intersection(row)) for row in proposal.cluster.rows.values())
        yield f"{held} replicas lie on {listed(leaving)} and have to be copied whatever the placement"


def _of_goals(proposal: Proposal) -> Iterator[str]:
    """The proven bounds, in words."""
    goals = {goal["goal"]: goal for goal in proposal.figures["goals"]}
    balance = goals["balance of replicas"]
    low, high = _span(proposal.figures["replicas"])
    counts = f"{low} to {high} replicas a broker" if low < high else f"{low} replicas on every broker"
    if proposal.limit is not None and "budget" in proposal.figures:
        yield (
            f"within {proposal.limit} nothing is more even than {counts}"
            if balance["proven"]
            else f"within {proposal.limit}: sum of squares {balance['value']}, proven to be at least "
            f"{balance['bound']}"
        )
        return
    yield f"no placement is more even than {counts}"
    copies = goals["movement"]["value"]
    if copies:
        yield f"no placement as even is reached with fewer than {copies} copies"
    low, high = _span(proposal.figures["leaders"])
    leaders = f"{low} to {high} leaders a broker" if low < high else f"{low} leaders on every broker"
    yield f"with these replicas no leaders are more even than {leaders}"


def _span(counts: dict[str, int]) -> tuple[int, int]:
    return min(counts.values()), max(counts.values())
