"""Pairs of libraries: which are played, what becomes of a play, and results that are continued."""

import json
from dataclasses import replace

import pytest

from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live import interop_run
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.folder import noted
from kassay.engines.live.interop import (
    FIRST,
    PARTITIONS,
    SECOND,
    TIMEOUTS,
    InteropResult,
    LibraryPair,
    PairOutcome,
    PairPlay,
    outcomes,
    pairs_of,
    read_results,
)
from kassay.engines.live.interop_run import InteropOptions, interop, left
from kassay.engines.live.judge import judge
from kassay.engines.live.program import Called, Failed, Ready
from kassay.engines.live.recording import MS, GroupSeen, Life, LiveStep, Recording
from kassay.engines.live.running import LiveFailed
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.writing.files import json_text
from tests.cli.runner import valid

PROGRAMS = ClientPrograms({})
PAIR = LibraryPair("roundrobin", "classic", "java", "segmentio")
AGREES = PairOutcome("agrees", (5, 5))
FAILS = PairOutcome("fails", (0, 0), "java: SchemaException")
UNKNOWN = PairOutcome("unknown", (3, 3), "kassay stalled")


def played(together=AGREES, handed=AGREES):
    return PairPlay("2026-11-27", 1, ("4.4.0", "0.4.51"), together, handed, 20.0)


def result_of(*plays, pair=PAIR):
    result = InteropResult("4.4.0")
    for each in plays:
        result = result.with_play(pair, each)
    return result


def test_pairs_are_in_both_orders_of_those_that_have_the_strategy():
    pairs = pairs_of(["java", "kafkajs", "sarama"], ["roundrobin", "range"], "classic", PROGRAMS)
    assert [(each.strategy, each.first, each.second) for each in pairs] == [
        ("roundrobin", "java", "kafkajs"),
        ("roundrobin", "java", "sarama"),
        ("roundrobin", "kafkajs", "java"),
        ("roundrobin", "kafkajs", "sarama"),
        ("roundrobin", "sarama", "java"),
        ("roundrobin", "sarama", "kafkajs"),
        ("range", "java", "sarama"),
        ("range", "sarama", "java"),
    ]
    consumer = pairs_of(["java", "sarama", "franz-go"], ["uniform"], "consumer", PROGRAMS)
    assert [(each.first, each.second) for each in consumer] == [("java", "franz-go"), ("franz-go", "java")]


@pytest.mark.parametrize(
    ("names", "strategy", "words"),
    [
        (["java"], "range", "expected at least two libraries"),
        (["java", "java"], "range", "each once"),
        (["java", "jva"], "range", "did you mean java?"),
        (["java", "nope"], "range", "library nope: expected one of java, "),
        (
            ["java", "kafkajs"],
            "range",
            "java of java, kafkajs has it in classic groups, expected at least two",
        ),
        (["kafkajs", "platformatic"], "sticky", "none of kafkajs, platformatic has it"),
    ],
)
def test_what_is_no_pair_is_refused(names, strategy, words):
    with pytest.raises(InputError) as caught:
        pairs_of(names, [strategy], "classic", PROGRAMS)
    assert words in str(caught.value)


def recording(*loads, settled=(1, 2, 3, 4), errors=()):
    """A play in which the members own so many partitions after each step; errors are those of the first."""
    script = PAIR.script()
    lives = {}
    steps = []
    events = {FIRST: [], SECOND: []}
    owned = {FIRST: frozenset(), SECOND: frozenset()}
    for number, (first, second) in enumerate(loads, start=1):
        began = number * 1000 * MS
        parts = [TopicPartition("orders", each) for each in range(first + second)]
        wanted = {FIRST: frozenset(parts[:first]), SECOND: frozenset(parts[first:])}
        for name, has in wanted.items():
            t = began + 10 * MS
            if name == (FIRST, SECOND, "", "")[number - 1]:
                events[name].append(Ready(t, name, "1"))
            for kind, change in (("revoked", owned[name] - has), ("assigned", has - owned[name])):
                at = t + (MS if kind == "revoked" else 5 * MS)
                events[name] += [Called(at, kind, phase, change) for phase in ("begin", "end") if change]
        if number == 2:
            events[FIRST] += [Failed(began + 20 * MS, False, text) for text in errors]
        owned = wanted
        present = {FIRST: frozenset({"orders"})} | ({SECOND: frozenset({"orders"})} if number > 1 else {})
        seen = GroupSeen(began + 900 * MS, "STABLE", wanted)
        step = LiveStep(
            script.actions[number - 1],
            began,
            began + 900 * MS,
            number in settled,
            {"orders": PARTITIONS},
            present,
            seen,
        )
        steps.append(step)
    lives = tuple(Life(script.by_name[name], 1, 1, tuple(each)) for name, each in events.items())
    return Recording(script, lives, tuple(steps), {})


def cells(played):
    return [each.cell for each in outcomes(played, judge(played))]


FINE = ((10, 0), (5, 5), (0, 10), (5, 5))


def test_a_pair_that_shares_equally_agrees_with_either_leader():
    assert cells(recording(*FINE)) == ["agrees", "agrees"]


def test_loads_say_what_is_wrong():
    assert cells(recording((10, 0), (10, 0), (0, 10), (5, 5))) == ["10/0", "agrees"]
    assert cells(recording((10, 0), (0, 0), (0, 10), (4, 5))) == ["0/0", "4/5"]


def test_a_group_that_agrees_after_errors_recovers_unless_every_rebalance_has_them():
    fine = recording(*FINE, errors=("kassay-00ff00-12-orders: unpack requires a buffer",))
    together, handed = outcomes(fine, judge(fine))
    assert (together.cell, handed.cell) == ("recovers", "agrees")
    assert together.text == "java: orders: unpack requires a buffer"
    assert cells(recording(*FINE, errors=("[27] Rebalance In Progress",))) == ["agrees", "agrees"]


def test_what_a_stall_touches_is_unknown():
    slow = recording((10, 0), (0, 0), *FINE[2:], settled=(1, 3, 4))
    assert cells(slow) == ["0/0", "agrees"]
    assert cells(replace(slow, stalls=((0, 2**62),))) == ["unknown", "agrees"]


def test_results_are_read_back(tmp_path):
    result = result_of(played(), played(handed=FAILS))
    document = valid(json.loads(json_text(result.to_json())), "interop-1")
    path = tmp_path / "results.json"
    path.write_text(json_text(document))
    assert read_results(str(path), "4.4.0") == result
    with pytest.raises(InputError, match=r"of release 4\.4\.0, expected 4\.3\.1"):
        read_results(str(path), "4.3.1")
    path.write_text(json_text({**document, "schema": "kassay/live/1"}))
    with pytest.raises(InputError, match="expected kassay/interop/1"):
        read_results(str(path))


def test_plays_that_differ_make_a_pair_unstable():
    (stable,) = result_of(played(FAILS, AGREES), played(FAILS, AGREES), played(UNKNOWN)).pairs
    assert (stable.cell(), stable.cell(handed=True), stable.unstable) == ("0/0", "agrees", False)
    (unstable,) = result_of(played(FAILS), played()).pairs
    assert (unstable.cell(), unstable.cell(handed=True), unstable.unstable) == ("unstable", "agrees", True)
    assert unstable.text == "java: SchemaException"


@pytest.mark.parametrize(
    ("plays", "word", "code"),
    [
        ((played(),), "agrees", 0),
        ((played(), played(FAILS)), "differs", 1),
        ((played(UNKNOWN),), "unknown", 3),
    ],
)
def test_the_verdict_is_that_of_the_worst_pair(plays, word, code):
    result = result_of(*plays)
    assert (result.word, result.exit_code) == (word, code)


def test_only_what_is_left_is_played():
    assert left(result_of(played()), PAIR, 1) == 0
    assert left(result_of(played(), played(UNKNOWN)), PAIR, 3) == 2
    assert left(result_of(*[played(UNKNOWN)] * 3), PAIR, 3) == 0
    assert left(result_of(), PAIR, 3) == 3
    done = result_of(played())
    assert interop(InteropOptions([PAIR]), PROGRAMS, done) is done


class Stand:
    """Plays of pairs without a broker: the second pair's run fails."""

    options = InteropOptions([], jobs=2)

    def play(self, pair, number):
        if pair.first == "sarama":
            raise LiveFailed("the helper ended")
        return played()


def test_what_was_played_is_handed_on_before_a_failure_ends_the_run():
    other = replace(PAIR, first="sarama")
    noted_results = []
    with pytest.raises(LiveFailed, match="the helper ended"):
        interop_run._play_all(
            Stand(), [PAIR, other, PAIR], InteropResult("4.4.0"), lambda *each: noted_results.append(each)
        )
    assert [words for _, words in noted_results] == ["java and segmentio, roundrobin: agrees agrees"] * 2
    assert len(noted_results[-1][0].plays(PAIR)) == 2


def test_an_unsettled_group_is_known_for_it_soon():
    assert TIMEOUTS.settle_ms == 18_000


@pytest.mark.broker
def test_two_pairs_are_played_on_one_broker(tmp_path):
    pairs = pairs_of(["java", "kafka-python"], ["range"], "classic", PROGRAMS)
    pytest.importorskip("kafka")
    programs = ClientPrograms({}, broker_jars(fetch=True))
    result = interop(InteropOptions(pairs, jobs=2, base=tmp_path), programs, InteropResult("4.4.0"))
    assert [(each.cell(), each.cell(handed=True)) for each in result.pairs] == [("agrees", "agrees")] * 2
    (folder,) = tmp_path.iterdir()
    assert [each for each in noted(folder) if each.runs and each.program != "kassay"] == []
    assert not (folder / "broker").exists()
