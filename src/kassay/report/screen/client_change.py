"""From one client library to another, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.engines.clusters.clients.change import CONSUMER, ClientChange, default_rows
from kassay.engines.clusters.clients.rules import NOT_MEASURED, PairRun, measured_clients
from kassay.report.screen.console import View, line, plain_table, stack, whole_line


def client_change_view(change: ClientChange) -> View:
    """Whether both libraries fit into one group, the way from one to the other, then their defaults."""
    old, new, table = change.old, change.new, measured_clients()
    parts: list[View] = [
        line("from ", (old.rules.version, "bold"), " to ", (new.rules.version, "bold")),
        *(line(each) for each in together(change)),
        line(),
        *_way(change),
        line(),
        plain_table(("without any setting", old.name, new.name), list(default_rows(change))),
        line(),
        plain_table(
            ("in one group", f"{old.name} leads", f"then {new.name} alone", f"{new.name} leads", "reported"),
            [_row(run) for run in change.runs],
        ),
        line(),
        line(
            f"Partitions of {old.name} + of {new.name}, of 10. Measured on Kafka {table.broker}, "
            f"{table.date}. (source): read in the library, not measured.",
            style="dim",
        ),
    ]
    return stack(*parts)


def together(change: ClientChange) -> Iterator[str]:
    """Whether both can be members of one group: without any setting, and with each assignor."""
    old, new = change.old.name, change.new.name
    if change.common:
        yield f"without any setting both send {', '.join(change.common)}"
    else:
        yield (
            f"without any setting they share no assignor: in a group of {old}, {new} is refused with "
            "INCONSISTENT_GROUP_PROTOCOL"
        )
    broken = [run.assignor for run in change.runs if not run.is_shared]
    if change.shared:
        yield f"both can be members of one group with {', '.join(change.shared)}"
    if broken:
        yield f"both cannot be members of one group with {', '.join(broken)}"
    if not change.runs:
        yield f"both in one group: {NOT_MEASURED}"


def _way(change: ClientChange) -> Iterator[View]:
    """The rolling restart from one library to the other, or why there is none."""
    present, new = change.present, change.new.name
    has = "a group without any setting" if change.assignor is None else "this group"
    if present in change.shared:
        yield line(f"{has} has {present}: restart its members one after the other, as {new} with:")
        yield whole_line(f"     {change.setting_of(present)}")
    elif change.shared:
        shared = next((each for each in change.shared if each != CONSUMER), CONSUMER)
        goal = "uniform" if shared == CONSUMER else shared
        yield line(f"{has} has {present}, which both do not share: first bring it to {goal}")
        yield line(f"(--library {change.old.name} --to {goal}), then")
        yield line(f"restart its members one after the other, as {new} with:")
        yield whole_line(f"     {change.setting_of(shared)}")
    else:
        yield line("no rolling restart: stop all members, then start them as the other library")


def _row(run: PairRun) -> tuple[str, ...]:
    owned = tuple(f"{a} + {b}" for a, b in (run.first, run.second))
    return (
        "consumer protocol" if run.assignor == CONSUMER else run.assignor,
        owned[0],
        str(run.alone),
        owned[1],
        run.error or "-",
    )
