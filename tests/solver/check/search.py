"""Look for forgeries that a single check refuses, and keep those that `test_refusal` has none for.

    python -m tests.solver.check.search [SEED [FORGERIES]]

What stands in the file and still is such a forgery stays. A check for which none is found wants one by hand.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from random import Random
from typing import Any, Final

from tests.paths import ROOT
from tests.solver.check import forger, neutral

FILE: Final = ROOT / "tests" / "data" / "forgeries.json.gz"
TRIES: Final = 60
"""Forgeries that are tried on a check before it is left to people."""


def kept() -> dict[str, Any]:
    """The forgeries of the file."""
    return dict(json.loads(gzip.decompress(FILE.read_bytes()).decode()))


def search(seed: int, number: int) -> dict[str, Any]:
    """For each check a document that only it refuses, as far as there is one."""
    checks = neutral.checks()
    found = {
        check: document
        for check, document in kept().items()
        if check in checks and not neutral.refuses(neutral.without(check), document)
    }
    checker, fired = neutral.reporting()
    rng, tries = Random(seed), Counter[str]()
    pools = {kind: forger.genuine(kind) for kind in forger.KINDS}
    for _ in range(number):
        document = forger.forged(rng.choice(forger.KINDS), rng, pools[rng.choice(forger.KINDS)])
        fired.clear()
        if not neutral.refuses(checker, document) or not fired or fired[0] in found:
            continue
        tries[fired[0]] += 1
        if tries[fired[0]] <= TRIES and not neutral.refuses(neutral.without(fired[0]), document):
            found[fired[0]] = document
    return found


def main(seed: int = 1, number: int = 10_000) -> None:
    """Search, write the file, and say for which checks there is none."""
    found = search(seed, number)
    text = json.dumps(found, sort_keys=True, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(*(check for check in neutral.checks() if check not in found), sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
