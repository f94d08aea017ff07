"""What a run judges, and the inputs that it makes for that."""

import pytest

from kassay.certify.processes.host import Limits
from kassay.certify.runs.options import PRIORITIES, Budget, RunOptions, profile_of, promises_of
from kassay.model.errors import InputError
from kassay.model.kinds import GROUPS, Kind
from kassay.properties.groups.topics import PRIORITY_CONFIG
from kassay.properties.registry import validity_claims

CERTIFIED = [kind for kind in Kind if kind is not Kind.COORDINATOR]


def ids(promises):
    return [promised.id for promised in promises]


@pytest.mark.parametrize("kind", CERTIFIED, ids=str)
def test_validity_is_judged_once_whatever_else_is_declared(kind):
    validity = ids(validity_claims(kind))
    assert ids(promises_of(kind, (), RunOptions())) == validity
    found = ids(promises_of(kind, ("deterministic", validity[-1], "deterministic"), RunOptions()))
    assert sorted(found) == sorted({*validity, "deterministic"})
    assert found[-2:] == ["deterministic", validity[-1]]


def test_claims_that_the_user_names_are_all_that_is_judged():
    chosen = RunOptions(claims=("stable", "converges:2", "stable"))
    assert ids(promises_of(Kind.CLIENT, ("deterministic",), chosen)) == ["stable", "converges:2"]
    with pytest.raises(InputError, match="unknown claim 'no-such'"):
        promises_of(Kind.CLIENT, (), RunOptions(claims=("no-such",)))


@pytest.mark.parametrize(
    ("profile", "name", "shape"),
    [("small", "small", ""), ("mixed", "mixed", ""), ("shape:range-idle", "large", "range-idle")],
)
def test_a_shape_is_large(profile, name, shape):
    found = profile_of(Kind.CLIENT, (), RunOptions(profile=profile, assume=frozenset({"no-racks"})))
    assert (found.name, found.shape, found.kind, found.assume) == (name, shape, Kind.CLIENT, {"no-racks"})


def test_priorities_are_drawn_where_a_claim_goes_by_them_unless_the_user_gave_some():
    promises = promises_of(Kind.CLIENT, ("active-passive",), RunOptions())
    assert profile_of(Kind.CLIENT, promises, RunOptions()).member_configs == ((PRIORITY_CONFIG, PRIORITIES),)
    own = (("assignment.priority", ("7",)),)
    assert profile_of(Kind.CLIENT, promises, RunOptions(member_config=own)).member_configs == own
    assert profile_of(Kind.CLIENT, promises[:1], RunOptions()).member_configs == ()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (lambda: RunOptions(claims=()), "claims: expected at least one claim"),
        (lambda: RunOptions(profile="smal"), r"profile: found 'smal', .* \(did you mean small\?\)"),
        (lambda: RunOptions(jobs=0), "jobs: found 0, expected a whole number from 1 to 256"),
        (lambda: RunOptions(jobs=257), "jobs: found 257"),
        (lambda: RunOptions(exhaustive=(0, 1)), "exhaustive: found '0x1', .* from 1x1 to 8x16"),
        (lambda: RunOptions(exhaustive=(9, 1)), "exhaustive: found '9x1'"),
        (lambda: RunOptions(exhaustive=(1, 17)), "exhaustive: found '1x17'"),
        (lambda: RunOptions(exhaustive=(1, 1), budget=Budget(histories=1)), "expected one of the two"),
        (lambda: Budget(1.0, 1), "expected one of the two"),
        (lambda: Budget(0.0), "time: found 0.0, expected seconds, more than 0 and at most a year"),
        (lambda: Budget(float("nan")), "time: found nan"),
        (lambda: Budget(float("inf")), "time: found inf"),
        (lambda: Budget(histories=0), "histories: found 0, expected a whole number from 1 on"),
        (lambda: Limits(call_timeout_s=float("nan")), "call timeout: found nan"),
        (lambda: Limits(call_timeout_s=0), "call timeout: found 0"),
        (lambda: Limits(memory_mib=31), "memory: found 31, expected MiB from 32 to "),
        (lambda: Limits(memory_mib=10**30), "memory: found 1000"),
    ],
)
def test_what_is_out_of_its_range_is_refused(options, complaint):
    with pytest.raises(InputError, match=complaint):
        options()


def test_a_kind_without_scopes_is_refused():
    for kind in CERTIFIED:
        if kind in GROUPS:
            assert promises_of(kind, (), RunOptions(exhaustive=(1, 1)))
        else:
            with pytest.raises(InputError, match="has no scopes"):
                promises_of(kind, (), RunOptions(exhaustive=(1, 1)))
