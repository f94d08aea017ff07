"""Locations in the repository that tests read."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
TARGETS = ROOT / "tests" / "data" / "targets"
VECTORS = ROOT / "tests" / "data" / "vectors"
BASELINE = ROOT / "tests" / "data" / "baseline.json"
PUBLISHED = ROOT / "benchmarks" / "instances"
DATA = ROOT / "tests" / "data"
HELD = ROOT / "tests" / "data" / "held"
