"""A target, certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.engines.processes.host import LIMITS, Limits
from kassay.engines.runs.certificate import Certificate, ClaimResult
from kassay.engines.runs.options import (
    DEFAULT_SECONDS,
    Budget,
    RunOptions,
    conditions,
    protocol_named,
    require_heeded,
)
from kassay.engines.runs.run import Report, RunProgress
from kassay.engines.runs.run import certify as run
from kassay.engines.targets.given import TargetLike, loaded
from kassay.model.kinds import Verdict
from kassay.properties.assumptions import parse_assumptions
from kassay.properties.claims import claims_given
from kassay.properties.registry import split_claims
from kassay.report import facts
from kassay.report.files.formats import with_saved_traces
from kassay.report.result import Progress, Result, no_progress
from kassay.writing.text import counted, shortened

if TYPE_CHECKING:
    from kassay.engines.targets.resolve import Target


@dataclass(frozen=True, repr=False)
class Certification(Result):
    """The certificate of a target; `result["balanced-within-one"]` is the result of a claim."""

    certificate: Certificate

    @property
    def verdict(self) -> str:
        """`certified`, `not-certified` or `unknown`."""
        return self.certificate.verdict

    @property
    def violated(self) -> tuple[str, ...]:
        """The ids of the violated claims: those violated on ordinary input first, then the most frequent."""
        shown = facts.findings(self.certificate)
        rest = (each for each in self.claims if each.verdict is Verdict.VIOLATED and each not in shown)
        return tuple(each.id for each in (*shown, *rest))

    @property
    def unknown(self) -> tuple[str, ...]:
        """The ids of the claims that the run could not decide."""
        return tuple(each.id for each in self.certificate.claims if each.verdict is Verdict.UNKNOWN)

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """Each claim with its verdict, counts and `counterexample`, if there is one."""
        return self.certificate.claims

    def __getitem__(self, claim: str) -> ClaimResult:
        """The result of the claim of this id, with or without its argument; raises `KeyError`."""
        for each in self.claims:
            if claim in (each.id, each.id.partition(":")[0]):
                return each
        raise KeyError(f"{claim}: not checked; the claims are {', '.join(each.id for each in self.claims)}")

    def summary(self) -> str:
        """The verdict, or the first violated claim with the size of its counterexample."""
        target = shortened(self.certificate.target)
        findings = facts.findings(self.certificate)
        if findings and findings[0].counterexample is not None:
            size = facts.size(findings[0].counterexample).partition(";")[0]
            more = f", and {counted(len(findings) - 1, 'more claim')}" if len(findings) > 1 else ""
            return f"{target} breaks {shortened(findings[0].id)} ({size}){more}"
        holding = counted(sum(each.verdict is Verdict.HOLDS for each in self.claims), "claim")
        word = "holds" if holding.startswith("1 ") else "hold"
        return f"{target} is {self.verdict}: {holding} {word}, {len(self.unknown)} unknown"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/certificate/5`."""
        return self.certificate.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each claim; sizes are of the smallest counterexample."""
        return [_row(each) for each in self.claims]

    def page(self, again: str = "") -> str:  # noqa: ARG002 (its findings have commands of their own)
        """The page `report.html`, without the tests that the command adds to it."""
        from kassay.report.pages.certificates import render

        return render([self.certificate])


def _row(result: ClaimResult) -> dict[str, Any]:
    example = result.counterexample
    return {
        "claim": result.id,
        "verdict": result.verdict.value,
        "checked": result.checked,
        "failed": result.failed,
        "members": None if example is None else example.members,
        "partitions": None if example is None else example.partitions,
        "message": "" if example is None else example.message,
        "why": result.why,
    }


def certify(
    target: TargetLike,
    *,
    claims: str | Sequence[str] | None = None,
    assume: Sequence[str] = (),
    protocol: str | None = None,
    histories: int | None = None,
    seconds: float | None = None,
    profile: str = "small",
    exhaustive: tuple[int, int] | None = None,
    seed: int = 0,
    config: Mapping[str, str | Sequence[str]] | None = None,
    call_timeout: float | None = None,
    memory: int = LIMITS.memory_mib,
    in_process: bool = False,
    controls: bool = True,
    jobs: int = 1,
    out: str | PathLike[str] | None = None,
    progress: Progress = no_progress,
) -> Certification:
    """Run generated histories against a target, and check validity and the claims that it declares.

    `target` is a spec (`sticky`, `path/file.py:Name`, `jar:...`), a path, or a class at the top level of a
    module (of a script that calls this below `if __name__ == "__main__"`). `claims` (ids, sentences, TOML
    files) replace validity and the declared ones. The budget is `histories` or `seconds` (30 by default), or
    every group up to `exhaustive` members and partitions. `assume` narrows the inputs; a list as a `config`
    value configures members in rotation. A call may take `call_timeout` seconds (2; 20 unless the `profile`
    is small) and `memory` MiB. `in_process` runs the code without a guard, `controls` runs faulty assignors
    as well. Traces of violated claims are written below the folder `out`, if given.

    Returns the verdict of each claim, a violated one with the smallest history found. Raises `InputError` for
    an option that does not fit and `TargetError` if the target cannot be loaded; an interrupt ends the run,
    and what was found so far is returned.

    >>> import kassay
    >>> result = kassay.certify("ceil-range", claims="topic-even", histories=60, controls=False)
    >>> result
    <Certification: ceil-range breaks topic-even (3 members, 4 partitions)>
    >>> result.verdict, result.violated
    ('not-certified', ('topic-even',))
    >>> result["topic-even"].counterexample.message
    'topic-even: ...'
    """
    options = run_options(
        claims=claims,
        assume=assume,
        protocol=protocol,
        histories=histories,
        seconds=seconds,
        profile=profile,
        exhaustive=exhaustive,
        seed=seed,
        config=config,
        call_timeout=call_timeout,
        memory=memory,
        in_process=in_process,
        controls=controls,
        jobs=jobs,
    )
    with loaded([target], **conditions(options)) as ready:
        require_heeded(ready, options)
        return certified(ready[0], options, out, lambda now: progress(now.share, words_of(now)))


def run_options(
    *,
    claims: str | Sequence[str] | None,
    assume: Sequence[str],
    config: Mapping[str, str | Sequence[str]] | None,
    protocol: str | None = None,
    histories: int | None = None,
    seconds: float | None = None,
    profile: str = "small",
    call_timeout: float | None = None,
    memory: int = LIMITS.memory_mib,
    **others: Any,
) -> RunOptions:
    """The arguments of `certify` as options; raises `InputError`."""
    given_config = config or {}
    rotating = {key: value for key, value in given_config.items() if not isinstance(value, str)}
    names = split_claims(claims) if isinstance(claims, str) else claims
    if seconds is None and histories is None:
        seconds = DEFAULT_SECONDS
    timeout = (2.0 if profile == "small" else 20.0) if call_timeout is None else call_timeout
    return RunOptions(
        claims=None if names is None else claims_given(names),
        assume=parse_assumptions(list(assume)),
        protocol=None if protocol is None else protocol_named(protocol),
        budget=Budget(seconds, histories),
        profile=profile,
        limits=Limits(timeout, memory),
        config={key: value for key, value in given_config.items() if isinstance(value, str)},
        member_config=tuple((key, tuple(values)) for key, values in rotating.items()),
        **others,
    )


def certified(
    target: Target, options: RunOptions, out: str | PathLike[str] | None, report: Report
) -> Certification:
    """The certification of a loaded target; traces of violated claims are written below `out`, if given."""
    certificate = run(target, options, report)
    if out is not None and any(result.counterexample for result in certificate.claims):
        certificate = with_saved_traces(certificate, Path(out))
    return Certification(certificate)


def words_of(now: RunProgress) -> str:
    """The progress of a run in words."""
    return f"{now.phase}: {now.histories} histories, {now.findings} findings"
