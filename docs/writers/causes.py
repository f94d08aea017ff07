"""Writes docs/causes.md: faulty targets, and how `kassay explain` explains their minimal counterexamples."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from kassay.certify.explain import explain

FAULTY = Path("tests/data/faulty")
BEGIN = """\
# What a counterexample shows, and why it breaks

When `kassay certify` refutes a claim, it prints the smallest case that it found. `<- broken here` marks the
step that breaks the claim, and `!` marks what the evidence names. Below the step, `could be` shows a
correct answer: the certified optimum if there is one (its loads, its moves, its racks), else the answer of
a reference that keeps the claim, by name.

```
single-owner: No partition is assigned twice.
  smallest found: 2 members, 1 partition, 0 events after the start; ordinary input
  single-owner: t0-0 (owners m0 m1)

  Round 1 of 1, generation 4  <- broken here
    before it: m0 joins (reads t0); m1 joins (reads t0)
    Topics: t0 (1 partition)
    member  subscribed  owned         assigned  load
    m0!     t0          -             t0-0!        1
    m1!     t0          generation 3  t0-0!        1
    could be: 1 0: m0 t0-0, m1 -
  common cause: a fix must assign each partition to one member alone: remove it from the list of free ones
once it is assigned
  replay: kassay replay .kassay/traces/double_owner.py-single-owner.json
```

`generation 3` is the generation of what a member reports that it owns, even if that is nothing. The leader,
weights, the racks of replicas, configurations and user data appear only where they exist and vary, so a
simple case stays simple.

`kassay explain TRACE` explains the violation in a paragraph. It leaves out each event, each owned partition
and setting, each member and partition in turn, plays the rest against the target, and reports without which
of them the claim holds; then which clause of which source is broken, and what a fix must do. `--json` has
the same as data (`cause`, `broken`, `could_be`, `fix`). If the target cannot be loaded, it explains from
the trace alone and says so. Limits: it leaves out one thing at a time, so if either of two suffices, it
reports neither; and for a target that answers at random it explains this one play.

`kassay explain TRACE --as python` (and `kassay replay`) prints the failing call as a test to paste. If one
call of a new object shows the fault, the test calls a Python class directly. For a program, a jar, a
reference or a fault that takes several calls (`converges`), it plays the case with
`kassay.testing.violations`, without the fields that have no effect. For an answer that changes from call to
call (`pure`) it calls twice; for a stable group (`stable`, `static-stable`) one call is enough, compared
with the previous answer. Either way, the test fails until the target is fixed. `certify_assignor` and
`pytest --kassay` end with it.

```console
$ kassay explain tests/data/faulty/negative_hash.json --as python
from kassay.testing import load_class


def test_in_range():
    # in-range: record for t1, key 0101010101010101010101010101010101010101 (sent to -2, of partitions 3)
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

Each of these files of `tests/data/faulty` has one fault. The quoted paragraph is what `kassay explain`
prints for its minimal counterexample.
"""


def faults() -> list[Path]:
    """The traces, by name."""
    return sorted(FAULTY.glob("*.json"))


def fault_of(trace: Path) -> str:
    """The fault in one line: the docstring of the target's file."""
    module = ast.parse(trace.with_suffix(".py").read_text())
    return (ast.get_docstring(module) or "").strip()


def page() -> Iterator[str]:
    """The page, line by line."""
    yield BEGIN
    for trace in faults():
        yield f"**`{trace.stem}.py`**: {fault_of(trace)}\n"
        yield f"> {explain(str(trace)).to_json()['paragraph']}\n"


if __name__ == "__main__":
    sys.stdout.write("\n".join(page()).rstrip() + "\n")
