"""Two certificates for every report to tell: a reference with a finding, and a user's file that is wrong."""

from dataclasses import replace

import pytest

from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.kinds import Verdict


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    options = RunOptions(budget=Budget(histories=150))
    broken = certify(
        resolve("ceil-range"), RunOptions(budget=Budget(histories=60), claims=("topic-even", "complete"))
    )
    path = tmp_path_factory.mktemp("target") / "mine & <yours>.py"
    path.write_text("class Mine:\n    def assign(self, partitions_per_topic, members):\n        return {}\n")
    own = certify(resolve(str(path)), options)
    return [broken, own]


@pytest.fixture
def every_mark(certificates):
    """A certificate of a user's file with one claim of each mark, named by it, and one broken without a case."""
    broken = next(result for result in certificates[1].claims if result.counterexample is not None)
    assert broken.verdict is Verdict.VIOLATED
    sound = replace(broken, counterexample=None, failed=0, why="60 checks")
    claims = (
        replace(sound, id="holds", verdict=Verdict.HOLDS),
        replace(sound, id="unknown", verdict=Verdict.UNKNOWN, why="two situations are missing"),
        replace(broken, id="violated"),
        replace(broken, id="without-a-case", counterexample=None, why="broken in 3 of 60 checks"),
        replace(broken, id="known", known="accepted until the next release"),
    )
    return replace(certificates[1], claims=claims, reached={"seen": 3, "never-seen": 0}, coverage=())
