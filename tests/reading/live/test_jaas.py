"""`sasl.jaas.config` against what Kafka's own `JaasConfig` makes of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading.live.jaas import read_jaas
from tests.paths import DATA

GENUINE = json.loads((DATA / "live" / "jaas.json").read_text("utf-8"))
"""Texts, and the options that Kafka reads in each; null where it refuses the text."""


@pytest.mark.parametrize(("text", "options"), GENUINE)
def test_options_are_those_that_kafka_reads(text, options):
    if options is None:
        with pytest.raises(InputError):
            read_jaas(text, "x")
    else:
        assert read_jaas(text, "x").options == options


@given(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), st.sampled_from("\"'"))
def test_a_quoted_value_comes_back_whatever_it_is(value, quote):
    quoted = value.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    module = read_jaas(f"a.B required k={quote}{quoted}{quote} x=y;", "here")
    assert module.options == {"k": value, "x": "y"}
    assert value not in repr(module) or len(value) < 8


@given(st.text())
def test_any_text_is_read_or_refused_in_a_line(text):
    try:
        read_jaas(text, "c.properties:3: sasl.jaas.config")
    except InputError as error:
        assert str(error).startswith("c.properties:3: sasl.jaas.config: ")
