"""What a trace keeps of a run: the conditions under which its case breaks the claim again."""

from kassay import __version__
from kassay.engines.processes.host import Limits
from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.counterexamples import breaking, conditions_of, versions_of
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.properties.claims import parse_claim

TARGET = """
class Tired:
    asked = 0

    def assign(self, partitions_per_topic, members):
        Tired.asked += 1
        first, *rest = members
        tps = [(topic, n) for topic in first["topics"] for n in range(partitions_per_topic.get(topic, 0))]
        return {member["id"]: [] for member in rest} | {first["id"]: tps * (2 if FAULT else 1)}
"""


def bench_of(tmp_path, fault, **options):
    path = tmp_path / "tired.py"
    path.write_text(TARGET.replace("FAULT", fault))
    limits = Limits(1.5, 400)
    target = resolve(str(path), in_process=options.get("in_process", False), limits=limits, config={"a": "1"})
    return open_bench(Job(target, RunOptions(limits=limits, config={"b": "2"}, **options)))


def broken_case(bench, claim):
    """The promise, the subject that breaks it with the first case that does, and the case."""
    statement = parse_claim(claim, bench.job.target.kind)
    for index in range(20):
        case = bench.job.case(index)
        subject, play = breaking(bench, bench.driver, case, statement, seconds=0)
        if play is not None:
            return statement, subject, case
    raise AssertionError(f"{claim} is not broken")


def test_configuration_limits_and_assumptions_are_those_of_the_target_and_the_run(tmp_path):
    options = {"claims": ("single-owner",), "assume": frozenset({"no-racks"})}
    with bench_of(tmp_path, "True", **options) as bench:
        kept = conditions_of(bench, *broken_case(bench, "single-owner"))
    assert (kept.config, kept.call_timeout_s, kept.memory_mib) == ({"a": "1", "b": "2"}, 1.5, 400)
    assert (kept.in_process, kept.assume, kept.also_checked, kept.hash_seed) == (False, ("no-racks",), (), 0)


def test_claims_whose_looks_it_takes_are_kept(tmp_path):
    claims = ("single-owner", "pure")
    with bench_of(tmp_path, "Tired.asked % 2 == 0", claims=claims, in_process=True) as bench:
        claim = parse_claim("single-owner", bench.job.target.kind)
        alone, beside = bench.subjects_of(claim)
    assert [p.id for p in alone.claims] == ["single-owner"]
    assert [p.id for p in beside.claims] == ["single-owner", "pure"]
    kept = conditions_of(bench, claim, beside, bench.job.case(0))
    assert kept.also_checked == claims


def test_a_hash_seed_is_known_where_a_child_shows_the_fault_too(tmp_path):
    options = {"claims": ("single-owner",), "in_process": True}
    for fault, hash_seed in (("True", 0), ("'pytest' in __import__('sys').modules", None)):
        with bench_of(tmp_path, fault, **options) as bench:
            assert conditions_of(bench, *broken_case(bench, "single-owner")).hash_seed == hash_seed


def test_the_plainest_subject_comes_first_and_the_last_word_is_nothing(tmp_path):
    with bench_of(tmp_path, "False", claims=("single-owner", "pure")) as bench:
        claim = parse_claim("single-owner", bench.job.target.kind)
        subject, play = breaking(bench, bench.driver, bench.job.case(0), claim, seconds=0.1)
    assert (subject.claims, play) == ((claim,), None)


def test_the_versions_are_those_of_kassay_and_of_what_the_target_is_made_of():
    assert versions_of(resolve("range"))["kassay"] == __version__
    assert versions_of(resolve("range")).keys() == {"kassay", "python"}


def test_a_certificates_traces_keep_them():
    options = RunOptions(claims=("topic-even",), budget=Budget(histories=60), controls=False)
    (result,) = certify(resolve("ceil-range", config={"x": "y"}), options).claims
    assert result.counterexample is not None
    trace = result.counterexample.trace
    assert trace.conditions is not None
    assert (trace.conditions.config, trace.conditions.hash_seed) == ({"x": "y"}, 0)
    assert trace.versions == versions_of(resolve("range"))
