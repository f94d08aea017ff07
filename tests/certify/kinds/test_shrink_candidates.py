"""Candidates for a smaller history are histories."""

from itertools import islice

from hypothesis import HealthCheck, given, settings

from kassay.certify.kinds.shrink_candidates import shrunk_histories
from kassay.model.groups.history import History
from tests.strategies import histories


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(histories())
def test_candidates_for_a_smaller_history_are_histories(case):
    for smaller in islice(shrunk_histories(case), 200):
        assert isinstance(smaller, History)
        assert smaller.changes
