"""What one of several processes does while the others play: other environments, and the controls.

Both depend on the job and the number of its histories alone, unless a claim about environments is violated
in the histories: then the search is made again, of the other claims.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from math import inf
from typing import NamedTuple

from kassay.engines.runs.blocks import Bench, of_environments
from kassay.engines.runs.controls import caught_controls
from kassay.engines.runs.environments.search import EnvironmentResult, look_elsewhere


class Ahead(NamedTuple):
    """What other environments show, and the certificate's entry for controls if they were tried."""

    elsewhere: EnvironmentResult
    controls: dict[str, object] | None

    def environments(self, bench: Bench, broken: Collection[str]) -> EnvironmentResult | None:
        """What other environments show if these claims are violated; None where that is not known."""
        about = {claim.id for claim in bench.job.claims if of_environments(claim)}
        return None if about.intersection(broken) else self.elsewhere


def look_ahead(bench: Bench) -> Ahead:
    """Both for the bench of a run whose budget is a number of histories."""
    options = bench.job.options
    elsewhere = look_elsewhere(bench, inf, ())
    if not options.controls:
        return Ahead(elsewhere, None)
    return Ahead(elsewhere, caught_controls(bench.job, options.budget.histories or 0, time.monotonic()))
