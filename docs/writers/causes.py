"""Writes docs/causes.md and docs/causes/explanations.json: faulty targets, and how they are explained.

`python docs/writers/causes.py`, from the top of the repository: the traces name their targets from there.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kassay.engines.explain import explain
from kassay.writing.files import write_text

FAULTY = Path("tests/data/faulty")
DOCS: Final = Path(__file__).parents[1]
PAGE: Final = DOCS / "causes.md"
EXPLANATIONS: Final = DOCS / "causes" / "explanations.json"
SHOWN: Final = "uneven_three.py"
"""The fault whose explanation the page shows."""
BEGIN = """\
# Causes: what does a counterexample show, and why does it break the claim?

`kassay certify` prints the smallest case that it found. `<- broken here` marks the step that breaks the
claim, and `!` what the evidence names. `optimum` shows the certified optimum, or `possible` the answer of a
reference that keeps the claim, by name.

```
single-owner: No partition is assigned twice.
  smallest history: 2 members, 1 partition; ordinary input
  single-owner: t0-0 was assigned to m0 and m1.

  Round 1 of 1, generation 4  <- broken here
    before it: m0 joins (subscribes to t0); m1 joins (subscribes to t0)
    Topics: t0 (1 partition)
    member  subscribed  owned         assigned  load
    m0!     t0          -             t0-0!        1
    m1!     t0          generation 3  t0-0!        1
    optimum: t0-0 to m0, nothing to m1 (loads 1 and 0)
```

`generation 3` is the generation of what a member reports that it owns, even if that is nothing. The leader,
weights, racks, configurations and user data appear only where they vary.

`kassay explain TRACE` explains the violation in a paragraph. It leaves out each event, each owned partition
and setting, each member and partition in turn, plays the rest against the target, and reports without which
of them the claim holds; then which clause of which source is broken, and what a fix must do. `--json` has
the same as data (`cause`, `broken`, `could_be`, `fix`). If the target cannot be loaded, it explains from
the trace alone and says so. Limits: it leaves out one thing at a time, so if either of two suffices, it
reports neither; and for a target that answers at random it explains this one play.

`kassay replay TRACE --as python` prints the failing call as a test to paste, which
fails until the target is fixed. If one call of a new object shows the fault, the test calls a Python class
directly; else it plays the case with `kassay.testing.violations`. `certify_assignor` and `pytest --kassay`
end with it.

```console
$ kassay replay tests/data/faulty/negative_hash.json --as python
from kassay.testing import load_class


def test_in_range():
    # in-range: The record to t1 with key 01010101...01010101 (20 bytes) was sent to partition -2, \
but t1 has 3 partitions, numbered from 0.
    target = load_class('tests/data/faulty/negative_hash.py:NegativeHash')()
    answer = target.partition(
        't1',
        b'\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01',
        b'',
        3,
        [0, 1, 2],
    )
    assert 0 <= answer < 3
```

## Faults and their explanations

Each file of `tests/data/faulty` has one fault. [causes/explanations.json](causes/explanations.json) has what
`kassay explain` prints for the minimal counterexample of each, by file; one of them:

> EXPLANATION

| file | fault |
|---|---|
"""


def faults() -> list[Path]:
    """The traces, by name."""
    return sorted(FAULTY.glob("*.json"))


def fault_of(trace: Path) -> str:
    """The fault in one line: the docstring of the target's file."""
    module = ast.parse(trace.with_suffix(".py").read_text())
    return (ast.get_docstring(module) or "").strip()


def explanations() -> dict[str, str]:
    """What `kassay explain` prints for each fault, by the name of its file."""
    return {f"{trace.stem}.py": explain(str(trace)).to_json()["paragraph"] for trace in faults()}


def page(explained: Mapping[str, str]) -> str:
    """The page."""
    listed = [f"| `{trace.stem}.py` | {fault_of(trace)} |" for trace in faults()]
    return "\n".join([BEGIN.replace("EXPLANATION", explained[SHOWN]).rstrip("\n"), *listed]) + "\n"


def main() -> None:
    """Write the page and its data."""
    explained = explanations()
    EXPLANATIONS.parent.mkdir(exist_ok=True)
    write_text(json.dumps(explained, indent=1, ensure_ascii=False) + "\n", str(EXPLANATIONS))
    write_text(page(explained), str(PAGE))


if __name__ == "__main__":
    main()
