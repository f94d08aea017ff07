"""Blocks of cases: they add up whatever their cut."""

from contextlib import ExitStack
from dataclasses import replace

import pytest

from kassay.engines.processes.host import Host
from kassay.engines.runs.blocks import FIRST_AIMS, FIRST_CLASSES, Bench, Job, open_bench, play_block
from kassay.engines.runs.budgets import LEAST_FOR_CONTROLS, play_deadline
from kassay.engines.runs.controls import CONTROL_SHARE
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.verdicts import Tally
from kassay.engines.targets.resolve import resolve
from kassay.kinds.judging import Examination
from kassay.model.cluster import Cluster
from kassay.model.errors import TargetFailure
from kassay.model.groups.group import Group, Member
from kassay.properties.wide.ranges import WIDTHS


def tally_of(spec, *blocks, **options):
    job = Job(resolve(spec), RunOptions(budget=Budget(histories=1), **options))
    total = Tally()
    with open_bench(job) as bench:
        for start, stop in blocks:
            total.add(play_block(bench, start, stop))
    return total


def test_blocks_add_up_whatever_their_cut():
    whole = tally_of("ceil-range", (0, 120), claims=("topic-even", "complete"))
    parts = tally_of("ceil-range", (80, 120), (0, 37), (37, 80), claims=("topic-even", "complete"))
    assert whole == parts
    assert whole.counts["topic-even"].failed > 0
    assert whole.counts["complete"].failed == 0


DETERMINISTIC = RunOptions(claims=("deterministic",))


class Noted(Host):
    """Notes the configurations of the objects that it makes, which there are none of."""

    def __init__(self):
        self.configurations = []

    def new(self, config):
        self.configurations.append(dict(config))


def test_cases_differ_and_follow_from_the_seed_and_their_number():
    job = Job(resolve("range"), RunOptions(seed=3))
    assert len({repr(job.case(index)) for index in range(20)}) > 15
    assert job.case(7) == Job(resolve("range"), RunOptions(seed=3)).case(7)
    assert job.case(7) != Job(resolve("range"), RunOptions(seed=4)).case(7)


def test_an_objects_own_configuration_stands_over_that_of_the_run():
    host = Noted()
    options = RunOptions(config={"x": "1", "y": "1"})
    with ExitStack() as stack:
        Bench(Job(resolve("range"), options), host, stack).subject.new({"y": "2"})
    assert host.configurations == [{"x": "1", "y": "2"}]


def test_every_twentieth_case_has_a_twin_fifty_in_all():
    with open_bench(Job(resolve("range"), DETERMINISTIC)) as bench:
        turns = [index for index in range(2000) if bench.subject_for(index).twin is not None]
        assert turns == list(range(0, 1000, 20))
    with open_bench(Job(resolve("range"), RunOptions(claims=("complete",)))) as bench:
        assert bench.subject_for(20).twin is None


def test_assumptions_are_those_of_the_user_and_of_the_targets_author():
    target = replace(resolve("range"), assumes=("no-racks",))
    job = Job(target, RunOptions(assume=frozenset({"equal-subscriptions"})))
    assert job.assume == {"no-racks", "equal-subscriptions"}
    assert job.profile.assume == job.assume
    with open_bench(job) as bench:
        assert bench.subject.assume == job.assume


def test_a_promise_alone_comes_before_all_of_them_and_one_about_processes_has_a_twin():
    job = Job(resolve("range"), RunOptions(claims=("complete", "deterministic")))
    complete, deterministic = job.claims
    with open_bench(job) as bench:
        assert [subject.claims for subject in bench.subjects_of(complete)] == [(complete,), job.claims]
        (subject,) = bench.subjects_of(deterministic)
        assert subject.claims == (deterministic,)
        assert subject.twin is not None
        assert bench.subject_apart(complete).twin is None
        assert bench.subject_apart(complete).claims == (complete,)


SEED = """
import os

class Seed:
    def assign(self, partitions_per_topic, members):
        raise RuntimeError(os.environ.get("PYTHONHASHSEED"))
"""


@pytest.mark.parametrize("in_process", [False, True])
def test_processes_beside_have_hash_seeds_that_are_known(tmp_path, monkeypatch, in_process):
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    (tmp_path / "seed.py").write_text(SEED)
    target = resolve(str(tmp_path / "seed.py"), in_process=in_process)
    with open_bench(Job(target, DETERMINISTIC)) as bench:
        (claim,) = bench.job.claims
        apart, with_twin = bench.subject_apart(claim), bench.with_twin()

        def seed(new):
            with pytest.raises(TargetFailure) as raised:
                new({}).assign(Cluster.of({"t": 1}), Group((Member("a", ("t",)),)))
            return raised.value.message.split()[3]

        assert (seed(apart.new), seed(apart.twin)) == ("0", "1")
        assert (seed(with_twin.new), seed(with_twin.twin)) == (("1", "2") if in_process else ("0", "1"))
        assert len(list(bench.subjects_of(claim))) == (2 if in_process else 1)


LATE, EARLY = 1e-6, 1e9
"""Seconds from the opening of a bench to its deadline: a slow target's, and a fast one's."""


def left_out(seconds=LATE, **options):
    """The numbers of the first cases that a run leaves out which began long before its deadline, or has long."""
    job = Job(resolve("range"), RunOptions(**{"budget": Budget(seconds=30.0), **options}))
    with open_bench(job) as bench:
        deadline = bench._opened + seconds
        return [index for index in range(FIRST_CLASSES + 10) if bench.leaves_out(index, deadline)]


def test_a_slow_target_gets_each_class_before_more_plain_cases():
    job = Job(resolve("range"), RunOptions())
    assert left_out() == [n for n in range(FIRST_AIMS, FIRST_CLASSES) if not job.is_wide(n)]


@pytest.mark.parametrize(
    "changed",
    [
        {"seconds": EARLY},
        {"budget": Budget(seconds=5.0)},
        {"budget": Budget(histories=450)},
        {"assume": frozenset(WIDTHS)},
        {"profile": "shape:range-idle"},
    ],
    ids=["late", "by-time", "by-histories", "all-assumed", "one-shape"],
)
def test_nothing_is_left_out_where_there_is_time_or_nothing_wide(changed):
    assert left_out(**changed) == []


def test_a_block_in_a_hurry_has_only_its_wide_cases():
    job = Job(resolve("range"), RunOptions(budget=Budget(seconds=30.0), claims=("complete",)))
    start, stop = FIRST_AIMS, FIRST_AIMS + 12
    with open_bench(job) as bench:
        bench._opened -= 1e9
        deadline = bench._opened + 1e9 + 60.0
        assert play_block(bench, start, stop, deadline, hurries=True).histories == 4
        assert play_block(bench, start, stop, deadline).histories == 12


def test_playing_may_use_the_time_of_controls_until_each_class_was_there():
    job = Job(resolve("range"), RunOptions(budget=Budget(seconds=60.0)))
    usual, longer = play_deadline(job, 0.0), play_deadline(job, 0.0, covered=False)
    assert longer - usual == pytest.approx(60.0 * (CONTROL_SHARE - LEAST_FOR_CONTROLS))
    assert play_deadline(job, 0.0, findings=1, covered=False) < usual, "a violation needs no classes"
    assert [job.wants_classes(n) for n in (0, FIRST_CLASSES - 1, FIRST_CLASSES)] == [True, True, False]


@pytest.mark.parametrize(
    ("judged", "checked", "covered", "silent"), [(1, 1, 1, 0), (1, 0, 0, 0), (0, 0, 0, 1)]
)
def test_a_class_is_covered_by_a_claim_that_could_fail_and_silent_where_none_applies(
    judged, checked, covered, silent
):
    class Judges:
        def examine(self, case, subject):
            return Examination(judged={"complete": judged}, checked={"complete": checked})

    with open_bench(Job(resolve("range"), RunOptions())) as bench:
        bench.driver = Judges()
        (_, plain), (_, wide) = bench.look(0), bench.look(2)
        _, classes = bench.job.case_and_classes(2)
    assert classes
    assert (wide.covered, wide.silent) == (classes * covered, classes * silent)
    assert (plain.covered, plain.silent, plain.wide_seconds) == ((), (), 0.0)
    assert wide.wide_seconds == wide.seconds > 0


def test_wide_cases_take_a_third_of_the_time_once_each_class_was_there():
    options = RunOptions(budget=Budget(seconds=30.0))
    with open_bench(Job(resolve("range"), options)) as bench:
        bench._seconds = 30.0
        for wide_seconds, enough in ((9.9, False), (10.1, True)):
            bench._wide_seconds = wide_seconds
            assert bench._wide_enough(FIRST_CLASSES) is enough
            assert not bench._wide_enough(FIRST_CLASSES - 1)
        bench.job = replace(bench.job, options=RunOptions(budget=Budget(histories=900)))
        assert not bench._wide_enough(FIRST_CLASSES)
