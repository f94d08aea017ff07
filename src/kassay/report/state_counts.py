"""How large the worlds are, and which choices make them so: a section of `docs/protocols.md`."""

from __future__ import annotations

from typing import Final

SIZES: Final = """## How many states there are

Two members, two partitions, every legal balanced answer of the assignor; states that differ only in how
generations and member ids are numbered are one. `tests/certify/protocols/test_sizes.py` walks the table.

| classic world | prototype | as walked | sync in one step | log kept | numbered on |
|---|---|---|---|---|---|
| eager, no fault | 85 | 139 | 75 | - | 139 |
| eager, crash and pause | 4.5k | 5,987 | 3,483 | 8,403 | 9,907 |
| eager, crash, pause and failover | 53k | 39,530 | 23,870 | 51,594 | - |
| cooperative, no fault | 129 | 223 | 127 | - | 223 |
| cooperative, crash and pause | 8.9k | 11,281 | 6,501 | 16,235 | 20,021 |
| cooperative, crash, pause and failover | 123k | 91,182 | 49,396 | 124,424 | - |

The prototype is an older, smaller model of ours. Three choices, each tried alone, account for most of the
difference:

* A leader's SyncGroup is two steps, persist and then answer, so that a failover can fall between. With one
  step there are about half as many states; the prototype's figures without a failover lie between the two.
* The log is dropped from the state once no failover is left in the budget, for nobody will read it. With
  it the worlds with a failover are as large as the prototype's, within 3 %.
* Generations and ids are counted down to the lowest that anybody still holds. Numbered on, worlds with two
  faults are almost twice as large.

Not tried alone: a heartbeat whose answer changes nothing leads back to its own state and adds none; a parked
reply waits in its client's inbox, which adds the states between answer and receipt; a new member's id is
pending in a state of its own (KIP-394). With crash, pause and failover the world of KIP-848 has 23,247
states; the prototype's figures for it are those of other budgets, and cannot be set beside it."""
