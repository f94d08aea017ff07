"""Any program under test: what makes its objects, under the same guard and limits as a Python class."""

from __future__ import annotations

from kassay.certify.processes.programs.dialect import ProgramCalls
from kassay.certify.processes.programs.objects import (
    ProgramAssignor,
    ProgramDocument,
    ProgramObject,
    ProgramPartitioner,
    ProgramPlacer,
)
from kassay.certify.processes.programs.rounds import ProgramRounds


class ProgramHost(ProgramCalls):
    """Makes objects of a program, in the full form of the kind that it says it is of."""

    def begin(self) -> None:
        """A new process that has said hello; raises `TargetNotLoadable`."""
        super().begin()
        at_once = self.supports("new") and (self.supports("round") or self.supports("batch"))
        self.rounds = ProgramRounds(self) if at_once else None

    def make(self, number: int, config: dict[str, str]) -> ProgramObject:
        """The object of that number."""
        if self.hello.form is not None:
            return ProgramDocument(self, number, config)
        kinds = {"placer": ProgramPlacer, "partitioner": ProgramPartitioner}
        return kinds.get(self.hello.kind or "", ProgramAssignor)(self, number, config)
