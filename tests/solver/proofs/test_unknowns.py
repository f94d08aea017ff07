"""A closed form speaks the language of sentences: what its terms and conditions are called are words of it."""

import pytest

from kassay.certify.targets.resolve import resolve
from kassay.properties.sentences.claims import vocabulary_of
from kassay.solver.proofs.closed_forms import FORMS

EVERY = [(spec, form) for spec, forms in FORMS.items() for form in forms]


@pytest.mark.parametrize(("spec", "form"), EVERY)
def test_a_form_names_words_of_its_kind(spec, form):
    words = vocabulary_of(resolve(spec).kind)
    things = {*words.things_by_name}
    assert form.each.keys() <= things
    assert {need.split()[0] for need in form.needs} <= words.by_name.keys()
    whole = {name.removesuffix(")").split("(")[-1] for name in form.whole().terms}
    assert whole <= words.by_name.keys() | things
    for name, each in form.each.items():
        of_it = {measure.name for measure in words.measures if measure.of == (name,)}
        assert each("x").terms.keys() <= of_it | {"partitions", "brokers"}


@pytest.mark.parametrize(("spec", "form"), EVERY)
def test_what_is_shown_is_a_size_of_the_whole(spec, form):
    whole = form.whole()
    assert len(whole.shown) == 2
    assert all(any(term is each for term in whole.terms.values()) for each in whole.shown)
