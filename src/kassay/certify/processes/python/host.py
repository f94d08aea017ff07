"""A Python class in a child process: what makes its objects, under a guard and limits."""

from __future__ import annotations

from kassay.assignors.plain.documents import FORMS
from kassay.assignors.plain.forms import FULL, PARTITIONER, PLACER
from kassay.certify.processes.python.calls import PythonCalls
from kassay.certify.processes.python.objects import (
    RemoteAssignor,
    RemoteDocument,
    RemoteFull,
    RemoteObject,
    RemotePartitioner,
    RemotePlacer,
)
from kassay.certify.processes.python.rounds import PythonRounds


class PythonHost(PythonCalls):
    """Makes objects of a Python class, in the full form of its kind."""

    at_once: bool = True
    """Whether to open the door for whole rounds."""

    @property
    def rounds(self) -> PythonRounds | None:
        """The door for whole rounds of a group; the host does not hold it, or would outlive its last user."""
        return PythonRounds(self) if self.at_once else None

    def make(self, number: int, config: dict[str, str]) -> RemoteObject:
        """The object of that number in the child."""
        self.register(number, config)
        forms = {PLACER: RemotePlacer, PARTITIONER: RemotePartitioner, FULL: RemoteFull}
        forms |= dict.fromkeys(FORMS, RemoteDocument)
        return forms.get(self.loaded.form, RemoteAssignor)(self, number)
