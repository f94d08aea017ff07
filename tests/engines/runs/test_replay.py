"""A saved trace played again, against its own target or another."""

import copy
import json
import platform
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import getitem

import pytest

from kassay.engines.runs.counterexamples import versions_of
from kassay.engines.runs.replay import Instead, load_trace, read_trace, replay
from kassay.engines.targets.resolve import digest_of, resolve
from kassay.kinds.views import frames_of_trace
from kassay.model.errors import InputError, TargetNotFound
from kassay.model.groups.kinds import CLIENT
from kassay.model.itf import to_itf
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.trace import Conditions, Trace
from kassay.report.screen.terminal import story
from tests.cli.runner import valid
from tests.paths import DOCS, HELD

PATH = DOCS / "traces" / "sticky-converges.json"


def played(spec):
    return replay(load_trace(PATH, Instead(target=spec)))


def test_a_trace_shows_what_it_showed():
    replayed, trace = played(None), read_trace(PATH)
    assert (replayed.playback.target.spec, replayed.exit_code, replayed.playback.changes) == ("sticky", 1, ())
    assert replayed.violations == trace.violations
    assert len(replayed.narration) == len(trace.narration)
    document = valid(json.loads(json.dumps(replayed.to_json())), "replay-3")
    assert (document["violated"], document["claim"], document["verdict"]) == (True, "converges", "violated")
    assert story(replayed.frames)


def test_another_target_may_keep_the_claim():
    replayed = played("roundrobin")
    assert (replayed.exit_code, replayed.violations, replayed.why) == (0, (), "")
    assert replayed.to_json()["violated"] is False
    assert replayed.playback.overridden == ("target roundrobin instead of sticky",)


def test_the_protocol_is_the_traces_unless_the_target_is_another():
    path = DOCS / "traces" / "cooperative-sticky-converges.json"
    assert load_trace(path).target.protocol is RebalanceProtocol.COOPERATIVE
    assert load_trace(path, Instead(target="range")).target.protocol is RebalanceProtocol.EAGER


@pytest.mark.parametrize(
    ("spec", "refusal", "message"),
    [
        ("uniform", InputError, f"{PATH}: recorded for kind client, uniform@4.0.1 is of kind server"),
        ("no-such", TargetNotFound, "there is no target 'no-such'"),
    ],
)
def test_a_target_that_cannot_play_it_is_refused(spec, refusal, message):
    with pytest.raises(refusal) as refused:
        load_trace(PATH, Instead(target=spec))
    assert message in str(refused.value)


def test_a_trace_from_before_releases_means_the_rule_of_its_day_and_a_newer_one_the_release_it_names(
    tmp_path,
):
    held = json.loads((HELD / "traces" / "uniform-sticky-minimal.json").read_text())
    member = held["case"]["changes"][0][0]["member"]
    joins = [
        {"event": "Join", "config": {}, "member": {**member, "id": name, "topics": ["t"], "owned": owned}}
        for name, owned in (("a", [["t", 0]]), ("b", [["t", 1], ["t", 2]]))
    ]
    cluster = {"brokers": [], "topics": [{"name": "t", "partitions": 3}]}
    case = {**held["case"], "cluster": cluster, "changes": [joins]}
    path = tmp_path / "trace.json"

    def verdict(target, *instead):
        path.write_text(
            json.dumps({**held, "case": case, "target": target, "violations": [], "narration": []})
        )
        replayed = replay(load_trace(path, Instead(*instead)))
        return replayed.playback.target.spec, replayed.exit_code

    assert verdict("uniform") == verdict("uniform@4.0.0") == ("uniform@4.0.0", 1)
    assert verdict("uniform@4.0.1") == verdict("uniform", "uniform") == ("uniform@4.0.1", 0)


SWITCHED = """
import sys

class Switched:
    META = {{"claims": ["topic-even"], "assumes": {assumes!r}}}

    def configure(self, config):
        self.bad = config.get("bad") == "yes"

    def assign(self, partitions_per_topic, members):
        if {fails}:
            raise RuntimeError("no")
        members = {{member["id"]: member["topics"] for member in members}}
        answer = {{member: [] for member in members}}
        for topic, count in partitions_per_topic.items():
            readers = [m for m in sorted(members) if topic in members[m]]
            for number in range(count if readers else 0):
                answer[readers[0 if {bad} else number % len(readers)]].append((topic, number))
        return answer
"""
TWO_OF_TWO = {
    "cluster": {"brokers": [], "topics": [{"name": "t", "partitions": 2}]},
    "reports": "joined",
    "changes": [
        [{"event": "Join", "member": {"id": member, "topics": ["t"]}, "config": {}} for member in "ab"]
    ],
}


@pytest.fixture
def file(tmp_path):
    """A function that writes a target, the switch for its fault and for its failing being expressions."""
    path = tmp_path / "switched.py"

    def write(bad="False", fails="False", assumes=()):
        path.write_text(SWITCHED.format(bad=bad, fails=fails, assumes=list(assumes)))
        return path

    return write


def recorded(path, to, case=TWO_OF_TWO, **changes):
    """The path of a trace that says of the target in the file that it is uneven."""
    trace = Trace(
        kind=CLIENT,
        target=str(path),
        digest=digest_of([str(path)]),
        protocol=RebalanceProtocol.EAGER,
        claim="topic-even",
        contradictory=False,
        case=case,
        violations=("topic-even: uneven",),
        conditions=Conditions(),
        versions=versions_of(resolve("range")),
    )
    to.write_text(json.dumps(replace(trace, **changes).to_json()))
    return to


def test_the_recorded_configuration_is_restored_and_may_be_overridden(file, tmp_path):
    conditions = Conditions(config={"bad": "yes", "more": "1"})
    path = recorded(file(bad="self.bad"), tmp_path / "t.json", conditions=conditions)
    replayed = replay(load_trace(path))
    assert (replayed.verdict, replayed.playback.overridden) == (Verdict.VIOLATED, ())
    replayed = replay(load_trace(path, Instead(config={"bad": "no"})))
    assert (replayed.verdict, replayed.exit_code) == (Verdict.HOLDS, 0)
    assert replayed.playback.overridden == ("config bad=no instead of bad=yes",)
    assert replayed.playback.restored == ("config more=1",)
    assert replayed.to_json()["conditions"]["config"] == {"bad": "no", "more": "1"}


def test_the_limits_are_the_recorded_ones(file, tmp_path):
    conditions = Conditions(call_timeout_s=0.7, memory_mib=300)
    path = recorded(file(), tmp_path / "t.json", conditions=conditions)
    limits = load_trace(path).target.start.limits
    assert (limits.call_timeout_s, limits.memory_mib) == (0.7, 300)
    playback = load_trace(path, Instead(call_timeout_s=3.0, memory_mib=400, in_process=True))
    assert playback.target.start.limits.call_timeout_s == 3.0
    assert playback.overridden == (
        "call timeout 3 s instead of 0.7 s",
        "memory 400 MiB instead of 300 MiB",
        "in kassay's own process instead of in a child process",
    )


def test_a_fault_that_shows_in_kassays_own_process_alone_is_replayed_there(file, tmp_path):
    own = "'kassay.engines.runs.replay' in sys.modules"
    path = recorded(file(bad=own), tmp_path / "t.json", conditions=Conditions(in_process=True))
    assert replay(load_trace(path)).verdict is Verdict.VIOLATED
    replayed = replay(load_trace(path, Instead(in_process=False)))
    assert replayed.verdict is Verdict.HOLDS
    apart = "'kassay.engines.runs.replay' not in sys.modules"
    path = recorded(file(bad=apart), tmp_path / "t.json", conditions=Conditions(in_process=True))
    assert replay(load_trace(path)).verdict is Verdict.VIOLATED


def test_what_is_assumed_is_what_the_trace_says(file, tmp_path):
    unequal = json.loads(json.dumps(TWO_OF_TWO))
    unequal["cluster"]["topics"].append({"name": "u", "partitions": 1})
    unequal["changes"][0].append({"event": "Join", "member": {"id": "c", "topics": ["u"]}, "config": {}})
    source, to = file(bad="True"), tmp_path / "t.json"
    path = recorded(source, to, unequal, conditions=Conditions(assume=("equal-subscriptions",)))
    assert replay(load_trace(path)).why == "the claim was never judged"
    path = recorded(source, to, unequal)
    assert replay(load_trace(path)).verdict is Verdict.VIOLATED
    path = recorded(file(bad="True", assumes=["equal-subscriptions"]), to, unequal)
    assert replay(load_trace(path)).verdict is Verdict.VIOLATED


def test_a_mended_target_no_longer_violates_and_an_unchanged_one_is_unknown(file, tmp_path):
    path = recorded(file(), tmp_path / "t.json")
    replayed = replay(load_trace(path))
    assert (replayed.verdict, replayed.exit_code) == (Verdict.UNKNOWN, 3)
    assert "nothing that the trace keeps is another now" in replayed.why
    path = recorded(file(), tmp_path / "t.json", digest="0" * 64)
    replayed = replay(load_trace(path))
    assert (replayed.verdict, replayed.playback.changes) == (Verdict.HOLDS, ("its source",))
    assert replayed.to_json()["source_changed"] is True
    path = recorded(file(), tmp_path / "t.json", violations=())
    assert replay(load_trace(path)).verdict is Verdict.HOLDS


def test_a_target_that_gives_no_answer_is_not_mended(file, tmp_path):
    path = recorded(file(fails="True"), tmp_path / "t.json", digest="0" * 64)
    replayed = replay(load_trace(path))
    assert replayed.verdict is Verdict.UNKNOWN
    assert "a call gave no answer: assign raised RuntimeError: no" in replayed.why


@pytest.mark.parametrize(
    ("changes", "lost"),
    [
        ({"versions": {"python": "2.7.18"}}, "python 2.7.18"),
        ({"conditions": Conditions(hash_seed=None)}, "the hash seed of kassay's own process"),
    ],
)
def test_what_cannot_be_restored_makes_it_unknown_even_for_a_changed_source(file, tmp_path, changes, lost):
    path = recorded(file(), tmp_path / "t.json", digest="0" * 64, **changes)
    replayed = replay(load_trace(path))
    assert (replayed.verdict, replayed.exit_code) == (Verdict.UNKNOWN, 3)
    assert replayed.why == f"recorded under conditions that cannot be restored here: {lost}"
    assert replay(load_trace(path, Instead(target="range"))).verdict is Verdict.HOLDS


def test_a_claim_about_processes_is_replayed_in_two_with_the_recorded_hash_seeds(file, tmp_path):
    fault = "__import__('os').environ['PYTHONHASHSEED'] == '1'"
    path = recorded(file(bad=fault), tmp_path / "t.json", claim="deterministic")
    assert replay(load_trace(path)).verdict is Verdict.VIOLATED
    path = recorded(file(bad="True"), tmp_path / "t.json", claim="deterministic")
    assert replay(load_trace(path)).verdict is Verdict.UNKNOWN


def test_claims_checked_as_well_are_checked_again(file, tmp_path):
    count = "sys.__dict__.setdefault('asked', []).append(1)"
    source, to = file(bad="len(sys.asked) > 2", fails=count), tmp_path / "t.json"
    twice = TWO_OF_TWO | {"changes": [*TWO_OF_TWO["changes"], [{"event": "Leave", "member_id": "c"}]]}
    assert replay(load_trace(recorded(source, to, twice))).verdict is Verdict.UNKNOWN
    checked = Conditions(also_checked=("topic-even", "pure"))
    replayed = replay(load_trace(recorded(source, to, twice, conditions=checked)))
    assert replayed.verdict is Verdict.VIOLATED
    assert replayed.playback.restored == ("also checked: topic-even, pure",)


def test_a_patch_of_python_is_no_other_version(file, tmp_path):
    minor = platform.python_version().rpartition(".")[0]
    path = recorded(file(), tmp_path / "t.json", digest="0" * 64, versions={"python": f"{minor}.99"})
    assert replay(load_trace(path)).verdict is Verdict.HOLDS


def test_a_rule_of_kassay_is_changed_where_kassay_is(file, tmp_path):
    path = recorded("range", tmp_path / "t.json", digest=None)
    assert replay(load_trace(path)).verdict is Verdict.UNKNOWN
    path = recorded("range", tmp_path / "t.json", digest=None, versions={"kassay": "0.0"})
    replayed = replay(load_trace(path))
    assert (replayed.verdict, replayed.playback.changes) == (Verdict.HOLDS, ("kassay 0.0",))


@pytest.mark.parametrize(
    ("text", "message"), [("[]", "expected an object"), ("{}", "schema"), ("{", "not JSON")]
)
def test_what_is_no_trace_is_named(tmp_path, text, message):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        read_trace(path)
    assert str(refused.value).startswith(str(path))


def test_assumptions_that_there_are_none_of_are_named(tmp_path):
    path = recorded("range", tmp_path / "t.json", conditions=Conditions(assume=("peace",)))
    with pytest.raises(InputError, match=r"t\.json: conditions\.assume: unknown assumption 'peace'"):
        read_trace(path)


def of_each_kind():
    """A held trace of each kind of narration."""
    kinds = {}
    for path in sorted((HELD / "traces").glob("*.json")):
        document = json.loads(path.read_text())
        kinds.setdefault((document["kind"], *sorted(document["narration"][0])), document)
    return list(kinds.values())


def places(value, path=()):
    """Every place inside a document; of lists the first entries."""
    entries = value.items() if isinstance(value, dict) else enumerate(value[:2])
    for key, inner in entries:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


GONE = object()
WRONG = (GONE, None, [], {}, "x", -1)


@pytest.mark.parametrize(
    "document", of_each_kind(), ids=lambda d: f"{d['kind']}-{'-'.join(d['narration'][0])}"
)
def test_a_narration_is_of_its_shape_or_refused(document, tmp_path):
    path, refused = tmp_path / "t.json", 0
    for place, wrong in product(places(document["narration"]), WRONG):
        damaged = copy.deepcopy(document)
        *outside, last = ("narration", *place)
        inside = reduce(getitem, outside, damaged)
        if wrong is GONE:
            del inside[last]
        else:
            inside[last] = wrong
        path.write_text(json.dumps(damaged))
        try:
            trace = read_trace(path)
        except InputError as error:
            refused += 1
            assert str(error).startswith(f"{path}: narration[")
        else:
            assert story(frames_of_trace(trace))
            assert to_itf(trace.narration)
    assert refused > 20
