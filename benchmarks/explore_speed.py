"""Distinct states a second after canonicalisation, with all invariants on: N0, one core."""

from __future__ import annotations

import resource

from kassay.certify.explore import build, watched
from kassay.model.explore import Budget, explore
from kassay.properties.protocol import invariants

CASES = (
    ("classic", "eager", 2, "crash=1,pause=1"),
    ("classic", "cooperative", 2, "crash=1,pause=1"),
    ("classic", "eager", 3, "crash=1"),
    ("kip848", None, 2, "crash=1,pause=1"),
)


def main() -> None:
    for name, mode, members, faults in CASES:
        for label, checks in (("all invariants", True), ("none", False)):
            model = build(name, mode=mode, members=members, faults=faults)
            judged = invariants(watched(model)) if checks else ()
            done = explore(model, judged, budget=Budget(60_000), check_liveness=False)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            speed = len(done.graph.states) / done.elapsed_s
            print(
                f"{name} {mode or ''} {members}x2 {faults}, {label}: {len(done.graph.states)} states,"
                f" {speed:,.0f} a second, peak {peak} MiB"
            )


if __name__ == "__main__":
    main()
