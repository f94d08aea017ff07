# ruff: noqa
"""Ends whoever imports it."""

import sys

print("leaving")
sys.exit(4)
