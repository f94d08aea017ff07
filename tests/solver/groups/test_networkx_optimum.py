"""networkx on the plain network: the optimum of the flow and of brute force, and owners that are not best are refused."""

from __future__ import annotations

import pytest

from kassay.solver.check.balance import ORDERS
from kassay.solver.check.check import CertificateError, check_certificate
from kassay.solver.groups import networkx_optimum as by_networkx
from kassay.solver.groups.networkx_optimum import networkx_optimum
from kassay.solver.groups.optimum import NotPolynomialError, best_assignment
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import optimum_certificate
from kassay.solver.instances.groups import consumer
from tests.solver.groups import brute
from tests.solver.groups.test_optimum import judged


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_it_is_what_brute_force_finds(order: tuple[str, ...]) -> None:
    for document in brute.small(range(40)):
        problem = Problem.parse(document)
        assert judged(networkx_optimum(problem, order)) == brute.best(problem)[order], document["name"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", ["shuffle", "groups", "racks", "nested", "leave"])
def test_it_is_the_optimum_of_the_flow_and_certified(shape: str, order: tuple[str, ...]) -> None:
    problem = Problem.parse(consumer(shape, 5, members=8, partitions=50))
    best = networkx_optimum(problem, order)
    assert judged(best) == judged(best_assignment(problem, order))
    assert check_certificate(optimum_certificate(best)).accepted


def test_owners_that_are_not_the_best_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem.parse(consumer("shuffle", 5, members=4, partitions=12))
    owner = by_networkx._owners
    monkeypatch.setattr(by_networkx, "_owners", lambda *asked: [owner(*asked)[0]] * 12)
    with pytest.raises(CertificateError):
        networkx_optimum(problem)


def test_what_is_np_hard_is_refused() -> None:
    document = consumer("uniform", 0, members=2, partitions=4, topics=1)
    document["topics"][0]["weights"] = [1, 2, 3, 4]
    with pytest.raises(NotPolynomialError):
        networkx_optimum(Problem.parse(document))
