"""The registry finds every reference and every adapter where they stand."""

import pytest

from kassay.assignors.registry import (
    find,
    find_foreign,
    libraries,
    load_all,
    load_foreign,
    recorded,
    reference,
)
from kassay.model.errors import InputError
from kassay.model.groups.kinds import SERVER
from kassay.properties.claims import parse_claim


def test_every_reference_makes_an_object_and_promises_claims_of_its_kind():
    references = load_all()
    assert list(references) == sorted(references)
    for spec, found in references.items():
        assert find(spec) is found
        assert (found.spec, found.library) == (spec, "")
        assert found.summary
        assert found.source
        assert found.factory() is not None
        assert [parse_claim(claim, found.kind).id for claim in found.claims] == list(found.claims)


def test_a_reference_of_another_kind_has_a_prefix():
    assert find("striped") is None
    assert find("placement:striped") is not None
    assert find("no-such") is None


def test_two_references_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two reference algorithms are called 'range'"):
        reference("range", source="nowhere")(type("Second", (), {"__doc__": "Second."}))
    assert find("range").factory.__name__ == "Range"


def test_a_rule_alone_is_the_newest_and_a_release_what_held_then():
    assert find("uniform") is find("uniform@4.0.1") is find("uniform@4.3") is find("uniform@5.0.0")
    assert find("uniform@4.0.0") is find("uniform@4.0")
    assert find("uniform").factory is not find("uniform@4.0.0").factory
    assert [find(f"uniform@{release}").releases for release in ("4.0", "4.4")] == [
        "4.0.0 to before 4.0.1",
        "4.0.1 on",
    ]


def test_a_rule_that_never_changed_goes_by_its_name_in_every_release():
    assert find("server-range") is find("server-range@4.0.0") is find("server-range@4.4")
    assert find("server-range").spec == "server-range"
    assert find("placement:striped@4.4") is find("placement:striped")


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("uniform@3.9", "uniform@3.9: known since 4.0.0 only, expected that release or a later one"),
        ("uniform@newest", "uniform@newest: found 'newest', expected a release of Kafka such as"),
        ("uniform@", "uniform@: found '', expected"),
        ("uniform@4.0@4.1", "uniform@4.0@4.1: found '4.0@4.1', expected"),
        (
            "optimal-sticky@4.1",
            "optimal-sticky@4.1: no release is known of this rule, expected optimal-sticky",
        ),
    ],
)
def test_a_release_that_is_none_or_too_old_is_an_error_that_says_what_is_there(spec, complaint):
    with pytest.raises(InputError) as refused:
        find(spec)
    assert str(refused.value).startswith(complaint)


def test_another_reference_of_a_rule_says_since_which_other_release():
    for since in ((), "4.0.1", ("4.5", "4.0.0"), "4.0"):
        with pytest.raises(ValueError, match="two reference algorithms are called 'uniform'"):
            reference("uniform", kind=SERVER, source="nowhere", since=since)(
                type("Second", (), {"__doc__": "Second."})
            )
    assert find("uniform").since == ("4.0.1",)


def test_an_old_document_means_the_rule_of_its_day():
    assert recorded("uniform") == "uniform@4.0.0"
    for spec in ("uniform@4.0.1", "server-range", "kafka-python:range", "my.py:Rule"):
        assert recorded(spec) == spec


def test_adapters_are_found_by_library_installed_or_not():
    adapters = load_foreign()
    assert {found.library for found in adapters.values()} == set(libraries()) >= {"kafka-python"}
    assert all(find_foreign(spec) is found for spec, found in adapters.items())
    assert not adapters.keys() & load_all().keys()
    assert find_foreign("range") is None
    with pytest.raises(InputError, match="kafka-python:none: no such assignor, expected one of"):
        find_foreign("kafka-python:none")
