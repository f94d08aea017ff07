"""Which driver serves which kind."""

import pytest

from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT, GROUPS
from kassay.model.kinds import every_kind
from kassay.model.protocols.kinds import COORDINATOR
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.sources import Seeded

CERTIFIED = list(every_kind())


@pytest.mark.parametrize("kind", CERTIFIED, ids=str)
def test_the_driver_of_a_kind_reads_what_it_writes_of_the_cases_that_it_draws(kind):
    driver = driver_for(kind)
    for seed in range(5):
        case = driver.generate(Seeded(seed), GroupProfile(kind=kind))
        assert driver.form.read(driver.form.write(case), "case") == case
        assert driver.counts(case).keys() == {"members", "partitions", "events"}


def test_kinds_share_a_driver_where_they_share_histories_and_nowhere_else():
    classes = {kind: type(driver_for(kind)) for kind in CERTIFIED}
    assert len({classes[kind] for kind in GROUPS}) == 1
    others = [classes[kind] for kind in CERTIFIED if kind not in GROUPS]
    assert len({*others, classes[CLIENT]}) == len(others) + 1


def test_a_coordinator_is_explored_and_not_certified():
    with pytest.raises(InputError, match=r"^targets of kind coordinator cannot be certified$"):
        driver_for(COORDINATOR)
