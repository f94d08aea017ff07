"""A cause in one paragraph: where the claim breaks, what matters, which clause, and what a fix must do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kassay.certify.causes.cause import Cause
from kassay.certify.causes.remedy import Remedy, remedy
from kassay.kinds.registry import driver_for
from kassay.model.calls import Look
from kassay.model.trace import Trace
from kassay.properties.registry import Claim, as_text

_NAMED_MAX: Final = 4
_ASKED: Final = {
    Look.AGAIN.value: "again",
    Look.OTHER.value: "of another object",
    Look.PERMUTED.value: "in another order",
    Look.PROCESS.value: "in another process",
}


def paragraph(trace: Trace, claim: Claim | None, cause: Cause | None, why_not: str = "") -> str:
    """The sentences of the paragraph; `why_not` says why the trace could not be replayed."""
    broken = (cause.broken if cause and cause.broken else trace.broken)[:1]
    sentences = [f"{trace.target} breaks {trace.claim}{_where(trace, broken)}."]
    if broken or trace.violations:
        sentences.append(f"{_evidence(broken[0]) if broken else trace.violations[0].partition(': ')[2]}.")
    sentences += matters(cause, why_not)
    if claim is not None:
        sentences.append(f'The clause broken is "{claim.sentence.rstrip(".")}" ({claim.source}).')
        fix = remedy(claim, broken[0] if broken else None)
        sentences.append(f"{fix.sentence}.")
        if fix.common is not None:
            sentences.append(f"{Remedy(fix.common, is_derived=False).sentence}.")
    possible = cause.could_be if cause and cause.could_be else trace.could_be
    if possible is not None:
        by = "" if possible["certified"] else f" ({possible['by']})"
        sentences.append(f"Here the answer could be {possible['words']}{by}.")
    return " ".join(sentences)


def _evidence(broken: Mapping[str, Any]) -> str:
    """The subject of the evidence, and the facts."""
    facts = [
        f"asked {_ASKED.get(value, value)}" if name == "asked" else f"{name} {as_text(value)}"
        for name, value in broken["facts"].items()
    ]
    subject = str(broken["subject"])
    one = subject.removesuffix("s") if subject == "1 partitions" else subject
    return one + (f": {', '.join(facts)}" if facts else "")


def _where(trace: Trace, broken: Sequence[Mapping[str, Any]]) -> str:
    """At which step, in the words of the kind."""
    if not broken or not trace.narration:
        return ""
    return driver_for(trace.kind).place_words(trace.narration, broken[0]["step"], broken[0]["round"])


def matters(
    cause: Cause | None,
    why_not: str,
    *,
    kept: str = "the claim is kept",
    broken: str = "it did not break it",
    still: str = "it is broken",
) -> list[str]:
    """What the violation needs, found by leaving out each part and replaying the rest.

    `kept` says what holds without the part, `broken` is the outcome for a case that is no longer valid for
    the kind, and `still` describes a case that is valid.
    """
    if cause is None:
        return [f"What matters in it cannot be tried: {why_not}."]
    if cause.repeated is not None:
        return [
            f"Its answers differ from play to play: played again just now, it broke the claim "
            f"{cause.repeated}, so what matters in the case is not tried."
        ]
    if not cause.breaks:
        return [f"Played again just now {broken}, so what matters in it cannot be tried."]
    sentences = []
    named = [*cause.events, *cause.conditions]
    if named:
        sentences.append(f"What matters: {_few(named)}; without {_any(named)} {kept}.")
    if cause.extents:
        begin = "" if named else "No event, claim or setting matters. "
        sentences.append(f"{begin}It takes {_few(cause.extents)}: with one less {kept}.")
    if not named and not cause.extents:
        sentences.append(f"Nothing in the case matters: with anything left out {still} all the same.")
    if needless := [words for words in cause.needless if words not in named]:
        sentences.append(f"It does not take {_few(needless)}.")
    return sentences


def _any(named: Sequence[str]) -> str:
    return "it" if len(named) == 1 else "any of these"


def _few(named: Sequence[str]) -> str:
    shown = list(named[:_NAMED_MAX])
    rest = len(named) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {rest} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
