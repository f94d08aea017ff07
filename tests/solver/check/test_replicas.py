"""Which documents are instances of replicas, and which placements of them are valid."""

from __future__ import annotations

import random

import pytest

from kassay.solver.check.check import check_certificate
from kassay.solver.check.refusal import RefusedError
from kassay.solver.check.replicas import pose, valid_case
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
