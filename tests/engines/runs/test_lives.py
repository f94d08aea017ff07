"""Targets that keep something of earlier calls: what only many calls, or other groups, show."""

import pytest

from kassay.engines.runs import lives
from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.counterexamples import breaking, conditions_of
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.registry import driver_for
from kassay.model.kinds import every_kind

DEALS = """
META = {{"kind": "{kind}"}}

class Mine:
    def __init__(self):
        self.calls, self.ids, self.kept = 0, set(), []

    def assign(self, partitions_per_topic, members):
        self.calls += 1
        self.ids.update(member["id"] for member in members)
        {keeps}
        given = {{m["id"]: [] for m in members}}
        for topic in sorted(partitions_per_topic):
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            for p in range(partitions_per_topic[topic] if readers else 0):
                given[readers[p % len(readers)]].append((topic, p))
        return dict.fromkeys(given, []) if {fails} else given
"""


def bench_of(tmp_path, kind, fails="False", keeps="pass", histories=60):
    file = tmp_path / "mine.py"
    file.write_text(DEALS.format(kind=kind, fails=fails, keeps=keeps))
    return open_bench(Job(resolve(str(file)), RunOptions(budget=Budget(histories=histories))))


def test_a_fault_that_other_groups_leave_behind_is_found_and_replayed(tmp_path):
    with bench_of(tmp_path, "server-assignor", "len(self.ids) > 12") as bench:
        finding = bench.live_long((), 60.0).findings["complete"]
        assert finding.before
        assert "on an object that answers several groups in turn" in finding.why
        bench.before["complete"] = finding.before
        claim = next(p for p in bench.job.claims if p.id == "complete")
        subject, violations = breaking(bench, bench.driver, finding.case, claim)
        assert violations
        assert breaking(bench, bench.driver, finding.case, claim)[1], "and again, on a new object"
        kept = conditions_of(bench, claim, subject, finding.case)
        assert [bench.driver.form.read(each, "") for each in kept.before] == list(finding.before)


def test_a_member_keeps_its_object_through_one_long_history(tmp_path, monkeypatch):
    monkeypatch.setattr(lives, "CHANGES_FIRST", 15)
    with bench_of(tmp_path, "assignor", "self.calls > 20") as bench:
        finding = bench.live_long((), 60.0).findings["complete"]
    assert finding.before is None
    assert finding.why == "broken in one history of 15 calls"


@pytest.mark.parametrize("kind", ["assignor", "server-assignor"])
def test_a_target_that_keeps_nothing_is_not_accused(tmp_path, kind):
    with bench_of(tmp_path, kind, histories=16) as bench:
        life = bench.live_long((), 60.0)
        assert life.findings == {}
        assert life.calls
        assert bench.live_long([p.id for p in bench.job.claims], 60.0).calls == 0


def test_what_breaks_on_a_new_object_too_is_left_to_the_run(tmp_path):
    with bench_of(tmp_path, "server-assignor", "True", histories=8) as bench:
        assert bench.live_long((), 60.0).findings == {}


def test_what_only_other_names_break_is_kept_apart(tmp_path):
    fails = "any('-3' in topic for topic in partitions_per_topic)"
    with bench_of(tmp_path, "server-assignor", fails, histories=12) as bench:
        life = bench.live_long((), 60.0)
    assert "complete" not in life.findings
    assert life.alone["complete"].why == lives.BY_NAMES
    assert life.alone["complete"].answers


def test_memory_that_grows_with_the_calls_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(lives, "CALLS_FIRST", 50)
    monkeypatch.setattr(lives, "CALLS_LAST", 150)
    with bench_of(tmp_path, "assignor", keeps="self.kept.append(b'x' * 400_000)") as bench:
        assert bench.memory_growth(60.0) > lives.GROWTH_MAX_MIB
    with bench_of(tmp_path, "assignor") as bench:
        assert bench.memory_growth(60.0) < lives.GROWTH_MAX_MIB
        assert bench.memory_growth(0.0) is None


COUNTS = """
import ctypes, math

class Mine:
    def __init__(self):
        self.sent = ctypes.c_int16(0)

    def partition(self, topic, key, value, num_partitions, available):
        if key is not None:
            return len(key) % num_partitions
        self.sent.value += 1
        return int(math.fmod(self.sent.value, num_partitions))
"""


def test_a_partitioner_lives_until_a_counter_of_16_bits_begins_anew(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(COUNTS)
    with open_bench(Job(resolve(str(file)), RunOptions(budget=Budget(histories=300)))) as bench:
        finding = bench.live_long((), 60.0).findings["in-range"]
        assert finding.calls > 32_767
        assert bench.live_long((), 0.2).findings == {}, "no time for a long life"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["assignor", "server-assignor"])
def test_a_buffer_of_1024_answers_overflows_in_a_long_life(tmp_path, kind):
    with bench_of(tmp_path, kind, "self.calls > 1_024", histories=lives.WHOLE_FROM) as bench:
        finding = bench.live_long((), 60.0).findings["complete"]
        assert finding.calls > 512, "with second looks, twice as many"
        assert finding.how == "", "and when it is played again"
    with bench_of(tmp_path, kind, "self.calls > 1_024", histories=lives.WHOLE_FROM - 1) as bench:
        assert bench.live_long((), 60.0).findings == {}, "a smaller run has shorter lives"


CACHES = """
class Mine:
    def __init__(self):
        self.keys, self.sent = set(), 0

    def partition(self, topic, key, value, num_partitions, available):
        if key is None:
            self.sent += not available
            return num_partitions if self.sent > 32_767 else 0
        self.keys.add(key)
        return num_partitions if len(self.keys) > {keys} else len(key) % num_partitions
"""


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "first"), [(4_096, 4_097), (1 << 30, 65_536)])
def test_a_partitioner_meets_many_keys_and_many_records_without_a_leader(tmp_path, keys, first):
    file = tmp_path / "mine.py"
    file.write_text(CACHES.format(keys=keys))
    with open_bench(Job(resolve(str(file)), RunOptions(budget=Budget(histories=300)))) as bench:
        assert bench.live_long((), 60.0).findings["in-range"].calls > first


@pytest.mark.parametrize("kind", every_kind(), ids=str)
def test_names_differ_between_numbers_and_long_cases_are_long(kind):
    driver = driver_for(kind)
    long = driver.long_case(5)
    assert long is None or driver.form.read(driver.form.write(long), "case") == long
    if not driver.shares_objects:
        assert driver.counts(long)["events"] > 4
    job = Job(next_target(kind), RunOptions(budget=Budget(histories=3)))
    case = job.case(0)
    named = driver.under_other_names(case, 7)
    assert driver.size(named)[:2] == driver.size(case)[:2]
    assert driver.under_other_names(case, 8) != named or named == case


def next_target(kind):
    """A reference of the kind."""
    from kassay.assignors import registry

    return resolve(next(each.spec for each in registry.load_all().values() if each.kind is kind))
