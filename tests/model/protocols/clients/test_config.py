"""What a client was configured with: lists of assignors step by step, what they support, which topics it reads."""

import pytest

from kassay.model.protocols.clients.config import COOPERATIVE, EAGER, ClientConfig, matching, still_matching
from kassay.model.protocols.values.requests import image_of

IMAGE = image_of({"orders": 1, "old": 1, "users": 2}.items())
MODES = (("range", (EAGER,)), ("coop", (EAGER, COOPERATIVE)))


def test_beyond_the_last_step_of_a_rollout_its_last_list_stays():
    config = ClientConfig("c1", assignment_strategies=(("range",), ("range", "coop"), ("coop",)))
    assert [config.names(step) for step in range(5)] == [("range",), ("range", "coop"), *[("coop",)] * 3]


@pytest.mark.parametrize(
    ("names", "mode"),
    [
        (("range",), EAGER),
        (("coop",), COOPERATIVE),
        (("coop", "range"), EAGER),
        (("coop", "unheard-of"), EAGER),
        (("coop", "coop"), COOPERATIVE),
    ],
)
def test_a_list_is_cooperative_only_if_all_on_it_are(names, mode):
    assert ClientConfig("c1", assignment_strategies=(names,), modes=MODES).mode(0) == mode


def test_a_pattern_reads_what_exists_and_a_list_what_it_names():
    assert matching(ClientConfig("c1", pattern="o"), IMAGE) == ("old", "orders")
    assert matching(ClientConfig("c1", topics=("users", "ghost")), IMAGE) == ("users", "ghost")
    assert matching(ClientConfig("c1", topics=("users",), pattern="x"), IMAGE) == ()


def test_a_pattern_is_matched_anew_and_a_list_stays_as_it_was_last_changed():
    assert still_matching(ClientConfig("c1", pattern="o"), ("old",), IMAGE) == ("old", "orders")
    assert still_matching(ClientConfig("c1", topics=("old", "users")), ("old",), IMAGE) == ("old",)
