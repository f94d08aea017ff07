"""The result of tasks says what its assignment is."""

from __future__ import annotations

import random
from collections import Counter

from kassay.solver.check.check import check_certificate
from kassay.solver.streams.problem import TaskProblem
from kassay.solver.streams.results import solve_tasks
from tests.solver.streams import cases


def test_figures_and_loads_are_those_of_the_assignment() -> None:
    rng = random.Random(101)
    for _ in range(60):
        case = cases.small(rng)
        solved = solve_tasks(TaskProblem.parse(case))
        assignment, standbys = solved.certificate["assignment"], solved.figures["standbys"]
        chosen = cases.chosen_by(case, {"assignment": assignment, "standbys": standbys})
        balance, cost = cases.worth(case, chosen)
        best = min(cases.every(case))
        assert set(chosen) <= set(cases.choices(case))
        assert solved.figures["upper"] == cost
        proven = solved.figures["proven"]
        if proven:
            assert proven[:2] == ["balance of actives", "balance of copies"]
            assert balance == best[0]
            assert solved.figures["lower"] <= best[1] <= cost
        assert (
            (solved.figures["status"] == "optimal")
            == ("cost" in proven)
            == (solved.figures["lower"] == cost and bool(proven))
        )
        ids = [client["id"] for client in case["clients"]]
        actives = Counter(ids[lead] for lead, _ in chosen)
        assert solved.figures["loads"] == sorted(actives[id_] for id_ in ids)
        assert solved.figures["totals"] == sorted(len(assignment[id_]) + len(standbys[id_]) for id_ in ids)
        changes = sum(
            old is not None and old != ids[lead]
            for old, (lead, _) in zip(case["active"], chosen, strict=True)
        )
        assert solved.figures["moved"] == changes
        assert solved.figures["copies"] * 3 + changes == cost
        assert check_certificate(solved.certificate).accepted
