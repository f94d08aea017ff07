"""The independent checker of replica placements: it shares no code with the solver.

A certificate carries the instance, the placement, and two prices for each broker. The checker verifies all of
it: the placement must be valid (`check/replicas`), and its payment must equal the least payment of any
placement that the prices prove (`check/replicas`). An optional witness must show why no balance is
better.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from kassay.solver.check.replicas import (
    FAMILY,
    ReplicaCase,
    costed,
    forced_on,
    pose,
    require_best_leaders,
    require_best_replicas,
    valid_case,
)
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    TEXT,
    WHOLE,
    Document,
    ProofKind,
    Proven,
    ProvenQuestion,
    by_name,
    met,
    one_of,
    one_price_each,
    record,
    require,
    rows,
    squares,
)

SCHEMA: Final = "kassay/placement-certificate/1"
_LISTED: Final = 8


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves; raises `RefusedError` if it does not prove its placement optimal."""
    case = valid_case(form, certificate["assignment"])
    require_best_replicas(case, one_price_each(certificate["prices"], len(case.brokers)))
    require_best_leaders(case, one_price_each(certificate["leader_prices"], len(case.brokers)))
    witness = certificate.get("witness")
    if witness is not None:
        _witness_holds(case, witness)
    return Proven(
        "optimal: the prices leave no cheaper placement, and no better leaders for these replicas",
        question(),
        {
            **figures(case),
            "status": "optimal",
            "rack_mismatch": 0,
            "bound": "broker prices: balance, then copies; leaders, then changes of leader",
            "assignment": certificate["assignment"],
            "witness": witness,
        },
    )


def _witness_holds(case: ReplicaCase, witness: Document) -> None:
    """Check that the witness brokers hold, and must hold, more than a balance within one allows them."""
    ids, forced, quota = sorted(witness["brokers"]), witness["forced"], witness["quota"]
    require({broker.id for broker in case.brokers} >= set(ids), "the witness has an unknown broker")
    least = forced_on(case.brokers, Counter(case.rf), set(ids))
    require(forced <= least, f"{least} replicas lie on the witness's brokers at the least, not {forced}")
    total = sum(case.rf) + sum(b.base for b in case.brokers)
    roof = sum(-(-total * b.share // case.shares) for b in case.brokers if b.id in ids)
    rest = total - sum(total * b.share // case.shares for b in case.brokers if b.id not in ids)
    require(quota in (roof, rest), f"the shares of the witness's brokers are {roof} or {rest}, not {quota}")
    require(forced > quota, "the witness leaves room for a balance within one of the shares")
    why = (
        "the others can take no more"
        if case.brokers[0].rack is None
        else "the rack rule leaves them nowhere else to go"
    )
    sentence = (
        f"at least {forced} replicas lie on {_listed(ids)}, "
        f"where {quota} would be within one of the shares: {why}"
    )
    require(witness["sentence"] == sentence, f"the witness shows this: {sentence}")


def _listed(ids: list[int]) -> str:
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    return f"broker{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids[:_LISTED]))}{more}"


def question(costs: int | str = 1, budget: int | None = None) -> ProvenQuestion:
    """The question of every placement: leaders are the best for its replicas."""
    objectives = ("balance of replicas", "movement", "balance of leaders", "changes of leader")
    return ProvenQuestion(objectives, {"copy": costs, "change of leader": 1}, budget=budget)


def figures(case: ReplicaCase) -> dict[str, Any]:
    """The required figures of a result for the placement."""
    leads = case.leads
    loads = [case.loads[broker.id] + broker.base for broker in case.brokers]
    copies = sum(case.copied)
    ids = {broker.id for broker in case.brokers}
    leaders = ((old[0], new[0]) for old, new in zip(case.old, case.new, strict=True) if old)
    shares = [broker.share for broker in case.brokers]
    imbalance = _distance(loads, shares)
    changes = sum(old in ids and old != new for old, new in leaders)
    return squares(loads) | {
        "replicas": {str(broker.id): load for broker, load in zip(case.brokers, loads, strict=True)},
        "leaders": {str(broker.id): leads[broker.id] for broker in case.brokers},
        "leader_changes": changes,
        "copies": copies,
        "moved": copies,
        "lower": imbalance,
        "upper": imbalance,
        "goals": [
            met("balance of replicas", imbalance),
            met("movement", copies),
            met("balance of leaders", _distance([leads[broker.id] for broker in case.brokers], shares)),
            met("changes of leader", changes),
        ],
    }


def _distance(loads: list[int], shares: list[int]) -> int:
    """The sum of squared loads; with unequal shares of (load * all shares - total * own share)."""
    if len(set(shares)) == 1:
        return sum(load * load for load in loads)
    total, every = sum(loads), sum(shares)
    return sum((load * every - total * share) ** 2 for load, share in zip(loads, shares, strict=True))


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda form: not costed(form),
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "instance": ANYTHING,
            "assignment": by_name(rows(rows(COUNT))),
            "prices": rows(WHOLE),
            "leader_prices": rows(WHOLE),
        },
        {
            "witness": record(
                {"brokers": rows(COUNT), "forced": COUNT, "quota": COUNT, "sentence": TEXT},
            )
        },
    ),
    check=check,
)
