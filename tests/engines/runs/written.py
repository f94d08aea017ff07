"""A certificate written down by hand: claims as verdicts, broken on ordinary or contradictory input."""

from kassay.engines.runs.certificate import Certificate, ClaimResult, Counterexample
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.trace import Conditions, Trace


def result(
    claim: str, verdict: Verdict, *, contradictory: bool = False, known: str | None = None
) -> ClaimResult:
    """What became of one claim; a violated one has a counterexample."""
    counterexample = None
    if verdict is Verdict.VIOLATED:
        trace = Trace(
            CLIENT, "mine", None, RebalanceProtocol.EAGER, claim, contradictory, {}, ("no",),
            conditions=Conditions(),
        )  # fmt: skip
        counterexample = Counterexample(trace, 2, 3, 0, "no")
    return ClaimResult(
        claim, f"{claim}.", verdict, "", 9, 9, None, 1 if counterexample else 0, counterexample, known
    )


def certificate(*results: ClaimResult, target: str = "mine") -> Certificate:
    """The certificate of these results."""
    return Certificate(
        target=target, kind=CLIENT, protocol="eager", digest=None, seed=0, budget={"seconds": None, "histories": 9},
        profile="small", assume=(), histories=9, rebalances=20, claims=results, reached={},
        controls={"of": 0, "caught": 0, "unknown": 0, "missed": [], "unproven": []}, elapsed_s=0.5,
    )  # fmt: skip
