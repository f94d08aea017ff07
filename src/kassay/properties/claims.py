"""A user's spelling of a claim: a claim of the registry, or a sentence of the claim language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from kassay.model.errors import InputError
from kassay.model.kinds import Kind
from kassay.properties.registry import Claim, ClaimKind, is_sentence, load_claims
from kassay.properties.sentences.claims import require_sentence, sentence_claim
from kassay.reading.documents import at, read_sentences, suggestion


def claim_kind_of(kind: Kind, spelled: str) -> ClaimKind | None:
    """The claim that a user spelled, without its argument; None where the kind has none of that name."""
    if is_sentence(spelled):
        try:
            return parse_claim(spelled, kind).kind
        except InputError:
            return None
    return load_claims().get((kind, spelled.partition(":")[0]))


def parse_claim(spelled: str, kind: Kind) -> Claim:
    """The claim that a user spelled: `converges:2`, or a sentence; raises `InputError` if there is none."""
    if is_sentence(spelled):
        return sentence_claim(spelled, kind)
    claims = load_claims()
    name, colon, argument = spelled.strip().partition(":")
    held = claims.get((kind, name))
    if held is None:
        known = sorted({key[1] for key in claims if key[0] == kind})
        elsewhere = sorted({str(key[0]) for key in claims if key[1] == name})
        hint = (
            f"it is a claim of kind {', '.join(elsewhere)}, the target is of kind {kind}"
            if elsewhere
            else _expected(spelled, known)
        )
        raise InputError(f"unknown claim {spelled!r}: {hint}")
    if colon:
        _check_argument(held, argument)
    return Claim(held, argument if colon else None)


def require_claims(spelled: Iterable[str], where: str = "") -> None:
    """Raise `InputError`, which begins with `where`, for a claim of no kind at all."""
    known = {claim_id for _, claim_id in load_claims()}
    for each in spelled:
        if is_sentence(each):
            require_sentence(each)
        elif each.partition(":")[0] not in known:
            raise InputError(f"{where}unknown claim {each!r}: {_expected(each, sorted(known))}")


def claims_given(names: Iterable[str]) -> tuple[str, ...]:
    """The claims of these names, and the sentences of the TOML files among them.

    Raises `InputError` for a claim of no kind, and a file without sentences.
    """
    claims: list[str] = []
    for name in names:
        if not name.endswith(".toml"):
            require_claims((name,))
            claims.append(name)
            continue
        sentences = read_sentences(Path(name))
        with at(name):
            require_claims(sentences)
        claims += sentences
    return tuple(claims)


def _expected(spelled: str, known: Sequence[str]) -> str:
    """The accepted values for a message: known claims, or a sentence where the text looks like one."""
    if not {"(", " "}.isdisjoint(spelled.strip()):
        more = spelled.count("(") - spelled.count(")")
        uneven = "a ( is not closed, " if more > 0 else "a ) closes nothing, " if more else ""
        return f"{uneven}expected a comparison, such as max(load) - min(load) <= 1"
    name = spelled.partition(":")[0]
    return f"expected one of `kassay list claims`{suggestion(name, known)}, or a sentence"


def _check_argument(held: ClaimKind, argument: str) -> None:
    """Raise `InputError` for an argument that the claim does not take."""
    if held.parameter is None:
        raise InputError(f"{held.id}:{argument}: {held.id} takes no argument")
    held.parameter.require(held.id, argument)
