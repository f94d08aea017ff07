"""Which document a target is given, by what it says of itself."""

import pytest

from kassay.assignors.plain.forms import DOCUMENTS, MEMBERS, PROCESSES, WORKERS, document_form, parameters


@pytest.mark.parametrize(
    ("meta", "form"),
    [
        ({}, None),
        ({"kind": "assignor"}, None),
        ({"kind": "assignor", "level": "member"}, None),
        ({"kind": "placer"}, None),
        ({"kind": "task-assignor"}, PROCESSES),
        ({"kind": "task-assignor", "level": "process"}, PROCESSES),
        ({"kind": "task-assignor", "level": "member"}, MEMBERS),
        ({"level": "process"}, PROCESSES),
        ({"level": "member"}, MEMBERS),
        ({"level": ["odd"]}, PROCESSES),
        ({"kind": "connect-assignor"}, WORKERS),
    ],
)
def test_a_kind_and_a_level_say_which_document_is_given(meta, form):
    assert document_form(meta) == form
    assert form is None or form in DOCUMENTS


class Methods:
    def bound(self, one, two=2, *, three, four=4):
        pass

    @staticmethod
    def static(one):
        pass

    def anything(self, *arguments, **by_name):
        pass


def test_of_a_method_it_is_known_what_it_takes_and_what_it_needs():
    assert parameters(Methods, "bound") == (["one", "two", "three", "four"], {"one", "three"})
    assert parameters(Methods, "static") == (["one"], {"one"})
    assert parameters(Methods, "anything") == (["*"], set())
