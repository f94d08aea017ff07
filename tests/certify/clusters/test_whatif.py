"""The whole answer: today, the candidates, and an optimum that the checker accepts."""

from kassay.certify.clusters.whatif import KAFKAS, what_if
from kassay.certify.targets.resolve import resolve
from kassay.solver.check.check import require_accepted
from tests.certify.clusters.cluster import observed, offsets, topics
from tests.cli.runner import valid

GROUP = observed(offsets({"a": ["t-0", "t-1", "t-2"], "b": []}), topics({"t": 4}))


def test_no_candidate_is_better_balanced_or_moves_less_than_the_optimum():
    answer = what_if(GROUP, [resolve(spec) for spec in KAFKAS])
    best = answer.optimum.steps[0]
    assert (best.loads.spread, best.moved) == (0, 1)
    assert [(str(use.partition), use.member) for use in answer.unowned] == [("t-3", "b")]
    for candidate in answer.candidates:
        switch = candidate.steps[0]
        assert switch.loads.spread >= best.loads.spread
        assert switch.moved >= best.moved or switch.loads.spread > best.loads.spread
    document = valid(answer.to_json(), "what-if-1")
    assert [each["target"] for each in document["candidates"]][:2] == ["range", "roundrobin"]


def test_the_certificate_is_of_what_the_optimum_row_shows():
    answer = what_if(GROUP, [])
    figures = require_accepted(answer.best.certificate, "g")
    assert sorted(map(len, answer.optimum.answers[0].values())) == figures["loads"]
    assert figures["moved"] == answer.optimum.steps[0].moved
