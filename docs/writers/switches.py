"""Writes `docs/switches.md`: each broken rule, and what finds it.

`python docs/writers/switches.py > docs/switches.md` walks them all; tests hold the page
to what the walks find.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import Final

from kassay.certify.protocols.streams_switches import UNSEEN
from kassay.certify.protocols.switch_runs import SwitchRow, command, rows
from kassay.report.screen.switches import all_off

REMARKS: Final[dict[str, str]] = {
    "split_persist": (
        "The half-written record shows at once. A failover between the two writes leaves no partition "
        "unowned, for the next round writes both again: complete-at-rest holds."
    ),
    "no_generation_fence": (
        "A commit while an assignment is awaited (no-commit-while-assigning) counts sooner still."
    ),
    "dup_claim_unchecked": (
        "Needs no_lost_on_reset, which alone breaks single-current-owner, released-before-adopted and "
        "commits-fenced at this bound, not single-owner-on-record."
    ),
    "naive_validation": "Needs no_lost_on_reset, which alone leads into no livelock.",
    "label_agen": "Needs max_gen_only, its other half: only the highest generation of the group counts.",
    "no_gen_snapshot": (
        "What is adopted after the reset is adopted by a client that knows that it is out of the "
        "group, which released-before-adopted forbids."
    ),
    "new_member_timer_once": (
        "KAFKA-9752 tells of a group that is stuck. Here the join timer drops the dead member in the "
        "end, so that nothing is stuck for ever; members-watched names the cause, a member without a "
        "timer."
    ),
    "reset_mid_on_retriable": (
        "KAFKA-13214 tells of a wait until the ghost's session expires. A walk without a clock cannot "
        "call that too late; member-id-kept names the cause, the forgotten member id."
    ),
    "metadata_revert_no_rejoin": "A client whose JoinGroup got lost does not join again.",
    "fetch_while_revoking": "What is processed after the last commit is processed again by the next owner.",
    "generation_kept": (
        "The breach shows before anybody owns anything; without a new generation nobody who stayed behind "
        "is fenced."
    ),
    "silence_revokes": (
        "The client has not reconciled yet: target-epoch-exclusive binds clients that are not settled, too."
    ),
    "subscriptions_pooled": (
        "Where all clients read the same topics, at rest nobody can be given another topic, and "
        "subscribed-at-rest is not asked."
    ),
    "ignore_unreleased": (
        "On record it shows sooner, as single-owner-on-record and epochs-in-order; single-current-"
        "owner is the harm that it does."
    ),
    "pend_reassign_loses_epoch": (
        "epochs-in-order shows sooner: the model marks a lost epoch by a stable member with pending "
        "partitions. single-owner-on-record is the harm that it does."
    ),
    "partial_after_loss": (
        "The stale belief is no second current owner (single-current-owner), neither at this bound "
        "nor with three members."
    ),
    "no_abort_on_rejoin": (
        "target-epoch-exclusive shows sooner: the client rejoined, and takes what it was to own before."
    ),
    "simple_group_kept": (
        "KAFKA-20254 is of Streams groups; consumer groups had the rule since they record anything."
    ),
    "disabled_lets_classic_in": (
        "In 2024-10 nothing comes of it: a classic member joins again as soon as the group epoch is ahead."
    ),
    "failed_expiry_dropped": "Kafka arms such a timer again after 500 ms (`CoordinatorTimerImpl`).",
    "commits_out_of_group": (
        "Kafka's own; found by reading its client. With `--network steps --records 2` the offset that goes "
        "back is committed."
    ),
    "full_names_completed": (
        "Known of no ticket; found by the model. target-epoch-exclusive shows sooner; single-current-owner "
        "is the harm that it does."
    ),
}
"""Where a switch is found by something else than its report tells, or not by the nearest breach: why."""

INTRODUCTION: Final = """# Broken rules, and what finds them

`kassay list switches` lists them: wrong rules on purpose, most of them bugs that Kafka once had.
`kassay switches` turns on one after the other and walks the model at the bound given, then again with
all of them off. It exits with 0 only if each is found by what it is to be found by, if what has to go
along with it does not show that alone, and if every model is clean without it. All that takes about
a minute on one core. This page is written by `python docs/writers/switches.py > docs/switches.md`.

A walk ends at the first breach, unless that is not what the switch is to be found by; *states* says how
many were reached by then. *Steps* is the length of a shortest trace, which the command below shows as
swim lanes. A dead end is a state out of which nothing leads though the group is not settled; a livelock
is a cycle that fairness does not end. `kassay list invariants` tells what each invariant says. What comes
of it where a single condition of the models is gone is in [guards.md](guards.md)."""


def page(walked: Sequence[SwitchRow]) -> str:
    """The page as Markdown."""
    lines = [INTRODUCTION, ""]
    lines += ["| switch | bug | wrong rule | model | found by | steps | states | all off |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    for row in walked:
        switch = row.switch
        shown = [(seen.kind, str(seen.length)) for seen in row.on.shown] or [("not found", "-")]
        lines.append(
            f"| {switch.name} | {switch.bug} | {switch.effect} | {switch.model} "
            f"| {', '.join(kind for kind, _ in shown)} | {', '.join(length for _, length in shown)} "
            f"| {row.on.states} | {all_off(row)} |"
        )
    lines += ["", "## The commands", ""]
    lines += [
        "<!-- by hand: `kassay switches` walks them all, and tests hold the table to it -->",
        "```console",
    ]
    lines += [f"$ {command(row.switch)}" for row in walked]
    lines += ["```", "", "## Remarks", ""]
    lines += [
        textwrap.fill(f"* {name}: {remark}", 108, subsequent_indent="  ", break_on_hyphens=False)
        for name, remark in REMARKS.items()
    ]
    lines += ["", "## Rules that no walk shows broken", ""]
    lines += [
        textwrap.fill(f"* {name}: {why}", 108, subsequent_indent="  ", break_on_hyphens=False)
        for name, why in UNSEEN.items()
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the page."""
    sys.stdout.write(page(rows()))


if __name__ == "__main__":
    main()
