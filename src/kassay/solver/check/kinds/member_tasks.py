"""Tasks for members inside processes: both balances and the cost of active tasks, then their standbys.

For any prices of a task with state and of any task at each member, a balanced assignment pays at least each
task's cheapest choice, prices included, less the most that the prices collect where all counts are within
one: that proves the active tasks. For standbys there are three statements: no assignment has its copies more
even than members and processes allow; prices of copies prove the least number of restores; and prices of
processes prove whether any standbys for these active tasks are better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from kassay.solver.check.kinds import tasks
from kassay.solver.check.kinds.tasks import CHANGE, RESTORE
from kassay.solver.check.members import FAMILY, MemberCase, read_members
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    WHOLE,
    Document,
    ProofKind,
    Proven,
    ProvenQuestion,
    by_name,
    one_of,
    one_price_each,
    record,
    rows,
    squares,
)

SCHEMA: Final = "kassay/tasks-certificate/3"
SCALE: Final = 16
"""Prices of copies are whole numbers of 1 / SCALE of a restore."""
_PRICES_OF_PROCESSES: Final = ("standby_prices", "copy_prices", "lead_prices")
_MANY: Final = 1 << 200
COSTS: Final = {"restore": RESTORE, "change of process": CHANGE}
Goal = dict[str, Any]
_Kind = tuple[bool, int | None, frozenset[int]]
"""Tasks that differ only in number: whether they have state, their previous member, where their state is."""


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of each goal; raises `RefusedError` if it is no assignment."""
    case = read_members(form, certificate)
    actives = Counter(case.active)
    dues = _dues(case, certificate)
    goals = list(_active_goals(case, dues))
    cost, moved = goals[2], goals[3]
    restores, is_best = _restores(case), True
    prices = [one_price_each(certificate[name], case.processes) for name in _PRICES_OF_PROCESSES]
    if case.following and case.copied:
        goals += _standby_goals(case, dues, moved["proven"], prices[1:], restores)
        is_best = _best_beside(case, prices[0], restores)
    open_goal = next((goal for goal in goals if not goal["proven"]), None)
    status = "optimal" if open_goal is None else "interval"
    copies = actives + Counter(m for row in case.standby for m in row)
    best = "" if is_best else " not"
    return Proven(
        f"optimal: a cost of {cost['value']}, {moved['value']} moved"
        if open_goal is None
        else f"interval: {open_goal['goal']} {open_goal['value']}, at least {open_goal['bound']}; "
        f"standbys{best} proven best for these active tasks",
        ProvenQuestion(tuple(goal["goal"] for goal in goals), COSTS),
        {
            **squares([actives[m] for m in range(len(case.process))]),
            "status": status,
            "goals": goals,
            "lower": cost["bound"],
            "upper": cost["value"],
            "moved": moved["value"],
            "rack_mismatch": 0,
            "bound": "member prices for active tasks, both balances first",
            "proven": [goal["goal"] for goal in goals if goal["proven"]],
            "copies": restores
            + sum(
                stateful and case.process[m] not in state
                for stateful, m, state in zip(case.stateful, case.active, case.state, strict=True)
            ),
            "totals": sorted(copies[m] for m in range(len(case.process))),
            "standbys_best": is_best,
            "assignment": certificate["assignment"],
            "standbys": certificate["standbys"],
        },
    )


def _goal(name: str, value: int, bound: int, before: bool) -> Goal:
    """The entry of a goal: proven where its value is its bound and the goals before it are proven."""
    return {"goal": name, "value": value, "bound": bound, "proven": before and value == bound}


def _active_goals(case: MemberCase, dues: _Dues) -> Iterator[Goal]:
    """Both balances of active tasks, their cost, and how many leave their member."""
    members, every = len(case.process), len(case.active)
    with_state = Counter(m for m, stateful in zip(case.active, case.stateful, strict=True) if stateful)
    counts = _squares(with_state), _squares(Counter(case.active))
    stateful = _goal("balance of stateful", counts[0], _even(case.copied, members), True)
    yield stateful
    actives = _goal("balance of actives", counts[1], _even(every, members), stateful["proven"])
    yield actives
    bound, weight = dues.lowest, every + 1
    value, moved = divmod(_paid(case), weight)
    # A task that leaves its member weighs 1, and all of them together weigh less than a unit of cost.
    least = max(0, -(-(bound - every) // weight)) if actives["proven"] else 0
    cost = _goal("cost", value, least, actives["proven"])
    yield cost
    yield _goal("moved", moved, max(0, bound - weight * value) if cost["proven"] else 0, cost["proven"])


def _squares(counts: Counter[int]) -> int:
    return sum(count * count for count in counts.values())


def _even(total: int, places: int) -> int:
    """The least sum of squares of so many units."""
    each, more = divmod(total, places)
    return places * each * each + more * (2 * each + 1)


def _paid(case: MemberCase) -> int:
    """The payment of the active tasks: 1 for leaving a member, more than all that for a unit of cost."""
    weight, total = len(case.active) + 1, 0
    for stateful, old, state, member in zip(case.stateful, case.old, case.state, case.active, strict=True):
        process = case.process[member]
        total += old is not None and old != member
        if stateful:
            changed = old is not None and case.process[old] != process
            total += weight * (RESTORE * (process not in state) + CHANGE * changed)
    return total


class _Dues(NamedTuple):
    """What prices prove of active tasks: the payment of each kind in each process, and the members' counts.

    `leads` has for each kind of tasks the least payment in each process, prices included; `stateful` and
    `all` have for each member its number of tasks where no balanced assignment pays less.
    """

    leads: dict[_Kind, list[int]]
    kinds: Counter[_Kind]
    lowest: int
    stateful: list[range]
    all: list[range]


def _dues(case: MemberCase, certificate: Document) -> _Dues:
    members = len(case.process)
    own = one_price_each(certificate["stateful_prices"], members)
    any_ = one_price_each(certificate["active_prices"], members)
    runs = [one + other for one, other in zip(own, any_, strict=True)]
    kinds = Counter(zip(case.stateful, case.old, case.state, strict=True))
    leads = {kind: _leads(case, runs if kind[0] else any_, kind) for kind in kinds}
    lowest = sum(number * min(leads[kind]) for kind, number in kinds.items())
    every, without = len(case.active), len(case.active) - case.copied
    lowest -= _income(own, case.copied) + _income(any_, every)
    counts = [*zip(_counts(own, case.copied), _counts(any_, every), strict=True)]
    # A member has at least as many tasks as tasks with state, and at most the number without state more.
    stateful = [range(max(s[0], t[0] - without), min(s[-1], t[-1]) + 1) for s, t in counts]
    all_ = [range(max(s[0], t[0]), min(s[-1] + without, t[-1]) + 1) for s, t in counts]
    return _Dues(leads, kinds, lowest, stateful, all_)


def _leads(case: MemberCase, prices: Sequence[int], kind: _Kind) -> list[int]:
    """The least payment of a task of the kind in each process, prices included."""
    stateful, old, state = kind
    inside = [_MANY] * case.processes
    weight = len(case.active) + 1
    for member, (place, price) in enumerate(zip(case.process, prices, strict=True)):
        left = old is not None and old != member
        inside[place] = min(inside[place], price + left)
    if not stateful:
        return inside
    home = None if old is None else case.process[old]
    return [
        price + weight * (RESTORE * (place not in state) + CHANGE * (home not in (None, place)))
        for place, price in enumerate(inside)
    ]


def _income(prices: Sequence[int], number: int) -> int:
    """The most that the prices collect for this number of tasks, where all counts are within one."""
    each, more = divmod(number, len(prices))
    return each * sum(prices) + sum(sorted(prices, reverse=True)[:more])


def _counts(prices: Sequence[int], number: int) -> list[range]:
    """The possible counts of each member where the prices collect the most: higher prices, higher counts."""
    each, more = divmod(number, len(prices))
    if not more:
        return [range(each, each + 1)] * len(prices)
    order = sorted(prices, reverse=True)
    return [range(each + (price > order[more]), each + (price >= order[more - 1]) + 1) for price in prices]


def _restores(case: MemberCase) -> int:
    """The standbys in processes without the state of their task."""
    return sum(
        case.process[m] not in state for row, state in zip(case.standby, case.state, strict=True) for m in row
    )


def _standby_goals(
    case: MemberCase, dues: _Dues, before: bool, prices: Sequence[Sequence[int]], restores: int
) -> Iterator[Goal]:
    """The balance of all members' copies, and the restores of standbys.

    Their bounds are for assignments with equally good active tasks, which are the best if `before` says so.
    Those pay the least if these do, so the prices show where their tasks can be.
    """
    copies = Counter(case.active) + Counter(m for row in case.standby for m in row)
    counts = [copies[m] for m in range(len(case.process))]
    total = len(case.active) + case.copied * case.following
    fewest, least = 0, _even(total, len(counts))
    if before and dues.lowest == _paid(case):
        least = _least_squares(case, dues)
        # Any number of copies up to all of them where the balance is not even.
        each = total // len(counts) if max(counts) - min(counts) <= 1 else None
        room = _room(case, dues, range(total + 1) if each is None else range(each, each + 2))
        paid = _standbys_pay(case, dues, *prices)
        paid -= _most(prices[0], room, case.copied * (1 + case.following))
        paid -= _most(prices[1], _inside(case, dues.stateful), case.copied)
        fewest = max(0, -(-paid // SCALE))
    balance = _goal("balance of copies", _squares(copies), least, before)
    yield balance
    yield _goal("standby restores", restores, fewest, balance["proven"])


def _standbys_pay(
    case: MemberCase, dues: _Dues, copy_prices: Sequence[int], lead_prices: Sequence[int]
) -> int:
    """The least payment of standbys with active tasks at the least payment, in 1 / SCALE.

    That is 1 for a restore, a price for each copy, including the active task's, and a price for the latter.
    """
    total = 0
    for kind, number in dues.kinds.items():
        stateful, _, state = kind
        if not stateful:
            continue
        held = [price + SCALE * (place not in state) for place, price in enumerate(copy_prices)]
        others, leads = _others(held, case.following), dues.leads[kind]
        total += number * min(
            others[place] + copy_prices[place] + lead_prices[place]
            for place, lead in enumerate(leads)
            if lead == min(leads)
        )
    return total


def _inside(case: MemberCase, counts: Sequence[range]) -> list[range]:
    """How many tasks the members of each process can have together."""
    least, most = Counter[int](), Counter[int]()
    for place, count in zip(case.process, counts, strict=True):
        least[place] += count[0]
        most[place] += count[-1]
    return [range(least[place], most[place] + 1) for place in range(case.processes)]


def _stateless(case: MemberCase, dues: _Dues) -> list[range]:
    """The possible numbers of stateless tasks of each process: all active tasks less those with state."""
    without = len(case.active) - case.copied
    ranges = zip(_inside(case, dues.all), _inside(case, dues.stateful), strict=True)
    return [
        range(max(0, every[0] - stateful[-1]), min(without, every[-1] - stateful[0]) + 1)
        for every, stateful in ranges
    ]


def _room(case: MemberCase, dues: _Dues, copies: range) -> list[range]:
    """The possible numbers of copies with state in each process; each member has `copies` of all tasks."""
    return [
        range(max(0, size * copies[0] - without[-1]), min(case.copied, size * copies[-1] - without[0]) + 1)
        for without, size in zip(_stateless(case, dues), case.sizes, strict=True)
    ]


def _most(prices: Sequence[int], counts: Sequence[range], total: int) -> int:
    """The most that the prices collect for such counts with this total."""
    income, left = 0, total - sum(count[0] for count in counts)
    for price, count in sorted(zip(prices, counts, strict=True), key=lambda each: -each[0]):
        more = min(left, count[-1] - count[0])
        left -= more
        income += price * (count[0] + more)
    return income


def _least_squares(case: MemberCase, dues: _Dues) -> int:
    """The least sum of squares of copies where a process has each task with state at most once.

    Processes with the least room for each of their members are filled before the others, or none is.
    """
    left, others = len(case.active) + case.copied * case.following, len(case.process)
    rooms = [
        (case.copied + without[-1], size)
        for without, size in zip(_stateless(case, dues), case.sizes, strict=True)
    ]
    total = 0
    for room, size in sorted(rooms, key=lambda each: Fraction(*each)):
        if room * others >= left * size or size == others:
            break
        total += _even(room, size)
        left -= room
        others -= size
    return total + _even(left, others)


def _others(held: Sequence[int], number: int) -> list[int]:
    """For each place the total of the cheapest `number` of the others."""
    order = sorted(held)
    rest, following = sum(order[:number]), order[number]
    return [rest if price > order[number - 1] else rest - price + following for price in held]


def _best_beside(case: MemberCase, prices: Sequence[int], restores: int) -> bool:
    """Whether the prices prove that no standbys for these active tasks are more even, or cost less."""
    weight = case.copied * case.following + 1
    base, standbys = Counter(case.active), Counter(m for row in case.standby for m in row)
    paid, bound = restores, 0
    for m, place in enumerate(case.process):
        held = base[m]
        paid += weight * ((held + standbys[m]) ** 2 - held * held)
        # The n-th copy costs weight * (2 (held + n) - 1): all that cost less than the price are taken.
        taken = max(0, (prices[place] // weight + 1) // 2 - held)
        bound += weight * ((held + taken) ** 2 - held * held) - prices[place] * taken
    kinds = Counter(
        (case.process[m], state)
        for m, state, stateful in zip(case.active, case.state, case.stateful, strict=True)
        if stateful
    )
    for (lead, state), number in kinds.items():
        held_at = [price + (place not in state) for place, price in enumerate(prices)]
        bound += number * _others(held_at, case.following)[lead]
    return bound == paid


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=tasks.pose,
    takes=lambda form: "stateless" in form,
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "instance": ANYTHING,
            "assignment": by_name(rows(COUNT)),
            "standbys": by_name(rows(COUNT)),
            "stateful_prices": rows(WHOLE),
            "active_prices": rows(WHOLE),
            "standby_prices": rows(WHOLE),
            "copy_prices": rows(WHOLE),
            "lead_prices": rows(WHOLE),
        }
    ),
    check=check,
)
