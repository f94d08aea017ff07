"""The delays between successive revoking rounds."""

import pytest

from kassay.assignors.connect.backoff import backoff_ms

# (maximum, delays of rounds 1 to 4) as Kafka's ExponentialBackoff gives them on a JVM
RECORDED = [
    (0, [0, 0, 0, 0]),
    (1, [1, 1, 1, 1]),
    (2, [2, 2, 2, 2]),
    (41, [40, 41, 41, 41]),
    (1000, [40, 999, 999, 999]),
    (10_000, [40, 1600, 10_000, 10_000]),
    (60_000, [40, 1600, 60_000, 60_000]),
    (98_251, [40, 1600, 64_000, 98_251]),
    (105_205, [40, 1600, 64_000, 105_204]),
    (300_000, [40, 1600, 64_000, 300_000]),
]


@pytest.mark.parametrize(("maximum", "delays"), RECORDED)
def test_delays_are_those_of_java(maximum, delays):
    assert [backoff_ms(times, maximum) for times in range(1, 5)] == delays


def test_a_delay_grows_with_the_rounds_and_never_passes_the_maximum():
    for maximum in (*range(200), 999, 1001, 2**31 - 1):
        delays = [backoff_ms(times, maximum) for times in range(1, 12)]
        assert delays == sorted(delays)
        assert max(0, maximum - 1) <= delays[-1] <= maximum
