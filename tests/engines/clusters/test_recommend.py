"""What is recommended: the best balance for the fewest moves, all that are alike, or nothing."""

from __future__ import annotations

from kassay.engines.clusters.recommend import recommend
from kassay.engines.clusters.whatif import what_if
from kassay.engines.targets.resolve import resolve
from tests.engines.clusters.cluster import observed, offsets, topics


def test_a_balanced_group_stays_as_it_is():
    group = observed(offsets({"a": ["t-0"], "b": ["t-1"]}), topics({"t": 2}))
    advice = recommend(what_if(group, [resolve("sticky"), resolve("range")]))
    assert advice.stays
    assert advice.spread == advice.spread_now == 0


def test_the_fewest_moves_decide_among_the_best_balanced():
    group = observed(offsets({"a": [f"t-{n}" for n in range(6)], "b": []}), topics({"t": 6}))
    answer = what_if(group, [resolve("sticky"), resolve("cooperative-sticky"), resolve("roundrobin")])
    advice = recommend(answer)
    assert "roundrobin" not in advice.names or all(
        each.switch is not None and each.switch.moved == advice.moved for each in answer.candidates
    )
    assert (advice.spread_now, advice.spread, advice.idle_now, advice.idle) == (6, 0, 1, 0)
    assert advice.moved == 3
