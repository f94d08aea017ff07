"""The instances of a suite, each under its name."""

from itertools import islice

import pytest

from kassay.certify.optimum.instances import located_in_suite
from kassay.model.errors import InputError
from kassay.solver.instances.families import family_of
from kassay.solver.instances.suites import suite


@pytest.mark.parametrize("name", ["small", "bench"])
def test_an_instance_is_said_to_stand_at_its_name_and_is_one(name):
    located = list(islice(located_in_suite(name), 20))
    assert [each.document for each in located] == list(islice(suite(name), 20))
    assert [each.where for each in located] == [each.document["name"] for each in located]
    assert len({each.where for each in located}) == 20
    for each in located:
        assert family_of(each.document).parse(each.document).name == each.where


def test_a_suite_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(InputError, match="found 'none', expected one of small, bench, large"):
        list(located_in_suite("none"))
