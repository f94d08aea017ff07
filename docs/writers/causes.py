"""Writes docs/causes.md: faulty targets, and what `kassay explain` says of their smallest counterexamples."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from kassay.certify.explain import explain

FAULTY = Path("tests/data/faulty")
BEGIN = """\
# What a counterexample shows, and why it breaks

When `kassay certify` refutes a claim it prints the smallest case that it found. The step that breaks the
claim is marked with `<- broken here`, whoever the evidence names with `!`, and below stands what the answer
could have been: the certified optimum where there is one (its loads, its moves, its racks), else the answer
of a reference that keeps the claim, by name.

```
single-owner: No partition is assigned twice.
  smallest found: 2 members, 1 partition, 0 events after the start; ordinary input
  single-owner: t0-0 (owners m0 m1)

  round 1, generation 4, topics t0[1]  <- broken here
    member  subscribed  claims  is given
    m0!     t0          -       t0-0!
    m1!     t0          - @3    t0-0!
    could be: 1 0: m0 t0-0, m1 -
  a fix must assign each partition to one member alone: remove it from the list of free ones once it is
assigned
  replay: kassay replay .kassay/traces/double_owner.py-single-owner.json
```

`@3` is the generation of what a member claims, of an empty list too. Who leads, weights, the racks of
replicas, configurations and user data are told where there are any and they vary; a simple case stays
simple.

`kassay explain TRACE` says why in a paragraph. It leaves out each event, each claim and setting, each
member and partition in turn, plays what is left against the target, and tells without which of them the
claim is kept; then which clause of which source is broken, and what a fix must do. `--json` has the same as
data (`cause`, `broken`, `could_be`, `fix`). Where the target cannot be loaded it tells what the trace
keeps, and says so. What it does not do: it looks at one thing at a time, so where either of two would do,
neither is said to matter; and of a target that answers by chance it tells of this one play.

`kassay explain TRACE --as python` (`kassay replay` too) prints the failing call as a test to paste. A
class of Python is called as it is, where one call of a new object shows the fault; a program, a jar, a
reference or a fault that takes several calls is played the whole case by `kassay.testing.violations`.
Either way the test fails as it stands, and passes once the target is right. `certify_assignor` and
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

## Faults and what is said of them

Each of these files of `tests/data/faulty` has one fault. The quoted paragraph is what `kassay explain`
prints of its smallest counterexample.
"""


def faults() -> list[Path]:
    """The traces, by name."""
    return sorted(FAULTY.glob("*.json"))


def fault_of(trace: Path) -> str:
    """The fault in one line: what the file of the target says of itself."""
    module = ast.parse(trace.with_suffix(".py").read_text())
    return (ast.get_docstring(module) or "").strip()


def page() -> Iterator[str]:
    """The page, line by line."""
    yield BEGIN
    for trace in faults():
        yield f"**`{trace.stem}.py`**: {fault_of(trace)}\n"
        yield f"> {explain(str(trace))['paragraph']}\n"


if __name__ == "__main__":
    sys.stdout.write("\n".join(page()).rstrip() + "\n")
