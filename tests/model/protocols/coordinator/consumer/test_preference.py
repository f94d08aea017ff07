"""Which server-side assignor a group prefers, ties and all."""

import pytest

from kassay.model.protocols.coordinator.consumer.preference import preferred_assignor, preferred_with
from kassay.model.protocols.values.groups import ConsumerMember


def members(*names):
    return [ConsumerMember(str(number), assignor=name) for number, name in enumerate(names)]


def test_the_assignor_is_what_most_ask_for():
    assert preferred_assignor(members("range", "uniform", "", "uniform")) == "uniform"
    assert preferred_assignor(members("range", "range", "uniform")) == "range"
    assert preferred_assignor(members("")) == preferred_assignor([]) == ""


@pytest.mark.parametrize("order", [("range", "uniform"), ("uniform", "range")])
def test_a_tie_between_kafkas_own_goes_to_uniform(order):
    assert preferred_assignor(members(*order)) == "uniform"


@pytest.mark.parametrize(
    ("present", "before", "after", "expected"),
    [
        ((), "", "range", "range"),
        ((), "", "", ""),
        (("range",), "range", "", ""),
        (("range", "range"), "", "uniform", "range"),
        (("uniform",), "", "", "uniform"),
    ],
)
def test_a_member_that_joins_goes_or_asks_for_another_is_counted(present, before, after, expected):
    assert preferred_with(members(*present), before, after) == expected


@pytest.mark.parametrize(("asks", "seen"), [("uniform", "uniform"), ("", "uniform"), ("range", "range")])
def test_who_alone_asks_for_range_sees_range_preferred_in_a_tie(asks, seen):
    """The genuine traces have it so: the vote taken out and put in again comes first in its bucket."""
    assert preferred_with(members("uniform", "range"), asks, asks) == seen


def test_a_vote_that_others_share_stays_where_it_is():
    assert preferred_with(members("uniform", "range", "uniform", "range"), "range", "range") == "uniform"
    thrice = members("range", "range", "range", "uniform", "uniform")
    assert preferred_with(thrice, "range", "range") == "range"
