"""A baseline of explorations, clients as Kafka's and corrected ones, and traces by cause."""

import json

import pytest

from kassay.cli.main import run
from kassay.engines.protocols.known import read_known, unknown, with_known, write_known
from kassay.engines.protocols.settings import (
    CORRECTED,
    KAFKA,
    KAFKAS_CLIENT,
    WITH_CLIENTS,
    ExploreSettings,
)
from kassay.model.errors import InputError
from kassay.model.explore.search import cause_of
from kassay.model.explore.values import Severity
from tests.docs.test_exhaustive_runs import TEXT, rows
from tests.explored import BASELINE, explore, only_known

C = ("explore", "classic", "--config", "group.instance.id=1", "--faults", "write=1")


def test_each_rule_of_kafkas_client_names_its_source():
    for rule in KAFKAS_CLIENT:
        assert set(rule.models) <= set(WITH_CLIENTS)
        assert "." in rule.source and rule.source[-1].isdigit() and rule.words
        for model in rule.models:
            assert rule.switch in ExploreSettings(model).rules
            assert rule.switch not in ExploreSettings(model, client=CORRECTED).rules
    assert ExploreSettings("classic").rules == frozenset()
    with pytest.raises(InputError, match="client: unknown 'java'; expected kafka or corrected"):
        ExploreSettings("kip848", client="java")


@pytest.mark.parametrize(
    ("model", "chosen", "broken"),
    [
        ("kip848", {"partitions": 1, "faults": "pause=1,leave=1"}, "commits-fenced"),
        ("streams", {}, "single-current-owner"),
    ],
)
def test_kafkas_clients_break_what_corrected_ones_keep(model, chosen, broken):
    kafkas = explore(model, client=KAFKA, **chosen).exploration.violations
    assert broken in {one.invariant for one in kafkas if one.severity is Severity.REAL}
    assert explore(model, **chosen).verdict == "holds"


@pytest.mark.slow
def test_two_members_of_a_classic_group_are_given_a_generation_again():
    only_known(explore("classic", partitions=1, faults="failover=1,partitions=1"), "generation-once")


def test_a_finding_of_the_baseline_does_not_fail(tmp_path, capsys):
    path = tmp_path / "known.json"
    assert run([*C]) == 1
    assert run([*C, "--baseline", str(path), "--baseline-update"]) == 0
    assert run([*C, "--baseline", str(path)]) == 0
    assert "no-exception-in-timer (known)" in " ".join(capsys.readouterr().out.split())
    known = read_known(path)
    assert set(known["classic"]) == {"no-exception-in-timer", "no-timer-of-what-is-gone"}
    assert unknown(known, "kip848", ["dead ends"]) == ["dead ends"]
    assert with_known(known, "kip848", ["dead ends"])["kip848"] == {"dead ends": ""}
    known["classic"].pop("no-exception-in-timer")
    write_known(path, known)
    assert run([*C, "--baseline", str(path)]) == 1


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "schema: expected kassay/explore-baseline/1"),
        ({"findings": 1}, "findings: expected an object"),
        ({"findings": {"classic": 1}}, "findings.classic: expected an object"),
        ({"findings": {"classic": {"no-such": ""}}}, "unknown 'no-such'"),
    ],
)
def test_a_wrong_baseline_is_refused(document, message, tmp_path):
    path = tmp_path / "known.json"
    path.write_text(json.dumps({"schema": "kassay/explore-baseline/1"} | document if document else {}))
    with pytest.raises(InputError, match=message):
        read_known(path)


def test_an_update_needs_a_file(capsys):
    assert run([*C, "--baseline-update"]) == 2
    assert "expected --baseline FILE as well" in capsys.readouterr().err


def test_what_every_row_of_the_page_breaks_is_known():
    known = read_known(BASELINE)
    for row in rows(TEXT):
        _, _, broken = row.newest.verdict.partition(": ")
        names = [name for name in broken.split(", ") if name]
        assert unknown(known, row.command.split()[2], names) == [], row.command
    assert all(words for named in known.values() for words in named.values()), "each says which one it is"


def test_causes_are_kept_apart(capsys):
    assert run([*C, "-v"]) == 1
    shown = capsys.readouterr().out
    assert shown.count("no-timer-of-what-is-gone: an outcome") >= 1
    assert cause_of("2 is given out again, as the member c1-1") == "# is given out again, as the member #"
