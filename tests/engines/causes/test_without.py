"""Cases with one thing less are cases, for every kind, and each says what is not there."""

import pytest

from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import every_kind
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.sources import Seeded


@pytest.mark.slow_cases("partitioner")
@pytest.mark.parametrize("kind", every_kind(), ids=str)
def test_what_is_left_is_smaller_and_its_words_are_its_own(kind):
    driver = driver_for(kind)
    seen = 0
    for seed in range(6):
        case = driver.generate(Seeded(seed), GroupProfile(kind=kind))
        document = driver.form.write(case)
        words = []
        for less in driver.removals(document):
            assert less.case != document
            assert driver.form.write(case) == document, "the case itself stays as it is"
            words.append(less.words)
            try:
                driver.form.read(less.case, "case")
                seen += 1
            except InputError:
                continue
        assert len(set(words)) > len(words) * 0.8
    assert seen > 10
