"""Progress of a run as JSON lines: `kassay/events/1`.

Each line has the event (`event`) and the seconds since the start of the command (`elapsed_s`). Events:
`run-started`, `target-loaded`, `target-not-loaded`, `progress`, `claim-violated`, `shrunk`, `verdict` and
`run-ended`. Lines of one target are contiguous, in the order of the targets.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, Final

from kassay import __version__
from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.certify.runs.options import RunOptions
from kassay.certify.runs.run import RunProgress
from kassay.certify.targets.resolve import Target
from kassay.cli.options import write_line
from kassay.cli.output import reader_gone
from kassay.model.errors import InputError
from kassay.model.verdict import Verdict
from kassay.report import facts
from kassay.writing.documents import json_text

SCHEMA: Final = "kassay/events/1"
_SIZES: Final = ("input", "members", "partitions", "events", "message")
"""The fields reported of a counterexample; its file has the rest."""


@dataclass
class Events:
    """The event stream of one run, to a file or, for `-`, to standard output; lines are flushed at once."""

    path: str
    _started: float = field(default_factory=time.monotonic)
    _file: FileIO | None = None
    _violated: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path != "-":
            try:
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
                self._file = Path(self.path).open("wb", buffering=0)  # noqa: SIM115  # for the whole call
            except OSError as error:
                raise self._unwritable(error) from None

    def run_started(self, specs: Sequence[str], options: RunOptions) -> None:
        """The run starts."""
        budget = asdict(options.budget)
        about = {"kassay": __version__, "seed": options.seed, "profile": options.profile, "budget": budget}
        self._tell("run-started", schema=SCHEMA, **about, targets=[*specs])

    def target_loaded(self, target: Target) -> None:
        """The target can be called."""
        about = {"kind": target.kind.name, "protocol": target.protocol.value, "digest": target.digest}
        self._tell("target-loaded", target=target.spec, **about, claims=[*target.claims])

    def target_not_loaded(self, spec: str, message: str) -> None:
        """The target could not be loaded or started."""
        self._tell("target-not-loaded", target=spec, message=message)

    def progress(self, target: str, now: RunProgress) -> None:
        """A block of histories was played, a counterexample shrunk, or a control caught.

        Raises `KeyboardInterrupt` if the reader of the events has gone: the run ends with its results so far.
        """
        for claim in now.broken:
            self._violation(target, claim)
        if now.shrunk is not None:
            self._shrunk(target, now.shrunk)
        else:
            about = {"phase": now.phase, "histories": now.histories, "findings": now.findings}
            self._tell("progress", target=target, **about)
        if self._file is None and reader_gone():
            raise KeyboardInterrupt

    def verdict(self, certificate: Certificate) -> None:
        """The target's verdicts, with the files of its counterexamples."""
        for result in certificate.claims:
            if result.verdict is Verdict.VIOLATED:
                self._violation(certificate.target, result.id)
        claims = [
            {"id": result.id, "verdict": facts.mark(result), "trace": _trace(result)}
            for result in certificate.claims
        ]
        about = {"verdict": certificate.verdict, "exit_code": certificate.exit_code, "claims": claims}
        self._tell("verdict", target=certificate.target, **about, warnings=facts.warnings(certificate))

    def run_ended(self, exit_code: int) -> None:
        """The run has ended."""
        self._tell("run-ended", exit_code=exit_code)
        if self._file is not None:
            self._file.close()

    def _violation(self, target: str, claim: str) -> None:
        """The claim is violated; reported once per target."""
        known = self._violated.setdefault(target, set())
        if claim not in known:
            known.add(claim)
            self._tell("claim-violated", target=target, claim=claim)

    def _shrunk(self, target: str, result: ClaimResult) -> None:
        if (example := result.counterexample) is not None:
            document = example.to_json()
            about = {key: document[key] for key in _SIZES}
            self._tell("shrunk", target=target, claim=result.id, **about)

    def _tell(self, event: str, **about: Any) -> None:
        document = {"event": event, "elapsed_s": round(time.monotonic() - self._started, 3), **about}
        if self._file is None:
            write_line(document)
            return
        try:
            self._file.write(f"{json_text(document, compact=True)}\n".encode())
        except OSError as error:
            self._file.close()
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"--events {self.path}: cannot be written ({error.strerror})")


def _trace(result: ClaimResult) -> str | None:
    return None if result.counterexample is None else result.counterexample.path
