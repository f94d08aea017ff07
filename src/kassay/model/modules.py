"""Imports all modules of a package, so that registries filled by decorators are complete."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache


@cache
def import_modules(package: str) -> None:
    """Import every module of a package and its subpackages, ordered by name."""
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)
