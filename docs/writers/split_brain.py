"""Writes `docs/split-brain.md`: the herd effect counted, the split brain shown, and what ends it.

`python docs/writers/split_brain.py > docs/split-brain.md` plays and explores everything; tests compare the
page with what it finds.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import Any, Final

from kassay.engines.protocols.explore import ExploreResult, build, explore
from kassay.engines.protocols.settings import ExploreSettings
from kassay.engines.protocols.views import beliefs
from kassay.model.explore.values import InvariantViolation, Severity
from kassay.model.protocols.faults import Faults, parse_faults
from kassay.report.screen.swimlanes import text_diagram

INTRODUCTION: Final = """# Split brain: what goes wrong when every consumer coordinates itself?

Up to Kafka 0.8 each consumer watches ZooKeeper; on any change it stops, releases its partitions, reads the
list of consumers, and takes its own share (`kassay.model.protocols.before_0_9.zookeeper`). All figures and
traces are output of the commands shown; `python docs/writers/split_brain.py > docs/split-brain.md` generates
the page.

## One consumer, two, three, four, and back, on three partitions
"""

HERD: Final = """
Each change makes *every* registered consumer stop and rebalance: the herd effect. One start among n
running consumers costs n + 1 rebalances; the seven changes above cost {total}. No coordinator decides
anything, so a consumer that finds a partition still owned can only try again.

## Split brain
"""

CASES: Final = (
    (
        ("--switch", "zk_finite_retries"),
        "complete-at-rest",
        "One consumer acts on a view, another on an older one; the first runs out of retries and "
        "gives up; the second releases, and no event is left to wake a consumer.",
    ),
    (("--switch", "zk_stale_view"), "complete-at-rest", "A stale read has no later watch."),
    (
        ("--switch", "zk_no_owner_guard"),
        "single-current-owner",
        "Without the owner znodes two views are two owners.",
    ),
    (
        ("--faults", "pause=1"),
        "single-live-owner",
        "With the guard, fresh views and endless retries the group always converges, but a consumer "
        "whose session expires in a pause still processes what others have taken over, and nothing fences "
        "its commits.",
    ),
)

END: Final = """
## Why a coordinator ends it

In the classic protocol and in KIP-848 one coordinator issues each generation and refuses a commit of any
other generation. The same explorations, two members and two partitions:
"""

LAST: Final = """
No state has two owners whose identity is current (single-current-owner), and no stable state is incomplete
(complete-at-rest): no split brain. Zombies remain (single-live-owner): a process that slept through its
session believes for a moment that it owns what it has lost, and its commits are refused (commits-fenced).
"""

WALKS: Final = tuple(
    (model, mode, faults)
    for model, mode in (("classic", None), ("classic", "cooperative"), ("kip848", None))
    for faults in ("crash=1", "pause=1", "failover=1")
)


def herd() -> tuple[list[str], int]:
    """The lines of the table of seven changes, and the number of rebalances they cost."""
    model = build(ExploreSettings("zookeeper", members=4, partitions=3, faults=Faults(leave=3)))
    state = next(iter(model.initial()))
    lines, total = ["| event | then | rebalances it cost |", "|---|---|---|"], 0
    for client, event in [(c, "start") for c in (1, 2, 3, 4)] + [(c, "close") for c in (1, 2, 3)]:
        name = f"c{client}"
        state = next(s for a, s in model.steps(state) if (a.actor, a.name) == (name, event))
        state, cost = _settled(model, state)
        owners = (b for b in beliefs(model, state).beliefs if b.live)
        shares = "; ".join(f"{b.client}: {','.join(map(str, b.owned)) or 'none'}" for b in owners)
        lines.append(f"| {name} {event}s | {shares} | {cost} |")
        total += cost
    return lines, total


def _settled(model: Any, state: Any) -> tuple[Any, int]:
    """The stable state, and the rebalances until then."""
    cost = 0
    while step := next(((a, s) for a, s in model.steps(state) if not a.fault and s != state), None):
        cost += step[0].name == "rebalance"
        state = step[1]
    return state, cost


def case(options: Sequence[str], invariant: str, text: str) -> str:
    """A shortest trace to a violation, as prose and swim lanes."""
    values = dict(zip(options[::2], options[1::2], strict=True))
    switches = frozenset({values["--switch"]} if "--switch" in values else ())
    result = explore(
        ExploreSettings("zookeeper", switches=switches, faults=parse_faults(values.get("--faults", "")))
    )
    violation = _violation(result, invariant)
    kind = f"{invariant} ({violation.severity})" if violation.severity is Severity.BY_DESIGN else invariant
    actions = [step.action for step in violation.trace if step.action is not None]
    command = f"`kassay explore zookeeper {' '.join(options)}`"
    caption = f"{command}: {kind}, *{violation.message}*, {violation.length} steps. {text}"
    return f"{textwrap.fill(caption, 108)}\n\n```\n{text_diagram(actions)}\n```\n"


def _violation(result: ExploreResult, invariant: str) -> InvariantViolation[Any]:
    return next(v for v in result.exploration.violations if v.invariant == invariant)


def walk(model: str, mode: str | None, faults: str) -> str:
    """One line of the table of explorations with a coordinator."""
    result = explore(ExploreSettings(model, mode=mode, faults=parse_faults(faults)))
    done = result.exploration
    seen = ", ".join(f"{v.invariant} ({v.severity})" for v in done.violations) or "none"
    command = f"kassay explore {model}{f' --protocol {mode}' if mode else ''} --faults {faults}"
    return f"| `{command}` | {done.states} | {result.verdict} | {seen} |"


def page() -> str:
    """The whole page."""
    table, total = herd()
    walks = ["| command | states | verdict | found |", "|---|---|---|---|", *(walk(*each) for each in WALKS)]
    parts = [INTRODUCTION, *table, HERD.format(total=total), *(case(*each) for each in CASES)]
    return "\n".join([*parts, END.lstrip("\n"), *walks, LAST])


def main() -> None:
    """Print the page."""
    sys.stdout.write(page().rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
