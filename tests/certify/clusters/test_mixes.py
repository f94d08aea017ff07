"""Which rule is in force in each mix of restarted members and others."""

import pytest

from kassay.certify.clusters.mixes import RuleSpan
from tests.certify.clusters.test_rollout import way


@pytest.mark.parametrize("total", [1, 2, 3, 5, 40])
def test_between_the_protocols_the_rule_in_every_mix_is_told(total):
    there = way("range", "uniform", members=total).steps[0].spans
    assert there == (RuleSpan(("uniform",), 1, total),)
    back = way("uniform", "range", members=total).steps[0].spans
    last = RuleSpan(("range",), total, total)
    assert back == ((RuleSpan(("uniform",), 1, total - 1), last) if total > 1 else (last,))


@pytest.mark.parametrize(
    ("total", "spans"),
    [
        (1, [(("range",), 1, 1)]),
        (2, [(("range", "uniform"), 1, 1), (("range",), 2, 2)]),
        (5, [(("uniform",), 1, 2), (("range",), 3, 5)]),
        (6, [(("uniform",), 1, 2), (("range", "uniform"), 3, 3), (("range",), 4, 6)]),
    ],
)
def test_in_the_consumer_protocol_what_most_members_want_is_in_force(total, spans):
    assert [tuple(each) for each in way("uniform", "server-range", members=total).steps[0].spans] == spans
