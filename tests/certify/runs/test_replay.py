"""A saved trace played again, against its own target or another."""

import json

import pytest

from kassay.certify.processes.host import Limits
from kassay.certify.runs.replay import load_trace, read_trace, replay
from kassay.model.errors import InputError, TargetNotFound
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.report.screen.terminal import story
from tests.cli.runner import valid
from tests.paths import DOCS

PATH = DOCS / "traces" / "sticky-converges.json"


def played(spec):
    trace, target = load_trace(PATH, spec, False, Limits())
    return replay(PATH, trace, target)


def test_a_trace_shows_what_it_showed():
    found, trace = played(None), read_trace(PATH)
    assert (found.target, found.exit_code, found.changed) == ("sticky", 1, False)
    assert found.violations == trace.violations
    assert len(found.narration) == len(trace.narration)
    document = valid(json.loads(json.dumps(found.to_json())), "replay-1")
    assert (document["violated"], document["claim"]) == (True, "converges")
    assert story(found.narration)


def test_another_target_may_keep_the_claim():
    found = played("roundrobin")
    assert (found.target, found.exit_code, found.violations) == ("roundrobin", 0, ())
    assert found.to_json()["violated"] is False


def test_the_protocol_is_the_traces_unless_the_target_is_another():
    path = DOCS / "traces" / "cooperative-sticky-converges.json"
    assert load_trace(path, None, False, Limits())[1].protocol is RebalanceProtocol.COOPERATIVE
    assert load_trace(path, "range", False, Limits())[1].protocol is RebalanceProtocol.EAGER


def test_a_source_that_is_not_the_recorded_one_is_told(tmp_path):
    document = json.loads(PATH.read_text())
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document | {"digest": "0" * 64}))
    trace, target = load_trace(path, None, False, Limits())
    assert replay(path, trace, target).changed


@pytest.mark.parametrize(
    ("spec", "refusal", "message"),
    [
        ("uniform", InputError, f"{PATH}: recorded for kind client, uniform is of kind server"),
        ("no-such", TargetNotFound, "there is no target 'no-such'"),
    ],
)
def test_a_target_that_cannot_play_it_is_refused(spec, refusal, message):
    with pytest.raises(refusal) as refused:
        load_trace(PATH, spec, False, Limits())
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"), [("[]", "expected an object"), ("{}", "schema"), ("{", "not JSON")]
)
def test_what_is_no_trace_is_named(tmp_path, text, message):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        read_trace(path)
    assert str(refused.value).startswith(str(path))
