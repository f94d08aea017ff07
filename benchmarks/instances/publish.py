"""Write the published instances with their optima: `python benchmarks/instances/publish.py`.

`FAMILY.jsonl.gz` are the instances of the `bench` suite, `FAMILY-optima.jsonl.gz` the lines that
`kassay optimum` answers, certificates included, without the time it took. The intervals of
NP-hard instances depend on the time that the search had; all else is the same bytes on every machine.
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from kassay.engines.optimum.solve import located_in_suite, solve
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.instances.suites import to_line

FOLDER = Path(__file__).parent
FAMILIES = {"A": "consumers", "B": "placements", "C": "tasks"}
SECONDS = 30.0


def main() -> int:
    families: dict[str, tuple[list[str], list[str]]] = {name: ([], []) for name in FAMILIES.values()}
    for each in located_in_suite("bench"):
        instances, optima = families[FAMILIES[each.document["family"]]]
        result = solve(each, MOVEMENT_FIRST, seconds=SECONDS)
        del result["elapsed_s"]
        instances.append(to_line(each.document))
        optima.append(json.dumps(result, separators=(",", ":")))
    for name, (instances, optima) in families.items():
        write(FOLDER / f"{name}.jsonl.gz", instances)
        write(FOLDER / f"{name}-optima.jsonl.gz", optima)
        statuses = Counter(json.loads(line)["status"] for line in optima)
        print(
            f"{name}: {len(optima)} instances, {', '.join(f'{n} {status}' for status, n in statuses.items())}"
        )
    return 0


def write(path: Path, lines: Iterable[str]) -> None:
    """The lines, compressed; without a time stamp, so that equal lines make equal files."""
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0))


if __name__ == "__main__":
    sys.exit(main())
