"""The coordinator model compared with Kafka's own, for a terminal."""

from __future__ import annotations

from kassay.engines.conform.run import ConformCause, ConformResult
from kassay.engines.genuine.coordinator import KAFKAS
from kassay.report.screen.console import View, line, stack, whole_line
from kassay.writing.text import counted


def conform_view(result: ConformResult) -> View:
    """The steps compared, the differences, what Kafka breaks, what was not driven, and the verdict."""
    total = sum(result.steps.values())
    kinds = ", ".join(f"{kind} {steps:,}" for kind, steps in sorted(result.steps.items()))
    runtime = "in Kafka's own runtime, " if result.settings.runtime == KAFKAS else ""
    parts: list[View] = [
        line(f"Kafka {result.settings.release} and the model, {runtime}seed {result.settings.seed}"),
        line(f"{total:,} steps of {counted(result.histories, 'history')} ({kinds})"),
        line(f"{result.seconds:.0f} s, {result.rate:.0f} steps/s"),
        line(),
        line("differences between the model and Kafka", style="bold"),
    ]
    parts += _causes(result.differences)
    parts += [line(), line("invariants that Kafka breaks", style="bold")]
    parts += _causes(result.broken)
    parts += [
        line(),
        line("not driven", style="bold"),
        *(line(f"  {each}") for each in result.settings.not_driven),
    ]
    return stack(*parts, line(), _verdict(result))


def _causes(causes: tuple[ConformCause, ...]) -> list[View]:
    parts: list[View] = []
    for cause in causes:
        known = cause.known
        word = f"known as {known.letter}: {known.words}" if known else "new"
        many = counted(cause.histories, "history")
        parts.append(line(f"  {cause.cause} ({many}, {word})", style="" if known else "red"))
        if known is None:
            parts += [whole_line(f"      {each}") for each in cause.script]
            parts.append(line(f"      {cause.text}"))
    return parts or [line("  none")]


def _verdict(result: ConformResult) -> View:
    new = sum(cause.known is None for cause in result.broken)
    differences = counted(len(result.differences), "difference")
    words = f"{differences}, {new} new about Kafka"
    return line(words, style="bold green" if result.holds else "bold red")
