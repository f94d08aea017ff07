"""Numbers that are the same for ever, even and in range."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.solver.algorithms.splitmix import SplitMix


class Published(SplitMix):
    """The generator at a state of its own, without words to mix in."""

    def __init__(self, state: int) -> None:
        super().__init__()
        self._state = state


def test_the_words_are_those_of_the_published_algorithm() -> None:
    """The first outputs of splitmix64 from the state 1234567, as other implementations have them."""
    rng = Published(1234567)
    assert [rng.word() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_seeds_are_told_apart_by_their_words() -> None:
    seeds = [("a", 1), ("a", 2), ("b", 1), ("a1",), ("a", "1", ""), (1, "a"), ()]
    words = [SplitMix(*seed).word() for seed in seeds]
    assert len(set(words)) == len(seeds)
    assert SplitMix("a", 1).word() == SplitMix("a", "1").word()


@given(st.integers(), st.integers(1, 1 << 64))
def test_below_stays_below(seed: int, bound: int) -> None:
    assert 0 <= SplitMix(seed).below(bound) < bound


def test_every_number_comes_about_as_often() -> None:
    rng = SplitMix("even")
    counts = Counter(rng.between(-1, 5) for _ in range(7000))
    assert set(counts) == set(range(-1, 6))
    assert all(850 < count < 1150 for count in counts.values())
    # Two thirds of all words are below this bound: without dropping, the low half would come twice as often.
    bound = 2 * (1 << 64) // 3
    assert 440 < sum(rng.below(bound) < bound // 2 for _ in range(1000)) < 560


@pytest.mark.parametrize(("percent", "least", "most"), [(0, 0, 0), (30, 250, 350), (100, 1000, 1000)])
def test_a_chance_is_of_a_hundred(percent: int, least: int, most: int) -> None:
    rng = SplitMix("chance")
    assert least <= sum(rng.chance(percent) for _ in range(1000)) <= most


def test_shuffles_are_permutations_and_all_of_them_come() -> None:
    rng = SplitMix("mixed")
    counts = Counter(tuple(rng.shuffled("abc")) for _ in range(1200))
    assert len(counts) == 6
    assert min(counts.values()) > 140
    picked = Counter(tuple(sorted(rng.sample("abcd", 2))) for _ in range(600))
    assert len(picked) == 6
    assert {rng.pick("xyz") for _ in range(50)} == {"x", "y", "z"}
