"""Rules that are formulas, as unknowns of Z3: the terms of a sentence, for groups of all sizes.

`docs/proofs.md` proves the formulas; here they give the largest and the smallest share in closed form. An
`exact` one has a group for every solution, so that a solution is a counterexample of that size; the others
allow more than exists, and can only prove.

Next to each formula stand the answers that any rule could give: each partition to one of its readers or to no
member.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import z3  # type: ignore[import-untyped]

from kassay.solver.proofs.placed import PLACED
from kassay.solver.proofs.unknowns import AnyAnswer, ClosedForm, Unknowns

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
    return _loads(members, topics, partitions, q + k, q, partitions, known)


def _round_robin() -> Unknowns:
    """Partitions are assigned round robin: q each, and one more to the first r members."""
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
    return _loads(members, topics, partitions, q + z3.If(r > 0, 1, 0), q, partitions, known)


def _ceiling() -> Unknowns:
    """One topic in blocks of N = ceil(P / C), until it is used up."""
    members, topics, partitions, n = z3.Ints("members topics partitions N")
    left = partitions - n * (members - 1)
    last = z3.If(left < 0, 0, z3.If(left < n, left, n))
    known = (
        *(members >= 1, partitions >= 1, topics == 1),
        *(n >= 1, n * members >= partitions, (n - 1) * members < partitions),
    )
    return _loads(members, topics, partitions, n, last, partitions, known)


def _any_loads() -> Unknowns:
    """Any loads of members that read the same topics."""
    members, topics, partitions, most, least, total = z3.Ints("members topics partitions most least total")
    known = (
        *(members >= 1, topics >= 0, partitions >= topics, z3.Implies(topics == 0, partitions == 0)),
        *(least >= 0, most >= least, total <= partitions),
        *(total >= most + (members - 1) * least, total <= least + (members - 1) * most),
    )
    return _loads(members, topics, partitions, most, least, total, known)


def _any_loads_of_one_topic() -> Unknowns:
    """Any loads of members that read one topic."""
    loads = _any_loads()
    return loads._replace(known=(*loads.known, loads.terms["topics"] == 1))


def _loads(
    members: Any,
    topics: Any,
    partitions: Any,
    most: Any,
    least: Any,
    total: Any,
    known: tuple[Any, ...],
) -> Unknowns:
    terms = {
        "members": members,
        "topics": topics,
        "partitions": partitions,
        "max(load)": most,
        "min(load)": least,
        "sum(load)": total,
        "count(load)": members,
    }
    return Unknowns(terms, known, (members, partitions))


def _share(name: str) -> Unknowns:
    """A topic of n partitions with k readers: one more for some of them unless k divides n."""
    partitions, readers, q, r = (z3.Int(f"{what} {name}") for what in ("partitions", "readers", "q", "r"))
    known = (partitions >= 1, readers >= 1, q >= 0, r >= 0, r < readers, partitions == readers * q + r)
    terms = {"partitions": partitions, "readers": readers, "spread": z3.If(r > 0, 1, 0)}
    return Unknowns(terms, known, (readers, partitions))


def _any_share(name: str) -> Unknowns:
    """A topic of which each reader may have any share."""
    partitions, readers, spread = (z3.Int(f"{what} {name}") for what in ("partitions", "readers", "spread"))
    known = (
        *(partitions >= 1, readers >= 1, spread >= 0, spread <= partitions),
        z3.Implies(readers == 1, spread == 0),
    )
    return Unknowns({"partitions": partitions, "readers": readers, "spread": spread}, known)


def _nothing_known() -> Unknowns:
    """A group of which only single topics are known."""
    members, topics, partitions = z3.Ints("members topics partitions")
    terms = {"members": members, "topics": topics, "partitions": partitions}
    return Unknowns(terms, (members >= 1, topics >= 0, partitions >= topics), (members, partitions))


_TOPIC: Final[Mapping[str, Callable[[str], Unknowns]]] = {"topics": _share}
_LOADS: Final = AnyAnswer(_any_loads, {})
_SHARES: Final = AnyAnswer(_nothing_known, {"topics": _any_share})
FORMS: Final[Mapping[str, tuple[ClosedForm, ...]]] = {
    "range": (
        ClosedForm(_EQUAL | _BARE, _range, {}, _LOADS),
        ClosedForm(_BARE, _nothing_known, _TOPIC, _SHARES, exact=False),
    ),
    "roundrobin": (
        ClosedForm(_EQUAL, _round_robin, {}, _LOADS),
        ClosedForm(_EQUAL, _nothing_known, _TOPIC, _SHARES, exact=False),
    ),
    "ceil-range": (
        ClosedForm(_EQUAL | {"topics == 1"}, _ceiling, {}, AnyAnswer(_any_loads_of_one_topic, {})),
    ),
    **PLACED,
}
"""The rules that are formulas, by spec, the sharper form first."""
