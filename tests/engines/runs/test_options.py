"""What a run judges, and the inputs that it makes for that."""

import sys

import pytest

from kassay.engines.processes.host import Limits
from kassay.engines.runs.options import Budget, RunOptions, claims_of, profile_of, require_heeded
from kassay.engines.targets.resolve import resolve
from kassay.kinds.groups.kind import PRIORITIES
from kassay.model.connect.kinds import CONNECT
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT, GROUPS, SERVER, SHARE
from kassay.model.kinds import RebalanceProtocol, every_kind
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS
from kassay.properties.groups.topics import PRIORITY_CONFIG
from kassay.properties.registry import validity_claims

CERTIFIED = list(every_kind())
EAGER, COOPERATIVE = RebalanceProtocol.EAGER, RebalanceProtocol.COOPERATIVE


def ids(claims):
    return [claim.id for claim in claims]


@pytest.mark.parametrize("kind", CERTIFIED, ids=str)
def test_validity_is_judged_once_whatever_else_is_declared(kind):
    validity = ids(validity_claims(kind))
    assert ids(claims_of(kind, EAGER, (), RunOptions())) == validity
    found = ids(claims_of(kind, EAGER, ("deterministic", validity[-1], "deterministic"), RunOptions()))
    assert sorted(found) == sorted({*validity, "deterministic"})
    assert found[-2:] == ["deterministic", validity[-1]]


def test_a_protocol_has_claims_of_its_own():
    """A cooperative target hands over in two steps and comes to rest, whatever it declares (KIP-429)."""
    of_protocol = ["cooperative", "converges:12"]
    assert set(of_protocol) <= set(ids(claims_of(CLIENT, COOPERATIVE, (), RunOptions())))
    assert set(of_protocol).isdisjoint(ids(claims_of(CLIENT, EAGER, (), RunOptions())))
    declared = ids(claims_of(CLIENT, COOPERATIVE, ("converges",), RunOptions()))
    assert "cooperative" in declared and declared[-1] == "converges"


def test_claims_that_the_user_names_are_all_that_is_judged():
    chosen = RunOptions(claims=("stable", "converges:2", "stable"))
    assert ids(claims_of(CLIENT, EAGER, ("deterministic",), chosen)) == ["stable", "converges:2"]
    with pytest.raises(InputError, match="unknown claim 'no-such'"):
        claims_of(CLIENT, EAGER, (), RunOptions(claims=("no-such",)))


@pytest.mark.parametrize(
    ("profile", "name", "shape"),
    [("small", "small", ""), ("mixed", "mixed", ""), ("shape:range-idle", "large", "range-idle")],
)
def test_a_shape_is_large(profile, name, shape):
    found = profile_of(CLIENT, (), RunOptions(profile=profile, assume=frozenset({"no-racks"})))
    assert (found.name, found.shape, found.kind, found.assume) == (name, shape, CLIENT, {"no-racks"})


def test_priorities_are_drawn_where_a_claim_goes_by_them_unless_the_user_gave_some():
    claims = claims_of(CLIENT, EAGER, ("active-passive",), RunOptions())
    assert profile_of(CLIENT, claims, RunOptions()).member_configs == ((PRIORITY_CONFIG, PRIORITIES),)
    own = (("assignment.priority", ("7",)),)
    profile = profile_of(CLIENT, claims, RunOptions(member_config=own))
    assert (profile.member_configs, profile.deals) == (own, True)
    assert not profile_of(CLIENT, claims, RunOptions()).deals
    assert profile_of(CLIENT, claims[:1], RunOptions()).member_configs == ()


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
            assert claims_of(kind, EAGER, (), RunOptions(exhaustive=(1, 1)))
        else:
            with pytest.raises(InputError, match="has no scopes"):
                claims_of(kind, EAGER, (), RunOptions(exhaustive=(1, 1)))


IDLE = {
    "assume": (
        RunOptions(assume=frozenset({"no-racks"})),
        {CLIENT, SERVER, SHARE, PLACER},
    ),
    "protocol": (
        RunOptions(protocol=RebalanceProtocol.EAGER),
        {CLIENT, SERVER, SHARE, CONNECT},
    ),
    "member-config": (
        RunOptions(member_config=(("priority", ("1", "2")),)),
        {CLIENT, SERVER, SHARE},
    ),
    "profile": (
        RunOptions(profile="large"),
        {CLIENT, SERVER, SHARE, STREAMS, PLACER, CONNECT},
    ),
    "shape": (RunOptions(profile="shape:0"), {CLIENT, SERVER, SHARE}),
}
OF_KIND = {
    CLIENT: "failover",
    SERVER: "uniform",
    SHARE: "share-simple",
    STREAMS: "streams-sticky",
    PLACER: "placement:striped",
    PLANNER: "plan:optimal",
    PARTITIONER: "partitioner:murmur2",
    CONNECT: "connect-incremental",
}


@pytest.mark.parametrize("kind", CERTIFIED, ids=str)
@pytest.mark.parametrize("option", IDLE)
def test_an_option_that_does_nothing_with_a_kind_is_refused(option, kind):
    options, heeding = IDLE[option]
    target = resolve(OF_KIND[kind])
    assert target.kind is kind
    if kind in heeding:
        require_heeded([target], options)
    else:
        with pytest.raises(InputError, match=f"^{target.spec}: {option}: .*kind {kind}, expected"):
            require_heeded([target], options)


@pytest.mark.parametrize("kind", CERTIFIED, ids=str)
def test_a_configuration_that_nothing_reads_is_refused(kind):
    target, options = resolve(OF_KIND[kind]), RunOptions(config={"a": "1"})
    if target.name == "failover":
        require_heeded([target], options)
    else:
        with pytest.raises(InputError, match=f"^{target.spec}: config: nothing reads it, expected"):
            require_heeded([target], options)


def test_a_configuration_that_one_of_several_reads_is_taken():
    options = RunOptions(config={"a": "1"})
    require_heeded([resolve("range"), resolve("failover")], options)
    with pytest.raises(InputError, match=r"^range, uniform@4.0.1: config: nothing reads it"):
        require_heeded([resolve("range"), resolve("uniform")], options)


@pytest.mark.parametrize("in_process", [False, True])
@pytest.mark.parametrize(
    ("parent", "method", "heeds"),
    [
        ("", "configure(self, config): pass", True),
        ("", "close(self): pass", False),
        ("AssignorBase", "configure(self, config): pass", True),
        ("AssignorBase", "close(self): pass", False),
    ],
)
def test_a_class_is_given_a_configuration_if_it_takes_one(tmp_path, in_process, parent, method, heeds):
    path = tmp_path / "own.py"
    path.write_text(
        "from kassay.model.groups.assignor import AssignorBase\n\n"
        f"class Own({parent}):\n    def assign(self, cluster, group): return {{}}\n    def {method}\n"
    )
    assert resolve(f"{path}:Own", in_process=in_process).configures is heeds


def test_a_program_is_never_in_this_process(tmp_path):
    path = tmp_path / "program.py"
    hello = '{"id": 1, "answer": {"name": "p", "kind": "assignor"}}'
    path.write_text(f"import sys\nsys.stdin.readline()\nprint({hello!r}, flush=True)\nsys.stdin.read()\n")
    target = resolve(f"exec:{sys.executable} {path}")
    require_heeded([target], RunOptions(config={"a": "1"}))
    with pytest.raises(InputError, match="in-process: a program is a process of its own"):
        require_heeded([target], RunOptions(in_process=True))
