"""Rules that are formulas, as unknowns of Z3: what a sentence can read off them, for groups of all sizes.

`docs/proofs.md` proves the formulas; here they give the largest and the smallest share in closed form. An
`exact` one has a group for every solution, so that a solution is a counterexample of that size; the others
allow more than there is, and can prove alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import z3  # type: ignore[import-untyped]


class Unknowns(NamedTuple):
    """Terms by the text that names them in a sentence, and what is known of the unknowns in them."""

    terms: Mapping[str, Any]
    known: tuple[Any, ...]
    shown: tuple[Any, ...] = ()


class ClosedForm(NamedTuple):
    """A rule's formula: under which conditions it is one, its unknowns, and those of one of its things."""

    needs: frozenset[str]
    whole: Callable[[], Unknowns]
    each: Mapping[str, Callable[[str], Unknowns]]
    exact: bool = True


_EQUAL: Final = frozenset({"equal_subscriptions"})
_BARE: Final = frozenset({"no_racks"})


def _range() -> Unknowns:
    """Topic t leaves r(t) over: the first r(t) members have one more. Of T topics k leave any, R in all.

    The first member has Q + k, the last Q; each k, R and Q within these bounds is that of some topics.
    """
    members, topics, partitions, q, k, r = z3.Ints("members topics partitions Q k R")
    known = (
        members >= 1,
        z3.Implies(topics == 0, partitions == 0),
        k >= 0,
        k <= topics,
        q >= topics - k,
        q >= 0,
        k <= r,
        r <= k * (members - 1),
        partitions == members * q + r,
    )
    return _loads(members, topics, partitions, q + k, q, known)


def _round_robin() -> Unknowns:
    """Partitions are dealt in turn: q each, and one more to the first r members."""
    members, topics, partitions, q, r = z3.Ints("members topics partitions q r")
    known = (
        members >= 1,
        q >= 0,
        r >= 0,
        r < members,
        partitions == members * q + r,
        topics <= partitions,
        topics >= z3.If(partitions > 0, 1, 0),
    )
    return _loads(members, topics, partitions, q + z3.If(r > 0, 1, 0), q, known)


def _ceiling() -> Unknowns:
    """One topic in blocks of N = ceil(P / C), until it is used up."""
    members, topics, partitions, n = z3.Ints("members topics partitions N")
    left = partitions - n * (members - 1)
    last = z3.If(left < 0, 0, z3.If(left < n, left, n))
    known = (members >= 1, partitions >= 1, topics == 1, n >= 1, n * members >= partitions)
    return _loads(members, topics, partitions, n, last, (*known, (n - 1) * members < partitions))


def _loads(
    members: Any, topics: Any, partitions: Any, most: Any, least: Any, known: tuple[Any, ...]
) -> Unknowns:
    terms = {
        "members": members,
        "topics": topics,
        "partitions": partitions,
        "max(load)": most,
        "min(load)": least,
        "sum(load)": partitions,
        "count(load)": members,
    }
    return Unknowns(terms, known, (members, partitions))


def _share(name: str) -> Unknowns:
    """A topic of n partitions with k readers: one more for some of them unless k divides n."""
    partitions, readers, q, r = (z3.Int(f"{what} {name}") for what in ("partitions", "readers", "q", "r"))
    known = (partitions >= 1, readers >= 1, q >= 0, r >= 0, r < readers, partitions == readers * q + r)
    terms = {"partitions": partitions, "readers": readers, "spread": z3.If(r > 0, 1, 0)}
    return Unknowns(terms, known, (readers, partitions))


def _nothing_known() -> Unknowns:
    """A group of which only single topics are spoken of."""
    members, topics, partitions = z3.Ints("members topics partitions")
    terms = {"members": members, "topics": topics, "partitions": partitions}
    return Unknowns(terms, (members >= 1, topics >= 0, partitions >= topics), (members, partitions))


def _placed() -> Unknowns:
    """Without racks leaders are dealt in turn; in a lap of all brokers each has `rf` replicas.

    So with AdminUtils, and with stripes, which are shuffled between laps and take `rf` brokers in a row.

    Of the last, broken lap of `part` partitions a broker has at most as many as these, and as `rf`.
    """
    brokers, partitions, rf, laps, part = z3.Ints("brokers partitions rf laps part")
    most, least = z3.Ints("most least")
    known = (
        brokers >= 1,
        partitions >= 1,
        rf >= 1,
        rf <= brokers,
        laps >= 0,
        part >= 0,
        part < brokers,
        partitions == laps * brokers + part,
        least <= most,
        most - least <= part,
        most - least <= rf,
        most - least <= brokers - part,
        most - least <= brokers - rf,
        least >= laps * rf,
        most <= (laps + 1) * rf,
        z3.Implies(part == 0, z3.And(most == laps * rf, least == laps * rf)),
    )
    terms = {
        "brokers": brokers,
        "partitions": partitions,
        "existing": z3.IntVal(0),
        "rf": rf,
        "racks": z3.IntVal(0),
        "max(leaders)": laps + z3.If(part > 0, 1, 0),
        "min(leaders)": laps,
        "sum(leaders)": partitions,
        "max(replicas)": most,
        "min(replicas)": least,
        "sum(replicas)": partitions * rf,
    }
    return Unknowns(terms, known, (brokers, partitions))


def _leaders_in_turn() -> Unknowns:
    """AdminUtils with racks: leaders go round a list of alternating racks, of whatever sizes."""
    brokers, partitions, rf, racks, laps, part = z3.Ints("brokers partitions rf racks laps part")
    known = (
        *(brokers >= 1, partitions >= 1, rf >= 1, rf <= brokers, racks >= 1, racks <= brokers),
        *(laps >= 0, part >= 0, part < brokers, partitions == laps * brokers + part),
    )
    terms = {
        "brokers": brokers,
        "partitions": partitions,
        "existing": z3.IntVal(0),
        "rf": rf,
        "racks": racks,
        "max(leaders)": laps + z3.If(part > 0, 1, 0),
        "min(leaders)": laps,
        "sum(leaders)": partitions,
        "sum(replicas)": partitions * rf,
    }
    return Unknowns(terms, known, (brokers, partitions))


def _striped() -> Unknowns:
    """Stripes over racks of as many brokers each: a lap is a number of whole turns of the racks."""
    brokers, partitions, rf, racks, each = z3.Ints("brokers partitions rf racks each")
    known = (
        *(racks >= 1, each >= 2, brokers == racks * each, brokers > racks),
        *(partitions >= 1, rf >= 1, rf <= racks),
    )
    terms = {"brokers": brokers, "partitions": partitions, "existing": z3.IntVal(0), "rf": rf, "racks": racks}
    return Unknowns(terms, known, (brokers, partitions))


def _striped_rack(name: str) -> Unknowns:
    """In a turn a rack leads once and has `rf` replicas, one of a partition; of the last, broken turn of
    `rest` partitions, each on `rf` racks in a row, it has at most one each, and as few as others can have.
    """
    partitions, rf, racks = z3.Ints("partitions rf racks")
    turns, rest, more, leads = (z3.Int(f"{what} {name}") for what in ("turns", "rest", "more", "leads"))
    known = (
        *(turns >= 0, rest >= 0, rest < racks, partitions == turns * racks + rest),
        *(more >= 0, more >= rf + rest - racks, more <= rf, more <= rest),
        *(leads >= 0, leads <= 1, leads <= rest, leads <= more),
    )
    terms = {"replicas": turns * rf + more, "leaders": turns + leads, "brokers": z3.Int("each")}
    return Unknowns(terms, known)


_UNRACKED: Final = frozenset({"no_racks", "no_existing", "no_fenced"})
_RACKED: Final = frozenset({"all_racks", "no_existing", "no_fenced"})
_UNRACKED_FORM: Final = ClosedForm(_UNRACKED, _placed, {}, exact=False)
_TOPIC: Final[Mapping[str, Callable[[str], Unknowns]]] = {"topics": _share}
FORMS: Final[Mapping[str, tuple[ClosedForm, ...]]] = {
    "range": (ClosedForm(_EQUAL | _BARE, _range, {}), ClosedForm(_BARE, _nothing_known, _TOPIC, exact=False)),
    "roundrobin": (
        ClosedForm(_EQUAL, _round_robin, {}),
        ClosedForm(_EQUAL, _nothing_known, _TOPIC, exact=False),
    ),
    "ceil-range": (ClosedForm(_EQUAL | {"topics == 1"}, _ceiling, {}),),
    "placement:rack-unaware": (_UNRACKED_FORM,),
    "placement:rack-aware": (_UNRACKED_FORM, ClosedForm(_RACKED, _leaders_in_turn, {}, exact=False)),
    "placement:striped": (
        _UNRACKED_FORM,
        ClosedForm(
            _RACKED | {"equal_racks", "rf <= racks", "brokers > racks"},
            _striped,
            {"racks": _striped_rack},
            exact=False,
        ),
    ),
}
"""The rules that are formulas, by spec; the first form that has all words of a sentence is taken.

Where `rack-aware` puts followers is no formula: each is looked for behind its leader, past racks that have
one. Stripes over racks of one broker each are none either: a list that was exhausted when a lap began may be
passed over when the next one does.
"""
