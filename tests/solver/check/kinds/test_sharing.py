"""Certificates of share groups: a weaker cover proves less, and no cover proves what is not so."""

from __future__ import annotations

import copy
import random

from kassay.solver.check.check import check_certificate
from tests.solver.sharing import cases


def test_no_cover_makes_a_bound_that_an_even_answer_goes_below() -> None:
    rng = random.Random(5)
    weaker = 0
    for case in cases.drawn(23, 60):
        least = cases.least_taken_back(case)
        certificate = copy.deepcopy(cases.solved(case)["certificate"])
        ids = [member["id"] for member in case["members"]]
        tps = [[topic["name"], p] for topic in case["topics"] for p in range(topic["partitions"])]
        for _ in range(20):
            for cover in certificate["covers"]:
                cover["members"] = [id_ for id_ in ids if rng.random() < 0.4]
                cover["partitions"] = [tp for tp in tps if rng.random() < 0.4]
            checked = check_certificate(certificate)
            assert checked.accepted
            weaker += "interval" in checked.reason
            bound = checked.reason.partition("shared, ")[2].split()[0]
            assert int(bound) <= least, (case, certificate["covers"])
    assert weaker > 50
