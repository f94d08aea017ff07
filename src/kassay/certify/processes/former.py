"""Names that kassay's modules once had, so that classes written for them still load."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

MODULES: Final = {
    "kassay.model.assignor": "kassay.model.groups.assignor",
    "kassay.model.group": "kassay.model.groups.group",
    "kassay.model.int32": "kassay.model.java.int32",
    "kassay.model.metrics": "kassay.model.groups.metrics",
    "kassay.model.partitioner": "kassay.model.partitioners.partitioner",
    "kassay.model.randomness": "kassay.model.java.randomness",
}
"""The present name of a module by its former one."""

PACKAGES: Final = {
    "kassay.model.java": "kassay.model.java.hashes",
    "kassay.model.placement": "kassay.model.placement.request",
}
"""Former modules whose names are packages now: the module that holds what stood in them."""


class FormerNames(MetaPathFinder, Loader):
    """Asked for a module that nobody else finds: finds it under its present name."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  # importlib's signature
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """A spec for a former name, and for a value of a module that is a package now."""
        package, _, name = fullname.rpartition(".")
        if fullname in MODULES or hasattr(_held_by(package), name):
            return ModuleSpec(fullname, self)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Put what the name stands for in the place of the new module."""
        package, _, name = module.__name__.rpartition(".")
        present = MODULES.get(module.__name__)
        value = importlib.import_module(present) if present else getattr(_held_by(package), name)
        sys.modules[module.__name__] = value


def _held_by(package: str) -> ModuleType | None:
    return importlib.import_module(PACKAGES[package]) if package in PACKAGES else None


FORMER_NAMES: Final = FormerNames()
