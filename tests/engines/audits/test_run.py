"""What is played is what is read; what the cleaner takes away never makes a finding; planted faults are found."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.engines.audits.judging import audited_claims
from kassay.engines.audits.run import audit_log
from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import GroupProtocol
from kassay.model.calls import Failure
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.histories.scenarios import history as drawn_history
from kassay.properties.registry import Scope
from kassay.properties.sources import Seeded
from kassay.reading.kafka.offsets.sources import in_order
from tests.engines.audits.logs import audited, found, member, of_records, only, tps
from tests.offsets_log import Log, Written, cleaned, console, dump
from tests.played_log import a_life, played, write_classic, write_consumer
from tests.strategies import histories

CLASSIC = ("range", "roundrobin", "sticky", "cooperative-sticky")
ON_BROKERS = {"uniform": "uniform", "server-range": "range"}
FEW = settings(max_examples=12)


def log_of(spec, history, named=True):
    """The log of what was played, and the rounds."""
    rebalanced = [each for each in played(spec, history) if not isinstance(each.steps[-1].answer, Failure)]
    log = Log()
    if spec in ON_BROKERS:
        write_consumer(log, "g", ON_BROKERS[spec], rebalanced, named=named)
    else:
        write_classic(log, "g", spec, rebalanced)
    return log, rebalanced


@FEW
@given(st.sampled_from(CLASSIC), histories())
def test_every_round_that_was_played_is_read(spec, history):
    log, rebalanced = log_of(spec, history)
    steps = [step for each in rebalanced for step in each.steps]
    read = [each for group in of_records(log.records).groups for each in group.rebalances]
    assert [(each.generation, each.members, each.partitions) for each in read] == [
        (step.generation, len(step.group.members), sum(map(len, step.given.values()))) for step in steps
    ]
    assert all(each.judged for each in read)


@FEW
@given(st.sampled_from(CLASSIC), histories())
def test_a_claim_about_a_round_is_broken_in_the_log_where_it_was_when_it_was_played(spec, history):
    log, rebalanced = log_of(spec, history)
    asked = [each for each in audited_claims(CLIENT, spec).rounds if each.kind.scope is Scope.STEP]
    broken = {
        ("g", each.id, step.generation)
        for rebalance in rebalanced
        for step in rebalance.steps
        for each in asked
        if any(each.kind.predicate(step))
    }
    ids = {each.id for each in asked}
    assert {each for each in found(of_records(log.records)) if each[1] in ids} == broken


@FEW
@given(st.sampled_from(sorted(ON_BROKERS)), histories(), st.booleans())
def test_every_target_that_was_played_is_read(spec, history, named):
    log, rebalanced = log_of(spec, history, named)
    read = [each for group in of_records(log.records).groups for each in group.rebalances]
    given_out = [sum(map(len, each.steps[-1].given.values())) for each in rebalanced]
    assert [(each.generation, each.partitions) for each in read] == list(enumerate(given_out, start=1))
    assert all(each.unrest_ms is not None for each in read)


@FEW
@given(st.sampled_from([*CLASSIC, *ON_BROKERS]), histories(), st.booleans(), st.booleans(), st.data())
def test_what_the_cleaner_takes_away_never_makes_a_finding(spec, history, named, tombstones, drawn):
    log, _ = log_of(spec, history, named)
    whole = found(of_records(log.records))
    upto = drawn.draw(st.integers(0, len(log.records)))
    assert found(of_records(cleaned(log.records, upto, tombstones=tombstones))) <= whole


@FEW
@given(st.sampled_from(CLASSIC), histories(), st.randoms(use_true_random=False))
def test_no_record_that_is_missing_makes_a_finding_of_a_classic_group(spec, history, chance):
    log, _ = log_of(spec, history)
    kept = [each for each in log.records if chance.random() < 0.6]
    new = found(of_records(kept)) - found(of_records(log.records)) if kept else set()
    assert new == set()


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*CLASSIC, *ON_BROKERS])
def test_what_is_taken_away_never_makes_a_finding_at_length(spec):
    for seed in range(15):
        chance = random.Random(seed)
        log, _ = log_of(spec, drawn_history(Seeded(seed), GroupProfile()), bool(seed % 2))
        whole = found(of_records(log.records))
        for _ in range(4):
            upto = chance.randrange(len(log.records) + 1)
            assert found(of_records(cleaned(log.records, upto, tombstones=chance.random() < 0.5))) <= whole


def rows(*epochs):
    """Targets of a consumer group of two members, epoch by epoch."""
    log = Log()
    for epoch, targets in enumerate(epochs, start=1):
        if epoch == 1:
            log.named("g", {"A": ("orders", 4)})
            for name in targets:
                log.subscription("g", name, ["orders"], assignor="uniform", client=name)
        log.epoch("g", epoch)
        for name, numbers in targets.items():
            log.target("g", name, tps("A", *numbers))
        log.target_epoch("g", epoch)
        log.next()
        for name, numbers in targets.items():
            log.current("g", name, epoch, tps("A", *numbers))
            log.next()
    return log


def test_a_needless_move_is_found():
    group = only(rows({"a": (0, 1), "b": (2, 3)}, {"a": (0, 2), "b": (1, 3)}))
    (finding,) = (each for each in group.findings if each.claim == "sticky-minimal")
    assert (finding.generation, group.needless) == (2, 2)
    assert finding.trace.kind is SERVER


def test_a_partition_with_two_owners_is_found_where_it_is_and_where_it_is_owned():
    group = only(rows({"a": (0, 1), "b": (1, 2, 3)}))
    assert [each.claim for each in group.findings] == ["single-owner"] * 2
    target, owned = group.findings
    assert "orders-1 was assigned to a and b." in target.message
    assert "orders-1: owned by b (epoch 1) while a still has it" in owned.message
    assert group.double_owners == 2


def test_a_partition_that_nobody_is_given_is_found():
    group = only(rows({"a": (0, 1), "b": (2,)}))
    assert {each.claim for each in group.findings} == {"complete"}


def test_segments_and_the_console_consumer_tell_the_same_of_a_classic_group(tmp_path):
    log = Log()
    write_classic(log, "g", "sticky", played("sticky", a_life()))
    half = len(log.records) // 2
    for number, part in enumerate((log.records[:half], log.records[half:])):
        (tmp_path / f"{number}.txt").write_text(dump(part, start=part[0].offset))
    files = [str(tmp_path / name) for name in ("1.txt", "0.txt")]
    of_dump = audit_log(in_order(files), KnownTopics()).groups[0]
    of_console = audited(console(log.records)).groups[0]
    assert [each.measured for each in of_dump.rebalances] == [each.measured for each in of_console.rebalances]
    assert [each.causes for each in of_dump.rebalances] == [each.causes for each in of_console.rebalances]
    times = [each.moment.timestamp for each in of_console.rebalances]
    assert times == [each.moment.timestamp for each in of_dump.rebalances]


def test_segments_twice_are_refused(tmp_path):
    text = dump(rows({"a": (0,)}).records)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="each once"):
        audit_log(in_order([str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]), KnownTopics())


def test_one_group_and_a_time_to_begin_with():
    log = rows({"a": (0, 1), "b": (2, 3)}, {"a": (0, 2), "b": (1, 3)})
    last = log.records[-1].timestamp
    assert audited(dump(log.records), since=last + 1).groups == ()
    (group,) = audited(dump(log.records), since=log.records[-6].timestamp).groups
    assert [each.generation for each in group.rebalances] == [2]


def test_records_of_all_sorts_are_counted():
    log = rows({"a": (0,)})
    log.commit("g", tps("orders", 0)[0], 5)
    log.add(11, {"groupId": "s"}, (0, {"epoch": 1}))
    log.add(9, {"groupId": "s"}, (0, {}))
    log.add(17, {"groupId": "s"}, (0, {"epoch": 1}))
    log.add(99, {"groupId": "s"}, (0, {}))
    audit = of_records(log.records)
    assert audit.notes == ()
    assert audit.records == {
        "consumer groups": 6,
        "offset commits": 1,
        "share groups": 2,
        "Streams groups": 1,
        "others": 1,
    }


def test_a_group_that_changes_its_protocol_is_not_judged_by_what_was_taken_over():
    log = Log()
    log.classic("g", 7, "range", "a", [member("a", tps("orders", 0)), member("b", tps("orders", 2))])
    log.next()
    log.records.append(Written(2, {"group": "g"}, None, log.now, log.batch, len(log.records)))
    for name in ("a", "b"):
        log.subscription("g", name, ["orders"], client=f"app-{name}")
    log.epoch("g", 7)
    log.target("g", "a", tps("A", 0))
    log.target("g", "b", tps("A", 2))
    log.target_epoch("g", 7)
    (group,) = of_records(log.records).groups
    assert (group.former, group.protocol) == ([GroupProtocol.CLASSIC], GroupProtocol.CONSUMER)
    _, taken = group.rebalances
    assert (group.moved, group.returns) == (0, {})
    assert (taken.judged, taken.why_not) == ((), "its target was taken over from the classic protocol")


@pytest.mark.parametrize("end", [1, 40, 200])
def test_a_dump_that_ends_in_a_line_or_a_batch_is_refused_as_cut(end):
    text = dump(rows({"a": (0, 1), "b": (2, 3)}).records)
    with pytest.raises(InputError, match="the file is cut"):
        audited(text[: -end - 1])


def test_a_dump_that_ends_between_batches_or_without_a_line_end_is_read():
    text = dump(rows({"a": (0, 1), "b": (2, 3)}).records)
    assert audited(text[:-1]).records == audited(text).records
    assert audited(text[: text.rindex("baseOffset")]).groups


def test_console_output_that_ends_in_a_record_is_refused_as_cut():
    log = Log()
    write_classic(log, "g", "range", played("range", a_life()))
    with pytest.raises(InputError, match=r"the file is cut: .* in the middle of a record"):
        audited(console(log.records)[:-20])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "empty"),
        ('{"version": 1, "partitions": []}', "a reassignment"),
        (
            "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n",
            "kafka-consumer-groups",
        ),
        ("hello\n", "nothing of a log"),
    ],
)
def test_a_file_of_another_tool_is_refused_by_name(text, named):
    with pytest.raises(InputError, match=named):
        audited(text)
