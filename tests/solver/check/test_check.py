"""No forged result is accepted that states what is false; the kind of proof follows from the instance."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kassay.cli.main import run
from kassay.model.errors import InputError
from kassay.solver.check.check import CertificateError, Outcome, check_certificate, derived, pose
from tests.solver.check import forger, truth

Document = dict[str, Any]


def forge(kind: str, seed: int, number: int) -> Counter[str]:
    """Judge so many forgeries of a kind; fails at the first that is accepted and states what is false."""
    rng, pool = Random(seed), forger.genuine(kind)
    outcomes: Counter[str] = Counter()
    for _ in range(number):
        document = forger.forged(kind, rng, pool)
        try:
            checked = check_certificate(document)
        except InputError as error:
            assert "\n" not in str(error)
            outcomes["unreadable"] += 1
            continue
        outcomes[checked.outcome.value] += 1
        if checked.outcome in (Outcome.ACCEPTED, Outcome.ON_WORD):
            try:
                assert truth.lies(document) == [], json.dumps(document)
            except truth.TooLargeError:
                outcomes["too large"] += 1
    assert outcomes["too large"] <= number / 100
    return outcomes


@pytest.mark.parametrize("kind", forger.KINDS)
def test_the_genuine_is_accepted_and_true(kind: str) -> None:
    results = forger.genuine(kind)
    assert len(results) >= 60
    for result in results:
        on_word = result["certificate"].get("prover")
        assert check_certificate(result).outcome is (Outcome.ON_WORD if on_word else Outcome.ACCEPTED)
        assert truth.lies(result) == []
        if not on_word:
            assert check_certificate(result["certificate"]).accepted


@pytest.mark.parametrize("kind", forger.KINDS)
def test_no_lie_is_accepted(kind: str) -> None:
    outcomes = forge(kind, seed=1, number=400)
    assert outcomes["refused"] > 150
    assert outcomes["accepted"] > 40


@pytest.mark.deep
@pytest.mark.parametrize("kind", forger.KINDS)
def test_no_lie_is_accepted_of_tens_of_thousands(kind: str) -> None:
    outcomes = forge(kind, seed=2, number=20_000)
    assert outcomes["refused"] > 8_000
    assert outcomes["accepted"] > 2_000


def test_the_oracle_tells_lies() -> None:
    told = 0
    for kind in forger.KINDS:
        for result in forger.genuine(kind)[:10]:
            for field in ("moved", "sum_squares", "upper"):
                told += bool(truth.lies(result | {field: result[field] + 1}))
    assert told == 30 * len(forger.KINDS)


def group(weights: list[int] | None, members: int = 2, **fields: Any) -> Document:
    topic = {"name": "t", "partitions": 3, "weights": weights}
    ids = [f"m{i}" for i in range(members)]
    return {
        "family": "A",
        "name": "group",
        "members": [{"id": id_, "topics": ["t"]} for id_ in ids],
        "topics": [topic],
    } | fields


def by_squares(instance: Document, assignment: Document, upper: int) -> Document:
    """A certificate of kind `bundles` that says no more than this."""
    places = len(instance["members"])
    return {
        "schema": "kassay/interval-certificate/1",
        "instance": instance,
        "kind": "bundles",
        "order": "balance,movement,rack",
        "assignment": assignment,
        "prices": [0] * places,
        "grain": 1,
        "moves": {"low": 0, "top": 9, "moves": 0, "prices": [0] * places},
        "lower": upper,
        "upper": upper,
        "moved": 0,
        "rack_mismatch": 0,
    }


def test_a_weighted_instance_is_no_matter_of_bundles() -> None:
    instance = group([100, 100, 1])
    proof = by_squares(instance, {"m0": {"t": [0, 1]}, "m1": {"t": [2]}}, 5)
    checked = check_certificate(proof)
    assert checked.outcome is Outcome.REFUSED
    assert "asks for a proof of kind weighted, not 'bundles'" in checked.reason
    unweighted = group(None)
    proof = by_squares(unweighted, {"m0": {"t": [0, 1]}, "m1": {"t": [2]}}, 5)
    assert check_certificate(proof | {"kind": "weighted"}).outcome is Outcome.REFUSED
    assert check_certificate(proof).outcome is Outcome.REFUSED


@pytest.mark.parametrize("like", [float, lambda number: number == 1])
def test_a_result_states_the_assignment_that_is_proven_and_nothing_that_equals_it(like: Any) -> None:
    result = forger.genuine("exact")[0]
    stated = copy.deepcopy(result["assignment"])
    assert check_certificate(result | {"assignment": stated}).accepted
    row = next(row for topics in stated.values() for row in topics.values() if {0, 1} & {*row})
    row[:] = [like(number) if number in (0, 1) else number for number in row]
    assert stated == result["assignment"]
    checked = check_certificate(result | {"assignment": stated})
    assert checked.outcome is Outcome.REFUSED
    assert checked.reason.startswith("assignment of the result is ")


@pytest.mark.parametrize("field", ["extra", "lower"])
def test_a_field_of_a_certificate_that_nobody_checks_is_refused(field: str) -> None:
    certificate = forger.genuine("exact")[0]["certificate"]
    checked = check_certificate(certificate | {field: 0})
    assert checked.outcome is Outcome.REFUSED
    assert checked.reason.startswith(f"{field}: an unknown field")


@pytest.mark.parametrize("kind", forger.KINDS)
def test_every_field_of_a_result_is_compared(kind: str) -> None:
    for result in forger.genuine(kind)[:3]:
        for field in result.keys() - {
            "name",
            "solver",
            "elapsed_s",
            "actives_first",
            "certificate",
            "schema",
        }:
            for other in (None, 1, "x", [], {}):
                if not truth.same(other, result[field]):
                    checked = check_certificate(result | {field: other})
                    assert checked.outcome is Outcome.REFUSED, (field, other)
                    assert checked.reason.startswith(f"{field} of the result is")
        assert check_certificate(result | {"extra": 1}).outcome is Outcome.REFUSED
        assert check_certificate(result | {"name": "other", "solver": "z3", "elapsed_s": 9}).outcome in (
            Outcome.ACCEPTED,
            Outcome.ON_WORD,
        )


@pytest.mark.parametrize("kind", ["tasks", "racked"])
def test_the_cost_that_earlier_results_state_beside_their_own_is_no_less(kind: str) -> None:
    """Those had the cost of one more assignment, the best one of two orders being the result's."""
    result = forger.genuine(kind)[0]
    upper = result["upper"]
    for stated in (None, upper, upper + 1):
        checked = check_certificate(result | {"actives_first": stated})
        assert checked.accepted
        assert f"of actives_first no more is proven than that {upper} is the least" in checked.reason
    for stated in (upper - 1, str(upper), float(upper), True, [upper]):
        assert check_certificate(result | {"actives_first": stated}).outcome is Outcome.REFUSED
    assert check_certificate(forger.genuine("exact")[0] | {"actives_first": 9}).outcome is Outcome.REFUSED


def test_why_a_balance_is_not_better_is_derived_and_compared() -> None:
    """Each of two sentences changed, left out, or told of another result, and none where there are some."""
    told = 0
    for result in forger.genuine("exact"):
        result["schema"] = "kassay/optimum/2"
        sentences = derived(result["certificate"], "why_not_better")
        assert check_certificate(result | {"why_not_better": sentences}).accepted
        told += len(sentences) == 2
        for forged in ([*sentences, "so it is."], sentences[1:], sentences[::-1], None, "so it is.", []):
            if forged != sentences:
                checked = check_certificate(result | {"why_not_better": forged})
                assert checked.outcome is Outcome.REFUSED
                assert checked.reason.startswith("why_not_better of the result is")
    assert told > 5


def test_what_an_earlier_result_says_of_its_balance_is_told_to_be_unproven_unless_it_is_derived() -> None:
    """Those named sets that a solver had found, of which there are several."""
    result = forger.genuine("exact")[0] | {"schema": "kassay/optimum/1"}
    told = check_certificate(result | {"why_not_better": ["so it is."]})
    assert told.accepted
    assert told.reason.endswith(
        "nothing is proven of why_not_better, which earlier results state in other words"
    )
    sentences = derived(result["certificate"], "why_not_better")
    assert "why_not_better" not in check_certificate(result | {"why_not_better": sentences}).reason


def test_of_other_kinds_no_sentence_says_why_a_balance_is_not_better() -> None:
    for kind in set(forger.KINDS) - {"exact"}:
        result = forger.genuine(kind)[0]
        assert derived(result["certificate"], "why_not_better") is None
        assert check_certificate(result | {"why_not_better": []}).outcome is Outcome.REFUSED
    with pytest.raises(CertificateError, match=r"why_not_better: the certificate was refused"):
        derived(forger.genuine("exact")[0]["certificate"] | {"moved": 99}, "why_not_better")


def test_only_a_known_prover_has_a_word_and_only_where_it_is_needed() -> None:
    result = next(each for each in forger.genuine("weighted") if each["status"] == "interval")
    certificate = result["certificate"]
    claimed = certificate | {"lower": certificate["upper"], "prover": "CP-SAT"}
    checked = check_certificate(claimed)
    assert (checked.outcome, checked.word_of) == (Outcome.ON_WORD, "CP-SAT")
    assert check_certificate(certificate | {"prover": "CP-SAT"}).outcome is Outcome.REFUSED
    with pytest.raises(InputError, match="prover"):
        check_certificate(claimed | {"prover": "my word"})


@pytest.mark.parametrize("status", ["unknown", "infeasible", "optimal", "interval", None])
def test_a_result_without_a_certificate_proves_nothing(status: str | None) -> None:
    checked = check_certificate({"name": "x", "status": status, "certificate": None})
    assert checked.outcome is (Outcome.UNKNOWN if status in ("unknown", "infeasible") else Outcome.REFUSED)


@pytest.mark.parametrize("kind", forger.KINDS)
def test_a_proof_is_bound_to_the_instance_however_it_is_written(kind: str) -> None:
    first, second = forger.genuine(kind)[:2]
    instance = copy.deepcopy(first["certificate"]["instance"])
    for field in ("members", "topics", "brokers"):
        if field in instance:
            instance[field].reverse()
    for member in instance.get("members", ()):
        member["owned"].reverse()
        member["topics"].reverse()
    own = pose(instance | {"name": "mine", "seed": 3})
    checked = check_certificate(first, own)
    assert checked.outcome in (Outcome.ACCEPTED, Outcome.ON_WORD)
    assert checked.bound
    other = check_certificate(second, own)
    assert other.outcome is Outcome.REFUSED
    assert own.digest[:12] in other.reason
    for place, key in list(forger.leaves(instance)):
        if type(place[key]) is int and not (isinstance(place, list) and kind == "weighted"):
            kept = place[key]
            place[key] += 1
            try:
                changed = pose(instance)
            except InputError:
                changed = None
            assert changed is None or changed.digest != own.digest, (place, key)
            place[key] = kept


@pytest.mark.parametrize("kind", forger.KINDS)
def test_a_proof_is_not_for_another_instance_of_the_same_size(kind: str) -> None:
    alike = 0
    results = forger.genuine(kind)
    owns = [pose(result["certificate"]["instance"]) for result in results]
    for result, own in zip(results, owns, strict=True):
        for other in owns:
            if other.size == own.size and other.digest != own.digest:
                assert check_certificate(result, other).outcome is Outcome.REFUSED
                alike += 1
                break
    assert alike


@pytest.mark.parametrize("kind", forger.KINDS)
def test_an_interval_is_not_called_optimal(kind: str) -> None:
    for result in forger.genuine(kind):
        if result["status"] == "interval":
            checked = check_certificate(result | {"status": "optimal"})
            assert checked.outcome is Outcome.REFUSED
            assert checked.reason.startswith("status of the result is 'optimal'")


def test_an_own_instance_that_is_none_is_unreadable() -> None:
    for document in (3, {}, {"family": "Z"}, group(None) | {"extra": 1}, group(None) | {"members": []}):
        with pytest.raises(InputError):
            pose(document)


def test_the_command_binds_one_instance_or_one_a_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = forger.genuine("exact")[:2]
    lines = [json.dumps(result) + "\n" for result in results]
    instances = [json.dumps(result["certificate"]["instance"]) + "\n" for result in results]
    for name, text in {
        "one": lines[0],
        "two": "".join(lines),
        "first": instances[0],
        "both": "".join(instances),
        "swapped": "".join(reversed(instances)),
        "three": "".join(instances) + instances[0],
    }.items():
        (tmp_path / name).write_text(text)

    def check(certificates: str, own: str) -> int:
        return run(["check", str(tmp_path / certificates), str(tmp_path / own)])

    assert check("one", "first") == 0
    assert "[your instance " in capsys.readouterr().out
    assert check("two", "both") == 0
    assert check("two", "swapped") == check("two", "first") == 1
    assert check("two", "three") == check("one", "both") == 2
    assert "found 2 instances for 1 certificates" in capsys.readouterr().err


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    certificate = json.dumps(forger.genuine("exact")[0]["certificate"])
    (tmp_path / "twice.json").write_text(certificate[:-1] + ', "moved": 0}')
    assert run(["check", str(tmp_path / "twice.json")]) == 2
