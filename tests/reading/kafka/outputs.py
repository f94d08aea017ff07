"""The committed outputs of Kafka's tools."""

from __future__ import annotations

from tests.paths import ROOT

FOLDER = ROOT / "tests" / "data" / "kafka-tools"


def output(name: str) -> str:
    """The text of a fixture."""
    return (FOLDER / name).read_text(encoding="utf-8")
