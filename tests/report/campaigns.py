"""A campaign's outcome as reports take it, with any names in it."""

from __future__ import annotations

from typing import Any


def outcome(name: str, target: str, message: str) -> dict[str, Any]:
    """The outcome of one target with one finding, measured against the optimum."""
    lane = {"target": target, "profile": f"shape:{message}"}
    times = {"tasks": 2, "seconds": 1.5, "p50_s": 0.5, "p90_s": 0.6, "p99_s": 0.7, "max_s": 0.8}
    peak = {"all": 3072, "driver": 1024, "java": 1024, "workers": 1024}
    gaps = {
        "instances": 4, "unbalanced_share": 0.25, "balance_mean": 1.5, "balance_p99": 4, "balance_max": 4,
        "spread_max": 2, "movement_mean": None, "movement_max": 0, "rack_max": 0,
    }  # fmt: skip
    return {
        "spec": {"name": name, "seed": 7},
        "histories": 1200,
        "complete": False,
        "totals": {
            "of": 2000, "elapsed_s": 1.5, "batches": 1, "tasks": 2, "histories_per_s": 800.0, "idle_share": 0.1,
            "peak_kib": peak,
        },
        "verdicts": [
            {**lane, "profile": "*", "claim": message, "verdict": "violated", "why": message},
            {**lane, "claim": "left out", "verdict": "holds", "why": "one profile only"},
        ],
        "findings": [
            {
                **lane, "claim": message, "input": "ordinary", "kind": message, "failed": 3, "history": 5, "members": 2, "identity": "0" * 16,
                "partitions": 3, "events": 1, "message": message, "others": 1, "broken_by": "",
            }
        ],
        "studies": {
            "leaderboard": [
                {
                    "target": target, "histories": 1200, "holds": 5, "violated": 1, "unknown": 0, "instances": 4,
                    "unbalanced_share": 0.25, "balance_mean": 1.5, "movement_mean": None, "rounds_mean": 1.0,
                }
            ],
            "worst_cases": [],
            "gap_by_profile": [{**lane, **gaps}],
            "gap_by_size": [
                {"target": target, "members": members, "equal": False, "balance_mean": members / 2} for members in (2, 5)
            ],
            "convergence": [{"target": target, "rounds": rounds, "changes": 4} for rounds in (1, 2, -1)],
            "task_times": [{**lane, **times, "max_to_median": 1.6, "peak_kib": 1024, "attempts": 0}],
            "task_times_by_batch": [{"batch": 0, "histories": 1200, **times, "longest_share": 0.5}],
        },
    }  # fmt: skip
