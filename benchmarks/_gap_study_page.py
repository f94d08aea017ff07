"""The text of docs/gap-study.md and the tables next to it; every figure comes from the study's tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kassay.report.screen.campaign import shown

Row = Mapping[str, Any]
Rows = Sequence[Row]
Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""The names of the columns, and the rows."""
CONTROL: Final = "optimal-sticky"
STICKY: Final = ("sticky", "cooperative-sticky", "uniform@4.0.0", "uniform@4.0.1")
OTHERS: Final = ("range", "server-range", "roundrobin")

INTRO: Final = """# The gap study: how far are Kafka's assignors from the optimum?

This study compares {outcomes:,} outcomes of rebalances of six of Kafka's rules (`uniform` of two releases)
and {control:,} of `optimal-sticky` as the control, with the certified optimum of their own input;
{families:,} more cover the families of the instance suites. One command generates everything, this page
included, from `benchmarks/campaign_gap_study.toml`, and continues after an interruption; the figures are the
same on every machine:

<!-- by hand: hours -->
```console
$ python -m benchmarks.campaign_gap_study FOLDER 'local[2]'
```

* An **instance** is one outcome: the group before a rebalance (members, subscriptions, owners, racks) and
  the rule's answer. A history's first instance is the same for all rules of a kind; the later ones depend
  on the rule's previous answers.
* **Balance gap**: sum of squared loads minus the least possible. **Worst spread**: most loaded minus least
  loaded member, minus that of the optimum.
* **Needless moves** are counted where the loads are optimal: worse loads always allow fewer moves.
* **Certified exactly**: the optimum has a certificate that the independent checker accepted. Loads count
  partitions, even where a history has weights.
* **Not measured**: the answer leaves a partition out, assigns one twice, or to a member that does not read
  it; {invalid:,} in total. In a sample nearly all of them had conflicting or stale ownership, or a member
  that subscribes to nothing ([findings](findings.md)).
* **Releases**: `uniform@4.0.0` is the rule of 4.0.0, `uniform@4.0.1` the rule from then on (KAFKA-18688),
  which leaves an extra partition with its owner where all members read the same topics; the other rules
  have not changed up to 4.4."""

PLOTS: Final = """## By profile

[not-optimal.csv](gap-study/not-optimal.csv), [worst-spread.csv](gap-study/worst-spread.csv) and
[needless-moves.csv](gap-study/needless-moves.csv) have each rule on each profile and shape.

![share of outcomes whose loads are not optimal](gap-study/profiles.svg)

![mean balance gap by members](gap-study/members.svg)

![needless moves an outcome](gap-study/moves.svg)"""

FAMILIES: Final = """## The families of the suites

Members x partitions {sized}; {seeds:,} seeds of each shape, one rebalance each, every optimum
certified exactly. {failed:,} answers were not measured: they gave no assignment, or the group did not settle.
[families-not-optimal.csv](gap-study/families-not-optimal.csv) and
[families-needless-moves.csv](gap-study/families-needless-moves.csv) have each rule on each shape.

The least heaviest load by weight is NP-hard, so the shape `weighted` is only **bounded** by weight:
[weights.csv](gap-study/weights.csv) has the ratio of heaviest load to certified lower bound. None of these
rules considers weights."""

OTHER_KINDS: Final = """## Share groups, Streams tasks and Connect

These kinds have histories of their own, from `benchmarks/campaign_gap_kinds.toml`.
[The optimum](optimum.md) is exact in every outcome; standby copies are not measured. Answers that are not
even may move less than the best must. The table is of the profile `small`;
[kinds.csv](gap-study/kinds.csv) has `mixed` as well, and the moves.

* **Share groups**: copies of partitions. The gap adds up how far partitions are from ceil(members /
  partitions) members each, and members from even counts; a move is a copy taken back.
* **Streams tasks**: active tasks by thread, with state and in total, in the stable application after the last
  change of a history, compared with the owners before it. A restore counts 3, a change of process 1.
* **Connect**: connectors and tasks by worker, in the stable cluster after the last change. The optimum knows
  what each worker ran, even where the leader cannot: this is why `optimal-connect` moves more.
  `connect-eager` stops everything at each rebalance; only what then runs elsewhere counts."""

WORST: Final = """## Worst cases

The history of the small profile with the largest balance gap, then needless moves, in one outcome:"""

AGAIN: Final = """Any other history, for instance the largest balance gap of the sticky rules:

<!-- by hand: minutes -->
```console
$ python -m benchmarks.campaign_gap_study --trace {example} worst.json
$ kassay replay worst.json
```

The worst history of each rule and profile is in the table `study/worst_cases` of the campaign.

## What it costs

The campaign takes 10 and 16 minutes on two shared cores, with the same figures both times. An optimum with
its certificate takes a third to three fifths of the time of an outcome. The largest shape, 450 members with
3,000 partitions, takes 50 to 70 ms per outcome, under a profiler."""


def page(
    studies: Mapping[str, Rows],
    families: Rows,
    sizes: Mapping[tuple[int, int], int],
    kinds: Mapping[str, Rows],
) -> str:
    """The page in Markdown. `sizes` are members and partitions of the families, and seeds of each shape;
    `kinds` are the study tables of share groups, Streams tasks and Connect.
    """
    profiles, leaders = studies["gap_by_profile"], studies["leaderboard"]
    rules = [row for row in profiles if row["target"] != CONTROL]
    of_families = [row for row in families if row["target"] != CONTROL]
    outcomes = sum(row["instances"] for row in rules)
    sized = ", ".join(f"{members} x {partitions}" for members, partitions in sizes)
    return "\n\n".join(
        (
            INTRO.format(
                outcomes=outcomes,
                control=sum(row["instances"] for row in profiles) - outcomes,
                families=sum(row["instances"] - row["failed"] for row in of_families),
                invalid=sum(row["invalid"] for row in rules),
            ),
            _overview(leaders, profiles),
            "## Results",
            "\n".join(f"* {line}" for line in said(profiles, studies["gap_by_size"])),
            PLOTS,
            FAMILIES.format(
                sized=sized, seeds=sum(sizes.values()), failed=sum(row["failed"] for row in of_families)
            ),
            OTHER_KINDS,
            table(*_small(kinds["gap_by_profile"])),
            WORST,
            _worst(studies["worst_cases"]),
            AGAIN.format(example=_example(studies["worst_cases"])),
        )
    )


def data(studies: Mapping[str, Rows], families: Rows, kinds: Mapping[str, Rows]) -> dict[str, str]:
    """The tables next to the page as CSV, by the names of their files."""
    rules = [row for row in studies["gap_by_profile"] if row["target"] != CONTROL]
    of_families = [row for row in families if row["target"] != CONTROL]
    tables = {
        "not-optimal": crossed(rules, "profile", "unbalanced_share"),
        "worst-spread": crossed(rules, "profile", "spread_max"),
        "needless-moves": crossed(rules, "profile", "movement_mean"),
        "families-not-optimal": crossed(of_families, "shape", "unbalanced_share"),
        "families-needless-moves": crossed(of_families, "shape", "movement_mean"),
        "weights": _weights(of_families),
        "kinds": _of_kinds(kinds["gap_by_profile"]),
    }
    return {f"{name}.csv": csv_of(*table) for name, table in tables.items()}


def csv_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as CSV, its figures without separators of thousands."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([cell.replace(",", "") for cell in row] for row in rows)
    return text.getvalue()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def crossed(rows: Rows, by: str, key: str) -> Table:
    """A table with a row for each value of `by` and a column for each target."""
    targets = list(dict.fromkeys(row["target"] for row in rows))
    cells = {
        (row[by], row["target"]): shown(row[key], key)
        for row in rows
        if key != "movement_mean" or row["unbalanced_share"] < 1
    }
    places = list(dict.fromkeys(row[by] for row in rows))
    body = [
        [place.removeprefix("shape:"), *(cells.get((place, t), "-") for t in targets)] for place in places
    ]
    return [by, *targets], body


def _overview(leaders: Rows, profiles: Rows) -> str:
    body = []
    for row in leaders:
        own = [each for each in profiles if each["target"] == row["target"]]
        invalid, spread = sum(each["invalid"] for each in own), max(each["spread_max"] for each in own)
        counts = [f"{n:,}" for n in (row["histories"], row["instances"], 0, invalid)]
        gaps = [shown(row[key], key) for key in ("unbalanced_share", "balance_mean")]
        rest = [shown(row[key], key) for key in ("movement_mean", "rounds_mean")]
        body.append([row["target"], *counts, *gaps, f"{spread:,}", *rest])
    head = ("rule", "histories", "certified exactly", "only bounded", "not measured", "not optimal")
    return table([*head, "balance gap", "worst spread", "needless moves", "rounds"], body)


def _weights(families: Rows) -> Table:
    body = []
    for row in families:
        if row["weighted"]:
            counts = (row["weighted"], row["weight_exact"], row["weighted"] - row["weight_exact"])
            ratios = [shown(float(row[key])) for key in ("weight_ratio", "weight_ratio_max")]
            body.append([row["target"], *(f"{n:,}" for n in counts), *ratios])
    head = ["rule", "instances", "certified exactly", "only bounded", "mean ratio", "worst ratio"]
    return head, body


def _of_kinds(profiles: Rows) -> Table:
    head = ("rule", "profile", "outcomes", "not measured", "not optimal", "balance gap", "worst spread")
    body = []
    for row in profiles:
        gaps = [shown(row[key], key) for key in ("unbalanced_share", "balance_mean")]
        moves = shown(row["movement_mean"], "movement_mean") if row["unbalanced_share"] < 1 else "-"
        figures = (f"{row['moved']:,}", f"{row['moved_least']:,}")
        counts = (f"{row['instances']:,}", f"{row['invalid']:,}")
        body.append(
            [row["target"], row["profile"], *counts, *gaps, f"{row['spread_max']:,}", *figures, moves]
        )
    return [*head, "moved", "least for the best", "needless moves"], body


def _small(profiles: Rows) -> Table:
    """What the page shows of the other kinds: the small profile, without the totals of moves."""
    head, body = _of_kinds([row for row in profiles if row["profile"] == "small"])
    kept = [
        place for place, name in enumerate(head) if name not in ("profile", "moved", "least for the best")
    ]
    return [head[place] for place in kept], [[row[place] for place in kept] for row in body]


def _worst(worst: Rows) -> str:
    body = []
    for row in worst:
        if row["profile"] == "small":
            gaps = [f"{row[key]:,}" for key in ("balance_worst", "spread_worst", "movement_worst")]
            again = f"`kassay replay docs/gap-study/{row['target']}.json`"
            body.append([row["target"], f"{row['members']} x {row['partitions']}", *gaps, again])
    head = ["rule", "members x partitions", "balance gap", "spread", "needless moves", "replay"]
    return table(head, body)


def _example(worst: Rows) -> str:
    """The lane and index of the largest balance gap of a sticky rule."""
    sticky = [row for row in worst if row["target"] in STICKY]
    largest = max(sticky, key=lambda row: row["balance_worst"])
    return f"{largest['target']} {largest['profile']} {largest['index']}"


def said(profiles: Rows, sizes: Rows) -> Iterator[str]:
    """The results of the tables, in sentences that hold for any figures."""
    control = [row for row in profiles if row["target"] == CONTROL]
    away = sum(row["balance_max"] + row["movement_max"] + row["rack_max"] for row in control)
    yield f"The control is {away} away from the optimum in total; anything but 0 is a fault of the study."
    equal = dict.fromkeys((row["target"] for row in profiles if row["target"] != CONTROL), 0.0)
    for row in sizes:
        if row["equal"] and row["target"] in equal:
            equal[row["target"]] += row["balance_mean"] * row["instances"]
    yield (
        "Where all members read the same topics, the loads are always the best with "
        f"{_names(equal, lambda gap: not gap)}, and not always with {_names(equal, bool)}."
    )
    figures = {(row["target"], row["profile"]): row for row in profiles}
    for target in STICKY:
        rows = [row for row in profiles if row["target"] == target]
        top = max(rows, key=lambda row: (row["unbalanced_share"], row["balance_mean"]))
        moves = max(rows, key=lambda row: row["movement_mean"])
        small = figures[target, "small"]
        yield (
            f"`{target}`: {_share(small)} of the small profile's outcomes are not optimal, {_share(top)} on "
            f"`{top['profile']}`, with a spread of up to {top['spread_max']} above the optimum's. Needless "
            f"moves: {shown(small['movement_mean'])} per outcome on the small profile, "
            f"{shown(moves['movement_mean'])} on `{moves['profile']}`."
        )
    yield (
        "They stop where no single move helps (KIP-54; `uniform` also after 16 rounds). Where members "
        "read overlapping topics in a chain, the optimum needs several moves at once, which they do not find."
    )
    for target in OTHERS:
        top = max((row for row in profiles if row["target"] == target), key=lambda row: row["spread_max"])
        share = _share(figures[target, "small"])
        yield (
            f"`{target}`: {share} of the small profile's outcomes are not optimal; the worst spread is "
            f"{top['spread_max']} above the optimum's, on `{top['profile']}`."
        )


def _share(row: Row) -> str:
    return shown(row["unbalanced_share"], "_share")


def _names(totals: Mapping[str, float], wanted: Any) -> str:
    return ", ".join(f"`{target}`" for target, total in totals.items() if wanted(total)) or "none"
