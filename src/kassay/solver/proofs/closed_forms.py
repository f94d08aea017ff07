"""Rules that are formulas, as unknowns of Z3: the terms of a sentence, for groups of all sizes.

`docs/proofs.md` proves the formulas; here they give the largest and the smallest share in closed form.
An `exact` one has a group for every solution, so that a solution is a counterexample of that size; the
others allow more than exists, and can only prove.

The parts of a closed form: terms of Z3 by the words of a sentence, and the facts about them.

*Placers*: replicas and leaders of brokers and racks, for new topics of all sizes. A *lap* is as many
partitions as there are brokers, a *turn* as many as there are racks. Each formula allows a little more than
there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import z3  # type: ignore[import-untyped]


class Unknowns(NamedTuple):
    """Terms by the text that names them in a sentence, and the facts about their unknowns."""

    terms: Mapping[str, Any]
    known: tuple[Any, ...]
    shown: tuple[Any, ...] = ()


class AnyAnswer(NamedTuple):
    """The unknowns of a closed form without its rule: the same inputs, and every possible answer."""

    whole: Callable[[], Unknowns]
    each: Mapping[str, Callable[[str], Unknowns]]


class ClosedForm(NamedTuple):
    """A rule's formula: its conditions, its unknowns, and those of one of its things.

    A claim that holds for `anything`, whatever the rule answers, says nothing about the rule.
    """

    needs: frozenset[str]
    whole: Callable[[], Unknowns]
    each: Mapping[str, Callable[[str], Unknowns]]
    anything: AnyAnswer
    exact: bool = True


def _and(unknowns: Unknowns, terms: Mapping[str, Any], *known: Any) -> Unknowns:
    """The known facts and these."""
    return unknowns._replace(terms={**unknowns.terms, **terms}, known=(*unknowns.known, *known))


_NO_RACKS: Final[Mapping[str, Any]] = {
    "racks": z3.IntVal(0),
    "no_racks": z3.BoolVal(True),
    "all_racks": z3.BoolVal(False),
    "equal_racks": z3.BoolVal(True),
}
"""Brokers without a rack."""


def _racked(racks: Any) -> Mapping[str, Any]:
    """Every broker in one of the racks."""
    return {"racks": racks, "no_racks": z3.BoolVal(False), "all_racks": z3.BoolVal(True)}


def _topic() -> Unknowns:
    """A new topic, whichever rule places it."""
    brokers, partitions, rf = z3.Ints("brokers partitions rf")
    terms = {"brokers": brokers, "partitions": partitions, "existing": z3.IntVal(0), "rf": rf}
    return Unknowns(terms, (brokers >= 1, partitions >= 1, rf >= 1, rf <= brokers), (brokers, partitions))


def _laps() -> Unknowns:
    """Leaders go round all brokers."""
    brokers, partitions, rf, laps, part = z3.Ints("brokers partitions rf laps part")
    terms = {
        "max(leaders)": laps + z3.If(part > 0, 1, 0),
        "min(leaders)": laps,
        "sum(leaders)": partitions,
        "sum(replicas)": partitions * rf,
    }
    known = (laps >= 0, part >= 0, part < brokers, partitions == laps * brokers + part)
    return _and(_topic(), terms, *known)


def _lap_broker(name: str) -> Unknowns:
    """A broker that leads in the last, broken lap, or does not."""
    laps, part = z3.Ints("laps part")
    leads = z3.Int(f"leads {name}")
    return Unknowns({"leaders": laps + leads}, (leads >= 0, leads <= 1, leads <= part))


def _even_laps() -> Unknowns:
    """All leaders of a lap have their followers at the same distances: each broker has `rf` of its replicas.

    Of the last, broken lap of `part` partitions a broker has at most as many as these, and as `rf`.
    """
    brokers, rf, laps, part, most, least = z3.Ints("brokers rf laps part most least")
    known = (
        *(least <= most, most - least <= part, most - least <= rf),
        *(most - least <= brokers - part, most - least <= brokers - rf),
        *(most <= laps * rf + part, most <= laps * rf + rf),
        *(least >= laps * rf, least >= laps * rf + rf + part - brokers),
        z3.Implies(part == 0, most == laps * rf),
    )
    return _and(_laps(), {"max(replicas)": most, "min(replicas)": least}, *known)


def _even_broker(name: str) -> Unknowns:
    """A broker of such laps."""
    most, least = z3.Ints("most least")
    replicas = z3.Int(f"replicas {name}")
    return _and(_lap_broker(name), {"replicas": replicas}, replicas >= least, replicas <= most)


def _without_racks() -> Unknowns:
    """AdminUtils keeps the distance for a lap; stripes, shuffled between laps, take `rf` brokers in a row."""
    return _and(_even_laps(), _NO_RACKS)


def _alternated() -> Unknowns:
    """AdminUtils with racks of any sizes: leaders go round a list of alternating racks.

    The loop visits all other brokers until each rack has a replica. Its other effects are known where racks
    are equal.
    """
    brokers, partitions, rf, racks, laps = z3.Ints("brokers partitions rf racks laps")
    most, least = z3.Ints("most least")
    known = (
        *(racks >= 1, racks <= brokers, least >= laps, most <= partitions),
        *(brokers * least <= partitions * rf, brokers * most >= partitions * rf),
        z3.Implies(rf == brokers, least == partitions),
    )
    return _and(_laps(), {**_racked(racks), "max(replicas)": most, "min(replicas)": least}, *known)


def _alternated_broker(name: str) -> Unknowns:
    """A broker of racks of any sizes."""
    broker = _even_broker(name)
    return _and(broker, {}, broker.terms["replicas"] >= broker.terms["leaders"])


def _alternated_rack(name: str) -> Unknowns:
    """A rack of `size` brokers, which lead once a lap; another rack has at most a replica a broker."""
    brokers, partitions, rf, racks, laps, part = z3.Ints("brokers partitions rf racks laps part")
    size, leads, replicas = (z3.Int(f"{what} {name}") for what in ("size", "leads", "replicas"))
    known = (
        *(size >= 1, size <= brokers - racks + 1, z3.Implies(racks == 1, size == brokers)),
        *(leads >= 0, leads <= size, leads <= part, leads >= part - (brokers - size)),
        z3.Implies(rf <= racks, replicas <= partitions),
        z3.Implies(rf >= racks, replicas >= partitions),
        *(replicas <= partitions * rf, replicas >= laps * size + leads),
        z3.Implies(rf > racks, replicas <= partitions * (rf - racks + 1)),
        *(replicas <= partitions * size, replicas >= partitions * (rf - brokers + size)),
    )
    terms = {"replicas": replicas, "leaders": laps * size + leads, "brokers": size}
    return Unknowns(terms, known)


def _racked_partition(_: str) -> Unknowns:
    """Racks without a replica come first."""
    rf, racks = z3.Ints("rf racks")
    return Unknowns({"replicas": rf, "racks": z3.If(rf <= racks, rf, racks)}, ())


def _evenly_alternated() -> Unknowns:
    """AdminUtils with as many brokers in each rack: the racks alternate regularly in the list.

    So the rack of the broker d places after a leader depends on d alone, as do the brokers that the loop
    skips, and never on the leader: all leaders of a lap have their followers at the same distances.
    """
    brokers, racks, each = z3.Ints("brokers racks each")
    return _and(_even_laps(), _racked(racks), racks >= 1, each >= 1, brokers == racks * each)


def _turns(name: str) -> Unknowns:
    """A rack with the same number of brokers as any: in a turn it leads once and has `rf` replicas.

    Of the last, broken turn of `rest` partitions it leads `leads` and has `more` replicas.
    """
    partitions, rf, racks, each = z3.Ints("partitions rf racks each")
    turns, rest, more, leads = (z3.Int(f"{what} {name}") for what in ("turns", "rest", "more", "leads"))
    terms = {"replicas": turns * rf + more, "leaders": turns + leads, "brokers": each}
    known = (
        *(turns >= 0, rest >= 0, rest < racks, partitions == turns * racks + rest),
        *(more >= 0, leads >= 0, leads <= 1, leads <= rest, leads <= more),
    )
    return Unknowns(terms, known)


def _one_each(name: str) -> Any:
    """With up to as many replicas as racks: no rack has two of a partition."""
    rf, racks = z3.Ints("rf racks")
    rest, more = z3.Int(f"rest {name}"), z3.Int(f"more {name}")
    return z3.And(more >= rf + rest - racks, more <= rf, more <= rest)


def _evenly_alternated_rack(name: str) -> Unknowns:
    """With as many replicas as racks or more each rack has one of a partition at least."""
    rf, racks, each = z3.Ints("rf racks each")
    rest, more = z3.Int(f"rest {name}"), z3.Int(f"more {name}")
    others = racks - rest
    all_have = z3.And(
        *(more >= rest, more <= rf - others),
        *(more <= rest * each, more >= rf - others * each),
    )
    return _and(_turns(name), {}, z3.If(rf <= racks, _one_each(name), all_have))


def _striped() -> Unknowns:
    """Stripes over racks of as many brokers each: a lap is a number of whole turns of the racks."""
    brokers, rf, racks, each = z3.Ints("brokers rf racks each")
    known = (racks >= 1, each >= 2, brokers == racks * each, brokers > racks, rf <= racks)
    return _and(_topic(), _racked(racks), *known)


def _striped_rack(name: str) -> Unknowns:
    """Each partition is on `rf` racks in a row."""
    return _and(_turns(name), {}, _one_each(name))


def _any_placement() -> Unknowns:
    """A new topic with any replicas of each partition."""
    brokers, partitions = z3.Ints("brokers partitions")
    leaders = z3.Ints("any_most_leaders any_least_leaders any_leaders")
    replicas = z3.Ints("any_most_replicas any_least_replicas any_replicas")
    known = [led <= had for led, had in zip(leaders, replicas)]
    for most, least, total in (leaders, replicas):
        known += [least >= 0, most >= least, most <= partitions]
        known += [total >= most + (brokers - 1) * least, total <= least + (brokers - 1) * most]
    # A partition with a replica has a leader, and a broker has at most one replica of it.
    known += [leaders[2] <= partitions, replicas[0] <= leaders[2]]
    extremes = ("max({})", "min({})", "sum({})")
    terms = {name.format("leaders"): term for name, term in zip(extremes, leaders)}
    terms |= {name.format("replicas"): term for name, term in zip(extremes, replicas)}
    return _and(_topic(), terms, *known)


def _any_broker(name: str) -> Unknowns:
    """A broker with any of these replicas."""
    most, least = z3.Ints("any_most_replicas any_least_replicas")
    most_led, least_led = z3.Ints("any_most_leaders any_least_leaders")
    leaders, replicas = z3.Int(f"any leaders {name}"), z3.Int(f"any replicas {name}")
    known = (leaders <= replicas, replicas >= least, replicas <= most)
    return Unknowns(
        {"leaders": leaders, "replicas": replicas}, (*known, leaders >= least_led, leaders <= most_led)
    )


def _any_rack(name: str) -> Unknowns:
    """A rack with any of these replicas."""
    brokers, partitions, racks = z3.Ints("brokers partitions racks")
    size, leaders, replicas = (z3.Int(f"any {what} {name}") for what in ("size", "leaders", "replicas"))
    known = (
        *(size >= 1, size <= brokers - racks + 1, z3.Implies(racks == 1, size == brokers)),
        *(leaders >= 0, leaders <= replicas, leaders <= partitions, replicas <= partitions * size),
    )
    return Unknowns({"leaders": leaders, "replicas": replicas, "brokers": size}, known)


def _any_equal_rack(name: str) -> Unknowns:
    """A rack of as many brokers as each other one, with any of these replicas."""
    rack = _any_rack(name)
    return _and(rack, {}, rack.terms["brokers"] == z3.Int("each"))


def _any_partition(name: str) -> Unknowns:
    """A partition on any of the brokers, all of them in racks."""
    brokers, racks = z3.Ints("brokers racks")
    replicas, own = z3.Int(f"any replicas {name}"), z3.Int(f"any racks {name}")
    known = (
        *(replicas >= 0, replicas <= brokers, own >= 0, own <= racks, own <= replicas),
        *(z3.Implies(replicas >= 1, own >= 1), replicas <= brokers - racks + own),
    )
    return Unknowns({"replicas": replicas, "racks": own}, known)


def _any_on_no_rack() -> Unknowns:
    return _and(_any_placement(), _NO_RACKS)


def _any_on_racks() -> Unknowns:
    brokers, racks = z3.Ints("brokers racks")
    return _and(_any_placement(), _racked(racks), racks >= 1, racks <= brokers)


def _any_on_equal_racks() -> Unknowns:
    brokers, racks, each = z3.Ints("brokers racks each")
    return _and(_any_placement(), _racked(racks), racks >= 1, each >= 1, brokers == racks * each)


def _any_on_wide_racks() -> Unknowns:
    rf, racks, each = z3.Ints("rf racks each")
    return _and(_any_on_equal_racks(), {}, each >= 2, rf <= racks)


_NEW: Final = frozenset({"no_existing", "no_fenced"})
_RACKED: Final = _NEW | {"all_racks"}
_UNRACKED: Final = ClosedForm(
    _NEW | {"no_racks"},
    _without_racks,
    {"brokers": _even_broker},
    AnyAnswer(_any_on_no_rack, {"brokers": _any_broker}),
    exact=False,
)
PLACED: Final[Mapping[str, tuple[ClosedForm, ...]]] = {
    "placement:rack-unaware": (_UNRACKED,),
    "placement:rack-aware": (
        _UNRACKED,
        ClosedForm(
            _RACKED | {"equal_racks"},
            _evenly_alternated,
            {
                "brokers": _even_broker,
                "racks": _evenly_alternated_rack,
                "partitions": _racked_partition,
            },
            AnyAnswer(
                _any_on_equal_racks,
                {"brokers": _any_broker, "racks": _any_equal_rack, "partitions": _any_partition},
            ),
            exact=False,
        ),
        ClosedForm(
            _RACKED,
            _alternated,
            {"brokers": _alternated_broker, "racks": _alternated_rack, "partitions": _racked_partition},
            AnyAnswer(
                _any_on_racks, {"brokers": _any_broker, "racks": _any_rack, "partitions": _any_partition}
            ),
            exact=False,
        ),
    ),
    "placement:striped": (
        _UNRACKED,
        ClosedForm(
            _RACKED | {"equal_racks", "rf <= racks", "brokers > racks"},
            _striped,
            {"racks": _striped_rack},
            AnyAnswer(_any_on_wide_racks, {"racks": _any_equal_rack}),
            exact=False,
        ),
    ),
}
"""The placers that are formulas, by spec, the sharper form first.

With racks of unequal sizes little is known of where `rack-aware` puts followers: each is searched after its
leader, past racks that have one. Stripes over racks of one broker each are no formula: a list that was
exhausted when a lap began may be skipped when the next one does.
"""


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
