"""Whatever a target's code raises, and whenever, is the target's failure: a run ends with a certificate.

For every kind, and for each callable of its interface: a target that always raises there, one that raises in
every second call, and one that raises from the eighth on. So some histories have a group that nobody could join.
"""

import pytest

from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError
from kassay.properties.claims import parse_claim
from kassay.properties.registry import CLAIMS, Scope, load_claims

ALWAYS = "raise ValueError('always')"
ODD = "T.calls += 1\n        if T.calls % 2: raise ValueError('odd')"
LATE = "T.calls += 1\n        if T.calls > 7: raise ValueError('late')"
EVER = {"always": ALWAYS, "odd": ODD, "late": LATE}
TO_FIRST = "return {members[0]['id']: [(t, p) for t, n in partitions.items() for p in range(n)]}"
KINDS = {
    "assignor": ("assign(self, partitions, members)", TO_FIRST),
    "server-assignor": ("assign(self, partitions, members)", TO_FIRST),
    "share-assignor": ("assign(self, partitions, members)", TO_FIRST),
    "placer": (
        "place(self, count, rf, brokers, existing=None)",
        "return [[broker['id'] for broker in brokers][:rf] for _ in range(count)]",
    ),
    "partitioner": ("partition(self, topic, key, value, count, available)", "return 0"),
    "task-assignor": ("assign(self, application)", "return {}"),
    "connect-assignor": ("assign(self, cluster)", "return {}"),
}
"""The kinds that a user's class may have, with the method that answers and an answer."""
EXTRAS = {"partitioner": ("close",)}
PLAIN = """class T:
    META = {meta}
    calls = 0
    def __init__(self):
        {__init__}
    def configure(self, config):
        {configure}
    def close(self):
        {close}
    def {method}:
        {call}
        {answer}
"""
FULL = """from kassay.full_form import Assignment, AssignorBase
class T(AssignorBase):
    META = {{"protocol": "{protocol}"}}
    calls = 0
    def subscription_user_data(self, topics):
        {subscription_user_data}
        return b"x"
    def on_assignment(self, *_, **__):
        {on_assignment}
    def configure(self, config):
        {configure}
    def assign(self, cluster, group):
        {assign}
        return Assignment({{m.member_id: () for m in group.members}})
"""
FULL_METHODS = ("subscription_user_data", "on_assignment", "configure", "assign")


def certified(tmp_path, text):
    """The certificate after 50 histories, with every claim of the kind."""
    (tmp_path / "target.py").write_text(text)
    target = resolve(f"{tmp_path}/target.py:T", in_process=True)
    load_claims()
    claims = [
        spelled
        for (kind, name), claim in CLAIMS.items()
        if kind is target.kind and claim.scope is not Scope.TIMING
        for spelled in (name, f"{name}:2")
        if (claim.parameter is not None) == (":" in spelled) and is_claim(spelled, kind)
    ]
    options = RunOptions(
        claims=tuple(claims), budget=Budget(histories=50), controls=False, in_process=True, shrink=False
    )
    return certify(target, options)


def is_claim(spelled, kind):
    try:
        parse_claim(spelled, kind)
    except InputError:
        return False
    return True


HOWS = [pytest.param(how, marks=[pytest.mark.slow] if how == "late" else []) for how in EVER]
PLACES = [
    pytest.param(
        kind, place, how, marks=[pytest.mark.slow] if how == "late" or (place, how) == ("call", "odd") else []
    )
    for kind in KINDS
    for place in ("__init__", "configure", "call", *EXTRAS.get(kind, ()))
    for how in EVER
]


@pytest.mark.parametrize(("kind", "place", "how"), PLACES)
def test_a_plain_target_that_raises_fails_its_claims(tmp_path, kind, place, how):
    method, answer = KINDS[kind]
    parts = dict.fromkeys(("__init__", "configure", "close", "call"), "pass") | {place: EVER[how]}
    text = PLAIN.format(meta={"kind": kind}, method=method, answer=answer, **parts)
    assert certified(tmp_path, text).exit_code == 1


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("place", ["__init__", "configure", "call"])
def test_an_assignor_of_tasks_to_members_that_raises_fails_its_claims(tmp_path, place, how):
    parts = dict.fromkeys(("__init__", "configure", "close", "call"), "pass") | {place: EVER[how]}
    meta = {"kind": "task-assignor", "level": "member"}
    text = PLAIN.format(meta=meta, method="assign(self, group)", answer="return {}", **parts)
    assert certified(tmp_path, text).exit_code == 1


@pytest.mark.slow_cases("eager-assign-odd", "cooperative-assign-odd")
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("place", FULL_METHODS)
@pytest.mark.parametrize("protocol", ["eager", "cooperative"])
def test_a_full_assignor_that_raises_fails_its_claims(tmp_path, protocol, place, how):
    text = FULL.format(protocol=protocol, **dict.fromkeys(FULL_METHODS, "pass") | {place: EVER[how]})
    assert certified(tmp_path, text).exit_code == 1
