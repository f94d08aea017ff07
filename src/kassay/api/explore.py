"""Every state of a protocol model, with faults, and its invariants."""

from __future__ import annotations

import platform
import resource
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.protocols.explore import ExploreResult
from kassay.engines.protocols.explore import explore as run
from kassay.engines.protocols.options import assignor_of, settings_of
from kassay.engines.targets.given import TargetLike
from kassay.model.errors import InputError
from kassay.model.explore.values import Action, InvariantViolation, Severity, WalkLimits
from kassay.model.kinds import Verdict
from kassay.model.protocols.faults import Faults, parse_faults
from kassay.model.protocols.values.releases import NEWEST
from kassay.properties.protocols.registry import load_invariants
from kassay.reading.documents import one_of
from kassay.report.blocks import Described
from kassay.report.result import DescribedResult, Progress, Result, no_progress
from kassay.writing.text import counted

if TYPE_CHECKING:
    from kassay.engines.protocols.against import ReleaseComparison
    from kassay.engines.protocols.settings import ExploreSettings
    from kassay.engines.protocols.switch_runs import SwitchRow
    from kassay.model.explore.values import WalkProgress

FINGERPRINTS_FROM: Final = 10_000_000
"""With more states than this allowed, fingerprints are stored: whole states need some 200 bytes each."""
EACH: Final = "each"
STATES: Final = ("whole", "symmetric", "fingerprints")
_SPARK: Final = "spark."


class Explored(Result):
    """What `explore` found: an `ExploredModel`, `ComparedReleases`, or `BrokenRules`."""

    __slots__ = ()

    @property
    @abstractmethod
    def verdict(self) -> Verdict:
        """Holds, violated, or unknown if a limit was reached first."""

    @property
    def holds(self) -> bool:
        """Whether the verdict is that it holds."""
        return self.verdict is Verdict.HOLDS

    @property
    def violations(self) -> tuple[InvariantViolation[Any], ...]:
        """The violated invariants, each with its shortest trace."""
        return ()

    @property
    def trace(self) -> tuple[Action, ...]:
        """The steps to the first violation, dead end, livelock or difference; () if there is none."""
        return ()


@dataclass(frozen=True, repr=False)
class ExploredModel(Explored):
    """The reachable states of a model; `result` has the graph, dead ends, livelocks, all findings."""

    result: ExploreResult

    @property
    def verdict(self) -> Verdict:
        """Holds, violated, or unknown if a limit was reached first."""
        return self.result.verdict

    @property
    def states(self) -> int:
        """The number of states."""
        return self.result.exploration.states

    @property
    def violations(self) -> tuple[InvariantViolation[Any], ...]:
        """The violated invariants, each with its shortest trace; not those that Kafka violates by design."""
        return tuple(v for v in self.result.exploration.violations if v.severity is Severity.REAL)

    @property
    def trace(self) -> tuple[Action, ...]:
        """The steps to the first violation, dead end or livelock; () if there is none."""
        live = self.result.exploration.liveness
        stuck = (*live.dead_ends, *live.livelocks) if live else ()
        first = next(iter((*(v.trace for v in self.violations), *(each.trace for each in stuck))), ())
        return tuple(step.action for step in first if step.action is not None)

    def summary(self) -> str:
        """The verdict with what is violated, and the number of states."""
        from kassay.report.screen.exploration import reasons

        names = reasons(self.result)
        what = f" ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})" if names else ""
        return f"{self.result.model} {self.verdict}{what}, {counted(self.states, 'state')}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/explore/5`."""
        return self.result.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each invariant with a finding, those that Kafka violates by design among them."""
        return [
            {
                "invariant": each.invariant,
                "id": load_invariants()[each.invariant].short,
                "severity": str(each.severity),
                "steps": each.length,
                "seen": each.seen,
                "message": each.message,
            }
            for each in self.result.exploration.violations
        ]

    def page(self, again: str = "") -> str:
        """The page `exploration.html`; `again` is the command that reproduces it."""
        from kassay.report.pages.exploration import render

        return render(self.result, again=again)


@dataclass(frozen=True, repr=False)
class ComparedReleases(DescribedResult, Explored):
    """Two releases of a model, side by side; violated if a trace is possible in one of them only."""

    result: ReleaseComparison

    @property
    def verdict(self) -> Verdict:
        """Holds if the releases do not differ."""
        if self.result.differs:
            return Verdict.VIOLATED
        return Verdict.UNKNOWN if self.result.limit else Verdict.HOLDS

    @property
    def trace(self) -> tuple[Action, ...]:
        """The shortest trace to the first difference; () if there is none."""
        return self.result.trace

    def summary(self) -> str:
        """Whether the two differ, and after how many steps."""
        settings, word = self.result.settings, self.to_json()["verdict"]
        steps = f" after {counted(len(self.trace), 'step')}" if self.result.differs else ""
        return f"{settings.model} in {settings.release} and {self.result.against}: {word}{steps}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/explore-against/1`."""
        return self.result.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each step of the trace."""
        return [{"step": number, "action": str(each)} for number, each in enumerate(self.trace, start=1)]

    def described(self) -> Described:
        """The comparison as blocks."""
        from kassay.report.explored import against_described

        return against_described(self.result)


@dataclass(frozen=True, repr=False)
class BrokenRules(DescribedResult, Explored):
    """A model with one rule broken after another; holds if the expected check finds each, and no more."""

    switches: tuple[SwitchRow, ...]

    @property
    def verdict(self) -> Verdict:
        """Holds if each broken rule is found as expected."""
        return Verdict.HOLDS if all(each.holds for each in self.switches) else Verdict.VIOLATED

    def summary(self) -> str:
        """How many rules are found as expected."""
        good = sum(each.holds for each in self.switches)
        return f"{good} of {counted(len(self.switches), 'broken rule')} found as expected"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/switches/2`."""
        from kassay.report.screen.exploration import rows_json

        return rows_json(self.switches)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each broken rule."""
        return [
            {
                **each,
                "expected": " ".join(each["expected"]),
                "found": " ".join(s["kind"] for s in each["found"]),
            }
            for each in self.to_json()["switches"]
        ]

    def described(self) -> Described:
        """The broken rules as blocks."""
        from kassay.report.explored import switches_described

        return switches_described(self.switches)


def explore(
    model: str,
    *,
    members: int = 2,
    partitions: int = 2,
    topics: int | Sequence[int] = 1,
    faults: str | Mapping[str, int] = "",
    switches: str | Sequence[str] = (),
    release: str = NEWEST,
    against: str | None = None,
    assignor: TargetLike | None = None,
    protocol: str | None = None,
    network: str = "atomic",
    records: int = 0,
    clock: str = "timeless",
    config: Mapping[str, str] | None = None,
    max_states: int = 500_000,
    seconds: float | None = None,
    states: str | None = None,
    all_causes: bool = False,
    jobs: int = 1,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Explored:
    """Explore every reachable state of a protocol model and check its invariants.

    `model` is one of `kassay list models`, `topics` the number of topics, or each client's, `faults` the
    budget of each fault, `switches` names rules to change, `config` sets properties. `network` is atomic,
    steps or astray, `clock` timeless or ticks. The exploration ends after `max_states` or `seconds`; `states`
    are stored whole, symmetric or as fingerprints. With `all_causes`, a trace for each cause is kept.

    `against` another release, the two are compared; with `switches="each"`, each rule is broken in turn, at
    its own size. Spark explores by the command only.

    Returns an `ExploredModel`, `ComparedReleases` or `BrokenRules`: each has `holds`, `violations` and
    `trace`. Raises `InputError` for what the model does not have, and `TargetError` for an assignor that
    cannot be loaded.

    >>> import kassay
    >>> explored = kassay.explore("kip848", partitions=1, faults={"crash": 1})
    >>> explored
    <ExploredModel: kip848 holds, 188 states>
    >>> broken = kassay.explore("zookeeper", switches="zk_no_owner_guard")
    >>> broken.holds, [each.invariant for each in broken.violations], len(broken.trace)
    (False, ['single-current-owner'], 6)
    """
    if not isinstance(topics, int) and not topics:
        raise InputError("topics: found none, expected a number, or one for each client")
    names = (switches,) if isinstance(switches, str) else tuple(switches)
    if EACH in names:
        return _each_rule(model, release, progress)
    properties = dict(config or {})
    if any(name.startswith(_SPARK) for name in properties):
        raise InputError("config: Spark explores by the command only, kassay explore --config spark.master=M")
    with assignor_of(assignor, model) as loaded:
        settings = settings_of(
            model,
            members=members,
            partitions=partitions,
            topics=(topics,) if isinstance(topics, int) else tuple(topics),
            faults=faults_of(faults),
            switches=names,
            release=release,
            assignor=loaded,
            protocol=protocol,
            network=network,
            records=records,
            clock=clock,
            properties=properties,
        )
        limits = WalkLimits(max_states, seconds, all_causes=all_causes and jobs == 1)
        if against is not None:
            from kassay.engines.protocols.against import compare_releases

            return ComparedReleases(compare_releases(settings, against, limits))
        symmetry, fingerprints = _stored(states, max_states, jobs, settings)

        def report(walked: WalkProgress) -> None:
            progress(walked.states, words_of(walked))

        result = run(
            settings,
            limits,
            seed=seed,
            symmetry=symmetry,
            fingerprints=fingerprints,
            jobs=jobs,
            progress=report,
        )
        return ExploredModel(result)


def faults_of(faults: str | Mapping[str, int]) -> Faults:
    """The budget of faults: `crash=1,pause=1`, or a count by name; raises `InputError`."""
    if isinstance(faults, str):
        return parse_faults(faults)
    return parse_faults(",".join(f"{name}={count}" for name, count in faults.items()))


def _each_rule(model: str, release: str, progress: Progress) -> BrokenRules:
    from kassay.engines.protocols.switch_runs import names_of, rows
    from kassay.engines.protocols.switches import SWITCHES
    from kassay.model.protocols.values.releases import RELEASES

    models = tuple(dict.fromkeys(switch.model for switch in SWITCHES.values()))
    if model not in models:
        raise InputError(f"no switches for model {model!r}; expected {one_of(models, model)}")
    if release not in RELEASES:
        raise InputError(f"--release: unknown release {release!r}; expected {one_of(RELEASES, release)}")
    if not names_of(model, release):
        raise InputError(f"--release: {model} is older than {release}; expected another model")
    return BrokenRules(rows(model, progress, release))


def _stored(
    states: str | None, max_states: int, jobs: int, settings: ExploreSettings
) -> tuple[bool | None, bool]:
    """Whether symmetric states are one (None: by size), and whether states are stored as fingerprints."""
    if states is not None and states not in STATES:
        raise InputError(f"states: found {states!r}, expected {one_of(STATES, states)}")
    symmetry = {"whole": False, "symmetric": True}.get(states or "")
    if states is not None:
        return symmetry, states == "fingerprints"
    large = max_states > FINGERPRINTS_FROM and jobs == 1
    return symmetry, large and settings.network != "astray"


def words_of(walked: WalkProgress) -> str:
    """Progress of the exploration: depth, rate, memory."""
    rate = walked.states / walked.elapsed_s if walked.elapsed_s else 0.0
    return f"{walked.states:,} states, depth {walked.depth}, {rate:,.0f}/s, {_peak_mib():,} MiB"


def _peak_mib() -> int:
    """The peak memory of this process, or of a child process that has ended, in MiB."""
    unit = 1 << 20 if platform.system() == "Darwin" else 1 << 10
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(whose).ru_maxrss for whose in both) // unit
