"""kassay inside a user's tests: the functions, and the examples."""

import re
import shlex
import shutil
from dataclasses import replace

import pytest

from kassay import testing
from kassay.api.certify import Certification
from kassay.model.errors import InputError
from kassay.model.kinds import Verdict
from kassay.model.streams.kinds import STREAMS
from kassay.properties.wide.ranges import WIDTHS
from kassay.testing import NotCertifiedError, certify_assignor
from tests.engines.runs.written import certificate, result
from tests.paths import EXAMPLES
from tests.test_pytest_plugin import pytest_in


class EverythingToTheFirst:
    """A class of this module, as users pass theirs."""

    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        for topic, count in partitions_per_topic.items():
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            if readers:
                given[readers[0]] += [(topic, p) for p in range(count)]
        return given


class Endless:
    """Never answers, and nothing in its own process would end it."""

    def assign(self, partitions_per_topic, members):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class EveryTaskEverywhere:
    """A task assignor of this module."""

    META = {"level": "process"}  # noqa: RUF012  # as users write it

    def assign(self, application):
        tasks = [task["id"] for task in application["tasks"]]
        return {process["id"]: {"active": tasks} for process in application["processes"]}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """The default folder of traces."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_file_of_sentences_is_judged(tmp_path):
    (tmp_path / "s.toml").write_text('all-to-one = "max(load) == partitions where equal_subscriptions"\n')
    sound = certify_assignor(
        EverythingToTheFirst, claims_file=tmp_path / "s.toml", histories=100, assume=WIDTHS, controls=False
    )
    (result,) = sound.claims
    assert result.id == "all-to-one = max(load) == partitions where equal_subscriptions"
    assert result.checked >= 50


def test_a_class_is_certified_or_fails_with_its_smallest_history():
    sound = certify_assignor(
        EverythingToTheFirst, claims=["complete", "single-owner"], histories=100, assume=WIDTHS
    )
    assert (sound.histories, sound.verdict) == (100, "certified")
    assert sound.controls["of"] == sound.controls["caught"] >= 2
    assert sound.controls["unproven"] == []
    with pytest.raises(NotCertifiedError) as caught:
        certify_assignor(EverythingToTheFirst, claims=["balanced-within-one"], histories=100)
    text = str(caught.value)
    first = "test_testing.py:EverythingToTheFirst breaks balanced-within-one (2 members, 2 partitions)\n"
    assert text.startswith(first)
    shown = [caught.value, caught.value.certificate, *caught.value.certificate.claims]
    shown += [each.counterexample for each in caught.value.certificate.claims]
    shown += [each.counterexample.trace for each in caught.value.certificate.claims]
    assert all(len(repr(each)) < 200 for each in shown), shown
    assert re.search(r"member +subscribed +owned +assigned +load", text)
    assert caught.value.certificate.verdict == "not-certified"
    assert "def test_balanced_within_one():" in text
    assert "EverythingToTheFirst" in text
    assert "test_testing.py" in text


@pytest.mark.slow
def test_a_task_assignor_is_certified_like_any_other():
    with pytest.raises(NotCertifiedError, match="single-owner") as caught:
        certify_assignor(
            EveryTaskEverywhere, claims=["single-owner", "complete"], histories=20, controls=False
        )
    assert caught.value.certificate.kind is STREAMS


@pytest.mark.slow
def test_a_failure_says_how_to_play_it_again_and_that_command_does(here):
    """The class is in a package, and its module imports from the package."""
    from tests.cli.runner import (
        kassay,  # imported here, because each child process that loads this file would import it
    )

    with pytest.raises(NotCertifiedError) as caught:
        certify_assignor(EverythingToTheFirst, claims=["balanced-within-one"], histories=30, out="some where")
    (command,) = re.findall(r"replay: (kassay .*)", str(caught.value))
    program, *arguments = shlex.split(command)
    assert program == "kassay"
    assert arguments[1].startswith("some where/traces/")
    replayed = kassay(*arguments, cwd=here)
    assert replayed.returncode == 1, replayed.stderr
    assert "EverythingToTheFirst still violates balanced-within-one" in replayed.stdout


def test_a_verdict_is_told_even_where_its_trace_cannot_be_saved(here):
    (here / "taken").write_text("")
    with pytest.raises(NotCertifiedError) as caught:
        certify_assignor(
            "ceil-range", claims=["topic-even"], histories=60, out=here / "taken", controls=False
        )
    assert "VIOLATED" in str(caught.value)
    assert "no trace was saved: " in " ".join(str(caught.value).split())
    assert "replay:" not in str(caught.value)


def test_nothing_is_saved_of_what_is_certified(here):
    certify_assignor("range", claims=["topic-even"], histories=60, assume=WIDTHS, controls=False)
    assert list(here.iterdir()) == []


def test_unknown_fails_with_what_is_missing_unless_it_is_allowed():
    with pytest.raises(NotCertifiedError) as caught:
        certify_assignor(EverythingToTheFirst, histories=2, controls=False)
    assert str(caught.value).startswith("test_testing.py:EverythingToTheFirst is unknown: members, ")
    assert re.search(r"members +unknown", str(caught.value))
    assert "50 needed" in str(caught.value)
    assert "expected a larger budget (histories, seconds)" in str(caught.value)
    allowed = certify_assignor(EverythingToTheFirst, histories=2, controls=False, allow_unknown=True)
    assert allowed.verdict == "unknown"


@pytest.mark.slow
def test_an_endless_loop_ends_no_test():
    with pytest.raises(NotCertifiedError) as caught:
        certify_assignor(Endless, claims=["terminates"], seconds=2.0, call_timeout=0.2, controls=False)
    (broken,) = caught.value.certificate.claims
    assert "did not answer within 0.2 s" in broken.counterexample.message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"claims": []}, "claims: expected at least one claim"),
        ({"claims": ["weighted-spread:nan"]}, "with a number from 1 to 1000"),
        ({"histories": 0}, "histories: found 0"),
        ({"histories": 1, "seconds": 1.0}, "expected one of the two"),
        ({"seconds": float("nan")}, "seconds: found nan"),
        ({"call_timeout": 0}, "call_timeout: found 0"),
        ({"memory": 1}, "memory: found 1"),
        ({"profile": "smal"}, "did you mean small"),
        ({"protocol": "eagre"}, "did you mean eager"),
        ({"assume": ["no-rack"]}, "did you mean no-racks"),
    ],
)
def test_arguments_are_checked_like_the_command_line(arguments, said):
    with pytest.raises(InputError) as refused:
        certify_assignor("range", **arguments)
    assert said in str(refused.value)


def test_an_interrupt_is_passed_on(monkeypatch):
    stopped = certificate(result("complete", Verdict.HOLDS))
    monkeypatch.setattr(
        testing, "certify", lambda *_, **__: Certification(replace(stopped, interrupted=True))
    )
    with pytest.raises(KeyboardInterrupt):
        certify_assignor("range")


def test_what_cannot_be_tested_is_said():
    class Local:
        def assign(self, partitions_per_topic, members):
            return {}

    with pytest.raises(InputError, match="top level of a module"):
        certify_assignor(Local)
    with pytest.raises(InputError, match="unknown claim"):
        certify_assignor(EverythingToTheFirst, claims=["no-such"])


@pytest.mark.slow
def test_the_examples_pass():
    done = pytest_in(EXAMPLES, "test_lag_assignor.py", "test_state_machine.py")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow  # 17 s
def test_a_machine_prints_the_shortest_events_that_break_a_claim(tmp_path):
    shutil.copy(EXAMPLES / "test_state_machine.py", tmp_path)
    sound = (EXAMPLES / "kept_assignor.py").read_text()
    able = "able = [member_id for member_id, topics in readers.items() if tp[0] in topics]"
    assert able in sound
    (tmp_path / "kept_assignor.py").write_text(sound.replace(able, "able = list(readers)"))
    done = pytest_in(tmp_path, "test_state_machine.py", "--hypothesis-seed=0")
    assert done.returncode == 1, done.stdout
    # Hypothesis draws other topics in its profile `ci`; the one that is assigned is never the one read.
    assert re.search(
        r"AssertionError: subscribed: m1 was assigned (t\d)-\d but subscribes only to (?!\1)t\d\.",
        done.stdout,
    ), done.stdout
    steps = re.findall(r"^E +state\.(?!oracle_agrees|claims_hold)(\w+)", done.stdout, re.MULTILINE)
    assert steps == ["start", "join", "join", "teardown"]
