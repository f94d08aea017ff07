"""The smallest counterexample to a claim, and the worst case of a rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.hunts.document import answer, document
from kassay.engines.hunts.hunt import HuntOptions, HuntOutcome, SentenceHunt, hunt_claim
from kassay.engines.hunts.worst import STEPS, Badness, WorstCase, worst_case, worst_document
from kassay.engines.optimum.gaps import FAMILY, Hunt, kinds_of, require_measurable
from kassay.engines.optimum.gaps import hunt as hunt_gaps
from kassay.engines.processes.host import Limits
from kassay.engines.runs.certificate import Counterexample
from kassay.engines.runs.options import RunOptions, conditions, require_heeded
from kassay.engines.targets.given import TargetLike, loaded, several
from kassay.engines.targets.limits import CALL_TIMEOUT_S
from kassay.model.errors import InputError
from kassay.properties.claims import claims_given, parse_claim
from kassay.reading.documents import is_there, one_of
from kassay.report.blocks import Described
from kassay.report.files.formats import saved_example
from kassay.report.result import DescribedResult, PlottedResult, Progress, Result, no_progress
from kassay.writing.files import file_name, json_text, write_text
from kassay.writing.text import shortened

if TYPE_CHECKING:
    from kassay.engines.targets.resolve import Target
    from kassay.report.plot import Plot

SECONDS: Final = 30.0
GAP_SECONDS: Final = 20.0
"""The time for the instances farthest from the optimum."""


class Hunted(Result):
    """What `hunt` found: `HuntedClaims`, `WorstCases` or `WorstGaps`."""

    __slots__ = ()

    @property
    def counterexamples(self) -> tuple[Counterexample, ...]:
        """The histories that were found, in the order of targets and claims."""
        return ()

    def to_json(self) -> Any:
        """The document of each, in a list unless it is one."""
        documents = self.documents()
        return documents[0] if len(documents) == 1 else documents

    def documents(self) -> list[dict[str, Any]]:
        """The document of each."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class HuntedClaims(Hunted, DescribedResult):
    """A hunt for each claim on each target, with its outcome, proof, scope and counterexample."""

    hunts: tuple[SentenceHunt, ...]

    @property
    def counterexamples(self) -> tuple[Counterexample, ...]:
        """The counterexamples, in the order of targets and claims."""
        return tuple(each.example for each in self.hunts if each.example is not None)

    def summary(self) -> str:
        """The answer of a hunt, or how many have a counterexample."""
        if len(self.hunts) == 1:
            one = self.hunts[0]
            return f"{shortened(one.target.spec)}: {answer(one).partition(' (')[0]}"
        broken = sum(each.outcome is HuntOutcome.BROKEN for each in self.hunts)
        return f"{broken} of {len(self.hunts)} hunts found a counterexample"

    def documents(self) -> list[dict[str, Any]]:
        """A document `kassay/hunt/1` for each hunt."""
        return [document(each) for each in self.hunts]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each hunt; sizes are those of its counterexample."""
        return [_row(each) for each in self.hunts]

    def described(self) -> Described:
        """The counterexamples round by round, and what is known of each claim."""
        from kassay.report.described import hunts_described

        return hunts_described(self.hunts)


@dataclass(frozen=True, repr=False)
class WorstCases(Hunted, DescribedResult):
    """The worst case of each target at a size: a lower bound, with a proven upper bound if there is one."""

    cases: tuple[WorstCase, ...]

    @property
    def counterexamples(self) -> tuple[Counterexample, ...]:
        """The histories with the worst values."""
        return tuple(each.example for each in self.cases if each.example is not None)

    def summary(self) -> str:
        """The worst value of each target."""
        words = (f"{shortened(each.target.spec, 30)} {each.badness} {each.value}" for each in self.cases[:4])
        return ", ".join(words)

    def documents(self) -> list[dict[str, Any]]:
        """A document `kassay/worst/1` for each target."""
        return [worst_document(each) for each in self.cases]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each target."""
        names = ("target", "worst", "size", "value", "bound", "looked_at")
        return [{name: each[name] for name in names} for each in self.documents()]

    def described(self) -> Described:
        """The worst cases round by round."""
        from kassay.report.described import worst_described

        return worst_described(self.cases)


@dataclass(frozen=True, repr=False)
class WorstGaps(Hunted, PlottedResult):
    """The instances on which each target is farthest from the optimum; `paths` are their files, if written.

    `options` are the command-line words that repeat the target's configuration.
    """

    hunts: tuple[Hunt, ...]
    paths: Mapping[str, Mapping[str, str]]
    options: tuple[str, ...] = ()

    def summary(self) -> str:
        """The worst distance of each target from the optimum, by objective."""
        return ", ".join(f"{shortened(each.target.spec, 30)} {_gaps(each)}" for each in self.hunts[:3])

    def documents(self) -> list[dict[str, Any]]:
        """A document `kassay/gap-hunt/1` for each target."""
        return [each.to_json() for each in self.hunts]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each target and objective, with the worst gap."""
        return [
            {"target": each.target.spec, "objective": name, "gap": getattr(worst.gap, name)}
            for each in self.hunts
            for name, worst in each.worst.items()
        ]

    def plots(self) -> dict[str, Plot]:
        """Of each target its staircase: ever worse spreads by members, next to the optimum's."""
        from kassay.report.pages.gaps import staircase
        from kassay.report.plot import plot_of

        return {
            file_name("staircase", each.target.spec, suffix=""): plot_of(staircase(each))
            for each in self.hunts
            if each.stairs
        }

    def page(self, again: str = "") -> str:
        """The page `hunt.html`; `again` is the command that reproduces it."""
        from kassay.report.pages.gaps import render_hunt

        kept = {each.target.spec: self.paths.get(each.target.spec, {}) for each in self.hunts}
        return render_hunt(self.hunts, kept, self.options, again)


def _row(hunt: SentenceHunt) -> dict[str, Any]:
    example = hunt.example
    return {
        "target": hunt.target.spec,
        "claim": hunt.claim.id,
        "outcome": hunt.outcome.value,
        "answer": answer(hunt),
        "members": None if example is None else example.members,
        "partitions": None if example is None else example.partitions,
        "least": hunt.least,
    }


def _gaps(hunt: Hunt) -> str:
    worst = [f"{name} {getattr(each.gap, name)}" for name, each in hunt.worst.items()]
    return ", ".join(worst) or "at the optimum"


def hunt(
    claims: str | Sequence[str] = (),
    *,
    on: TargetLike | Iterable[TargetLike],
    worst: str | None = None,
    size: tuple[int, int] | None = None,
    histories: int | None = None,
    seconds: float | None = None,
    exhaustive: tuple[int, int] | None = None,
    config: Mapping[str, str] | None = None,
    seed: int = 0,
    out: str | PathLike[str] | None = None,
    progress: Progress = no_progress,
) -> Hunted:
    """Hunt for the smallest counterexample to each claim on each target, or for the worst case.

    `claims` are sentences such as `all t: spread(t) <= 1 where no_racks`, ids, or TOML files of sentences.
    Z3 tries a proof, then every group up to a size is tried (at most `exhaustive` members and partitions),
    then random `histories`, in `seconds` (30 by default). Without claims, `worst` names a figure (spread,
    leaders, moves, rounds, gap), of which a hill climb of `histories` steps (400) seeks the worst case at a
    `size` in members and partitions; gap without a size seeks the instances farthest from the optimum, for
    `seconds` (20). Traces and instances are written below the folder `out`, if given.

    Returns `HuntedClaims`, `WorstCases` or `WorstGaps`, in the order of the targets. Raises `InputError` for
    a claim or an option that does not fit, and `TargetError` for a target that cannot be loaded.

    >>> import kassay
    >>> hunted = kassay.hunt("max(load) - min(load) <= 1", on="range", exhaustive=(2, 3), histories=0)
    >>> hunted
    <HuntedClaims: range: minimal counterexample: 2 members, 2 partitions>
    >>> hunted.counterexamples[0].members
    2
    >>> kassay.hunt(on="range", worst="spread", size=(2, 3), histories=10)
    <WorstCases: range spread 2>
    """
    if claims and worst is not None:
        raise InputError("CLAIM and --worst: expected one of the two")
    options = RunOptions(seed=seed, limits=Limits(call_timeout_s=CALL_TIMEOUT_S), config=dict(config or {}))
    spelled = () if worst is not None else _spelled(claims)
    if worst is None and seconds is not None and histories is not None:
        raise InputError("time and histories: expected one of the two")
    place = None if out is None else Path(out)
    with loaded(several(on), **conditions(options)) as targets:
        if worst == Badness.GAP and size is None:
            return _worst_gaps(targets, options, seconds or GAP_SECONDS, place, progress)
        require_heeded(targets, options)
        if worst is not None:
            return _worst(targets, _badness(worst), size, options, histories, place, progress)
        limit = None if histories is not None else seconds or SECONDS
        how = HuntOptions(limit, histories, exhaustive, seed)
        return _hunts(targets, spelled, how, options, place, progress)


def _spelled(claims: str | Sequence[str]) -> tuple[str, ...]:
    """The claims, and the sentences of the files among them."""
    names = (claims,) if isinstance(claims, str) else tuple(claims)
    for name in names:
        if not name.endswith(".toml") and is_there(name):
            raise InputError(f"{name}: expected a file of named claims whose name ends in .toml")
    if not names:
        raise InputError("CLAIM: expected at least one, or a TOML file of them")
    sentences: list[str] = []
    for name in names:
        sentences += claims_given((name,)) if name.endswith(".toml") else (name,)
    return tuple(sentences)


def _hunts(
    targets: Sequence[Target],
    claims: Sequence[str],
    how: HuntOptions,
    options: RunOptions,
    out: Path | None,
    progress: Progress,
) -> HuntedClaims:
    """A hunt for each claim on each target; all claims are parsed before any hunt starts."""
    pairs = [(target, claim) for target in targets for claim in claims if parse_claim(claim, target.kind)]
    hunts = []
    for target, claim in pairs:
        each = hunt_claim(target, claim, how, options, _with_words(progress, target))
        hunts.append(replace(each, example=_kept(each.target, each.claim.id, each.example, out)))
    return HuntedClaims(tuple(hunts))


def _badness(worst: str) -> Badness:
    if worst not in [*Badness]:
        raise InputError(f"--worst: unknown figure {worst!r}; expected {one_of([*Badness], worst)}")
    return Badness(worst)


def _worst(
    targets: Sequence[Target],
    badness: Badness,
    size: tuple[int, int] | None,
    options: RunOptions,
    histories: int | None,
    out: Path | None,
    progress: Progress,
) -> WorstCases:
    if size is None:
        raise InputError(f"--worst {badness}: expected a size in members and partitions")
    steps = STEPS if histories is None else histories
    if not steps:
        raise InputError("--histories 0: a hill climb has at least one")
    cases = []
    for target in targets:
        case = worst_case(target, badness, size, options, steps, report=_with_words(progress, target))
        claim = "" if case.example is None else case.example.trace.claim
        cases.append(case._replace(example=_kept(target, claim, case.example, out)))
    return WorstCases(tuple(cases))


def _worst_gaps(
    targets: Sequence[Target], options: RunOptions, seconds: float, out: Path | None, progress: Progress
) -> WorstGaps:
    for target in targets:
        require_measurable(target, kinds_of(FAMILY))
    hunts = tuple(
        hunt_gaps(target, options.seed, seconds, _with_words(progress, target)) for target in targets
    )
    paths = {} if out is None else {each.target.spec: _written(each, out) for each in hunts}
    words = [word for name, value in options.config.items() for word in ("--config", f"{name}={value}")]
    return WorstGaps(hunts, paths, tuple(words))


def _with_words(progress: Progress, target: Target) -> Any:
    return lambda done: progress(done, f"on {target.spec}")


def _kept(
    target: Target, claim: str, example: Counterexample | None, out: Path | None
) -> Counterexample | None:
    """The counterexample, with the path of its trace if it is written."""
    if example is None or out is None:
        return example
    return saved_example(target.spec, claim, example, out / "traces")


def _written(hunt: Hunt, out: Path) -> dict[str, str]:
    """Write the worst instance of each objective; returns the paths by objective."""
    paths = {}
    for objective, worst in hunt.worst.items():
        path = str(out / "instances" / file_name(hunt.target.spec, objective, suffix=".json"))
        write_text(json_text(worst.problem.document(), indent=1) + "\n", path)
        paths[objective] = path
    return paths
