"""One Spark session, and one campaign that nothing happens to, for all tests of this folder."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from kassay.pipeline.spark import CAMPAIGN_HEAP, session

if TYPE_CHECKING:
    from tests.pipeline.commands import Undisturbed


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> "Undisturbed":
    from tests.pipeline.campaign.campaigns import SPEC
    from tests.pipeline.commands import Undisturbed, contents, finished, kassay, toml

    folder = tmp_path_factory.mktemp("undisturbed")
    spec, out = toml(SPEC, folder / "c.toml"), folder / "out"
    finished(kassay("run", str(spec), "--out", str(out), "--config", "spark.master=local[1]"))
    return Undisturbed(spec, out, contents(out))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    with session("local[2]", heap=CAMPAIGN_HEAP) as made:
        yield made
