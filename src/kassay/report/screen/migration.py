"""Clients that change their protocol, for a terminal: what was predicted next to what was seen."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.engines.rehearse.migration import Migration, MigrationStep
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.writing.text import counted

_TITLES = ("action", "predicted", "seen")


def migration_view(migration: Migration) -> View:
    """The verdict, and a table for each policy."""
    result = migration.result
    steps = [step for steps in migration.policies.values() for step in steps]
    differing = sum(step.differs for step in steps)
    unknown = sum(step.is_unknown for step in steps)
    word = ("AS PREDICTED", "bold green") if not differing else ("DIFFERS", "bold red")
    after = f"after {differing or len(steps) - unknown} of {counted(len(steps), 'action')}"
    clients = ", ".join(f"{name} {version}" for name, version in sorted(result.clients.items()))
    parts: list[View] = [
        whole_line(word, f"  {after}"),
        line(),
        line(f"Kafka {result.release} with {clients or 'no client'}"),
    ]
    for policy, own in migration.policies.items():
        parts += [line(), line((f"group.consumer.migration.policy={policy}", "bold"))]
        parts.append(plain_table(_TITLES, map(_row, own)))
        parts += [line(f"  {each}") for each in _refusals(own)]
    parts += [line(), *(line(f"broken: {each}", style="red") for each in migration.broken)]
    parts.append(line(f"{result.seconds:.0f} s, at most {result.peak_mib:,.0f} MiB of memory"))
    if result.failed:
        parts.append(whole_line(f"ended early: {result.failed}"))
    parts += [line(), line(f"scripts and recordings: {result.folder}")]
    return stack(*parts)


def _row(step: MigrationStep) -> tuple[str, ...]:
    word = "unknown: " if step.is_unknown else "differs: " if step.differs else ""
    return step.action, step.predicted.words, word + step.seen.words


def _refusals(steps: tuple[MigrationStep, ...]) -> Iterator[str]:
    """Each error once, without the member that met it."""
    texts = (each.partition(": ")[2] for step in steps for each in step.errors)
    yield from dict.fromkeys(texts)
