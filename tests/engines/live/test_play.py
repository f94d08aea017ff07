"""A play that fails: the step is named, and the broker if it has ended."""

from types import SimpleNamespace

import pytest

from kassay.engines.live.play import Play
from kassay.engines.live.running import LiveFailed
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat

GROW = LiveAction("grow", topic="orders", partitions=4)
SCRIPT = LiveScript({"orders": 2}, (LiveSeat("m1", "java", ("range",)),), (GROW,))


class Brokers:
    def __init__(self, gone):
        self.gone = gone

    def require(self):
        if self.gone:
            raise LiveFailed("the broker ended by itself")


@pytest.mark.parametrize(
    ("cluster", "words"),
    [
        (Brokers(gone=True), "the broker ended by itself"),
        (Brokers(gone=False), "the cluster refused grow"),
        (None, "the cluster refused grow"),
    ],
)
def test_a_failure_names_its_step_and_a_broker_that_has_ended(cluster, words):
    play = Play(SCRIPT, SimpleNamespace(cluster=cluster, helper=None, pump=None))
    with pytest.raises(LiveFailed) as failure, play._step(2, GROW):
        raise LiveFailed("the cluster refused grow")
    assert str(failure.value) == f"step 2, grow orders to 4 partitions: {words}"
