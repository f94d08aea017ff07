"""Writes `docs/switches.md`: each broken rule, and what finds it.

`python docs/writers/switches.py > docs/switches.md` explores them all; tests compare the page
with what the explorations find.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import Final

from kassay.certify.protocols.switch import UNSEEN
from kassay.certify.protocols.switch_runs import SwitchRow, command, rows
from kassay.report.screen.exploration import all_off

REMARKS: Final[dict[str, str]] = {
    "split_persist": (
        "The half-written record is a violation at once. A failover between the two writes leaves no "
        "partition unowned, because the next round writes both again: complete-at-rest holds."
    ),
    "no_generation_fence": (
        "A commit while an assignment is pending (no-commit-while-assigning) is a violation even earlier."
    ),
    "dup_claim_unchecked": (
        "Needs no_lost_on_reset, which alone breaks single-current-owner, released-before-adopted and "
        "commits-fenced at this bound, not single-owner-on-record."
    ),
    "naive_validation": "Needs no_lost_on_reset, which alone leads into no livelock.",
    "label_agen": "Needs max_gen_only, its other half: only the highest generation of the group counts.",
    "no_gen_snapshot": (
        "A client that knows that it is out of the group adopts partitions after the reset, which "
        "released-before-adopted forbids."
    ),
    "new_member_timer_once": (
        "KAFKA-9752 reports a stuck group. Here the join timer eventually drops the dead member, so "
        "nothing is stuck for ever; members-watched names the cause, a member without a timer."
    ),
    "reset_mid_on_retriable": (
        "KAFKA-13214 reports a wait until the ghost's session expires. An exploration without a clock cannot "
        "call that too late; member-id-kept names the cause, the forgotten member id."
    ),
    "metadata_revert_no_rejoin": "A client whose JoinGroup was lost does not join again.",
    "fetch_while_revoking": "The next owner processes again what was processed after the last commit.",
    "generation_kept": (
        "The violation appears before any member owns anything; without a new generation no member that "
        "stayed behind is fenced."
    ),
    "silence_revokes": (
        "The client has not reconciled yet: target-epoch-exclusive also applies to clients that are not "
        "settled."
    ),
    "subscriptions_pooled": (
        "Where all clients read the same topics, no settled client can be assigned another topic, and "
        "subscribed-at-rest is not checked."
    ),
    "ignore_unreleased": (
        "The records show it earlier, as single-owner-on-record and epochs-in-order; single-current-"
        "owner is the harm."
    ),
    "pend_reassign_loses_epoch": (
        "epochs-in-order shows it earlier: the model marks a lost epoch by a stable member with pending "
        "partitions. single-owner-on-record is the harm."
    ),
    "partial_after_loss": (
        "The stale belief is not a second current owner (single-current-owner), neither at this bound "
        "nor with three members."
    ),
    "no_abort_on_rejoin": (
        "target-epoch-exclusive shows it earlier: the client rejoined, and takes what it was to own before."
    ),
    "simple_group_kept": ("KAFKA-20254 is about Streams groups; consumer groups have always had the rule."),
    "disabled_lets_classic_in": (
        "In 2024-10 it has no effect: a classic member joins again as soon as the group epoch is ahead."
    ),
    "failed_expiry_dropped": "Kafka arms such a timer again after 500 ms (`CoordinatorTimerImpl`).",
    "commits_out_of_group": (
        "Kafka's own; found by reading its client. With `--network steps --records 2` the offset that goes "
        "back is committed."
    ),
    "full_names_completed": (
        "No ticket is known; found by the model. target-epoch-exclusive shows it earlier; "
        "single-current-owner is the harm."
    ),
}
"""Where something other than its report suggests finds a switch, or not the nearest violation: why."""

INTRODUCTION: Final = """# Broken rules, and what finds them

`kassay list switches` lists deliberately wrong rules, most of them bugs that Kafka once had. `kassay
switches` turns them on one by one and explores the model at the given bound, then again with all switches
off. It exits with 0 only if the expected invariant finds each switch, if the switches that it needs do not
show the same without it, and if every model has only known findings about Kafka with all switches off
([coordinator-findings.md](coordinator-findings.md)). Clients are the corrected ones: what is found is then
the switch's alone. That takes some minutes on one core. `python docs/writers/switches.py > docs/switches.md`
generates this page.

An exploration ends at the first violation, unless that is not the expected one; *states* is the number
reached by then. *Steps* is the length of a shortest trace, which the command below shows as swim lanes. A
dead end is a state without a next step in which the group is not settled; a livelock is a cycle that
fairness does not end. `kassay list invariants` shows what each invariant says. [guards.md](guards.md) shows
what happens when a single condition of the models is removed."""


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
        "<!-- by hand: `kassay switches` runs them all, and tests compare the table with it -->",
        "```console",
    ]
    lines += [f"$ {command(row.switch)}" for row in walked]
    lines += ["```", "", "## Remarks", ""]
    lines += [
        textwrap.fill(f"* {name}: {remark}", 108, subsequent_indent="  ", break_on_hyphens=False)
        for name, remark in REMARKS.items()
    ]
    lines += ["", "## Broken rules that no exploration shows", ""]
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
