"""Two certificates for every report to tell: a reference with a finding, and a user's file that is wrong."""

import pytest

from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.run import certify
from kassay.certify.targets.resolve import resolve


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    options = RunOptions(budget=Budget(histories=60))
    broken = certify(
        resolve("ceil-range"), RunOptions(budget=Budget(histories=60), claims=("topic-even", "complete"))
    )
    path = tmp_path_factory.mktemp("target") / "mine & <yours>.py"
    path.write_text("class Mine:\n    def assign(self, partitions_per_topic, members):\n        return {}\n")
    own = certify(resolve(str(path)), options)
    return [broken, own]
