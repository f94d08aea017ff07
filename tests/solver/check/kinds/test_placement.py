"""The checker accepts just the optima, whatever is done to a certificate."""

from __future__ import annotations

import copy
import itertools
import random
from dataclasses import replace
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import CertificateError, check_certificate, pose
from kassay.solver.check.kinds import placement
from kassay.solver.check.replicas import valid_case
from kassay.solver.check.shapes import RefusedError
from kassay.solver.instances.families import solve_document
from kassay.solver.placement.problem import InfeasiblePlacementError
from tests.solver.placement import cases


def verdict_of(document: Any) -> tuple[bool, str]:
    """Whether it is accepted, and the reason."""
    checked = check_certificate(document)
    return checked.accepted, checked.reason


def _solved(rng: random.Random) -> dict[str, Any]:
    while True:
        try:
            return dict(solve_document(cases.small(rng))["certificate"])
        except InfeasiblePlacementError:
            continue


def _value(certificate: dict[str, Any]) -> tuple[int, int, tuple[int, int]] | None:
    """What the certificate's placement is worth, or None if it is no valid placement."""
    case, given = certificate["instance"], certificate["assignment"]
    rows = [row for topic in sorted(given) for row in given[topic]]
    wanted = list(cases.partitions(case))
    ids = {host["id"] for host in case["brokers"]}
    if len(rows) != len(wanted):
        return None
    for (rf, _), row in zip(wanted, rows, strict=True):
        if set(row) - ids or tuple(sorted(row)) not in cases.valid_rows(case, rf):
            return None
        if row[0] not in cases.may_lead(case, row):
            return None
    counts = cases.Counter(broker for row in rows for broker in row)
    for host in case["brokers"]:
        if "max_replicas" in host and counts[host["id"]] + host.get("base", 0) > host["max_replicas"]:
            return None
    total = len([b for row in rows for b in row]) + sum(host.get("base", 0) for host in case["brokers"])
    copies = sum(len(set(row) - set(old)) for row, (_, old) in zip(rows, wanted, strict=True))
    leaders = cases.leaders_value(case, rows, [row[0] for row in rows])
    return cases.imbalance(case, counts, total), copies, leaders


def _is_optimal(certificate: dict[str, Any]) -> bool:
    value = _value(certificate)
    if value is None:
        return False
    given = certificate["assignment"]
    rows = [row for topic in sorted(given) for row in given[topic]]
    case = certificate["instance"]
    return value[:2] == cases.best_by_trying(case) and value[2] == cases.best_leaders_by_trying(case, rows)


def _damage(rng: random.Random, certificate: dict[str, Any]) -> dict[str, Any]:
    damaged = copy.deepcopy(certificate)
    rows = [row for topic in sorted(damaged["assignment"]) for row in damaged["assignment"][topic]]
    ids = [host["id"] for host in damaged["instance"]["brokers"]]
    for _ in range(rng.randint(1, 3)):
        match rng.randrange(8):
            case 0 | 1 if rows:
                row = rng.choice(rows)
                row[rng.randrange(len(row))] = rng.choice([*ids, 99])
            case 2 if rows:
                rng.shuffle(rng.choice(rows))
            case 3:
                key = rng.choice(("prices", "leader_prices"))
                damaged[key][rng.randrange(len(ids))] += rng.choice((-1, 1, 7, -50, 10**9, -(10**9)))
            case 4 if rows:
                a, b = rng.choice(rows), rng.choice(rows)
                a[0], b[0] = b[0], a[0]
            case 5:
                damaged["prices"], damaged["leader_prices"] = damaged["leader_prices"], damaged["prices"]
            case 6 if rows:
                rng.choice(rows).append(rng.choice(ids))
            case _ if rows:
                a = rng.choice(rows)
                a[:] = rng.sample(ids, len(a)) if len(a) <= len(ids) else a
    return damaged


def _fuzz(seed: int, certificates: int, damages: int) -> tuple[int, int]:
    rng = random.Random(seed)
    accepted = refused = 0
    for _ in range(certificates):
        certificate = _solved(rng)
        assert check_certificate(certificate).accepted
        for _ in range(damages):
            damaged = _damage(rng, certificate)
            if check_certificate(damaged).accepted:
                assert _is_optimal(damaged)
                accepted += 1
            else:
                refused += 1
    return accepted, refused


def test_no_damaged_certificate_proves_what_is_not_best() -> None:
    accepted, refused = _fuzz(1, 150, 12)
    assert refused > 500
    assert accepted > 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [2, 3, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(4, 8))]
)
def test_more_damage_is_refused(seed: int) -> None:
    assert _fuzz(seed, 400, 30)[1] > 4000


def test_with_the_solvers_prices_it_accepts_every_optimum_and_nothing_else() -> None:
    rng = random.Random(4)
    judged = optima = 0
    while judged < 1500:
        certificate = _solved(rng)
        case = certificate["instance"]
        wanted = list(cases.partitions(case))
        best = cases.best_by_trying(case)
        names = [
            t["name"] for t in sorted(case["topics"], key=lambda t: t["name"]) for _ in range(t["partitions"])
        ]
        choices = itertools.product(*(cases.valid_rows(case, rf) for rf, _ in wanted))
        for choice in itertools.islice(choices, 60):
            rows: dict[str, list[Any]] = {topic["name"]: [] for topic in case["topics"]}
            for name, row in zip(names, choice, strict=True):
                rows[name].append(list(row))
            other = certificate | {"assignment": rows}
            other.pop("witness", None)
            value = _value(other)
            accepted, reason = verdict_of(other)
            replicas_best = value is not None and value[:2] == best
            # The leaders' prices belong to the solver's replicas: a refusal may also be theirs.
            assert not accepted or _is_optimal(other)
            if replicas_best:
                assert accepted or reason.startswith("leaders:")
            judged += 1
            optima += replicas_best
    assert optima > 50


def test_figures_told_with_a_certificate_are_checked() -> None:
    result = solve_document(cases.document(cases.brokers(3, 0), [[0, 1], [0, 1]], 2))
    assert check_certificate(result).accepted
    assert check_certificate(result["certificate"]).accepted
    for name in ("copies", "replicas", "leaders"):
        wrong = result | {name: 7}
        accepted, reason = verdict_of(wrong)
        assert not accepted
        assert name in reason


def test_a_witness_that_leaves_room_is_refused() -> None:
    hosts = [{"id": i, "rack": r} for i, r in enumerate(("a", "b", "b"))]
    certificate = solve_document(cases.document(hosts, [], 2, partitions=6))["certificate"]
    assert certificate["witness"]["brokers"] == [0]
    for change in ({"brokers": [1]}, {"forced": 99}, {"quota": 0}, {"brokers": [0, 1, 2]}):
        other = certificate | {"witness": certificate["witness"] | change}
        assert check_certificate(other).accepted is False


@pytest.mark.parametrize(
    "junk", [{}, {"instance": None}, {"instance": {"brokers": [], "topics": []}, "assignment": {}}]
)
def test_junk_is_unreadable(junk: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"missing|found"):
        check_certificate({"schema": "kassay/placement-certificate/1"} | junk)


def test_a_refused_certificate_is_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise RefusedError("no")

    kinds = (replace(placement.KIND, check=refuse),)
    monkeypatch.setattr("kassay.solver.check.check._kinds", lambda: kinds)
    with pytest.raises(CertificateError, match="case was refused: no"):
        solve_document(cases.document(cases.brokers(2, 0), [[0]], 1))


def test_imbalance_is_the_squared_distance_from_the_shares() -> None:
    """With equal shares the sum of squares; else every load's distance from its share, in whole numbers."""
    rng, unequal = random.Random(14), 0
    while unequal < 10:
        case = cases.small(rng)
        try:
            certificate = solve_document(case)["certificate"]
        except (InfeasiblePlacementError, InputError):
            continue
        shares = {broker["id"]: broker.get("share", 1) for broker in case["brokers"]}
        own = placement.figures(valid_case(pose(certificate["instance"]).form, certificate["assignment"]))
        for field, goal in (("replicas", 0), ("leaders", 2)):
            loads = {int(broker): load for broker, load in own[field].items()}
            total, every = sum(loads.values()), sum(shares.values())
            squares = sum(load * load for load in loads.values())
            away = sum((every * load - total * shares[broker]) ** 2 for broker, load in loads.items())
            same = len(set(shares.values())) == 1
            assert own["goals"][goal]["value"] == (squares if same else away)
            unequal += not same
