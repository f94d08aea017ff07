"""Targets that are measured."""

from kassay.engines.optimum.targets import measurable, measured_kinds, usual_suite
from kassay.engines.targets.limits import CALL_TIMEOUT_S


def test_targets_load_once_each_and_the_others_are_errors():
    found, missing = measurable(["range", "no-such", "range", "none.py"], {"a": "1"}, measured_kinds())
    assert [target.spec for target in found] == ["range"]
    assert found[0].start.limits.call_timeout_s == CALL_TIMEOUT_S
    assert ["no-such" in str(missing[0]), "no such file" in str(missing[1])] == [True, True]


def test_the_suite_is_that_of_the_kind_or_bench():
    def suite(*specs):
        return usual_suite(measurable(specs, {}, measured_kinds())[0])

    assert (suite("range"), suite("share-simple"), suite("streams-sticky")) == ("bench", "share", "streams")
    assert suite("range", "share-simple") == "bench"
