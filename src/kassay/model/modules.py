"""The modules of a package, imported: how registries that decorators fill find what stands in a folder."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache


@cache
def import_modules(package: str) -> None:
    """Import every module of a package and of the packages within, in the order of their names."""
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)
