"""The result of a placement says what its rows are."""

from __future__ import annotations

import random
from collections import Counter

from kassay.solver.check.check import check_certificate
from kassay.solver.placement.optimum import best_placement
from kassay.solver.placement.problem import InfeasiblePlacementError, PlacementProblem
from kassay.solver.placement.results import placement_certificate, rows_by_topic, solve_placement
from tests.solver.placement import cases


def test_figures_loads_and_leaders_are_those_of_the_rows() -> None:
    rng = random.Random(81)
    solved_ones = 0
    for _ in range(80):
        case = cases.small(rng)
        problem = PlacementProblem.parse(case)
        try:
            solved = solve_placement(problem)
        except InfeasiblePlacementError:
            continue
        solved_ones += 1
        assignment = solved.certificate["assignment"]
        rows = [row for name in sorted(assignment) for row in assignment[name]]
        held = Counter(broker for row in rows for broker in row)
        for host in case["brokers"]:
            held[host["id"]] += host.get("base", 0)
        more = solved.figures
        assert more["replicas"] == {str(host["id"]): held[host["id"]] for host in case["brokers"]}
        leaders = Counter(row[0] for row in rows)
        assert more["leaders"] == {str(host["id"]): leaders[host["id"]] for host in case["brokers"]}
        copies = sum(
            len(set(row) - set(old)) for row, (_, old) in zip(rows, cases.partitions(case), strict=True)
        )
        assert more["copies"] == solved.figures["moved"] == copies
        shares = {host["id"]: host["share"] for host in case["brokers"]}
        avoidable = cases.leaders_value(case, rows, [row[0] for row in rows])[1]
        forced = [
            old
            for row, (_, old) in zip(rows, cases.partitions(case), strict=True)
            if old and old[0] in shares and old[0] not in cases.may_lead(case, row)
        ]
        assert more["leader_changes"] == avoidable + len(forced)
        if len(set(shares.values())) == 1:
            assert solved.figures["upper"] == sum(held[b] ** 2 for b in shares)
        else:
            total = sum(held.values())
            scaled = (held[b] * sum(shares.values()) - total * share for b, share in shares.items())
            assert solved.figures["upper"] == sum(off * off for off in scaled)
    assert solved_ones > 50


def test_a_certificate_stands_alone_and_a_witness_is_written_down() -> None:
    rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]
    hosts = [{"id": i, "rack": f"r{i % 3}"} for i in range(4)]
    best = best_placement(PlacementProblem.parse(cases.document(hosts, rows, 3)))
    certificate = placement_certificate(best)
    assert check_certificate(certificate).accepted
    assert best.witness is not None
    assert certificate["witness"] == {
        "brokers": list(best.witness.brokers),
        "forced": best.witness.forced,
        "quota": best.witness.quota,
        "sentence": best.witness.sentence,
    }
    assert rows_by_topic(best) == {"t": [list(row) for row in best.rows]}
