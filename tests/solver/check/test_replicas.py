"""Which documents are instances of replicas, and which placements of them are valid.

What prices prove of replicas and leaders is what trying every choice gives.
"""

from __future__ import annotations

import random

import pytest

from kassay.solver.check.check import check_certificate
from kassay.solver.check.replicas import (
    ReplicaBroker,
    ReplicaCase,
    leaders_paid,
    pose,
    replicas_paid,
    valid_case,
)
from kassay.solver.check.shapes import Due, RefusedError
from kassay.solver.instances.families import solve_document
from tests.solver.placement import cases


def test_what_a_broker_holds_beside_the_placement_counts_as_well() -> None:
    hosts = [{"id": 0, "base": 1}, {"id": 1}, {"id": 2}]
    certificate = solve_document(cases.document(hosts, [], 1, partitions=6))["certificate"]
    held = sum(0 in row for rows in certificate["assignment"].values() for row in rows)
    assert held
    for room, accepted in ((1 + held, True), (held, False)):
        certificate["instance"]["brokers"][0]["max_replicas"] = room
        assert (
            check_certificate(certificate).reason == "broker 0 holds more than its max_replicas"
        ) is not accepted


def test_no_rack_holds_more_of_a_partition_than_it_must() -> None:
    hosts = [{"id": number, "rack": rack} for number, rack in enumerate("aabc")]
    certificate = solve_document(cases.document(hosts, [], 2, partitions=2))["certificate"]
    (topic,) = certificate["assignment"]
    for rows, accepted in (([[0, 2], [1, 3]], True), ([[0, 1], [2, 3]], False)):
        certificate["assignment"][topic] = rows
        assert (check_certificate(certificate).reason == "placement 0 breaks the rack rule") is not accepted


def test_just_the_placements_that_obey_every_rule_are_valid() -> None:
    rng = random.Random(8)
    valid = 0
    for _ in range(400):
        document = cases.small(rng)
        form, wanted = pose(document).form, list(cases.partitions(document))
        ids = [host["id"] for host in document["brokers"]]
        rows = [rng.sample(ids, rf) for rf, _ in wanted]
        roomy = all("max_replicas" not in host for host in document["brokers"])
        obey = all(tuple(sorted(row)) in cases.valid_rows(document, rf) for (rf, _), row in zip(wanted, rows))
        left = iter(rows)
        given = {topic["name"]: [next(left) for _ in range(topic["partitions"])] for topic in form["topics"]}
        if roomy and obey:
            assert [list(row) for row in valid_case(form, given).new] == rows
            valid += 1
        elif not obey:
            with pytest.raises(RefusedError, match=r"rack rule|max_replicas|distinct brokers"):
                valid_case(form, given)
    assert valid > 20


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
