"""Certify Kafka's own assignors and leave a report: `./dev demo`, or `python -m tests.demo`."""

from __future__ import annotations

import subprocess
import sys

COMMAND = (
    *("kassay", "certify", "range", "roundrobin", "sticky", "cooperative-sticky", "optimal-cooperative"),
    *("--time", "15s", "--jobs", "2", "--report", "html,markdown", "--out", ".kassay"),
)
VIOLATED = 1
"""The exit code of `kassay certify` where a target breaks a claim."""


def ending(code: int) -> str:
    """What to say at the end, by the exit code of `kassay certify`."""
    if code not in (0, VIOLATED):
        return f"kassay certify ended with {code}: no report"
    broken = "Some of Kafka's own assignors break claims; the report shows how: "
    return f"{broken if code else 'All claims hold: '}.kassay/report.html"


def main(arguments: list[str]) -> int:
    """Run the command with more arguments; 0 if there is a report, whatever it says."""
    code = subprocess.run([*COMMAND, *arguments], check=False).returncode
    print(f"\n{ending(code)}", flush=True)
    return 0 if code == VIOLATED else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
