"""The gap study: campaign, tables and plots of docs/gap-study.md by one command.

Run: python benchmarks/campaign_gap_study.py FOLDER [MASTER]   (carries on where FOLDER was left)
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kassay.pipeline.campaign import create
from kassay.pipeline.runner import carry_on, verify
from kassay.pipeline.session import session
from kassay.pipeline.spec import read_spec
from kassay.pipeline.store import Local
from kassay.pipeline.study import finish
from kassay.report.campaign import shown
from kassay.report.campaign_page import bars, lines

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
LEADERS = ("target", "instances", "unbalanced_share", "balance_mean", "movement_mean", "rounds_mean")
GAPS = (
    *("target", "profile", "instances", "unbalanced_share", "balance_mean", "balance_p99", "balance_max"),
    *("spread_max", "movement_mean", "movement_max", "rack_max"),
)


def table(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> str:
    made = ["| " + " | ".join(keys) + " |", "|" + "---|" * len(keys)]
    made += ["| " + " | ".join(shown(row[key], key) for key in keys) + " |" for row in rows]
    return "\n".join(made)


def page(studies: Mapping[str, Sequence[Mapping[str, Any]]], instances: int) -> str:
    return "\n\n".join(
        (
            "# How far Kafka's assignors are from the optimum",
            f"{instances:,} instances, each with a certified optimum, from the campaign "
            "`benchmarks/campaign_gap_study.toml`; made by "
            "`python benchmarks/campaign_gap_study.py FOLDER`.",
            "An instance is one outcome of a rebalance. Balance gap: sum of squared loads less the least "
            "possible. Needless moves and rack mismatches count where what comes before them is optimal.",
            "## All profiles",
            table(studies["leaderboard"], LEADERS),
            "![share of outcomes whose loads are not optimal](gap-study-profiles.svg)",
            "![balance gap by members](gap-study-members.svg)",
            "## By profile",
            table(studies["gap_by_profile"], GAPS),
            "## Worst cases",
            table(studies["worst_cases"], ("target", "profile", "index", "balance_worst", "movement_worst")),
        )
    )


def main() -> None:
    spec = read_spec(HERE / "campaign_gap_study.toml")
    with session(sys.argv[2] if len(sys.argv) > 2 else None, name="gap study") as spark:
        store = Local(Path(sys.argv[1]))
        with store.locked():
            campaign = create(spec, store)
            verify(spark, campaign)
            carry_on(spark, campaign, lambda now: print(now, flush=True))
            studies = finish(spark, campaign).studies
    instances = sum(row["instances"] or 0 for row in studies["leaderboard"])
    (DOCS / "gap-study.md").write_text(page(studies, instances) + "\n", encoding="utf-8")
    profiles = bars(studies["gap_by_profile"], "unbalanced_share", "share of outcomes that are not optimal")
    (DOCS / "gap-study-profiles.svg").write_text(profiles + "\n", encoding="utf-8")
    (DOCS / "gap-study-members.svg").write_text(lines(studies["gap_by_size"]) + "\n", encoding="utf-8")
    print(f"{instances} instances")


if __name__ == "__main__":
    main()
