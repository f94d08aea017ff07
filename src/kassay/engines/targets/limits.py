"""Limits of calls where a target is measured, not tested."""

from __future__ import annotations

from typing import Final

CALL_TIMEOUT_S: Final = 20.0
"""The limit of a call in seconds."""
