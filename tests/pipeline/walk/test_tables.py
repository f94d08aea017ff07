"""The tables of a walk have what its receipts say, or the walk is not gone on with."""

from pathlib import Path
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.model.explore.values import WalkLimits
from kassay.pipeline.store import Local
from kassay.pipeline.walk.levels import carry_on
from kassay.pipeline.walk.tables import WalkTables
from tests.pipeline.walk.walks import WORLDS, journal_of

pytestmark = pytest.mark.spark


def test_a_folder_that_lost_states_is_not_gone_on_with(spark: Any, tmp_path: Path) -> None:
    settings = WORLDS["migration"]
    carry_on(WalkTables(spark, journal_of(settings, tmp_path)), WalkLimits(20), lambda _: None, small=0)
    next((tmp_path / "visited" / "level=3").glob("*.parquet")).unlink()
    with pytest.raises(InputError, match="damaged: level 3 has"):
        WalkTables(spark, journal_of(settings, tmp_path))
    assert Local(tmp_path).names("levels")
