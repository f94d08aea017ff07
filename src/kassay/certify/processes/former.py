"""Former names of kassay's modules, so that classes written for them still load."""

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
    "kassay.model.int32": "kassay.model.java",
    "kassay.model.metrics": "kassay.model.groups.metrics",
    "kassay.model.partitioner": "kassay.model.partitioners.partitioner",
    "kassay.model.randomness": "kassay.model.java",
}
"""The present name of a module, by its former one."""

PACKAGES: Final = {
    "kassay.model.placement": "kassay.model.placement.request",
}
"""Former modules whose names are packages now: the module that has their content."""


class FormerNames(MetaPathFinder, Loader):
    """Last finder on the path: resolves former module names to the present ones."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  # importlib's signature
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """A spec for a former name, or for a name in a module that is now a package."""
        package, _, name = fullname.rpartition(".")
        if fullname in MODULES or hasattr(_held_by(package), name):
            return ModuleSpec(fullname, self)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Replace the new module by the one that the name resolves to."""
        package, _, name = module.__name__.rpartition(".")
        present = MODULES.get(module.__name__)
        value = importlib.import_module(present) if present else getattr(_held_by(package), name)
        sys.modules[module.__name__] = value


def _held_by(package: str) -> ModuleType | None:
    return importlib.import_module(PACKAGES[package]) if package in PACKAGES else None


FORMER_NAMES: Final = FormerNames()
