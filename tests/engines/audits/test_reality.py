"""Logs of genuine brokers after scripted histories: the figures are those that the clients saw."""

from functools import cache

import pytest

from kassay.engines.audits.run import audit_log
from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import CauseWord, audit_document, verdict
from kassay.reading.kafka.offsets.sources import in_order
from kassay.reading.kafka.topics import read_topics
from tests.paths import ROOT

DATA = ROOT / "tests" / "data" / "audits"
KILLED = 1795706541664
"""When the script killed m3 of 4.4.0."""
FORMS = [("dump", "4.4.0"), ("console", "4.4.0"), ("dump", "3.9.2")]


@cache
def groups(form, release, with_topics=True):
    path = DATA / f"topics-{release}.txt"
    known = KnownTopics.of(each.to_topic() for each in read_topics(path.read_text(), str(path)))
    files = in_order([str(DATA / f"{form}-{release}.txt.gz")])
    audit = audit_log(files, known if with_topics else KnownTopics())
    return {group.name: group for group in audit.groups}


@pytest.mark.parametrize(("form", "release"), FORMS)
@pytest.mark.parametrize(
    ("group", "generations", "moved", "needless", "spread", "follow_ups"),
    [("g-range", 14, 55, 34, 2, 0), ("g-coop", 20, 21, 0, 1, 6)],
)
def test_figures_of_a_classic_group(form, release, group, generations, moved, needless, spread, follow_ups):
    audit = groups(form, release)[group]
    assert sum(bool(each.members) for each in audit.rebalances) == generations
    assert (audit.moved, audit.needless, audit.worst_spread.spread) == (moved, needless, spread)
    words = [cause.word for each in audit.rebalances for cause in each.causes]
    assert words.count(CauseWord.FOLLOW_UP) == follow_ups
    assert (audit.kept, dict(audit.returns), audit.findings) == (1, {"m5@127.0.0.1": 1}, [])


@pytest.mark.parametrize(("release", "moved", "needless"), [("4.4.0", 21, 0), ("3.9.2", 22, 1)])
@pytest.mark.parametrize("with_topics", [True, False])
def test_figures_of_a_consumer_group(release, moved, needless, with_topics):
    audit = groups("dump", release, with_topics)["g-uni"]
    assert sum(bool(each.members) for each in audit.rebalances) == 14
    assert (audit.moved, audit.needless, audit.worst_spread.spread) == (moved, needless, 1)
    assert (audit.kept, dict(audit.returns)) == (1, {"m5@127.0.0.1": 1})
    words = {cause.word for each in audit.rebalances for cause in each.causes}
    assert CauseWord.TOPICS in words
    assert not words & {CauseWord.UNSEEN, CauseWord.RESTARTED}


def test_the_topic_that_grew_is_named():
    for name, topic in (("g-uni", "tu"), ("g-coop", "tc"), ("g-range", "tr")):
        causes = [cause for each in groups("dump", "4.4.0")[name].rebalances for cause in each.causes]
        assert [each.who for each in causes if each.word is CauseWord.TOPICS] == [(topic,)]


@pytest.mark.parametrize(("group", "generation"), [("g-range", 7), ("g-coop", 10), ("g-uni", 8)])
def test_four_partitions_have_no_reader_from_a_kill_until_others_get_them(group, generation):
    after = [each for each in groups("dump", "4.4.0")[group].without_reader if each.generation == generation]
    assert sum(each.partitions for each in after) == 4
    for each in after:
        assert each.least <= each.moment.timestamp - KILLED <= each.most < each.least + 2_500


def test_an_audit_names_no_release_of_a_rule():
    (finding,) = groups("dump", "3.9.2")["g-uni"].findings
    assert finding.claim == "sticky-minimal"
    assert finding.trace.target == "uniform of a release that the log does not name"


def test_both_forms_of_one_log_agree_but_for_what_one_lacks():
    dump, console = groups("dump", "4.4.0"), groups("console", "4.4.0")
    for name in ("g-range", "g-coop"):
        one, other = dump[name], console[name]
        for field in ("moved", "needless", "worst_spread", "kept", "returns", "abandoned", "gaps", "former"):
            assert getattr(one, field) == getattr(other, field), field
        for left, right in zip(one.rebalances, other.rebalances, strict=True):
            for field in (
                "generation", "assignor", "members", "partitions", "turn", "causes", "measured", "judged",
                "why_not", "gap", "unmeasured",
            ):  # fmt: skip
                assert getattr(left, field) == getattr(right, field), field
        assert all(each.most is None for each in other.without_reader), "the console form has no commits"
        times = [(each.generation, each.partitions) for each in one.without_reader]
        assert times == [(each.generation, each.partitions) for each in other.without_reader]


def audit_of(name):
    return audit_log(in_order([str(DATA / name)]), KnownTopics())


def test_a_log_that_no_broker_can_load_is_a_finding_at_the_record_that_does_not_fit():
    audit = audit_of("unloadable-4.4.txt")
    (failure,) = audit.unloadable
    assert (failure.group, failure.moment.offset) == ("g", 10)
    assert failure.record.startswith("the subscription of ") and "Streams group g" in failure.record
    assert "not a Streams group but a consumer group" in failure.why
    assert (verdict(audit), audit.findings) == ("findings", 1)
    (row,) = audit_document(audit, [], None)["unloadable"]
    assert (row["group"], row["offset"]) == ("g", 10)


@pytest.mark.parametrize("name", ["dump-4.4.0.txt.gz", "dump-3.9.2.txt.gz"])
def test_logs_of_brokers_that_are_well_load(name):
    audit = audit_of(name)
    assert audit.unloadable == () and not any("load" in note for note in audit.notes)


def test_a_log_of_which_records_are_lost_accuses_no_broker(tmp_path):
    lines = (DATA / "unloadable-4.4.txt").read_text().splitlines(keepends=True)
    records = [at for at, line in enumerate(lines) if line.startswith("| ")]
    path = tmp_path / "dump.txt"
    path.write_text("".join(line for at, line in enumerate(lines) if at != records[3]))
    audit = audit_log(in_order([str(path)]), KnownTopics())
    assert audit.unloadable == ()
    assert any("whether a broker can load the log is not checked" in note for note in audit.notes)


def test_epochs_in_a_row_without_a_cause_are_a_finding_even_where_lines_are_missing():
    (group,) = audit_of("restless-4.4.txt.gz").groups
    (finding,) = group.findings
    assert (finding.claim, finding.generation) == ("converges", 52)
    assert finding.message == (
        "epochs 4 to 52 in 237 s: no record of a member or of topics has caused them; "
        "the members ask for uniform (1), range (1)"
    )
