"""A forger of results: parseable documents whose stated facts were changed, one or several at a time.

It changes fields of instances, results and certificates, swaps parts between certificates, lowers and
raises bounds, relabels proofs, and puts other assignments to a proof with all their figures as they are.
"""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

import pytest

from kassay.model.errors import KassayError
from kassay.solver.check.balance import RACK_FIRST
from kassay.solver.instances.families import Wanted, solve_document
from kassay.solver.instances.groups import share_group
from kassay.solver.packing import optimum
from tests.paths import HELD
from tests.solver.check import truth
from tests.solver.groups import cases as shares
from tests.solver.packing import cases as packings
from tests.solver.placement import cases as placements
from tests.solver.streams import members_cases as members

Document = dict[str, Any]
Place = tuple[Any, Any]
KINDS = (
    "exact",
    "weighted",
    "bundles",
    "packing",
    "racks within budget",
    "placement",
    "bounded",
    "tasks",
    "racked",
    "members",
    "share",
)


def genuine(kind: str) -> list[Document]:
    """The held results of a kind; those of kinds that no file holds are solved anew, `bounded` in no time."""
    anew = {"bounded": _bounded, "members": _members, "share": _shares, "racks within budget": _budgets}
    if kind in anew:
        return list(copy.deepcopy(anew[kind]()))
    return [result for result in _held() if kind_of(result) == kind]


@cache
def _bounded() -> tuple[Document, ...]:
    rng, results = Random(5), list[Document]()
    while len(results) < 80:
        with suppress(KassayError):
            results.append(solve_document(placements.small(rng), Wanted(time_limit_s=0.0)))
    return tuple(results)


@cache
def _budgets() -> tuple[Document, ...]:
    """Half of them with a proof by prices, not by looking at all packings."""
    rng, results = Random(7), list[Document]()
    while len(results) < 80:
        wanted = Wanted(RACK_FIRST, budget=rng.choice((0, 1, 2, 3, 60)))
        with suppress(KassayError), pytest.MonkeyPatch.context() as patch:
            if len(results) % 2:
                patch.setattr(optimum, "best_of_all", lambda *_: None)
            results.append(solve_document(packings.any_case(rng), wanted))
    return tuple(results)


@cache
def _members() -> tuple[Document, ...]:
    rng = Random(6)
    return tuple(solve_document(members.small(rng), Wanted(time_limit_s=60.0)) for _ in range(80))


@cache
def _shares() -> tuple[Document, ...]:
    clean = [
        share_group(shape, seed, members=4, partitions=partitions, topics=1)
        for shape in ("join", "leave")
        for seed in range(3)
        for partitions in (2, 3)
    ]
    for case in clean:
        del case["shape"], case["seed"]
    drawn = shares.drawn(7, 80, 4, 4)
    solved = [solve_document(case) for case in (*clean, *drawn)]
    return tuple(solved + [solve_document(case, Wanted(time_limit_s=0.0)) for case in drawn[:20]])


def _held() -> list[Document]:
    text = gzip.decompress((HELD / "small-results.jsonl.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def kind_of(result: Document) -> str:
    """The kind of proof that a result carries."""
    certificate = result["certificate"]
    second = {
        "kassay/tasks-certificate/2": "racked",
        "kassay/tasks-certificate/3": "members",
        "kassay/placement-certificate/2": "bounded",
        "kassay/packing-certificate/2": "racks within budget",
    }
    if certificate["schema"] in second:
        return second[certificate["schema"]]
    name = str(certificate["schema"]).removeprefix("kassay/").partition("-")[0]
    return str(certificate.get("kind") or {"optimum": "exact"}.get(name, name))


def forged(kind: str, rng: Random, pool: list[Document]) -> Document:
    """A forgery: one of the pool with up to three things changed."""
    document = copy.deepcopy(rng.choice(pool))
    if rng.random() < 0.15:
        document = document["certificate"]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change = rng.choice(CHANGES)
        # What is no longer what the change looks for stays as it is.
        with suppress(ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
            change(document, rng, pool)
    return document


def leaves(node: Any) -> Iterator[Place]:
    """Where everything in a document stands that has no parts."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict | list) and value:
            yield from leaves(value)
        elif key not in ("name", "elapsed_s", "solver"):
            yield node, key


def nodes(node: Any) -> Iterator[Place]:
    """Where everything in a document stands that has parts."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict | list):
            yield node, key
            yield from nodes(value)


def inside(document: Document) -> Document:
    """The certificate of a result, or what is one."""
    return document.get("certificate") or document


def change_leaf(document: Document, rng: Random, pool: list[Document]) -> None:
    """One value becomes another."""
    places = list(leaves(document))
    # Prices and lists of owners are long: every field of an object is as likely as all of those.
    place, key = rng.choice(
        [each for each in places if isinstance(each[0], dict)] if rng.random() < 0.6 else places
    )
    value = place[key]
    same_type = [p[k] for p, k in places if type(p[k]) is type(value)]
    if isinstance(value, bool):
        place[key] = rng.choice([not value, int(value)])
    elif isinstance(value, int):
        place[key] = rng.choice(
            [value + 1, value - 1, value + 1, value - 1, 0, value + rng.randint(-9, 9), 2 * value,
             rng.choice(same_type), bool(value), float(value), 10**9, None, str(value)]
        )  # fmt: skip
    else:
        place[key] = rng.choice([*same_type, None, "", 0, [], {}])


def change_price(document: Document, rng: Random, pool: list[Document]) -> None:
    """A price, a level or a bound of the proof changes by a little or by much."""
    certificate = inside(document)
    names = [
        name
        for name in (
            "prices",
            "scales",
            "levels",
            "leader_prices",
            "copy_prices",
            "active_prices",
            "stateful_prices",
            "standby_prices",
            "lead_prices",
            "moves",
            "bound",
            "grain",
            "steps",
            "k",
        )
        if name in certificate
    ]
    if names:
        name = rng.choice(names)
        places = list(leaves({name: certificate[name]}))
        place, key = rng.choice(places)
        place = certificate if key == name and place == {name: certificate[name]} else place
        if type(place.get(key) if isinstance(place, dict) else place[key]) is int:
            place[key] += rng.choice((-1, 1, 1, 2, -16, 16, 10**8, -(10**8), 10**6))


def change_bound(document: Document, rng: Random, pool: list[Document]) -> None:
    """A bound is stated better than it is, inside and outside, with the status that goes with it."""
    certificate = inside(document)
    if "lower" in certificate:
        certificate["lower"] = rng.choice(
            (certificate["lower"] + 1, certificate["lower"] - 1, certificate["upper"], 0)
        )
        if "prover" in certificate and rng.random() < 0.5:
            certificate["prover"] = rng.choice(("Z3", "CP-SAT", "faith", None))
    if "bound" in certificate and rng.random() < 0.5:
        certificate["bound"]["value"] += rng.choice((-1, 1))
    agree(document)


def agree(document: Document) -> None:
    """Everything that a result repeats of its certificate is made to agree with it."""
    certificate = inside(document)
    if certificate is document:
        return
    for name in (
        "lower",
        "upper",
        "moved",
        "rack_mismatch",
        "assignment",
        "standbys",
        "order",
        "witness",
        "tolerance",
        "budget",
    ):
        if name in document and name in certificate:
            document[name] = copy.deepcopy(certificate[name])
    if certificate.get("kind") == "weighted":
        document["max_weight"] = certificate["upper"]
        document["bound"] = certificate["prover"] or document["bound"]
    if "moves" in certificate:
        document["moved_lower"] = certificate["moves"]["moves"]
    if "lower" in certificate and "balanced" not in certificate:
        closed = certificate["lower"] == certificate["upper"]
        document["status"] = "optimal" if closed else "interval"
        if not closed:
            document["proven"] = []
    if "balanced" in certificate:
        closed = certificate["balanced"] and certificate["lower"] == certificate["upper"]
        balances = ["balance of actives", "balance of copies"] if certificate["balanced"] else []
        document["status"] = "optimal" if closed else "interval"
        document["proven"] = [*balances, "cost"] if closed else balances


def move_entry(document: Document, rng: Random, pool: list[Document]) -> None:
    """An entry of a list goes missing, comes twice, or changes places with another."""
    lists = [p[k] for p, k in nodes(document) if isinstance(p[k], list) and p[k]]
    if not lists:
        return
    row = rng.choice(lists)
    a, b = rng.randrange(len(row)), rng.randrange(len(row))
    match rng.randrange(4):
        case 0:
            row.pop(a)
        case 1:
            row.append(copy.deepcopy(row[a]))
        case 2:
            row[a], row[b] = row[b], row[a]
        case _:
            other = rng.choice(lists)
            other.append(row.pop(a))


def change_key(document: Document, rng: Random, pool: list[Document]) -> None:
    """A field goes missing, is called otherwise, or comes with a sister; two fields change places."""
    objects = [document] + [p[k] for p, k in nodes(document) if isinstance(p[k], dict) and p[k]]
    node = rng.choice(objects)
    key, other = rng.choice(list(node)), rng.choice(list(node))
    match rng.randrange(4):
        case 0:
            del node[key]
        case 1:
            node[rng.choice(("extra", "lower", "upper", "moved", "t9", "m9", "9"))] = copy.deepcopy(node[key])
        case 2:
            node[key], node[other] = node[other], node[key]
        case _:
            node[key] = rng.choice((None, [], {}, 0))


def swap_part(document: Document, rng: Random, pool: list[Document]) -> None:
    """A part comes from another document."""
    other = copy.deepcopy(rng.choice(pool))
    ours, theirs = inside(document), inside(other)
    if rng.random() < 0.4 and ours is not document:
        ours, theirs = document, other
    name = rng.choice(list(theirs))
    ours[name] = theirs[name]
    if rng.random() < 0.5:
        agree(document)


def reassign(document: Document, rng: Random, pool: list[Document]) -> None:
    """Some partitions, replicas or tasks go elsewhere, and the figures follow where the forger can count."""
    certificate = inside(document)
    assignment = certificate.get("assignment")
    if not isinstance(assignment, dict) or not assignment:
        return
    if "brokers" in certificate.get("instance", {}):
        rows = [row for name in assignment for row in assignment[name] if row]
        if rows:
            row = rng.choice(rows)
            ids = [broker["id"] for broker in certificate["instance"]["brokers"]]
            match rng.randrange(4):
                case 0:
                    row[rng.randrange(len(row))] = rng.choice([*ids, 99])
                case 1:
                    rng.shuffle(row)
                case 2:
                    other = rng.choice(rows)
                    row[0], other[0] = other[0], row[0]
                case _:
                    row.append(rng.choice(ids))
    elif "clients" in certificate.get("instance", {}):
        roles = (certificate["assignment"], certificate.get("standbys"))
        role = rng.choice(roles)
        if isinstance(role, dict) and role:
            giver, taker = rng.choice(list(role)), rng.choice(list(role))
            if isinstance(role[giver], list) and isinstance(role[taker], list) and role[giver]:
                role[taker].append(role[giver].pop(rng.randrange(len(role[giver]))))
                if rng.random() < 0.3 and role[taker][:-1]:
                    role[giver].append(role[taker].pop(0))
    else:
        for _ in range(rng.choice((1, 2))):
            giver, taker = rng.choice(list(assignment)), rng.choice(list(assignment))
            if (
                isinstance(assignment[giver], dict)
                and assignment[giver]
                and isinstance(assignment[taker], dict)
            ):
                topic = rng.choice(list(assignment[giver]))
                if isinstance(assignment[giver][topic], list) and assignment[giver][topic]:
                    numbers = assignment[giver][topic]
                    number = numbers.pop(rng.randrange(len(numbers)))
                    names = [
                        topic,
                        *(
                            g
                            for group in certificate["instance"].get("copartition") or ()
                            if topic in group
                            for g in group
                        ),
                    ]
                    assignment[taker].setdefault(topic, []).append(number)
                    for name in names[1:]:
                        if number in assignment[giver].get(name, ()):
                            assignment[giver][name].remove(number)
                            assignment[taker].setdefault(name, []).append(number)
    if rng.random() < 0.8:
        recount(document)


def recount(document: Document) -> None:
    """The figures of the assignment, as far as they can be counted at a glance."""
    certificate = inside(document)
    try:
        if certificate["instance"]["family"] != "A":
            _recount_from_facts(document, certificate)
            return
        own = truth.Group(certificate["instance"]).own(certificate["assignment"])
        if "enumerated" in certificate:
            _claim_packing(document, certificate, own)
            return
        certificate["moved"], certificate["rack_mismatch"] = own.moved, own.mismatch
        if "upper" in certificate:
            was = certificate["upper"]
            weighted = certificate["kind"] == "weighted"
            certificate["upper"] = own.weights[0] if weighted else own.squares
            if certificate["lower"] == was:
                certificate["lower"] = certificate["upper"]
            if certificate["moves"]["top"] < own.loads[0] or weighted:
                certificate["moves"]["top"] = max(certificate["moves"]["top"], own.weights[0])
        if "loads" in certificate:
            certificate["loads"] = sorted(own.loads)
        if certificate is not document:
            document |= {
                "loads": sorted(own.loads),
                "sum_squares": own.squares,
                "weights": sorted(own.weights),
            }
            if certificate.get("kind") != "weighted":
                del document["weights"]
            if "lower" not in certificate:
                document["lower"] = document["upper"] = own.squares
        agree(document)
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError, truth.TooLargeError):
        return


def _claim_packing(document: Document, certificate: Document, own: truth.Value) -> None:
    """The packing is said to be the best in every goal."""
    certificate["moved"], certificate["rack_mismatch"] = own.moved, own.mismatch
    if certificate is document:
        return
    document |= {
        "loads": sorted(own.loads),
        "sum_squares": own.squares,
        "weights": sorted(own.weights),
        "upper": own.weights[0],
        "lower": own.weights[0],
        "max_weight": own.weights[0],
        "move_cost": own.cost,
        "status": "optimal",
    }
    values = {"balance": list(own.weights), "movement": own.cost, "rack": own.mismatch}
    for goal in document["goals"]:
        if goal["goal"] in values:
            goal |= {"value": values[goal["goal"]], "bound": values[goal["goal"]], "proven": True}
            if "parts_at" in goal:
                goal["parts_at"] = None
        else:
            goal["value"] = own.weights[0]
            document["lower"] = goal["bound"]
    agree(document)


def _recount_from_facts(document: Document, certificate: Document) -> None:
    read = truth.FACTS[certificate["schema"], None]
    facts = dict(read(certificate, document))
    for name in ("upper", "moved"):
        if name in certificate:
            if name == "upper" and certificate["lower"] == certificate["upper"]:
                certificate["lower"] = facts["upper"]
            certificate[name] = facts[name]
    if certificate is not document:
        for name in (
            "loads",
            "sum_squares",
            "replicas",
            "leaders",
            "copies",
            "moved",
            "leader_changes",
            "lower",
            "upper",
            "totals",
            *(("status", "goals") if certificate["instance"]["family"] == "D" else ()),
        ):
            if name in document and name in facts:
                document[name] = facts[name]
    agree(document)


def other_instance(document: Document, rng: Random, pool: list[Document]) -> None:
    """The problem becomes another while proof and answer stay."""
    instance = inside(document).get("instance")
    if not isinstance(instance, dict):
        return
    places = list(leaves(instance))
    place, key = rng.choice(places)
    value = place[key]
    texts = [p[k] for p, k in places if isinstance(p[k], str)]
    if isinstance(value, bool):
        place[key] = not value
    elif isinstance(value, int):
        place[key] = max(0, value + rng.choice((-1, 1, 1, 2)))
    elif isinstance(value, str):
        place[key] = rng.choice(texts)
    else:
        place[key] = rng.choice([None, 0, 1, 2, "a", [], [0], ["a"]])
    for topic in instance.get("topics", ()) if rng.random() < 0.3 else ():
        if isinstance(topic, dict) and isinstance(topic.get("partitions"), int) and "rf" not in topic:
            topic["weights"] = rng.choice(
                [None, [rng.randint(0, 3) for _ in range(min(topic["partitions"], 9))]]
            )
    for broker in instance.get("brokers", ()) if rng.random() < 0.3 else ():
        if isinstance(broker, dict):
            broker[rng.choice(("max_replicas", "base", "share"))] = rng.randint(0, 4)
            if rng.random() < 0.3:
                broker["fenced"] = rng.random() < 0.5
    if rng.random() < 0.7:
        recount(document)


def other_question(document: Document, rng: Random, pool: list[Document]) -> None:
    """The goals, the tolerance or the budget become others while proof and answer stay."""
    certificate = inside(document)
    match rng.randrange(5):
        case 0:
            certificate["order"] = rng.choice(("balance,movement,rack", "balance,rack,movement"))
        case 1 if "budget" in certificate:
            certificate["budget"] = rng.choice((None, 0, 1, 2, 3, 5))
        case 2 if "tolerance" in certificate:
            certificate["tolerance"] = rng.choice((None, [0, 1], [1, 10], [1, 2], [2, 1], [1, 0]))
        case 3 if "enumerated" in certificate:
            certificate["enumerated"] = rng.random() < 0.5
            certificate["steps"] = certificate["steps"][: rng.randint(0, 2)]
        case 4 if certificate["schema"] == "kassay/packing-certificate/1":
            certificate |= {"schema": "kassay/packing-certificate/2", "scales": [1, rng.randint(1, 9)]}
        case 4 if "scales" in certificate:
            certificate["schema"] = "kassay/packing-certificate/1"
            del certificate["scales"]
    if rng.random() < 0.7:
        recount(document)
    agree(document)


def relabel(document: Document, rng: Random, pool: list[Document]) -> None:
    """The proof is said to be of another kind."""
    certificate = inside(document)
    if rng.random() < 0.5:
        certificate["schema"] = (
            f"kassay/{rng.choice(('optimum', 'interval', 'placement', 'tasks'))}-certificate/1"
        )
    if rng.random() < 0.7:
        certificate["kind"] = rng.choice(("weighted", "bundles", "exact"))


CHANGES = (
    *(change_leaf,) * 3,
    *(change_price,) * 3,
    *(change_bound,) * 2,
    move_entry,
    change_key,
    *(swap_part,) * 2,
    *(reassign,) * 5,
    *(other_instance,) * 4,
    *(other_question,) * 2,
    relabel,
)
