"""Targets given as values: what may be given, and which error comes first."""

from pathlib import Path

import pytest

from kassay.engines.targets.given import loaded, several
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError, TargetNotFound
from tests.paths import EXAMPLES
from tests.test_testing import EverythingToTheFirst


def test_a_spec_a_path_a_class_and_a_loaded_target_are_targets():
    ready = resolve("range")
    file = Path(EXAMPLES / "lag_assignor.py")
    with loaded(["sticky", file, EverythingToTheFirst, ready]) as targets:
        specs = [each.spec for each in targets]
        assert targets[3] is ready
    assert specs[0] == "sticky" and specs[1] == str(file) and specs[2].endswith(":EverythingToTheFirst")


def test_one_target_or_several_each_once():
    assert several("range") == ("range",)
    assert several(EverythingToTheFirst) == (EverythingToTheFirst,)
    assert several(["range", "sticky", "range"]) == ("range", "sticky")


def test_what_is_no_target_at_all_comes_before_one_that_is_not_there():
    with pytest.raises(InputError, match="target ''"), loaded(["no-such", ""]):
        pass
    with pytest.raises(TargetNotFound, match="no-such"), loaded(["no-such", "nor-this"]):
        pass


def test_a_class_needs_a_file():
    namespace = {"__name__": "typed"}
    exec("class Typed: pass", namespace)
    with pytest.raises(InputError, match="expected a class of a file"), loaded([namespace["Typed"]]):
        pass
