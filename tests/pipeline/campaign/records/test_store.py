"""A folder as the place of a campaign: documents whole or not at all, one driver at a time."""

from pathlib import Path

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.campaign.records.store import Local


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    with (
        Local(tmp_path).locked(),
        pytest.raises(InputError, match="in use by process"),
        Local(tmp_path).locked(),
    ):
        pass
    with Local(tmp_path).locked():
        assert Local(tmp_path).names("batches") == []
