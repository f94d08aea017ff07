"""Proof obligations on the range and round-robin rules.

n partitions go to m members; q and r are quotient and remainder, n = q * m + r. Member i of the range rule
gets `length(i)` partitions from `start(i)` on: q, and one more for the first r members.
"""

from __future__ import annotations

from typing import Any, Final

import z3  # type: ignore[import-untyped]

from kassay.solver.proofs.obligation import ProofVerdict, Question, obligation

_RANGE: Final = "Kafka RangeAssignor"
_ROUND_ROBIN: Final = "Kafka RoundRobinAssignor"
_CEILING: Final = "the range rule with ceil(P / C) a member, as older clients have it"


def _least(a: Any, b: Any) -> Any:
    return z3.If(a < b, a, b)


def _most(a: Any, b: Any) -> Any:
    return z3.If(a > b, a, b)


def _shares() -> tuple[Any, Any, Any, Any, list[Any]]:
    """n, m, q, r and the facts about them."""
    n, m, q, r = z3.Ints("n m q r")
    return n, m, q, r, [n >= 0, m >= 1, q >= 0, r >= 0, r < m, n == q * m + r]


def _start(i: Any, q: Any, r: Any) -> Any:
    return q * i + _least(i, r)


def _length(i: Any, q: Any, r: Any) -> Any:
    return q + z3.If(i < r, 1, 0)


@obligation("range-contiguous", "base", "the first member starts at partition 0", _RANGE)
def _range_first() -> Question:
    n, m, q, r, known = _shares()
    return Question(known, _start(z3.IntVal(0), q, r) == 0, (m, n))


@obligation("range-contiguous", "step", "a member starts where the one before ends", _RANGE)
def _range_next() -> Question:
    n, m, q, r, known = _shares()
    i = z3.Int("i")
    goal = _start(i, q, r) + _length(i, q, r) == _start(i + 1, q, r)
    return Question([*known, i >= 0, i < m], goal, (m, n, i))


@obligation("range-contiguous", "end", "behind the last member no partition is left", _RANGE)
def _range_last() -> Question:
    n, m, q, r, known = _shares()
    return Question(known, _start(m, q, r) == n, (m, n))


@obligation("range-even", "all", "no member has two partitions more than another", _RANGE)
def _range_even() -> Question:
    n, m, q, r, known = _shares()
    i, j = z3.Ints("i j")
    gap = _length(i, q, r) - _length(j, q, r)
    return Question([*known, i >= 0, i < m, j >= 0, j < m], z3.And(gap <= 1, gap >= -1), (m, n, i, j))


@obligation("range-disjoint", "lemma", "whole shares between two members are not negative", _RANGE)
def _range_between() -> Question:
    q, i, j = z3.Ints("q i j")
    return Question([q >= 0, i >= 0, i < j], (j - i - 1) * q >= 0, (q, i, j))


@obligation("range-disjoint", "all", "an earlier member ends before a later one starts", _RANGE)
def _range_disjoint() -> Question:
    n, m, q, r, known = _shares()
    i, j = z3.Ints("i j")
    between = (j - i - 1) * q >= 0
    goal = _start(i, q, r) + _length(i, q, r) <= _start(j, q, r)
    return Question([*known, i >= 0, i < j, j < m, between], goal, (m, n, i, j))


@obligation("range-owner", "long", "p div (q + 1) owns p among the longer shares", _RANGE)
def _range_owner_long() -> Question:
    """A partition before r * (q + 1) is owned by p div (q + 1), here called a with remainder b."""
    n, m, q, r, known = _shares()
    p, a, b = z3.Ints("p a b")
    region = [p >= 0, p < r * (q + 1), p == (q + 1) * a + b, b >= 0, b <= q]
    goal = z3.And(a >= 0, a < r, _start(a, q, r) <= p, p < _start(a, q, r) + _length(a, q, r))
    return Question([*known, *region], goal, (m, n, p))


@obligation("range-owner", "short", "r + (p - r(q + 1)) div q owns the rest", _RANGE)
def _range_owner_short() -> Question:
    """A partition from r * (q + 1) on is owned by r + (p - r * (q + 1)) div q."""
    n, m, q, r, known = _shares()
    p, a, b = z3.Ints("p a b")
    region = [p >= r * (q + 1), p < n, p - r * (q + 1) == q * a + b, b >= 0, b < q]
    i = r + a
    goal = z3.And(i >= r, i < m, _start(i, q, r) <= p, p < _start(i, q, r) + _length(i, q, r))
    return Question([*known, *region], goal, (m, n, p))


@obligation("range-cover", "base", "nothing lies before the first member", _RANGE)
def _cover_base() -> Question:
    p = z3.Int("p")
    start = z3.Function("start", z3.IntSort(), z3.IntSort())
    return Question([start(0) == 0], z3.Not(z3.And(p >= 0, p < start(0))), (p,))


@obligation("range-cover", "step", "contiguous shares leave no partition out", _RANGE)
def _cover_step() -> Question:
    """If the first i members own everything before start(i), the first i + 1 own all before start(i + 1)."""
    integers = z3.IntSort()
    start, length, owner = (z3.Function(name, integers, integers) for name in ("start", "length", "owner"))
    i, p, k = z3.Ints("i p k")

    def owns(member: Any, partition: Any) -> Any:
        return z3.And(start(member) <= partition, partition < start(member) + length(member))

    known = z3.ForAll(
        [k],
        z3.Implies(z3.And(k >= 0, k < start(i)), z3.And(owner(k) >= 0, owner(k) < i, owns(owner(k), k))),
        patterns=[owner(k)],
    )
    witness = z3.If(p < start(i), owner(p), i)
    assumptions = [i >= 0, length(i) >= 0, start(i) + length(i) == start(i + 1), p >= 0, p < start(i + 1)]
    return Question([known, *assumptions], z3.And(witness >= 0, witness <= i, owns(witness, p)), (i, p))


def _dealt(turns: Any, i: Any, m: Any, name: str) -> tuple[Any, list[Any]]:
    """How many of the first turns go to member i: (turns - i + m - 1) div m, the quotient named."""
    count, rest = z3.Ints(f"count_{name} rest_{name}")
    return count, [turns - i + m - 1 == count * m + rest, rest >= 0, rest < m]


@obligation("roundrobin-count", "base", "before the first turn no member has anything", _ROUND_ROBIN)
def _deal_base() -> Question:
    m, i = z3.Ints("m i")
    count, named = _dealt(z3.IntVal(0), i, m, "i")
    return Question([m >= 1, i >= 0, i < m, *named], count == 0, (m, i))


@obligation("roundrobin-count", "lemma", "the count is n div m, and one if n mod m > i", _ROUND_ROBIN)
def _deal_lemma() -> Question:
    """With n = a * m + b, member i has a partitions, and one more if b > i."""
    n, m, i, a, b = z3.Ints("n m i a b")
    rest = n - i + m - 1 - (a * m + z3.If(b > i, m, 0))
    known = [n >= 0, m >= 1, i >= 0, i < m, n == a * m + b, b >= 0, b < m]
    return Question(known, z3.And(rest >= 0, rest < m), (m, n, i))


@obligation("roundrobin-count", "step", "turn n adds one to member n mod m alone", _ROUND_ROBIN)
def _deal_step() -> Question:
    """By the lemma the count is a + [b > i]; the next turn raises b, or a where b starts again at 0."""
    m, i, a, b = z3.Ints("m i a b")
    before = a + z3.If(b > i, 1, 0)
    after = z3.If(b + 1 < m, a + z3.If(b + 1 > i, 1, 0), a + 1)
    known = [m >= 1, a >= 0, i >= 0, i < m, b >= 0, b < m]
    return Question(known, after == before + z3.If(b == i, 1, 0), (m, i, a, b))


@obligation("roundrobin-even", "all", "counts differ by at most one", _ROUND_ROBIN)
def _deal_even() -> Question:
    n, m, i, j = z3.Ints("n m i j")
    mine, named = _dealt(n, i, m, "i")
    theirs, named_too = _dealt(n, j, m, "j")
    known = [n >= 0, m >= 1, i >= 0, i < m, j >= 0, j < m, *named, *named_too]
    return Question(known, z3.And(mine - theirs <= 1, theirs - mine <= 1), (m, n, i, j))


def _ceiling() -> tuple[Any, Any, Any, list[Any]]:
    """P, C, N = ceil(P / C) and the facts about them."""
    p, c, n = z3.Ints("P C N")
    return p, c, n, [p >= 1, c >= 1, n >= 1, n * c >= p, (n - 1) * c < p]


def _size(p: Any, n: Any, i: Any) -> Any:
    return _most(z3.IntVal(0), _least(n, p - n * i))


@obligation("ceil-range-even", "C=2", "with 2 members they do", _CEILING, arguments=("C=2",))
@obligation("ceil-range-even", "P<=3", "with at most 3 partitions they do", _CEILING, arguments=("P<=3",))
@obligation("ceil-range-even", "all", "sizes differ by at most one", _CEILING, expected=ProofVerdict.REFUTED)
def _ceiling_even(*extra: str) -> Question:
    p, c, n, known = _ceiling()
    more = {"P<=3": p <= 3, "C=2": c == 2}
    goal = _size(p, n, z3.IntVal(0)) - _size(p, n, c - 1) <= 1
    return Question([*known, *(more[name] for name in extra)], goal, (p, c, n))


@obligation("ceil-range-idle", "iff", "the last member is idle iff (C - 1) N >= P", _CEILING)
def _ceiling_idle() -> Question:
    p, c, n, known = _ceiling()
    return Question(known, (_size(p, n, c - 1) == 0) == ((c - 1) * n >= p), (p, c, n))


@obligation("ceil-range-idle", "P=C+1", "one partition more than members idles the last", _CEILING)
def _ceiling_one_more() -> Question:
    p, c, n, known = _ceiling()
    return Question([*known, p == c + 1, c >= 3], z3.And(n == 2, _size(p, n, c - 1) == 0), (p, c, n))
