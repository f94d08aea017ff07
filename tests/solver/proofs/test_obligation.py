"""What is to be proved is told apart, found by walking the folder, and asked as it was registered."""

from __future__ import annotations

import pytest

from kassay.solver.proofs.obligation import Obligation, ProofVerdict, Question, obligations


def test_every_file_of_the_folder_has_its_questions() -> None:
    files = {each.ask.func.__module__.rpartition(".")[2] for each in obligations()}  # type: ignore[attr-defined]
    assert files == {"ranges", "replicas", "words"}


@pytest.mark.parametrize("each", obligations(), ids=lambda each: each.name)
def test_a_question_has_something_to_show(each: Obligation) -> None:
    question = each.ask()
    assert isinstance(question, Question)
    assert question.shown
    assert each.name == f"{each.claim}/{each.part}"
    assert each.sentence
    assert each.source


def test_what_is_known_to_be_false_is_said_to_be() -> None:
    refuted = {each.name for each in obligations() if each.expected is not ProofVerdict.PROVED}
    assert refuted == {
        "abs/sign",
        "ceil-range-even/all",
        "replicas-beyond/all",
        "three-heartbeats/one-short",
        "three-heartbeats/overflow",
    }


def test_two_obligations_never_ask_the_same() -> None:
    asked = {
        each.name: tuple(str(part) for part in (each.ask().assumptions, each.ask().goal))
        for each in obligations()
    }
    assert len(set(asked.values())) == len(asked)
