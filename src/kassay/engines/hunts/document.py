"""A hunt as the document `kassay/hunt/1`, and its result in one line."""

from __future__ import annotations

from typing import Any, Final

from kassay.engines.hunts.hunt import HuntOutcome, SentenceHunt
from kassay.engines.runs.verdicts import without
from kassay.kinds.registry import driver_for
from kassay.solver.proofs.obligation import ProofVerdict
from kassay.writing.text import counted

SCHEMA: Final = "kassay/hunt/1"
NO_CONFLICT: Final = "no-conflicting-claims"


def answer(hunt: SentenceHunt) -> str:
    """The result of the hunt, and the engine that found it."""
    if hunt.outcome is HuntOutcome.BROKEN:
        return _counterexample(hunt)
    parts = []
    if hunt.vacuous is not None:
        return f"unknown: vacuous: {hunt.vacuous}"
    if hunt.proof is not None and hunt.proof.verdict is ProofVerdict.PROVED:
        where = f" where {' and '.join(hunt.proof.lacking)}" if hunt.proof.lacking else ""
        parts.append(f"proved for all sizes{where} (Z3, {hunt.proof.elapsed_s:.2f} s)")
    if hunt.outcome is HuntOutcome.HOLDS:
        parts.append(f"holds for all {scope_words(hunt)} ({counted(hunt.scope.judged, 'check')})")
    cases = counted(hunt.histories, hunt.target.kind.nouns.case)
    if hunt.histories:
        minimum = hunt.claim.kind.minimum
        few = f", {minimum} needed" if hunt.checked < minimum else ""
        parts.append(f"{counted(hunt.checked, 'check')} passed in {cases}{few}")
    if hunt.outcome is HuntOutcome.UNKNOWN:
        parts.insert(0, "unknown")
    return "; ".join(parts)


def scope_words(hunt: SentenceHunt) -> str:
    """The finished scope: `groups up to 3 x 4 without racks`."""
    things = hunt.target.kind.nouns.worlds
    full, fresh = hunt.scope.finished, hunt.scope.finished_fresh
    if full is None or full == fresh:
        members, partitions = full or fresh or (0, 0)
        without = "" if full else " without a past"
        return f"{things}{without} up to {members} x {partitions}{_cut(hunt)}"
    assert fresh is not None
    past = f"those without a past up to {fresh[0]} x {fresh[1]}"
    return f"{things} up to {full[0]} x {full[1]} and {past}{_cut(hunt)}"


def _up_to(hunt: SentenceHunt) -> str:
    """The scope in which all smaller cases were tried: ` up to 2 x 2 without racks`."""
    within = hunt.scope.within
    return "" if within is None else f" up to {within[0]} x {within[1]}{_cut(hunt)}"


def _cut(hunt: SentenceHunt) -> str:
    """What was not tried: ` without racks, weights assuming no-static`; empty where nothing is left out.

    No hunt counts input that contradicts itself.
    """
    kind = hunt.target.kind
    contradictory = ("conflicting input",) if NO_CONFLICT in kind.assumptions else ()
    words = without((*driver_for(kind).left_out, *contradictory))
    assumed = f" assuming {', '.join(hunt.assume)}" if hunt.assume else ""
    return (f" {words}" if words else "") + assumed


def _counterexample(hunt: SentenceHunt) -> str:
    example = hunt.example
    assert example is not None
    nouns = hunt.target.kind.nouns
    sizes = [counted(example.members, nouns.who), counted(example.partitions, nouns.what)]
    if nouns.event and example.events:
        sizes.append(counted(example.events, nouns.event))
    where = ", ".join(sizes)
    if hunt.scope.by_proof:
        return f"minimal counterexample: {where} (Z3 proves that no smaller size has one)"
    if hunt.least:
        tried = counted(hunt.scope.tried, hunt.target.kind.nouns.case)
        return f"minimal counterexample: {where} (all smaller cases{_up_to(hunt)} checked: {tried})"
    return f"smallest counterexample found: {where}"


def document(hunt: SentenceHunt) -> dict[str, Any]:
    """The hunt as JSON."""
    scope = hunt.scope

    def words(size: tuple[int, int] | None) -> str | None:
        return None if size is None else f"{size[0]}x{size[1]}"

    return {
        "schema": SCHEMA,
        "target": hunt.target.spec,
        "kind": hunt.target.kind.name,
        "claim": hunt.claim.id,
        "seed": hunt.seed,
        "outcome": hunt.outcome.value,
        "answer": answer(hunt),
        "vacuous": hunt.vacuous,
        "narrowed_by": list(hunt.narrowed_by),
        "least": hunt.least,
        "proof": None
        if hunt.proof is None
        else {
            "verdict": hunt.proof.verdict.value,
            "lacking": list(hunt.proof.lacking),
            "conditions_hold_at": words(hunt.proof.model),
            "breakable_at": words(hunt.proof.breakable),
            "elapsed_s": round(hunt.proof.elapsed_s, 3),
        },
        "scope": {
            "finished": words(scope.finished),
            "finished_without_pasts": words(scope.finished_fresh),
            "tried": scope.tried,
            "applied": scope.applied,
            "checked": scope.judged,
        },
        "histories": hunt.histories,
        "applied": hunt.applied,
        "checked": hunt.checked,
        "counterexample": None if hunt.example is None else hunt.example.to_json(),
        "elapsed_s": round(hunt.elapsed_s, 3),
    }
