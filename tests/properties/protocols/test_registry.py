"""Invariants are found where they stand, under a name and a short id, and asked of what a model can show."""

import re

import pytest

from kassay.engines.protocols.explore import build
from kassay.engines.protocols.settings import MODELS, ExploreSettings
from kassay.engines.protocols.views import views_of
from kassay.model.errors import InputError
from kassay.model.explore.values import Finding, Severity
from kassay.model.protocols.census import Census
from kassay.properties.protocols import registry
from kassay.properties.protocols.registry import (
    CENSUS,
    View,
    Views,
    always,
    invariants,
    load_invariants,
    named,
)


def test_the_short_ids_are_those_of_the_design():
    shorts = [one.short for one in load_invariants().values() if one.short]
    assert list(dict.fromkeys(shorts)) == [f"I{number}" for number in range(1, 18)]
    assert shorts.count("I14") == 2


@pytest.mark.parametrize("one", load_invariants().values(), ids=lambda one: one.name)
def test_every_invariant_has_a_name_a_sentence_and_a_source(one):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", one.name)
    assert one.claim.endswith(".")
    assert one.source
    assert one.checks


def test_a_name_and_a_short_id_stand_for_the_same():
    for one in load_invariants().values():
        assert named(one.name) == (one.name,)
        assert one.name in named(one.short)
    assert named("I14") == ("no-commit-while-assigning", "topics-never-shrink")
    with pytest.raises(InputError, match="unknown invariant 'I18'; expected one of single-owner-on-record, "):
        named("I18")


@pytest.mark.parametrize("model", MODELS)
def test_each_model_is_asked_what_it_can_show(model):
    built = build(ExploreSettings(model))
    asked = [invariant.name for invariant in invariants(views_of(built))]
    assert {"single-current-owner", "complete-at-rest", "released-before-adopted"} <= set(asked)
    assert ("members-watched" in asked) == (model not in ("zookeeper", "draft"))
    assert ("live-members-kept" in asked) == (model == "migration"), "there is no clock"
    chosen = invariants(views_of(built), ["I2", "complete-at-rest"])
    assert [invariant.name for invariant in chosen] == ["single-current-owner", "complete-at-rest"]


def test_a_state_is_looked_at_once_for_all_that_is_asked_of_it():
    looked = []

    def show(state):
        looked.append(state)
        return Census((), (), (), True)

    asked = invariants(Views({CENSUS: View(show)}))
    assert len(asked) > 5
    for state in ("one", "one", "two", "one"):
        for invariant in asked:
            assert not list(invariant.check(state) or ())
    assert looked == ["one", "two", "one"]


def test_a_decorated_function_is_all_that_an_invariant_takes(monkeypatch):
    monkeypatch.setattr(registry, "_INVARIANTS", dict(load_invariants()))

    @always("nobody-at-all", CENSUS, source="this test")
    def nobody_at_all(census):
        """Nobody is registered."""
        for entry in census.registry:
            yield Finding(Severity.REAL, f"{entry} is registered")

    found = load_invariants()["nobody-at-all"]
    assert (found.short, found.claim) == ("", "Nobody is registered.")
    shorts = [bool(one.short) for one in load_invariants().values()]
    assert shorts == sorted(shorts, reverse=True), "those with a short id come first"
    for waived, severity in ((frozenset(), "real"), (frozenset({"nobody-at-all"}), "by design")):
        views = Views({CENSUS: View(lambda state: Census((), state, (), True))}, waived)
        (invariant,) = invariants(views, ["nobody-at-all"])
        assert list(invariant.check(("m",))) == [(severity, "m is registered")]
