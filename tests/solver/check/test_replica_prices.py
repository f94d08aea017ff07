"""What prices prove of replicas and leaders is what trying every choice gives."""

from __future__ import annotations

import random

from kassay.solver.check.replica_prices import leaders_paid, replicas_paid
from kassay.solver.check.replicas import ReplicaBroker, ReplicaCase, pose
from kassay.solver.check.shares import Due
from tests.solver.placement import cases


def test_what_every_placement_pays_is_the_least_of_all_choices() -> None:
    rng = random.Random(6)
    for _ in range(200):
        document = cases.small(rng) | {"brokers": cases.brokers(rng.randint(4, 6), rng.choice((0, 1, 2, 3)))}
        ids = [host["id"] for host in document["brokers"]]
        form = pose(document).form
        rows = list(cases.partitions(document))
        case = ReplicaCase(
            [ReplicaBroker(**broker) for broker in form["brokers"]],
            [rf for rf, _ in rows],
            [tuple(old) for _, old in rows],
            [cases.valid_rows(document, rf)[0] for rf, _ in rows],
        )
        prices = [rng.randint(-3, 3) for _ in ids]
        total = sum(case.rf)
        least = sum(
            min(sum(prices[b] + (b not in old) for b in row) for row in cases.valid_rows(document, rf))
            for rf, old in zip(case.rf, case.old, strict=True)
        )
        share = Due(1, len(ids), total, total + 1)
        least += sum(min(share.pays(n) - price * n for n in range(len(rows) + 1)) for price in prices)
        assert replicas_paid(case, prices)[1] == least


def test_what_all_leaders_pay_is_the_least_of_all_choices() -> None:
    rng = random.Random(7)
    for _ in range(200):
        document = cases.small(rng)
        brokers = [ReplicaBroker(**broker) for broker in pose(document).form["brokers"]]
        ids = [broker.id for broker in brokers]
        rows = []
        for rf, _ in cases.partitions(document):
            row = rng.sample(ids, rf)
            lead = rng.choice([*cases.may_lead(document, row)])
            rows.append((lead, *(broker for broker in row if broker != lead)))
        old = [tuple(rng.sample(ids, rng.randint(0, len(ids)))) for _ in rows]
        prices = dict(zip(ids, [rng.randint(-3, 3) for _ in ids], strict=True))
        case = ReplicaCase(brokers, [len(row) for row in rows], old, rows)
        least = 0
        for was, row in zip(old, rows, strict=True):
            able = cases.may_lead(document, row)
            keeper = was[0] if was and was[0] in able else None
            least += min(prices[b] + (keeper is not None and b != keeper) for b in able)
        for broker in brokers:
            share = Due(broker.share, case.shares, len(rows), len(rows) + 1)
            least += min(share.pays(n) - prices[broker.id] * n for n in range(len(rows) + 1))
        assert leaders_paid(case, [*prices.values()])[1] == least
