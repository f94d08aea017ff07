"""Each single check has a forgery that only it refuses."""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.solver.check import check as check_module
from kassay.solver.check.balance import (
    MOVEMENT_FIRST,
    BalanceCertificate,
    ConsumerInstance,
    Member,
    Topic,
    refusal,
)
from kassay.solver.check.check import Outcome, check_certificate, pose
from kassay.solver.check.shapes import Posed
from tests.hostile import TEXTS
from tests.solver.check import forger, neutral, search

FORGERIES: Final = search.kept()
SPOKEN_FOR: Final = {
    "consumers._rows: row[partition] != -1": (
        "of as many partitions as there are, one given twice leaves another without an owner, which is refused "
        "after this, in words that say less"
    ),
    "packing.complete: len(packed.units) <= UNITS_MOST": "a limit of time, not of truth",
    "packing.complete: work <= WORK_MOST": "a limit of time, not of truth",
    "transfers._least_paths: size * len(steps) <= _WORK_MOST": "a limit of time, not of truth",
    "packing.bounds: bound <= load": (
        "the packing itself is within the limits of a bound above its load, so no step refutes those"
    ),
    "packing._refute: budget is not None": "the next check refuses as well, in words that say less",
}
"""Checks without a forgery of their own, and why."""
ONE_MOVED: Final = {"t": (0, 1)}


def group(*sizes: int, weights: tuple[int, ...] | None = None) -> ConsumerInstance:
    """Two members that read topics t, u, v of these sizes, which nobody owned."""
    topics = tuple(Topic(name, size, None, weights) for name, size in zip("tuv", sizes, strict=False))
    names = frozenset(topic.name for topic in topics)
    members = (Member("a", None, names), Member("b", None, names))
    return ConsumerInstance(members, topics, {topic.name: (-1,) * topic.partitions for topic in topics})


def proof(**fields: Any) -> BalanceCertificate:
    """The proof of one partition each of t."""
    return replace(BalanceCertificate(MOVEMENT_FIRST, ONE_MOVED, (0, 0), (0, 0), (1, 1), 0, 0), **fields)


DIRECT: Final = {
    "_form: certificate.order in ORDERS": (group(2), proof(order=("rack", "balance", "movement"))),
    "_form: len(row) == size": (group(2), proof(prices=(0, 0, 0))),
    "_form: _whole(row)": (group(2), proof(prices=(0.0, 0))),
    "_form: _whole((certificate.moved,": (group(2), proof(moved=0.0)),
    "_form: all((topic.weights": (group(2, weights=(9, 1)), proof()),
    "_bundle: len(bundle) == len(names)": (replace(group(2), copartition=(("t", "gone"),)), proof()),
    "_bundle: len(sizes) <= 1": (
        replace(group(1, 1, 1), copartition=(("t", "u"),)),
        proof(owners={"t": (0,), "u": (0,), "v": (1,)}, loads=(1, 2)),
    ),
    "_owners: owners.keys()": (group(2), proof(owners={})),
    "_owners: len(row) == topic.partitions": (group(2), proof(owners={"t": (0,)}, loads=(0, 1))),
    "_refuse_owners: _whole(row)": (group(2), proof(owners={"t": (0, 1.0)})),
    "_owners: len(rows) == 1": (
        replace(group(2, 2), copartition=(("t", "u"),)),
        proof(owners={"t": (0, 1), "u": (1, 0)}, loads=(2, 2)),
    ),
}
"""Forgeries of the values that a solver may hand to `balance.refusal`, by the check that refuses them."""


@pytest.mark.parametrize("start", DIRECT)
def test_a_forged_value_is_refused_by_this_check_alone(start: str) -> None:
    (check,) = (each for each in neutral.checks() if each.startswith(f"balance.{start}"))
    instance, forged = DIRECT[start]
    assert refusal(instance, forged) is not None
    balance = neutral.module(neutral.without(check), "balance")
    with suppress(KeyError, TypeError, ValueError):  # to break is not to refuse
        assert balance.refusal(instance, forged) is None


def test_two_checks_are_about_instances_of_the_users_own() -> None:
    certificate = FORGERIES["check.check_certificate: not isinstance(document, dict)"]
    assert certificate == 3
    genuine = forger.genuine("exact")
    other = pose(genuine[1]["certificate"]["instance"])
    without = neutral.without("check._bound_to: own.digest == posed.digest")
    assert check_certificate(genuine[0], other).outcome is Outcome.REFUSED
    assert without.check_certificate(genuine[0], other).accepted
    (family,) = (check for check in neutral.checks() if check.startswith("check.pose: "))
    with pytest.raises(InputError):
        pose({"family": "Z"})
    with pytest.raises(KeyError):
        neutral.without(family).pose({"family": "Z"})


@pytest.mark.parametrize("check", [check for check in neutral.checks() if check in FORGERIES])
def test_a_forgery_is_refused_by_this_check_alone(check: str) -> None:
    forgery = FORGERIES[check]
    try:
        assert not check_certificate(forgery).outcome.value.startswith("accepted")
    except InputError as error:
        assert str(error)
    assert not neutral.refuses(neutral.without(check), forgery)


NEAR: Final = {
    "other loads of the same sum": (group(2), proof(loads=(0, 2)), "the loads are not those"),
    "a member above an earlier level": (
        ConsumerInstance(
            tuple(Member(name, None, frozenset("t")) for name in "abc"), (Topic("t", 1),), {"t": (0,)}
        ),
        BalanceCertificate(MOVEMENT_FIRST, {"t": (1,)}, (0, 1, 1), (0, 0, 0), (0, 0, 1), 1, 0),
        "level 1 is heavier than the one before it",
    ),
}
"""Forgeries that a check refuses for the least that it looks for."""


@pytest.mark.parametrize("name", NEAR)
def test_a_forgery_a_step_away_is_refused(name: str) -> None:
    instance, forged, why = NEAR[name]
    assert why in str(refusal(instance, forged))


def test_no_kept_forgery_is_accepted() -> None:
    """Whatever the checks are called: each forgery is one that a single check refuses."""
    passing = [check for check, forgery in FORGERIES.items() if not neutral.refuses(check_module, forgery)]
    assert passing == []
    assert [start for start, (instance, forged) in DIRECT.items() if refusal(instance, forged) is None] == []


def test_every_check_has_its_forgery() -> None:
    checks = set(neutral.checks())
    assert len(checks) > 80
    direct = {check for check in checks for start in DIRECT if check.startswith(f"balance.{start}")}
    own = {check for check in checks if check.startswith(("check.pose: ", "check._bound_to: "))}
    assert len(own) == 2
    missing = checks - FORGERIES.keys() - direct - own
    assert missing == SPOKEN_FOR.keys(), "python -m tests.solver.check.search looks for forgeries"
    assert FORGERIES.keys() <= checks


FORMS: Final = st.dictionaries(
    st.sampled_from(["id", "rack", "topics", "owned", "a", "ab", "b", "é", "\x7f", "\ud800"]),
    st.none() | st.integers() | TEXTS | st.lists(st.tuples(st.text(max_size=3), st.integers())),
)


@given(FORMS)
def test_the_digest_is_of_one_text_whoever_writes_it(form: dict[str, Any]) -> None:
    import msgspec  # noqa: F401

    with pytest.MonkeyPatch.context() as patch:
        quick = Posed(form, "").digest
        patch.delitem(sys.modules, "msgspec")
        assert Posed(form, "").digest == quick
    ordered = json.dumps(form, sort_keys=True, separators=(",", ":"))
    assert quick == hashlib.sha256(ordered.encode()).hexdigest()
