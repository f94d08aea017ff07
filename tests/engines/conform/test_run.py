"""The loop: clean on the model as it is, and it finds a model that is not Kafka's."""

import pytest

from kassay.engines.conform.run import ConformResult, ConformSettings, conform
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.step import step
from tests.genuine import genuine_jars

SEED = 5


class Faulty:
    """The model with one rule switched to a wrong one."""

    def __init__(self, switch: str) -> None:
        self.switch = switch

    def step(self, config, state, event, choices):
        return step(config._replace(switches=config.switches | {self.switch}), state, event, choices)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"release": "4.3.0"}, "not modelled; expected one of 4.4.0, 4.3.1, 4.2.1, 4.1.2, 4.0.2"),
        ({"kinds": ("share",)}, "unknown kind of histories 'share'; expected"),
        ({"runtime": "ours"}, "--runtime ours: expected"),
    ],
)
def test_what_is_not_modelled_is_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        ConformSettings(**wrong)


def test_a_result_says_what_was_not_driven():
    result = ConformResult(ConformSettings(), {"classic": 10}, 1, 2.0, (), ())
    assert result.holds and result.rate == 5.0
    assert result.to_json()["not_driven"] and result.to_json()["differences"] == []


@pytest.mark.java
@pytest.mark.slow
def test_the_model_is_kafkas():
    """9,000 steps, about a minute; the findings known for 4.4.0 and no others."""
    result = conform(ConformSettings(steps=9_000, seed=SEED), genuine_jars(), tries=150)
    assert result.differences == ()
    assert {cause.known.letter if cause.known else cause for cause in result.broken} >= {"A", "B"}
    assert result.holds


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("switch", "steps"),
    [
        ("assignor_change_waits", 6_000),
        ("empty_keeps_target_epoch", 3_000),
        ("no_sync_timer", 3_000),
        ("subscription_ignored", 12_000),
    ],
)
def test_a_wrong_rule_is_found_and_its_script_is_short(switch, steps):
    settings = ConformSettings(steps=steps, seed=SEED)
    result = conform(settings, genuine_jars(), target=Faulty(switch), tries=150)
    assert result.differences and not result.holds
    assert min(cause.steps for cause in result.differences) <= 6


def test_an_older_release_has_no_streams_histories():
    older = ConformSettings("4.2.1")
    assert "streams" not in older.modelled and "histories of kind streams" in older.not_driven
    assert "streams" in ConformSettings().modelled
    with pytest.raises(InputError, match=r"streams: the model has no rules of it for 4\.2\.1"):
        ConformSettings("4.2.1", kinds=("streams",))
