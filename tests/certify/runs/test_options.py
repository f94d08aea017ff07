"""What a run judges, and the inputs that it makes for that."""

import pytest

from kassay.certify.runs.options import PRIORITIES, RunOptions, profile_of, promises_of
from kassay.model.errors import InputError
from kassay.model.kinds import Kind
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
