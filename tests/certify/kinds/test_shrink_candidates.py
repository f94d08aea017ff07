"""Candidates for a smaller history are histories."""

from itertools import islice

from hypothesis import HealthCheck, given, settings

from kassay.certify.kinds.registry import driver_for
from kassay.certify.kinds.shrink_candidates import shrunk_histories
from kassay.model.groups.history import History, Join
from kassay.model.kinds import Kind
from tests.certify.kinds.descent import descent
from tests.strategies import histories


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(histories())
def test_candidates_for_a_smaller_history_are_histories(case):
    for smaller in islice(shrunk_histories(case), 200):
        assert isinstance(smaller, History)
        assert smaller.changes


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(histories())
def test_what_breaks_whatever_happens_shrinks_to_one_event_in_an_empty_world(case):
    smallest = descent(driver_for(Kind.CLIENT), case)
    assert smallest.cluster.topics == ()
    ((event,),) = smallest.changes
    if isinstance(event, Join):
        assert (event.member.topics, event.member.owned, event.member.rack) == ((), (), None)
