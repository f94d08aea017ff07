"""Two releases side by side: the shortest trace on which they part, and none where no rule differs."""

import pytest

from kassay.engines.protocols.against import compare_releases
from kassay.engines.protocols.settings import ExploreSettings
from kassay.model.errors import InputError
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.faults import parse_faults


def compared(model, against, faults="", limits=None, **settings):
    settings = {"members": 2, "partitions": 1} | settings
    return compare_releases(ExploreSettings(model, faults=parse_faults(faults), **settings), against, limits)


def test_a_lost_answer_shows_since_when_a_commit_of_an_earlier_epoch_is_accepted():
    result = compared("kip848", "4.2.1", "loss=1")
    assert result.differs and result.trace[-1].reply == "reply lost"
    assert [text.rpartition(" ")[2] for text in (*result.left, *result.right)] == ["t-0", "nothing"]
    assert result.to_json()["verdict"] == "different"


def test_a_step_of_one_release_alone_is_a_difference():
    result = compared("migration", "4.2.1", policy="disabled")
    (left,), (right,) = result.left, result.right
    assert left.endswith("INCONSISTENT_GROUP_PROTOCOL") and right.endswith("MEMBER_ID_REQUIRED")


@pytest.mark.parametrize(("model", "against"), [("classic", "4.0.2"), ("kip848", "4.3.1")])
def test_without_what_a_rule_is_about_nothing_differs(model, against):
    result = compared(model, against)
    assert not result.differs and result.limit == "" and result.to_json()["verdict"] == "same"


def test_a_limit_makes_the_verdict_unknown():
    result = compared("kip848", "4.3.1", limits=WalkLimits(states_max=5))
    assert (result.limit, result.to_json()["verdict"]) == ("states", "unknown")


@pytest.mark.parametrize(
    ("model", "against", "message"),
    [
        ("kip848", "4.4.0", "--against: 4.4.0 is the same release"),
        ("kip848", "4.9", "--release: unknown release '4.9'"),
        ("zookeeper", "4.2.1", "--against: no walk side by side of zookeeper"),
    ],
)
def test_what_cannot_be_compared_is_refused(model, against, message):
    with pytest.raises(InputError, match=message):
        compared(model, against)
