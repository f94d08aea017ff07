"""What the options of an exploration set: topics, properties and variants, each where the model has it."""

import pytest

from kassay.engines.protocols.options import settings_of
from kassay.engines.protocols.properties import PROPERTIES
from kassay.engines.protocols.settings import MODELS
from kassay.engines.protocols.variants import VARIANTS, WORDS
from kassay.model.errors import InputError


def test_topics_are_a_number_or_one_for_each_client():
    assert (settings_of("classic", topics=(2,)).topics, settings_of("classic", topics=(2,)).reads) == (2, ())
    several = settings_of("kip848", topics=(1, 2))
    assert (several.topics, several.reads) == (2, (1, 2))


def test_properties_and_variants_are_fields():
    streams = settings_of(
        "streams",
        properties={"num.standby.replicas": "1", "group.streams.initial.rebalance.delay.ms": "1"},
        switches=("fresh_topics", "corrected_client"),
    )
    assert (streams.streams.standby, streams.streams.delayed, streams.streams.fresh) == (1, True, True)
    assert (streams.client, streams.switches) == ("corrected", frozenset())
    migration = settings_of("migration", properties={"group.protocol": "classic/consumer,classic"})
    assert migration.kinds == (("classic",), ("consumer", "classic"))


@pytest.mark.parametrize(
    ("model", "chosen", "said"),
    [
        ("classic", {"properties": {"sesion.timeout.ms": "1"}}, "did you mean session.timeout.ms"),
        ("classic", {"properties": {"num.standby.replicas": "1"}}, "classic has no num.standby.replicas"),
        ("streams", {"properties": {"num.standby.replicas": "x"}}, "expected a whole number"),
        ("classic", {"switches": ("regex",)}, "--switch: classic has no regex; expected kip848"),
    ],
)
def test_what_a_model_does_not_have_is_refused(model, chosen, said):
    with pytest.raises(InputError, match=said):
        settings_of(model, **chosen)


def test_every_property_and_variant_is_of_a_model():
    assert VARIANTS.keys() == WORDS.keys()
    for models in (*VARIANTS.values(), *(each.models for each in PROPERTIES.values())):
        assert set(models) <= set(MODELS)
