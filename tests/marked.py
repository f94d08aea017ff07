"""The test files that need no import if only tests of one marker are requested.

Importing all of them takes longer than the tests of most environments. A file that does not contain the
marker's name is skipped; each collection checks that no skipped file has tests of the marker.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

MARKERS = frozenset(
    ("slow", "exhaustive", "fuzz", "spark", "java", "node", "aiokafka", "browser", "live", "release"),
)
"""The markers of CI's environments; `deep` is also set by helpers, and runs only by hand."""
ONE = re.compile(r"(\w+)(?: and not \w+)*")
NO_SKIPS = "KASSAY_NO_SKIPS"
"""The environment variable under which a skipped test fails."""
COMPUTED = "getattr(pytest.mark, "


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def asked(expression: str) -> str | None:
    """The single marker of all tests that the expression of `-m` selects, or None."""
    match = ONE.fullmatch(expression.strip())
    return match[1] if match and match[1] in MARKERS else None


def may_have(path: Path, marker: str) -> bool:
    """Whether a test of the file may have the marker."""
    text = _text(path)
    return f"mark.{marker}" in text or COMPUTED in text


def unforeseen(tests: Iterable[tuple[Path, Iterable[str]]]) -> list[str]:
    """Tests that would be skipped although they have a marker, as lines."""
    found = {
        f"{path}: has tests marked {marker}, and names pytest.mark.{marker} nowhere"
        for path, markers in tests
        for marker in markers
        if marker in MARKERS and not may_have(path, marker)
    }
    return sorted(found)


def mark_slow_cases(tests: Iterable[pytest.Item]) -> list[str]:
    """Mark as slow the cases whose ids `pytest.mark.slow_cases` names; the names that are no case, as lines."""
    named: set[tuple[str, str]] = set()
    found: set[tuple[str, str]] = set()
    for test in tests:
        function, _, case = test.nodeid.partition("[")
        for mark in test.iter_markers("slow_cases"):
            named |= {(function, name) for name in mark.args}
            if (key := (function, case.removesuffix("]"))) in named:
                found.add(key)
                test.add_marker(pytest.mark.slow)
    return sorted(
        f"{function}: has no case {name}, which slow_cases names" for function, name in named - found
    )


def unskipped(report: pytest.TestReport) -> pytest.TestReport:
    """The report of a test, as failed if it was skipped; one that is expected to fail stays as it is."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome, report.longrepr = "failed", f"{reason} ({NO_SKIPS} is set)"
    return report
