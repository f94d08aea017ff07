"""The gap study: everything in docs/gap-study.md by one command.

    python -m benchmarks.campaign_gap_study FOLDER [MASTER]      play, measure, write the page and its plots
    python -m benchmarks.campaign_gap_study --trace TARGET PROFILE INDEX FILE    a history for `kassay replay`

Three parts, all on Spark and carried on where FOLDER was left: the campaign of `campaign_gap_study.toml`
(histories of every profile and shape), the families of the instance suites
(`kassay.solver.instances.groups`), and the campaign of `campaign_gap_kinds.toml` (share groups, Streams
tasks, Connect).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks._gap_study_page import CONTROL, data, page
from benchmarks.plots import bars, lines
from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.counterexamples import ShrunkCase, counterexample
from kassay.engines.runs.shrink import broken_play
from kassay.engines.targets.resolve import Target, resolve
from kassay.kinds.groups.measures import play
from kassay.model.errors import InputError
from kassay.pipeline.campaign.lanes import lanes_of
from kassay.pipeline.campaign.records import create
from kassay.pipeline.campaign.runner import carry_on, verify
from kassay.pipeline.campaign.spec import Spec, read_spec
from kassay.pipeline.campaign.study import finish
from kassay.pipeline.spark import session
from kassay.pipeline.store import Local
from kassay.properties.claims import parse_claim
from kassay.solver.groups.optimum import best_assignment
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import as_group, gap
from kassay.solver.instances.groups import CONSUMER_SHAPES, consumer
from kassay.solver.packing.bounds import weighted_lower_bound

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession

Row = Mapping[str, Any]
HERE: Final = Path(__file__).parent
DOCS: Final = HERE.parent / "docs"
DATA: Final = DOCS / "gap-study"
"""The plots and traces of the page."""
SPEC: Final = HERE / "campaign_gap_study.toml"
KINDS: Final = HERE / "campaign_gap_kinds.toml"
SIZES: Final = {(4, 7): 500, (10, 40): 200, (30, 300): 40, (100, 1000): 5}
"""Members and partitions of the families' instances, and seeds of each shape."""
SHAPES: Final = tuple(shape for shape in CONSUMER_SHAPES if shape != "copart")
"""Co-partitioned topics are left out: no rule here knows of them."""
FAMILIES_DDL: Final = (
    "target string, shape string, members int, partitions int, seed int, failed int, balance bigint, "
    "spread int, movement bigint, rack bigint, weight bigint, weight_bound bigint"
)
FAMILIES: Final = """
    SELECT target, shape, count(*) AS instances, sum(failed) AS failed,
      avg(int(balance > 0)) AS unbalanced_share, avg(balance) AS balance_mean, max(spread) AS spread_max,
      avg(movement) AS movement_mean, max(movement) AS movement_max,
      sum(int(weight = weight_bound)) AS weight_exact, count(weight) AS weighted,
      avg(weight / weight_bound) AS weight_ratio, max(weight / weight_bound) AS weight_ratio_max
    FROM families GROUP BY target, shape ORDER BY target, shape"""


def main() -> None:
    if sys.argv[1:2] == ["--trace"]:
        target, profile, index, path = sys.argv[2:]
        trace(target, profile, int(index), Path(path))
        return
    spec, folder = read_spec(SPEC), Path(sys.argv[1])
    with session(sys.argv[2] if len(sys.argv) > 2 else None, name="gap study") as spark:
        targets = [resolve(target.spec) for target in spec.targets]
        of_families = families(spark, targets, folder.resolve() / "families")
        studies = played(spark, spec, folder / "campaign")
        of_kinds = played(spark, read_spec(KINDS), folder / "kinds")
    write(studies, of_families, of_kinds)


def played(spark: SparkSession, spec: Spec, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The study tables of a campaign, played as far as it was not yet."""
    store = Local(folder)
    with store.locked():
        campaign = create(spec, store)
        verify(spark, campaign)
        carry_on(spark, campaign, lambda now: print(now, flush=True))
        return finish(spark, campaign).studies


def write(
    studies: Mapping[str, Sequence[Row]],
    of_families: Sequence[Row],
    of_kinds: Mapping[str, Sequence[Row]],
) -> None:
    """The page, its plots and tables, and the trace of each rule's worst small history."""
    DATA.mkdir(exist_ok=True)
    for row in studies["worst_cases"]:
        if row["profile"] == "small":
            trace(row["target"], "small", row["history"], DATA / f"{row['target']}.json")
    by_profile = [row for row in studies["gap_by_profile"] if row["target"] != CONTROL]
    few = [row for row in by_profile if not row["profile"].startswith("shape:")]
    sizes = [row for row in studies["gap_by_size"] if row["target"] != CONTROL and row["members"] <= 9]
    plots = {
        "profiles": bars(few, "unbalanced_share", "share of outcomes whose loads are not optimal"),
        "moves": bars(few, "movement_mean", "needless moves an outcome, where the loads are optimal"),
        "members": lines(sizes),
    }
    for name, plot in plots.items():
        (DATA / f"{name}.svg").write_text(plot + "\n", encoding="utf-8")
    for name, table in data(studies, of_families, of_kinds).items():
        (DATA / name).write_text(table, encoding="utf-8")
    text = page(studies, of_families, SIZES, of_kinds)
    (DOCS / "gap-study.md").write_text(text + "\n", encoding="utf-8")


# The families of the suites


def families(spark: SparkSession, targets: Sequence[Target], folder: Path) -> list[dict[str, Any]]:
    """The gaps of the targets on every family, a row a target and shape; measured once a folder."""
    if not (folder / "_SUCCESS").exists():
        blocks = [
            (shape, members, partitions, range(start, min(start + 20, seeds)))
            for (members, partitions), seeds in SIZES.items()
            for shape in SHAPES
            for start in range(0, seeds, 20)
        ]
        numbers = spark.range(0, len(blocks), 1, len(blocks))
        rows = numbers.mapInArrow(partial(measure_blocks, tuple(targets), blocks), FAMILIES_DDL)
        rows.coalesce(4).write.mode("overwrite").parquet(f"file://{folder}")
    spark.read.parquet(f"file://{folder}").createOrReplaceTempView("families")
    return [row.asDict() for row in spark.sql(FAMILIES).collect()]


def measure_blocks(
    targets: Sequence[Target],
    blocks: Sequence[tuple[str, int, int, range]],
    batches: Iterator[pyarrow.RecordBatch],
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of the blocks that the input names; for `mapInArrow`."""
    import pyarrow as pa

    types = {"string": pa.string(), "int": pa.int32(), "bigint": pa.int64()}
    schema = pa.schema([(part.split()[0], types[part.split()[1]]) for part in FAMILIES_DDL.split(", ")])
    for batch in batches:
        for number in batch.column(0).to_pylist():
            shape, members, partitions, seeds = blocks[number]
            rows = []
            for target in targets:
                with target.open() as host:
                    for seed in seeds:
                        document = consumer(shape, seed, members=members, partitions=partitions)
                        size = {"shape": shape, "members": members, "partitions": partitions, "seed": seed}
                        rows.append({"target": target.spec, **size, **measured(document, target, host.new)})
            yield pa.RecordBatch.from_pylist(rows, schema)


def measured(document: dict[str, Any], target: Target, new: Any) -> dict[str, Any]:
    """One instance under one target: its gaps, and where it has weights the heaviest load with its bound."""
    problem = Problem.parse(document).unweighted()
    played = play(new, target.protocol, *as_group(problem))
    try:
        distance = None if played.answer is None else gap(problem, played.answer, best_assignment(problem))
    except InputError:
        distance = None
    if distance is None or played.answer is None or distance.balance is None:
        return {"failed": 1}
    row = {name: getattr(distance, name) for name in ("balance", "spread", "movement", "rack")}
    if document["shape"] == "weighted":
        weights = {topic["name"]: topic["weights"] for topic in document["topics"]}
        carried = [sum(weights[topic][p] for topic, p in tps) for tps in played.answer.values()]
        row |= {"weight": max(carried), "weight_bound": weighted_lower_bound(Problem.parse(document))}
    return {"failed": 0, **row}


# One history of the campaign, for `kassay replay`


def trace(target: str, profile: str, index: int, path: Path) -> None:
    """Write history `index` as a trace of the first goal that it misses: balance, moves, or racks."""
    lanes = lanes_of(read_spec(SPEC))
    lane = next(each for each in lanes if (each.target, each.profile) == (target, profile))
    case = lane.job.case(index)
    for claim in ("balanced-optimal", "sticky-minimal", "rack-local"):
        job = Job(lane.job.target, replace(lane.job.options, claims=(claim,)))
        goal = parse_claim(claim, lane.job.target.kind)
        with open_bench(job) as bench:
            play = broken_play(bench.driver, case, bench.subject, goal)
            if play is not None:
                smallest = counterexample(
                    bench,
                    goal,
                    ShrunkCase(case, bench.subject, play),
                    contradictory=play.contradictory,
                    index=index,
                )
                path.write_text(json.dumps(smallest.trace.to_json()) + "\n", encoding="utf-8")
                return
    sys.exit(f"{target}, {profile}, history {index}: no outcome is away from the optimum")


if __name__ == "__main__":
    main()
