"""A leaderboard as one HTML page: claims, gaps, moves, rounds and time of every target on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kassay.engines.optimum.rank import Ranked
from kassay.model.kinds import Verdict
from kassay.report.pages.gap_views import GapView, TableView, gap_bars, gap_histograms, round_histograms
from kassay.report.pages.gaps import failures, finding
from kassay.report.pages.layout import fragment
from kassay.report.pages.layout import render as page
from kassay.writing.text import percent

_LOOKS = {Verdict.HOLDS: "ok", Verdict.VIOLATED: "bad", Verdict.UNKNOWN: "warn"}


def render(
    ranked: Sequence[Ranked],
    source: str,
    order: Sequence[str],
    seed: int,
    *,
    missing: Mapping[str, str],
    again: str,
) -> str:
    """The whole page; `missing` are the targets that are not installed, with how to install them."""
    return page(
        "gaps",
        ("figures", "findings"),
        view=view_of(ranked, source, order, seed, missing=missing, again=again),
    )


def view_of(
    ranked: Sequence[Ranked],
    source: str,
    order: Sequence[str],
    seed: int,
    *,
    missing: Mapping[str, str],
    again: str,
) -> GapView:
    """The page's contents for a leaderboard."""
    gaps = [each.gaps for each in ranked]
    codes = {each.exit_code for each in ranked}
    word, look, subject, said = finding(gaps)
    broken = [each.spec for each in ranked if each.claims(Verdict.VIOLATED)]
    if broken:
        said, look = f"{said} Claims are violated by {', '.join(broken)}.", "bad"
    elif look == "ok" and not codes <= {0}:
        look = "warn"
    instances = max((each.instances for each in gaps), default=0)
    return GapView(
        kind="leaderboard",
        word=word,
        look=look,
        subject=subject,
        said=said,
        facts=(
            ("targets", str(len(ranked))),
            ("instances", f"{instances:,} ({source})"),
            ("goals", ", ".join(order)),
            ("seed", str(seed)),
        ),
        failures=tuple(failures(gaps)),
        doubts=tuple(_doubts(ranked, missing)),
        leaderboard=_leaderboard(ranked),
        bars=gap_bars(gaps),
        claims=_claims(ranked),
        histograms=gap_histograms(gaps),
        rounds=round_histograms(gaps),
        again=again,
    )


def _doubts(ranked: Sequence[Ranked], missing: Mapping[str, str]) -> Iterator[str]:
    for each in ranked:
        if each.invalid:
            yield f"{each.spec} breaks {', '.join(each.invalid)} on ordinary input."
        if unknown := each.claims(Verdict.UNKNOWN):
            yield f"{each.spec}: unknown within the budget are {', '.join(unknown)}."
    for spec, what in missing.items():
        yield f"{spec} is not here: {what}"


def _leaderboard(ranked: Sequence[Ranked]) -> TableView:
    rows = []
    for place, each in enumerate(ranked, 1):
        balance = each.gaps.distributions["balance"]
        rows.append(
            (
                place,
                each.spec,
                f"{len(each.claims(Verdict.HOLDS))} of {len(each.certificate.claims)}",
                "no" if each.invalid else "yes",
                f"{each.balance:,}",
                "-" if balance is None else f"{balance.worst:,}",
                "-" if balance is None else percent(balance.at_zero),
                f"{each.moves:+,}",
                f"{each.mismatches:+,}",
                f"{each.gaps.rounds:,}",
                f"{each.gaps.seconds:.2f}",
            )
        )
    head = (
        *("#", "target", "claims", "valid", "balance gap", "worst", "at zero"),
        *("moves", "mismatches", "rounds", "seconds"),
    )
    words = (
        "By instances failed, then balance gap, moves, rack mismatches and rounds. Claims and time are shown "
        "and do not decide: one rare input can cost a claim, and time is not the same on any two machines."
    )
    return TableView(head, tuple(rows), (0, 4, 5, 6, 7, 8, 9, 10), words)


def _claims(ranked: Sequence[Ranked]) -> TableView:
    """One row per claim, one column per target."""
    verdicts = {each.spec: {claim.id: claim.verdict for claim in each.certificate.claims} for each in ranked}
    ids = dict.fromkeys(claim for known in verdicts.values() for claim in known)
    rows = (
        (
            claim,
            *(
                fragment("components", "badge", str(known[claim]), _LOOKS[known[claim]])
                if claim in known
                else "-"
                for known in verdicts.values()
            ),
        )
        for claim in ids
    )
    return TableView(("claim", *verdicts), tuple(rows))
