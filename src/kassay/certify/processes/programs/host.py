"""Any program under test: what makes its objects, under the same guard and limits as a Python class."""

from __future__ import annotations

from kassay.certify.processes.programs.dialect import ProgramCalls
from kassay.certify.processes.programs.objects import (
    BY_KIND,
    ProgramAssignor,
    ProgramDocument,
    ProgramObject,
)
from kassay.certify.processes.programs.rounds import ProgramRounds


class ProgramHost(ProgramCalls):
    """Makes objects of a program, in the full form of the kind that it says it is of."""

    at_once: bool = True
    """Whether to open the door for whole rounds, where the program has one."""

    @property
    def rounds(self) -> ProgramRounds | None:
        """The door for whole rounds of a group; the host does not hold it, or would outlive its last user."""
        supports = self.supports
        opens = self.at_once and supports("new") and (supports("round") or supports("batch"))
        return ProgramRounds(self) if opens else None

    def make(self, number: int, config: dict[str, str]) -> ProgramObject:
        """The object of that number."""
        if self.hello.form is not None:
            return ProgramDocument(self, number, config)
        return BY_KIND.get(self.hello.kind or "", ProgramAssignor)(self, number, config)
