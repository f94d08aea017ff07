"""What one process does while others play: the certificate is the same as of a run in one process."""

import pytest

from kassay.engines.runs.ahead import Ahead
from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.environments.coverage import EnvironmentCoverage
from kassay.engines.runs.environments.search import EnvironmentResult
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve


@pytest.mark.slow
def test_controls_and_environments_are_those_of_one_process():
    one, two = (
        certify(
            resolve("range"),
            RunOptions(budget=Budget(histories=60), claims=("single-owner", "deterministic"), jobs=jobs),
        )
        for jobs in (1, 2)
    )
    assert one.controls == two.controls
    assert one.environment == two.environment
    assert one.claims == two.claims


def test_a_claim_about_environments_that_histories_violate_makes_the_search_begin_again():
    ahead = Ahead(EnvironmentResult(EnvironmentCoverage()), None)
    options = RunOptions(budget=Budget(histories=1), claims=("single-owner", "deterministic"))
    with open_bench(Job(resolve("range"), options)) as bench:
        assert ahead.environments(bench, ("single-owner",)) is ahead.elsewhere
        assert ahead.environments(bench, ("deterministic",)) is None
