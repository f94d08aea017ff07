"""The registry finds every reference and every adapter where they stand."""

import pytest

from kassay.assignors.registry import find, find_foreign, libraries, load_all, load_foreign, reference
from kassay.model.errors import InputError
from kassay.properties.registry import promise


def test_every_reference_makes_an_object_and_promises_claims_of_its_kind():
    references = load_all()
    assert list(references) == sorted(references)
    for spec, found in references.items():
        assert find(spec) is found
        assert (found.spec, found.library) == (spec, "")
        assert found.summary
        assert found.source
        assert found.factory() is not None
        assert [promise(claim, found.kind).id for claim in found.claims] == list(found.claims)


def test_a_reference_of_another_kind_has_a_prefix():
    assert find("striped") is None
    assert find("placement:striped") is not None
    assert find("no-such") is None


def test_two_references_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two reference algorithms are called 'range'"):
        reference("range", source="nowhere")(type("Second", (), {"__doc__": "Second."}))
    assert find("range").factory.__name__ == "Range"


def test_adapters_are_found_by_library_installed_or_not():
    adapters = load_foreign()
    assert {found.library for found in adapters.values()} == set(libraries()) >= {"kafka-python"}
    assert all(find_foreign(spec) is found for spec, found in adapters.items())
    assert not adapters.keys() & load_all().keys()
    assert find_foreign("range") is None
    with pytest.raises(InputError, match="kafka-python:none: no such assignor, expected one of"):
        find_foreign("kafka-python:none")
