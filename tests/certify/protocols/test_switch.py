"""A switch is of the model at whose bound it is found."""

from kassay.certify.protocols.settings import ExploreSettings
from kassay.certify.protocols.switch import DEAD_END, LIVELOCK, Switch


def test_a_switch_is_of_the_model_of_its_bound():
    assert Switch("name", "bug", "effect", (DEAD_END,), ExploreSettings("draft")).model == "draft"
    assert DEAD_END != LIVELOCK
