"""What a benchmark says and how it ends where something that it needs is not on this machine."""

from __future__ import annotations

import sys
from typing import Final, NoReturn

NOT_RUN: Final = 77
"""The exit code of a benchmark that lacks something, which is no failure."""


def lacks(what: str) -> NoReturn:
    """Say what is not there, and end."""
    print(f"not run: {what}", flush=True)
    sys.exit(NOT_RUN)
