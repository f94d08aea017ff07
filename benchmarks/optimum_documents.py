"""Reading a large group, writing its result and checking that, beside an earlier checkout in the same run.

    git worktree add BASE 91a1e5b
    python -m benchmarks.optimum_documents --base BASE
    python -m benchmarks.optimum_documents --base BASE --sizes 1000x100000,5000x500000 --runs 1

All members read everything, some joined (the shape `join`). CPU seconds of processes of their own, the least
of the runs: of reading the document, of writing the result of `kassay optimum --json` and of checking that
file, without the optimum and without imports; then of both commands whole. The ratio is ours to the
checkout's, and a third is the goal. Without `--base` ours stands alone.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

OURS: Final = Path(__file__).resolve().parent.parent
GOAL: Final = 1 / 3
SIZES: Final = "1000x100000,5000x500000"
STAGES: Final = ("read", "write", "check")


class Calls(NamedTuple):
    """What is asked of a checkout, by whatever names it has there."""

    documents: Callable[[str], list[Any]]
    parse: Callable[[Any], Any]
    solve: Callable[[Any], Any]
    result: Callable[[Any], dict[str, Any]]
    lines: Callable[[str], Any]
    check: Callable[[Any], Any]


def calls() -> Calls:
    """Those of the checkout on the path: of ours, or of one from before `solver` had folders."""
    lines = import_module("kassay.cli.options").JsonLines
    try:
        reading = import_module("kassay.reading.documents")
    except ModuleNotFoundError:
        return Calls(
            import_module("kassay.engines.instances").documents,
            import_module("kassay.solver.instance").Problem.parse,
            import_module("kassay.solver.optimum").optimum,
            lambda best: dict(import_module("kassay.solver.documents").optimum_result(best, 0.0)),
            lines,
            import_module("kassay.engines.checking").check_certificate,
        )
    results = import_module("kassay.solver.results")
    solution = import_module("kassay.solver.groups.results").solution
    import_module("msgspec")  # which small documents do not load
    gc.disable()  # as the commands do around all of this
    return Calls(
        reading.documents,
        import_module("kassay.solver.groups.problem").Problem.parse,
        import_module("kassay.solver.groups.optimum").best_assignment,
        lambda best: dict(results.result("join", solution(best), 0.0)),
        partial(lines, plain=True),
        import_module("kassay.solver.check.check").check_certificate,
    )


def stages(path: str, answer: str) -> dict[str, float]:
    """CPU seconds of each stage in this process, with the checkout that is on the path."""
    ask = calls()
    for warm in (Path(path).with_suffix(".small"), Path(path)):  # imports are outside the clock
        clock = [time.process_time()]
        problem = ask.parse(ask.documents(str(warm))[0].document)
        clock.append(time.process_time())
        best = ask.solve(problem)
        clock.append(time.process_time())
        with ask.lines(answer) as lines:
            lines.write(ask.result(best))
        clock.append(time.process_time())
        checked = ask.check(ask.documents(answer)[0].document)
        checked.to_json()
        clock.append(time.process_time())
        if not checked.accepted:
            raise SystemExit(f"{answer}: {checked.reason}")
    return {"read": clock[1] - clock[0], "write": clock[3] - clock[2], "check": clock[4] - clock[3]}


def run(checkout: Path, *arguments: str) -> tuple[float, str]:
    """CPU seconds of Python with a checkout on its path, and what it says."""
    env = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments], env=env, check=True, stdout=subprocess.PIPE, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def commands(checkout: Path, path: str, answer: str) -> float:
    """CPU seconds of both commands."""
    optimum, _ = run(checkout, "-m", "kassay", "optimum", path, "--json", answer)
    return optimum + run(checkout, "-m", "kassay", "check", answer)[0]


def measured(checkout: Path, path: str, answer: str, runs: int) -> dict[str, float]:
    """The least CPU seconds of each stage, and of both commands once their modules are compiled."""
    commands(checkout, str(Path(path).with_suffix(".small")), answer)
    least: dict[str, float] = {}
    for _ in range(runs):
        once = json.loads(run(checkout, __file__, "--stages", path, answer)[1])
        once["commands"] = commands(checkout, path, answer)
        least = {stage: min(seconds, least.get(stage, seconds)) for stage, seconds in once.items()}
    return least


def row(label: str, sums: dict[str, float], base: dict[str, float] | None) -> None:
    """Print one checkout's line, with ratios where there is another."""
    total = sum(sums[stage] for stage in STAGES)
    columns = "".join(f"{sums[stage]:8.2f}" for stage in STAGES) + f"{total:8.2f}"
    ratios = ""
    if base is not None:
        ratios = f"{total / sum(base[stage] for stage in STAGES):8.2f}{GOAL:7.2f}"
    both = f"{sums['commands']:11.2f}" + (
        "" if base is None else f"{sums['commands'] / base['commands']:8.2f}"
    )
    print(f"{label:28}{columns}{ratios:15}{both}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, help="A checkout to be compared with.")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    from kassay.solver.instances.groups import consumer

    print(
        f"{'':28}{'read':>8}{'write':>8}{'check':>8}{'sum':>8}{'ratio':>8}{'goal':>7}{'commands':>11}{'ratio':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:
        # Compiled modules are kept, as an installation has them.
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/compiled"
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        path, answer = f"{folder}/group.json", f"{folder}/result.json"
        small = consumer("join", 1, members=20, partitions=1_000, topics=20, change=1)
        Path(path).with_suffix(".small").write_text(json.dumps(small))
        for size in options.sizes.split(","):
            members, partitions = map(int, size.split("x"))
            topics = min(200, partitions // 50)
            group = consumer(
                "join", 1, members=members, partitions=partitions, topics=topics, change=members // 20
            )
            Path(path).write_text(json.dumps(group))
            base = None
            if options.base is not None:
                base = measured(options.base.resolve(), path, answer, options.runs)
                row(f"{members} x {partitions}, base", base, None)
            row(f"{members} x {partitions}", measured(OURS, path, answer, options.runs), base)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stages"]:
        sys.stdout.write(json.dumps(stages(sys.argv[2], sys.argv[3])))
    else:
        main()
