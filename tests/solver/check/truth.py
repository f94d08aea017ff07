"""What brute force says of everything that a small result states: the oracle of the forger.

It tries every assignment of the instance that stands in the certificate, and shares nothing with the
checkers. What it cannot make sense of is a lie.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from tests.solver.groups import cases as shares
from tests.solver.instances import tiny
from tests.solver.packing import cases as packings
from tests.solver.placement import cases as placements
from tests.solver.streams import cases as streams
from tests.solver.streams import members_cases as members

Document = Mapping[str, Any]
MOST = 60_000
"""Assignments that are tried at most; a forger does not make instances with more."""


class TooLargeError(Exception):
    """An instance that brute force cannot judge."""


def lies(document: Document) -> list[str]:
    """The stated facts that are false; `document` is a result or a certificate that was accepted."""
    certificate = document.get("certificate", document)
    facts = FACTS[certificate["schema"], certificate.get("kind")](certificate, document)
    return [
        f"{name}: stated {document[name]}, and {fact}"
        for name, fact in facts
        if name in document
        and (name != "bound" or certificate is not document)
        and not same(document[name], fact)
    ] + [name for name, fact in facts if name not in document and fact is False]


def same(stated: Any, fact: Any) -> bool:
    """Whether a fact is stated as it is, true and 1 told apart."""
    return json.dumps(stated, sort_keys=True) == json.dumps(fact, sort_keys=True)


def _refuse_large(sizes: Iterable[int]) -> None:
    if sum(sizes) > 30:
        raise TooLargeError


Facts = list[tuple[str, Any]]
"""What each field of the result must be; a name of no field with False is a lie of the certificate."""


class Value(NamedTuple):
    """What an assignment of a group is worth: loads and weights heaviest first, moves, mismatches."""

    loads: tuple[int, ...]
    weights: tuple[int, ...]
    moved: int
    mismatch: int
    cost: int

    @property
    def squares(self) -> int:
        return sum(load * load for load in self.loads)

    def in_order(self, order: str) -> tuple[Any, ...]:
        rest = (
            (self.moved, self.mismatch) if order == "balance,movement,rack" else (self.mismatch, self.moved)
        )
        return (self.loads, *rest)


class Group:
    """A consumer instance as its document says."""

    def __init__(self, instance: Document) -> None:
        self.members = sorted(instance["members"], key=lambda member: str(member["id"]))
        self.ids = [member["id"] for member in self.members]
        self.topics = {topic["name"]: topic for topic in instance["topics"]}
        assert len(set(self.ids)) == len(self.ids)
        _refuse_large(topic["partitions"] for topic in instance["topics"])
        assert len(self.topics) == len(instance["topics"])
        self.readers = {
            name: [i for i, member in enumerate(self.members) if name in member["topics"]]
            for name in self.topics
        }
        self.owner = {
            (name, number): i
            for i, member in enumerate(self.members)
            for name, number in member.get("owned") or ()
            if name in member["topics"]
        }
        groups = [names for names in instance.get("copartition") or () if names]
        bound = {name for names in groups for name in names}
        self.units: list[tuple[list[tuple[str, int]], list[int]]] = []
        for names in [*groups, *([name] for name in self.topics if name not in bound)]:
            if not any(self.readers[name] for name in names):
                continue  # nobody reads them: whatever is said of them changes nothing
            counts = {self.topics[name]["partitions"] for name in names}
            readers = {tuple(self.readers[name]) for name in names}
            assert len(counts) == len(readers) == 1
            for number in range(counts.pop()):
                self.units.append(([(name, number) for name in names], self.readers[names[0]]))
        weights = [
            weight
            for name, topic in self.topics.items()
            if self.readers[name]
            for weight in topic.get("weights") or ()
        ]
        self.weighted = any(weight != 1 for weight in weights)
        self.sizes = {len(tps) for tps, _ in self.units}
        if prod(len(able) for _, able in self.units) > MOST:
            raise TooLargeError

    def worth(self, owner: Sequence[int]) -> Value:
        loads, weights = [0] * len(self.ids), [0] * len(self.ids)
        moved = mismatch = cost = 0
        for (tps, _), member in zip(self.units, owner, strict=True):
            for name, number in tps:
                topic = self.topics[name]
                loads[member] += 1
                weights[member] += 1 if topic.get("weights") is None else topic["weights"][number]
                moved += self.owner.get((name, number), member) != member
                if self.owner.get((name, number), member) != member:
                    cost += 1 if topic.get("move_costs") is None else topic["move_costs"][number]
                racks = (topic.get("racks") or {number: ()})[number]
                mismatch += bool(racks) and self.members[member].get("rack") not in racks
        return Value(
            tuple(sorted(loads, reverse=True)), tuple(sorted(weights, reverse=True)), moved, mismatch, cost
        )

    def own(self, assignment: Document) -> Value:
        """The value of an assignment; an error where it is none."""
        assert set(assignment) == set(self.ids)
        given = [
            ((name, number), self.ids.index(id_))
            for id_, topics in assignment.items()
            for name, numbers in topics.items()
            for number in numbers
        ]
        owner_of = dict(given)
        assert len(owner_of) == len(given) == sum(len(tps) for tps, _ in self.units)
        owner = []
        for tps, able in self.units:
            (member,) = {owner_of[tp] for tp in tps}
            assert member in able
            owner.append(member)
        return self.worth(owner)

    def every(self) -> Iterator[Value]:
        return (self.worth(owner) for owner in itertools.product(*(able for _, able in self.units)))


@lru_cache(maxsize=4000)
def _group(instance: str) -> tuple[Group, frozenset[Value]]:
    group = Group(json.loads(instance))
    return group, frozenset(group.every())


def group_of(certificate: Document) -> tuple[Group, frozenset[Value], Value]:
    """The group, what its assignments are worth, and the certificate's."""
    group, values = _group(json.dumps(certificate["instance"]))
    return group, values, group.own(certificate["assignment"])


def _of_all(certificate: Document, document: Document, own: Value) -> Facts:
    return [
        ("family", "A"),
        ("loads", sorted(own.loads)),
        ("sum_squares", own.squares),
        ("moved", own.moved),
        ("rack_mismatch", own.mismatch),
        ("assignment", certificate["assignment"]),
        ("the certificate's moved", certificate["moved"] == own.moved),
        ("the certificate's rack_mismatch", certificate["rack_mismatch"] == own.mismatch),
    ]


def exact(certificate: Document, document: Document) -> Facts:
    """Nothing is better in the order."""
    group, values, own = group_of(certificate)
    order = certificate["order"]
    return [
        ("partitions that count alike", not group.weighted),
        ("bundles of one size", len(group.sizes) <= 1),
        *_of_all(certificate, document, own),
        ("the best", own.in_order(order) == min(value.in_order(order) for value in values)),
        ("the certificate's loads", certificate["loads"] == sorted(own.loads)),
        ("status", "optimal"),
        ("order", order),
        ("lower", own.squares),
        ("upper", own.squares),
        ("bound", "levels prove the balance, member prices the rest"),
    ]


def weighted(certificate: Document, document: Document) -> Facts:
    """The heaviest carries `lower` at least in any packing, unless that is somebody's word."""
    group, values, own = group_of(certificate)
    best, upper = min(value.weights[0] for value in values), own.weights[0]
    as_good = [value for value in values if value.weights[0] <= upper]
    fewest = min(value.moved for value in as_good)
    bound, moves, prover = certificate["bound"], certificate["moves"], certificate["prover"]
    in_range = [v.moved for v in values if v.weights[0] <= moves["top"] and v.weights[-1] >= moves["low"]]
    inside = set(bound["members"])
    of = "all members" if len(inside) == len(group.ids) else f"{len(inside)} of {len(group.ids)} members"
    at = f" of {bound['k'] * len(inside) + 1} items" if bound["name"] == "pigeonhole" else ""
    facts: Facts = [
        ("partitions that count differently", group.weighted),
        *_of_all(certificate, document, own),
        ("upper", upper),
        ("max_weight", upper),
        ("weights", sorted(own.weights)),
        ("the certificate's upper", certificate["upper"] == upper),
        ("the bound's value", bound["value"] <= best),
        ("the moves", moves["moves"] <= min(in_range)),
        ("the moves of what is as good", moves["moves"] <= fewest),
        ("moved_lower", min(document.get("moved_lower", 0), fewest)),
        ("moved_lower of the certificate", document.get("moved_lower", moves["moves"]) == moves["moves"]),
        ("bound", prover or f"{bound['name']}{at} over {of}"),
        ("lower", certificate["lower"]),
        ("lower up to upper", certificate["lower"] <= upper),
        ("a known prover", prover in (None, "Z3", "CP-SAT")),
    ]
    if prover is None:
        optimal = certificate["lower"] == best == upper
        movement = ["movement"] if "movement" in document.get("proven", ()) and own.moved == fewest else []
        proven = ["max_weight", *movement] if optimal else []
        facts += [
            ("a lower bound", certificate["lower"] <= best),
            ("status", "optimal" if optimal else "interval"),
            ("proven", proven),
        ]
    return facts


def bundles(certificate: Document, document: Document) -> Facts:
    """No packing has a smaller sum of squared loads than `lower`."""
    group, values, own = group_of(certificate)
    best, upper = min(value.squares for value in values), own.squares
    as_good = [value for value in values if value.squares <= upper]
    fewest = min(value.moved for value in as_good)
    moves, order, grain = certificate["moves"], certificate["order"], certificate["grain"]
    in_range = [v.moved for v in values if v.loads[0] <= moves["top"] and v.loads[-1] >= moves["low"]]
    optimal = certificate["lower"] == best == upper
    objectives = order.split(",")
    stated = document.get("proven", [])
    first = objectives[:1] if optimal else []
    ranks = [value.in_order(order)[1:] for value in as_good]
    second = own.in_order(order)[1] == min(rank[0] for rank in ranks)
    all_three = own.in_order(order)[1:] == min(ranks)
    true = [] if not optimal else objectives if all_three else objectives[:2] if second else first
    return [
        ("partitions that count alike", not group.weighted),
        ("bundles of different sizes", len(group.sizes) > 1),
        *_of_all(certificate, document, own),
        ("upper", upper),
        ("lower", certificate["lower"]),
        ("the certificate's upper", certificate["upper"] == upper),
        ("a lower bound", certificate["lower"] <= best),
        ("the moves", moves["moves"] <= min(in_range)),
        ("the moves of what is as good", moves["moves"] <= fewest),
        ("moved_lower", min(document.get("moved_lower", 0), fewest)),
        ("status", "optimal" if optimal else "interval"),
        ("proven", true[: len(stated)] if optimal == bool(stated) else true),
        ("bound", f"multiples of {grain}" if grain else "the optimum without co-partitioning"),
    ]


@lru_cache(maxsize=4000)
def _best_placement(instance: str) -> tuple[int, int] | None:
    case = json.loads(instance)
    if prod(len(placements.valid_rows(case, rf)) for rf, _ in placements.partitions(case)) > MOST:
        raise TooLargeError
    return placements.best_by_trying(case)


def packing(certificate: Document, document: Document) -> Facts:
    """No packing within the budget is better, goal by goal, than the bounds say."""
    _, values, own = group_of(certificate)
    order, budget, tolerance = certificate["order"], certificate["budget"], certificate["tolerance"]
    assert budget is None or (own.cost <= budget and tolerance is None)
    bounds_racks = budget is not None and order == "balance,rack,movement"
    assert bounds_racks is (certificate["schema"] == "kassay/packing-certificate/2")
    allowed = [value for value in values if budget is None or value.cost <= budget]
    movement_first = order == "balance,movement,rack"

    def costs(value: Value) -> tuple[int, int]:
        return (value.cost, value.mismatch) if movement_first else (value.mismatch, value.cost)

    heaviest = min(value.weights[0] for value in allowed)
    if tolerance is None:
        lightest = min(value.weights for value in allowed)
        best = min(costs(value) for value in allowed if value.weights == lightest)
    else:
        base = packings.measured_from(certificate["instance"])
        limit = max(base + base * tolerance[0] // tolerance[1], heaviest)
        best = min(costs(value) for value in allowed if value.weights[0] <= limit)
    goals = document.get("goals")
    facts: Facts = []
    if goals is not None:
        first, *rest = goals
        names = ["movement", "rack"] if movement_first else ["rack", "movement"]
        if tolerance is None:
            bound = tuple(first["bound"])
            facts += [
                ("the balance's value", first["value"] == list(own.weights)),
                ("the balance's bound", bound <= lightest[: len(bound)] and len(bound) <= len(lightest)),
                ("the balance is proven", first["proven"] is False or own.weights == lightest),
            ]
            met = first["proven"]
            part = next((i for i, (a, b) in enumerate(zip(own.weights, bound), 1) if a != b), len(bound) + 1)
            facts.append(("where they part", first["parts_at"] == (None if met else part)))
        else:
            limit_said = limit if certificate["enumerated"] else base + base * tolerance[0] // tolerance[1]
            met = first["proven"]
            facts += [
                ("the heaviest", (first["value"], first["limit"]) == (own.weights[0], limit_said)),
                ("the heaviest's bound", first["bound"] <= heaviest),
                ("the heaviest is proven", met is (own.weights[0] <= limit_said)),
            ]
        facts.append(("the goals", [goal["goal"] for goal in rest] == names))
        for goal, value, optimum in zip(rest, costs(own), best, strict=True):
            met = met and goal["proven"]
            facts += [
                (f"the value of {goal['goal']}", goal["value"] == value),
                (f"the bound of {goal['goal']}", goal["bound"] <= optimum),
                (f"{goal['goal']} is proven", goal["proven"] is bool(met)),
                (f"{goal['goal']} is the best", not goal["proven"] or value == optimum == goal["bound"]),
            ]
        facts.append(("status", "optimal" if all(goal["proven"] for goal in goals) else "interval"))
    elif document.get("status") == "optimal":
        same_loads = own.weights == lightest if tolerance is None else own.weights[0] <= limit
        facts.append(("the best", same_loads and costs(own) == best))
    return [
        *_of_all(certificate, document, own),
        *facts,
        ("a lower bound", document.get("lower", 0) <= heaviest),
        ("upper", own.weights[0]),
        ("max_weight", own.weights[0]),
        ("weights", sorted(own.weights)),
        ("move_cost", own.cost),
        ("order", order),
        ("tolerance", tolerance),
        ("budget", budget),
    ]


def placement(certificate: Document, document: Document) -> Facts:
    """The best in balance, then in copies; the best leaders of these replicas."""
    case, assignment = _plain(certificate["instance"]), certificate["assignment"]
    _refuse_large(topic["partitions"] * topic["rf"] for topic in case["topics"])
    names = [topic["name"] for topic in case["topics"]]
    assert len(set(names)) == len(names)
    assert set(assignment) == set(names)
    wanted = list(placements.partitions(case))
    rows = [row for name in sorted(assignment) for row in assignment[name]]
    for topic in case["topics"]:
        assert len(assignment[topic["name"]]) == topic["partitions"]
        assert len(case["current"].get(topic["name"], ())) <= topic["partitions"]
    for row, (rf, _) in zip(rows, wanted, strict=True):
        assert tuple(sorted(row)) in placements.valid_rows(case, rf)
        assert row[0] in placements.may_lead(case, row)
    shares = {host["id"]: host["share"] for host in case["brokers"]}
    assert len(shares) == len(case["brokers"])
    base = {host["id"]: host.get("base", 0) for host in case["brokers"]}
    counts, leads = Counter(b for row in rows for b in row), Counter(row[0] for row in rows)
    for host in case["brokers"]:
        assert counts[host["id"]] + base[host["id"]] <= host.get("max_replicas", 10**9)
    total = len([b for row in rows for b in row]) + sum(base.values())
    copies = sum(len(set(row) - set(old)) for row, (_, old) in zip(rows, wanted, strict=True))
    imbalance = placements.imbalance(case, counts, total)
    loads = {id_: counts[id_] + base[id_] for id_ in sorted(shares)}
    value = imbalance if len(set(shares.values())) > 1 else sum(load * load for load in loads.values())
    best = _best_placement(json.dumps(case))
    leaders = placements.leaders_value(case, rows, [row[0] for row in rows])
    witness = certificate.get("witness")
    return [
        ("family", "B"),
        ("the best replicas", (imbalance, copies) == best),
        ("the best leaders", leaders == placements.best_leaders_by_trying(case, rows)),
        ("loads", sorted(loads.values())),
        ("sum_squares", sum(load * load for load in loads.values())),
        ("replicas", {str(id_): load for id_, load in loads.items()}),
        ("leaders", {str(id_): leads[id_] for id_ in loads}),
        ("copies", copies),
        ("moved", copies),
        ("rack_mismatch", 0),
        ("lower", value),
        ("upper", value),
        ("status", "optimal"),
        (
            "leader_changes",
            sum(
                bool(old) and old[0] in shares and old[0] != row[0]
                for row, (_, old) in zip(rows, wanted, strict=True)
            ),
        ),
        ("bound", "broker prices: balance, then copies; leaders, then changes of leader"),
        ("assignment", assignment),
        ("witness", witness),
        ("the witness", witness is None or _witness_is_true(case, witness, shares, base, total)),
    ]


def bounded_placement(certificate: Document, document: Document) -> Facts:
    """No placement is better, goal by goal, than the bounds say; what is proven is the best."""
    optimum = ("the best replicas", "the best leaders", "status", "lower", "witness", "the witness")
    facts = [fact for fact in placement(certificate, document) if fact[0] not in optimum]
    goals = document.get("goals")
    if goals is None:
        return facts
    case = _plain(certificate["instance"])
    case["topics"] = sorted(case["topics"], key=lambda topic: str(topic["name"]))
    try:
        tiny.judge_rows(case, document, tiny.placement_worths(case))
        honest = True
    except AssertionError:
        honest = False
    return [
        *facts,
        ("the goals", honest),
        ("status", "optimal" if all(goal["proven"] for goal in goals) else "interval"),
        ("lower", goals[0]["bound"]),
    ]


def _plain(instance: Document) -> dict[str, Any]:
    """The instance without what is null."""
    hosts = [
        {"rack": None, "share": 1} | {key: value for key, value in host.items() if value is not None}
        for host in sorted(instance["brokers"], key=lambda host: int(host["id"]))
    ]
    for host in hosts:
        host.setdefault("rack", None)
    current = {name: rows for name, rows in (instance.get("current") or {}).items() if rows}
    return {"brokers": hosts, "topics": instance["topics"], "current": current}


def _witness_is_true(
    case: dict[str, Any],
    witness: Document,
    shares: Mapping[int, int],
    base: Mapping[int, int],
    total: int,
) -> bool:
    """Whether every placement has `forced` on the brokers, and that is more than a fair share's roof."""
    ids, forced, quota = witness["brokers"], witness["forced"], witness["quota"]
    least = None
    for choice in itertools.product(
        *(placements.valid_rows(case, rf) for rf, _ in placements.partitions(case))
    ):
        on_them = sum(b in ids for row in choice for b in row) + sum(base[b] for b in ids)
        least = on_them if least is None else min(least, on_them)
    every = sum(shares.values())
    roof = sum(-(-total * shares[b] // every) for b in ids)
    rest = total - sum(total * share // every for b, share in shares.items() if b not in ids)
    words = witness["sentence"].startswith(f"at least {forced} replicas lie on broker")
    sense = f"where {quota} would be within one of the shares" in witness["sentence"]
    named = all(str(b) in witness["sentence"] for b in ids)
    return (
        least is not None
        and forced <= least
        and quota in (roof, rest)
        and forced > quota
        and words
        and sense
        and named
    )


@lru_cache(maxsize=4000)
def _tasks(instance: str) -> list[tuple[int, int, int, int]]:
    case = json.loads(instance)
    if len(streams.choices(case)) ** case["tasks"] > MOST:
        raise TooLargeError
    return [
        (*_imbalances(case, chosen), *streams.worth(case, chosen))
        for chosen in itertools.product(streams.choices(case), repeat=case["tasks"])
    ]


def _imbalances(case: dict[str, Any], chosen: Sequence[streams.Choice]) -> tuple[int, int]:
    """The imbalance of actives, and of copies."""
    actives = Counter(lead for lead, _ in chosen)
    copies = actives + Counter(c for _, row in chosen for c in row)
    threads = [client["threads"] for client in case["clients"]]
    return tuple(  # type: ignore[return-value]
        sum((sum(threads) * counts[c] - counts.total() * own) ** 2 for c, own in enumerate(threads))
        for counts in (actives, copies)
    )


def tasks(certificate: Document, document: Document) -> Facts:
    """Both balances are the best, and with them no cost is below `lower`."""
    instance = certificate["instance"]
    clients = sorted(instance["clients"], key=lambda client: str(client["id"]))
    ids = [client["id"] for client in clients]
    assert len(set(ids)) == len(ids)
    assert instance["tasks"] == len(instance["active"])
    standby = [
        sorted(set(row) - {lead}) for lead, row in zip(instance["active"], instance["standby"], strict=True)
    ]
    case = {
        **{key: instance[key] for key in ("tasks", "standbys", "active")},
        "clients": [{"id": client["id"], "threads": client.get("threads") or 1} for client in clients],
        "standby": standby,
    }
    for role in ("assignment", "standbys"):
        assert set(certificate[role]) == set(ids)
        assert all(len(set(row)) == len(row) for row in certificate[role].values())
    assert sorted(task for row in certificate["assignment"].values() for task in row) == list(
        range(case["tasks"])
    )
    assert all(0 <= task < case["tasks"] for row in certificate["standbys"].values() for task in row)
    chosen = streams.chosen_by(case, certificate)
    assert set(chosen) <= set(streams.choices(case))
    values = _tasks(json.dumps(case))
    own = (*_imbalances(case, chosen), *streams.worth(case, chosen))
    best = [min(value[i] for value in values) for i in (0, 1, 2)]
    balanced = own[2] == best[2]
    cheapest = min(value[3] for value in values if value[2] == best[2])
    changes = sum(
        old is not None and ids.index(old) != lead
        for old, (lead, _) in zip(case["active"], chosen, strict=True)
    )
    lower = certificate["lower"]
    optimal = certificate["balanced"] and balanced and lower == own[3] == cheapest
    actives = Counter(lead for lead, _ in chosen)
    totals = actives + Counter(c for _, row in chosen for c in row)
    loads = [actives[c] for c in range(len(ids))]
    balances = ["balance of actives", "balance of copies"] if certificate["balanced"] else []
    return [
        ("family", "C"),
        ("the best of both balances", certificate["balanced"] is balanced or not certificate["balanced"]),
        ("balance of actives and of copies", not balances or own[:2] == tuple(best[:2])),
        ("the certificate's lower", lower <= (cheapest if certificate["balanced"] else 0)),
        ("the certificate's upper", certificate["upper"] == own[3]),
        ("the certificate's moved", certificate["moved"] == changes),
        ("lower", lower),
        ("upper", own[3]),
        ("moved", changes),
        ("status", "optimal" if optimal else "interval"),
        ("proven", [*balances, "cost"] if optimal else balances),
        ("copies", (own[3] - changes) // 3),
        ("totals", sorted(totals[c] for c in range(len(ids)))),
        ("loads", sorted(loads)),
        ("sum_squares", sum(load * load for load in loads)),
        ("rack_mismatch", 0),
        ("bound", "client prices for copies and actives, both balances first"),
        ("assignment", certificate["assignment"]),
        ("standbys", certificate["standbys"]),
    ]


def racked_tasks(certificate: Document, document: Document) -> Facts:
    """As `tasks`; and of what is as good no assignment has fewer copies that share a rack than is said."""
    facts = [fact for fact in tasks(certificate, document) if fact[0] not in ("status", "rack_mismatch")]
    instance = certificate["instance"]
    clients = sorted(instance["clients"], key=lambda client: str(client["id"]))
    case = {
        **{key: instance[key] for key in ("tasks", "standbys", "active")},
        "clients": [{"id": client["id"], "threads": client.get("threads") or 1} for client in clients],
        "standby": [sorted(set(row) - {lead}) for lead, row in zip(instance["active"], instance["standby"])],
    }
    racks = [client.get("rack") for client in clients]

    def worth(chosen: Sequence[streams.Choice]) -> tuple[int, int, int]:
        held = [[racks[c] for c in {lead} | row if racks[c] is not None] for lead, row in chosen]
        return (*streams.worth(case, tuple(chosen)), sum(len(known) - len(set(known)) for known in held))

    own = worth(streams.chosen_by(case, certificate))
    best = min(map(worth, itertools.product(streams.choices(case), repeat=case["tasks"])))
    facts += [("rack_mismatch", own[2]), ("the best", document.get("status") != "optimal" or own == best)]
    for goal in document.get("goals", ()):
        if goal["goal"] == "rack":
            facts += [
                ("the rack's value", goal["value"] == own[2]),
                ("the rack's bound", own[:2] != best[:2] or goal["bound"] <= best[2]),
                ("the rack is proven", not goal["proven"] or own == best),
            ]
    return facts


@lru_cache(maxsize=4000)
def _member_worths(instance: str) -> list[tuple[tuple[members.Choice, ...], members.Worth]]:
    case = json.loads(instance)
    if prod(len(members.choices(case, task)) for task in range(case["tasks"])) > MOST:
        raise TooLargeError
    return [(chosen, members.worth(case, chosen)) for chosen in members.every(case)]


def member_tasks(certificate: Document, document: Document) -> Facts:
    """Goal by goal no assignment is better than the bounds say; what is proven is the best."""
    case = _plain_members(certificate["instance"])
    home = members.home_of(case)
    for role in ("assignment", "standbys"):
        assert set(certificate[role]) == set(home)
    given = [(task, member) for member, row in certificate["assignment"].items() for task in row]
    assert sorted(task for task, _ in given) == list(range(case["tasks"]))
    copies = [(task, home[member]) for member, row in certificate["standbys"].items() for task in row]
    assert len(set(copies)) == len(copies)
    assert {task for task, _ in copies} <= set(range(case["tasks"]))
    chosen = members.chosen_by(case, certificate)
    worths = _member_worths(json.dumps(case))
    assert chosen in dict(worths)
    loads = Counter(member for _, member in given)
    totals = loads + Counter(m for m, row in certificate["standbys"].items() for _ in row)
    own = (*dict(worths)[chosen][:4], members.squares(totals), dict(worths)[chosen][5])
    leads = [lead for lead, _ in chosen]
    beside = min(worth[4:] for ways, worth in worths if [lead for lead, _ in ways] == leads)
    stateful = [lead for task, lead in enumerate(leads) if task not in case["stateless"]]
    homeless = sum(
        home[lead] not in members.state(case, task)
        for task, lead in enumerate(leads)
        if task not in case["stateless"]
    )
    facts: Facts = [
        ("family", "C"),
        ("upper", own[2]),
        ("moved", own[3]),
        ("rack_mismatch", 0),
        ("bound", "member prices for active tasks, both balances first"),
        ("copies", homeless + own[5]),
        ("loads", sorted(loads[m] for m in home)),
        ("sum_squares", own[1]),
        ("totals", sorted(totals[m] for m in home)),
        ("assignment", certificate["assignment"]),
        ("standbys", certificate["standbys"]),
        ("the best standbys", not document.get("standbys_best") or own[4:] == beside),
    ]
    goals = document.get("goals")
    if goals is None:
        return facts
    try:
        tiny.judge(goals, own[: len(goals)], [worth[: len(goals)] for _, worth in worths])
        honest = len(goals) == (6 if stateful and min(case["standbys"], len(case["clients"]) - 1) else 4)
    except AssertionError:
        honest = False
    return [
        *facts,
        ("the goals", honest and [goal["goal"] for goal in goals] == list(members.GOALS[: len(goals)])),
        ("status", "optimal" if all(goal["proven"] for goal in goals) else "interval"),
        ("proven", [goal["goal"] for goal in goals if goal["proven"]]),
        ("lower", goals[2]["bound"]),
    ]


def _plain_members(instance: Document) -> dict[str, Any]:
    """The instance with clients and members in order, and of standbys those that count."""
    clients = [
        {"id": client["id"], "members": sorted(client["members"])}
        for client in sorted(instance["clients"], key=lambda client: str(client["id"]))
    ]
    case = {**instance, "clients": clients, "stateless": instance.get("stateless") or []}
    home = members.home_of(case)
    ids = {client["id"] for client in clients}
    assert len(ids) == len(clients)
    assert sum(len(client["members"]) for client in clients) == len(home) > 0
    assert all(client["members"] for client in clients)
    assert case["tasks"] == len(case["active"]) == len(case["standby"])
    assert set(case["stateless"]) <= set(range(case["tasks"]))
    assert {old for old in case["active"] if old is not None} <= home.keys()
    assert all(ids.issuperset(row) for row in case["standby"])
    assert not any(case["standby"][task] for task in case["stateless"])
    case["standby"] = [
        sorted(set(row) - {home.get(old, "")})
        for old, row in zip(case["active"], case["standby"], strict=True)
    ]
    return case


@lru_cache(maxsize=4096)
def _ways(instance: str) -> tuple[tuple[set[shares.Copy], ...], ...]:
    """The even ways of each part of a share group."""
    case = json.loads(instance)
    case["members"] = [member | {"owned": member.get("owned") or []} for member in case["members"]]
    ways = []
    for part in shares.parts(case):
        each = tuple(itertools.islice(shares.every(part), MOST))
        if len(each) == MOST:
            raise TooLargeError
        ways.append(each)
    return tuple(ways)


def sharing(certificate: Document, document: Document) -> Facts:
    """What is so of a share group's answer."""
    instance = dict(certificate["instance"])
    instance["members"] = [member | {"owned": member.get("owned") or []} for member in instance["members"]]
    _refuse_large([topic["partitions"] for topic in instance["topics"]] + [3 * len(instance["members"])])
    parts, ways = shares.parts(instance), _ways(json.dumps(instance, sort_keys=True))
    given = shares.copies(certificate["assignment"])
    listed = sum(len(ps) for topics in certificate["assignment"].values() for ps in topics.values())
    own = [{copy for copy in given if (copy[1], copy[2]) in part.targets} for part in parts]
    held = [shares.held(instance, part) for part in parts]
    taken_back = sum(len(had - has) for had, has in zip(held, own, strict=True))
    least = sum(min(len(had - has) for has in every) for had, every in zip(held, ways, strict=True))
    loads = sorted(sum(copy[0] == m["id"] for copy in given) for m in instance["members"])
    even = sorted(
        (sum(c[0] == m for c in has) for part, has in zip(parts, own, strict=True) for m in part.readers),
        reverse=True,
    )
    lower = document.get("lower")
    if not isinstance(lower, int) or isinstance(lower, bool) or not 0 <= lower <= least:
        lower = least
    optimal = lower == taken_back
    copies = sum(map(len, own))
    return [
        ("the assignment is even", all(has in every for has, every in zip(own, ways, strict=True))),
        ("no copy is listed twice or of none of the parts", listed == copies),
        ("family", "D"),
        ("status", "optimal" if optimal else "interval"),
        ("moved", taken_back),
        ("rack_mismatch", 0),
        ("loads", loads),
        ("sum_squares", sum(load * load for load in loads)),
        ("lower", lower),
        ("upper", taken_back),
        ("assignment", certificate["assignment"]),
        (
            "goals",
            [
                {"goal": "sharing", "value": copies, "bound": copies, "proven": True},
                {"goal": "balance", "value": even, "bound": even, "proven": True},
                {"goal": "movement", "value": taken_back, "bound": lower, "proven": optimal},
            ],
        ),
    ]


FACTS = {
    ("kassay/optimum-certificate/1", None): exact,
    ("kassay/interval-certificate/1", "weighted"): weighted,
    ("kassay/interval-certificate/1", "bundles"): bundles,
    ("kassay/packing-certificate/1", None): packing,
    ("kassay/packing-certificate/2", None): packing,
    ("kassay/placement-certificate/1", None): placement,
    ("kassay/placement-certificate/2", None): bounded_placement,
    ("kassay/tasks-certificate/1", None): tasks,
    ("kassay/tasks-certificate/2", None): racked_tasks,
    ("kassay/share-certificate/1", None): sharing,
    ("kassay/tasks-certificate/3", None): member_tasks,
}
"""What states what, by schema and kind."""
