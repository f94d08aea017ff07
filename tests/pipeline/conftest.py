"""One Spark session for all tests of this folder."""

from collections.abc import Iterator
from typing import Any

import pytest

from kassay.pipeline.session import CAMPAIGN_HEAP, session


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    with session("local[2]", heap=CAMPAIGN_HEAP) as made:
        yield made
