"""What a campaign came to, as a document written by hand."""

from typing import Any

LEADER: dict[str, Any] = {
    "target": "range", "histories": 1500, "holds": 2, "violated": 1, "unknown": 0, "instances": 40,
    "unbalanced_share": 0.25, "balance_mean": 1.5, "movement_mean": None, "rounds_mean": 1.0,
}  # fmt: skip
FINDING: dict[str, Any] = {
    "target": "range", "claim": "complete", "input": "ordinary", "kind": "k", "failed": 3, "profile": "small",
    "history": 7, "members": 2, "partitions": 3, "events": 0, "message": "a <b> & c", "others": 2, "broken_by": "",
}  # fmt: skip
GAP: dict[str, Any] = {
    "target": "range", "profile": "small", "instances": 40, "invalid": 0, "unbalanced_share": 0.25,
    "balance_mean": 1.5, "balance_p50": 0, "balance_p99": 9, "balance_max": 12, "spread_max": 3, "moved": 5,
    "moved_least": 4, "movement_mean": 0.5, "movement_p99": 1, "movement_max": 1, "rack_mean": 0.0, "rack_max": 0,
}  # fmt: skip
SIZE: dict[str, Any] = {
    "target": "range", "equal": False, "members": 2, "histories": 9, "instances": 9, "balance_mean": 1.0,
    "balance_max": 2, "movement_mean": 0.0, "movement_max": 0,
}  # fmt: skip
TASKS: dict[str, Any] = {
    "profile": "small", "tasks": 4, "seconds": 2.0, "p50_s": 0.5, "p90_s": 0.6, "p99_s": 0.6, "max_s": 0.7,
    "max_to_median": 1.4, "peak_kib": 2048, "attempts": 0,
}  # fmt: skip
BATCH: dict[str, Any] = {
    "batch": 0, "histories": 1500, "tasks": 4, "seconds": 2.0, "p50_s": 0.5, "p90_s": 0.6, "max_s": 0.7,
    "longest_share": 0.35,
}  # fmt: skip
DOCUMENT: dict[str, Any] = {
    "spec": {"name": "mine & <yours>", "seed": 5},
    "histories": 1500,
    "complete": True,
    "totals": {
        "histories": 1500, "of": 1500, "batches": 1, "tasks": 4, "elapsed_s": 2.5, "work_s": 2.0,
        "histories_per_s": 600.0, "idle_share": 0.2,
        "peak_kib": {"all": 4096, "driver": 1024, "java": 2048, "workers": 1024},
    },
    "verdicts": [
        {"target": "range", "profile": "*", "claim": "complete", "verdict": "violated", "why": "3 of 9"},
        {"target": "range", "profile": "small", "claim": "complete", "verdict": "holds", "why": "of small"},
    ],
    "findings": [FINDING],
    "studies": {
        "leaderboard": [LEADER],
        "gap_by_profile": [GAP, {**GAP, "target": "sticky", "unbalanced_share": 0.5}],
        "gap_by_size": [SIZE, {**SIZE, "members": 4, "balance_mean": 3.0}],
        "convergence": [
            {"target": "range", "profile": "small", "rounds": 1, "changes": 30},
            {"target": "range", "profile": "large", "rounds": 1, "changes": 12},
            {"target": "range", "profile": "small", "rounds": -1, "changes": 2},
        ],
        "worst_cases": [],
        "task_times": [TASKS],
        "task_times_by_batch": [BATCH],
    },
}  # fmt: skip
