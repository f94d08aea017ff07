"""The formats of tables: an unknown one, and one whose classes are missing."""

from pathlib import Path
from typing import Any

import pytest

import kassay
from kassay.model.errors import InputError
from kassay.pipeline.formats import DELTA, PARQUET, SETTINGS, require_format, settings_of

SPEC = '[campaign]\nname = "few"\ntargets = ["range"]\n[histories]\nsmall = 9\n'


def test_an_unknown_format_is_refused() -> None:
    assert [settings_of(name) for name in (PARQUET, DELTA)] == [SETTINGS[PARQUET], SETTINGS[DELTA]]
    with pytest.raises(InputError, match="--format 'orc': expected parquet or delta"):
        settings_of("orc")


@pytest.mark.spark
def test_without_delta_lake_the_error_says_what_to_install(spark: Any, tmp_path: Path) -> None:
    require_format(spark, PARQUET)
    (tmp_path / "c.toml").write_text(SPEC, encoding="utf-8")
    with pytest.raises(InputError, match="has no class of Delta Lake"):
        kassay.campaign(tmp_path / "c.toml", out=tmp_path / "out", format=DELTA)
    assert not (tmp_path / "out" / "campaign.json").exists()
    with pytest.raises(
        InputError, match=r"has no class of Delta Lake; expected PySpark 4\.1 and .*delta-spark"
    ):
        require_format(spark, DELTA)
