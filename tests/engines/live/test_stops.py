"""A run that is stopped leaves no process, no port and no file outside its folder, which `--clean` removes."""

import pytest

from kassay.engines.genuine.jars import broker_jars
from tests.engines.live.planted.stops import left, stopped

pytestmark = pytest.mark.broker


@pytest.mark.parametrize("number", range(2))
def test_a_run_that_is_stopped_leaves_nothing(tmp_path, number):
    """The first is killed after 7 s, the second is interrupted after 19 s."""
    broker_jars(fetch=True)
    row = stopped(number, 0, tmp_path / "run", clients="java:range*2")
    assert not left(row), row
    assert row["exit"] == (-9, 130)[number]
