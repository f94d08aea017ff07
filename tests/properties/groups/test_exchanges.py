"""Equally balanced answers that cost more are found if and only if there are some."""

import pytest

from kassay.kinds.groups.oracle import best_of_group
from kassay.model.cluster import Cluster
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS
from kassay.properties.groups.balance import ORDER, RACK_FIRST
from kassay.properties.groups.exchanges import mismatches_more, moves_more
from kassay.properties.promises import promise
from tests.properties.confirming import answered, both_seen, confirm
from tests.properties.groups.answers import valid_answers
from tests.properties.groups.plain_exchanges import plainly_mismatches_more, plainly_moves_more
from tests.properties.groups.priced import brute_best, larger_priced, priced_inputs
from tests.properties.groups.steps import assignment, member, step


@pytest.mark.parametrize("kind", CONSUMER_GROUPS, ids=str)
def test_the_fewest_moves_count_where_as_balanced_an_answer_moves_more(kind, few):
    found = promise("sticky-minimal", kind)
    inputs = priced_inputs(False, few.all)
    both_seen(confirm(found, answered(step, valid_answers(step)), brute_best(step)) for step in inputs)


@pytest.mark.parametrize("order", [ORDER, RACK_FIRST])
def test_the_fewest_mismatches_count_where_as_good_an_answer_has_more(order, few):
    found = promise(f"rack-local:{order}", CLIENT)
    inputs = priced_inputs(True, few.all)
    both_seen(confirm(found, answered(s, valid_answers(s)), brute_best(s, order)) for s in inputs)


@pytest.mark.parametrize(
    "spelled", ["balanced-optimal", "sticky-minimal", f"rack-local:{ORDER}", f"rack-local:{RACK_FIRST}"]
)
def test_larger_groups_and_the_solvers_own_assignments(spelled, few):
    found = promise(spelled, CLIENT)
    outcomes = set()
    for asked in larger_priced(len(few(range(600), 25))):
        answers = valid_answers(asked)
        if len(answers) <= 500:
            best = best_of_group(asked, found.argument or ORDER)
            outcomes.add(confirm(found, answered(asked, answers), best))
    both_seen(outcomes)


def test_what_goes_through_nodes_for_readers_is_said_of_each_arc_too():
    seen = set()
    for asked in larger_priced(250, seed=7):
        fewest = best_of_group(asked, ORDER).assignment
        more = moves_more(asked, fewest)
        assert more is plainly_moves_more(asked, fewest)
        away = mismatches_more(asked, fewest, unmoved=True)
        assert away is plainly_mismatches_more(asked, fewest, unmoved=True)
        first = best_of_group(asked, RACK_FIRST).assignment
        free = mismatches_more(asked, first, unmoved=False)
        assert free is plainly_mismatches_more(asked, first, unmoved=False)
        seen |= {("moves", more), ("unmoved", away), ("free", free)}
    assert len(seen) == 6


def test_an_assignment_that_is_not_the_cheapest_is_refused():
    asked = step(
        [member("a", owned="t0"), member("b", owned="t1")], {"a": "t1", "b": "t0"}, Cluster.of({"t": 2})
    )
    assert moves_more(asked, assignment({"a": "t0", "b": "t1"}))
    with pytest.raises(ValueError, match="no exchange saves"):
        moves_more(asked, asked.given)
