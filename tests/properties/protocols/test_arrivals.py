"""Whom a consumer group has to let in."""

import pytest

from kassay.certify.protocols.explore import explore
from kassay.certify.protocols.settings import ExploreSettings
from kassay.model.protocols.faults import Faults
from kassay.properties.protocols.registry import ENDED
from tests.properties.protocols.asking import answers, broken

NAME = "joins-are-let-in"


def test_each_client_that_an_error_has_ended_is_named():
    assert answers(NAME, ENDED, frozenset({"c2", "c1"})) == broken(
        "an error has ended c1", "an error has ended c2"
    )
    assert answers(NAME, ENDED, frozenset()) == []


@pytest.mark.parametrize(
    "bound",
    [
        {"faults": Faults(crash=1, loss=1)},
        {"static": 1, "faults": Faults(crash=1)},
        {"regex": True},
    ],
    ids=lambda bound: ",".join(bound),
)
def test_no_client_of_kip_848_is_ended_where_the_rules_are_those_of_4_4(bound):
    done = explore(ExploreSettings("kip848", partitions=1, **bound)).exploration
    assert (NAME in done.asked) and NAME not in {one.invariant for one in done.violations}


def test_a_static_member_may_be_ended_and_a_migration_may_end_anybody():
    refused = explore(ExploreSettings("kip848", members=1, partitions=1, static=1, faults=Faults(crash=1)))
    assert refused.exploration.asked >= {NAME} and refused.verdict == "holds"
    assert NAME not in explore(ExploreSettings("migration", members=1, partitions=1)).exploration.asked
