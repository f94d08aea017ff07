
import pytest

from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.properties.sources import Seeded
from tests.properties.widths import (
    examined,
    job_of,
    name_plans,
    plain_case,
    range_plans,
    size_plans,
    together,
    wide_case,
)

JOB = job_of("streams-high-availability")
RANGES = range_plans(JOB)
NAMES = name_plans(JOB)
every_range = pytest.mark.parametrize("plan", list(RANGES.values()), ids=[f"{a}-{b}" for a, b in RANGES])


@every_range
def test_a_case_of_each_class_of_each_range_is_read_shows_it_and_can_fail(plan):
    ((number, known),) = plan.numbers
    for seed in range(20):
        case = number.widen(plain_case(JOB, seed), known, Seeded(seed))
        assert number.seen(case, known), seed
        assert JOB.driver.read(JOB.driver.form.write(case)) == case
    examination = examined(JOB, case, StreamsHighAvailability)
    assert any(examination.checked.values())
    assert not examination.violations


@pytest.mark.parametrize(
    ("size", "number"), [pytest.param(*key, id="-".join(map(str, key))) for key in size_plans(JOB, 1001)]
)
def test_a_case_of_each_size_has_it(size, number):
    plan = size_plans(JOB, 1001)[size, number]
    case, shown = wide_case(JOB, plan, 1)
    assert shown == ((size, str(number)),)
    assert JOB.driver.read(JOB.driver.form.write(case)) == case


def test_all_sizes_can_be_in_the_middle_at_once():
    for turn in range(8):
        plan = together(JOB, turn)
        case, shown = wide_case(JOB, plan, turn)
        assert dict(shown) == {size: str(number) for size, number in plan.sizes.items()}
        assert JOB.driver.read(JOB.driver.form.write(case)) == case


@pytest.mark.parametrize("plan", NAMES.values(), ids=["-".join(key) for key in NAMES])
def test_a_case_of_each_class_of_names_shows_it(plan):
    ((space, known),) = plan.names.items()
    case, shown = wide_case(JOB, plan, 3)
    assert shown == ((f"{space} names", known.id),)
    examination = examined(JOB, case, StreamsHighAvailability)
    assert any(examination.checked.values())
    assert not examination.violations
