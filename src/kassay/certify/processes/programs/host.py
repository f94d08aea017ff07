"""Host of any program under test, with the same guard and limits as a Python class."""

from __future__ import annotations

from collections.abc import Mapping

from kassay.certify.processes.programs.dialect import ProgramCalls
from kassay.certify.processes.programs.objects import (
    BY_KIND,
    ProgramAssignor,
    ProgramDocument,
    ProgramObject,
)
from kassay.certify.processes.programs.rounds import ProgramRounds


class ProgramHost(ProgramCalls):
    """Creates objects of a program, in the full form of the kind that the program reports."""

    at_once: bool = True
    """Whether to use the interface for whole rounds, if the program has it."""

    @property
    def rounds(self) -> ProgramRounds | None:
        """The interface for whole rounds; the host keeps no reference, which would outlive the last user."""
        supports = self.supports
        opens = self.at_once and supports("new") and (supports("round") or supports("batch"))
        return ProgramRounds(self) if opens else None

    @property
    def unchanged(self) -> Mapping[str, str]:
        """The clock, the program's file, and the host name where the system has only one."""
        lacks = {
            **dict.fromkeys(("clock", "tick"), "only that of Python is shifted"),
            "modified": "a program's file",
        }
        wanted = self.start.surroundings is not None and self.start.surroundings.host_name is not None
        if wanted and self._guarded is not None and not self._guarded.renamed:
            lacks["host_name"] = "no namespaces here"
        return lacks

    def make(self, number: int, config: dict[str, str]) -> ProgramObject:
        """The object of this number."""
        if self.hello.form is not None:
            return ProgramDocument(self, number, config)
        return BY_KIND.get(self.hello.kind or "", ProgramAssignor)(self, number, config)
