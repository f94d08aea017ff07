"""kassay inside your own tests.

    from kassay.testing import certify_assignor

    def test_my_assignor():
        certify_assignor("path/to/my_assignor.py", claims=["balanced-kip54"], histories=500)

With pytest, `pytest --kassay path/to/my_assignor.py` adds the same test without code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any, Final

from kassay import certify
from kassay.engines.processes.host import LIMITS, Limits
from kassay.engines.processes.load import TargetSource, load
from kassay.engines.runs.certificate import Certificate
from kassay.engines.runs.options import protocol_named
from kassay.engines.targets.given import TargetLike
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError, KassayError
from kassay.model.kinds import Verdict
from kassay.model.trace import Conditions, Trace
from kassay.properties.assumptions import parse_assumptions
from kassay.reading.documents import read_sentences
from kassay.reading.specs import place_and_class

HISTORIES: Final = 450
OUT: Final = ".kassay"
"""The folder of the traces of violated claims, as with the command."""


class NotCertifiedError(AssertionError):
    """A claim is violated or unknown; `certificate` has the details."""

    def __init__(self, certificate: Certificate) -> None:
        super().__init__(failure_text(certificate))
        self.certificate = certificate

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.certificate!r})"


def certify_assignor(
    target: TargetLike,
    *,
    claims: Sequence[str] | None = None,
    claims_file: str | Path | None = None,
    assume: Sequence[str] = (),
    protocol: str | None = None,
    histories: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    profile: str = "small",
    config: Mapping[str, str] | None = None,
    call_timeout: float | None = None,
    memory: int = LIMITS.memory_mib,
    isolated: bool = True,
    controls: bool = True,
    allow_unknown: bool = False,
    out: str | Path = OUT,
) -> Certificate:
    """Certify a target and return its certificate, under the conditions of exit code 0 of `kassay certify`.

    `target` is a target spec or a class at the top level of a module. `claims` (at least one) replace
    validity and the target's declared claims; the sentences of `claims_file` are added to them. `assume`
    narrows the inputs. The budget is `histories` (default 450) or `seconds`. A call is limited to
    `call_timeout` seconds (default 2; 20 unless the `profile` is small) and `memory` MiB. `isolated` runs the
    code in a child process under a guard; without it, an endless loop in C, or one that catches every
    exception, never ends. `controls` runs the built-in faulty assignors on the same histories; the
    certificate's `controls` has the results. Traces of violated claims are written to the folder `traces` of
    `out`.

    Raises `NotCertifiedError` for a violated claim, with the shrunk history as a table and the command that
    replays it, and for an unknown claim, with what is missing (unless `allow_unknown`); `InputError` or a
    target error if the target cannot be tested; `KeyboardInterrupt` if interrupted without a violation.
    """
    __tracebackhide__ = True
    if histories is None and seconds is None:
        histories = HISTORIES
    if claims_file is not None:
        claims = (
            *((claims,) if isinstance(claims, str) else claims or ()),
            *read_sentences(Path(claims_file)),
        )
    certificate = certify(
        target,
        claims=claims,
        assume=assume,
        protocol=protocol,
        histories=histories,
        seconds=seconds,
        profile=profile,
        seed=seed,
        config=config,
        call_timeout=call_timeout,
        memory=memory,
        in_process=not isolated,
        controls=controls,
    ).certificate
    if certificate.exit_code == 130:
        raise KeyboardInterrupt
    accepted = {0, 3} if allow_unknown else {0}
    if certificate.exit_code not in accepted:
        raise NotCertifiedError(_with_traces(certificate, Path(out)))
    return certificate


def load_class(spec: str) -> type:
    """The class of `path/file.py[:Name]` or `pkg.mod[:Name]`, loaded into this process as kassay loads it.

    Raises `TargetNotLoadable` if there is no such class.
    """
    place, name = place_and_class(spec)
    is_path = place.endswith(".py") or "/" in place
    source = TargetSource(**{"file" if is_path else "module": place}, class_name=name or None)
    return load(source)[0]


def violations(
    target: str,
    claim: str,
    case: Mapping[str, Any],
    *,
    protocol: str | None = None,
    config: Mapping[str, str] | None = None,
    assume: Sequence[str] = (),
    beside: Sequence[str] = (),
    call_timeout: float = LIMITS.call_timeout_s,
    memory: int = LIMITS.memory_mib,
) -> list[str]:
    """The target's violations of the claim on the case, one line each; empty if the claim holds.

    `case` is that of a trace: a history or a request as dicts and lists. `beside` names further claims to
    check, because of their repeated calls. Raises `InputError` for a claim or a case that does not fit the
    target's kind, and a target error if the target cannot be called.
    """
    __tracebackhide__ = True
    from kassay.engines.runs.replay import Playback, replay

    limits = Limits(call_timeout, memory)
    own = None if protocol is None else protocol_named(protocol)
    loaded = resolve(target, limits=limits, config=config, protocol=own)
    conditions = Conditions(
        config=dict(config or {}),
        call_timeout_s=call_timeout,
        memory_mib=memory,
        assume=tuple(sorted(parse_assumptions(list(assume)))),
        also_checked=tuple(beside),
    )
    trace = Trace(
        loaded.kind, loaded.spec, None, loaded.protocol, claim, False, case, (), conditions=conditions
    )
    replayed = replay(Playback(Path("case"), trace, loaded, conditions, ()))
    if replayed.verdict is Verdict.UNKNOWN:
        raise InputError(f"{claim}: unknown, {replayed.why}")
    return list(replayed.violations)


def differences(
    left: str,
    right: str,
    case: Mapping[str, Any],
    *,
    by: str = "answer",
    lead: str = "left",
    protocols: tuple[str, str] | None = None,
    config: Mapping[str, str] | None = None,
    assume: Sequence[str] = (),
    call_timeout: float = LIMITS.call_timeout_s,
    memory: int = LIMITS.memory_mib,
) -> list[str]:
    """The differences between two targets' answers to the case, one line each; empty if they agree.

    `case` is that of a difference; its history continues with the answers of the target in `lead`. Raises
    `InputError` for targets of different kinds and for a case of another kind, and a target error.
    """
    __tracebackhide__ = True
    from kassay.engines.diff.compare import By, Lead
    from kassay.engines.diff.document import Side, TargetDifference
    from kassay.engines.diff.replay import opened
    from kassay.engines.diff.run import lines_of

    kind = resolve(left, config=config).kind
    own = protocols or tuple(resolve(each, config=config).protocol.value for each in (left, right))
    sides = [Side(spec, protocol=protocol_named(name)) for spec, name in zip((left, right), own, strict=True)]
    conditions = Conditions(
        config=dict(config or {}),
        call_timeout_s=call_timeout,
        memory_mib=memory,
        assume=tuple(sorted(parse_assumptions(list(assume)))),
    )
    difference = TargetDifference(kind, sides[0], sides[1], By(by), Lead(lead), False, case, (), conditions)
    with opened(difference, Path("case")) as (comparison, read, _):
        return list(lines_of(comparison.compare(read)))


def _with_traces(certificate: Certificate, out: Path) -> Certificate:
    """The certificate with its traces saved, or with a note if they cannot be saved."""
    from kassay.report.files.formats import with_saved_traces

    try:
        return with_saved_traces(certificate, out)
    except InputError as error:
        return replace(certificate, notes=(*certificate.notes, f"no trace was saved: {error}"))


def failure_text(certificate: Certificate) -> str:
    """The certificate as plain text: what is violated in one line, then each counterexample as a table."""
    from kassay.report import facts
    from kassay.report.screen.console import console
    from kassay.report.screen.terminal import certificate_view

    out = StringIO()
    console(file=out).show(certificate_view(certificate))
    lines = [facts.sentence(certificate), "", out.getvalue()]
    results = [result.verdict for result in certificate.claims]
    if certificate.verdict == "unknown" or Verdict.UNKNOWN in results:
        lines.append("expected a larger budget (histories, seconds), or claims and assumptions that fit")
    return "\n".join([*lines, *_as_test(certificate)])


def _as_test(certificate: Certificate) -> list[str]:
    """The first counterexample as a test to paste; empty if none can be repeated."""
    from kassay.engines.causes.as_python import example_as_python

    example = next((result.counterexample for result in certificate.claims if result.counterexample), None)
    if example is None:
        return []
    try:
        return ["as a test of its own:", "", example_as_python(example.trace)]
    except KassayError:
        return []
