from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.connect.eager import ConnectEager
from kassay.model.connect.documents import CONNECT_HISTORY
from kassay.model.connect.history import ConnectChange, ConnectHistory
from kassay.model.connect.player import asking, run_connect


@given(st.integers(0, 2**31 - 10))
def test_a_history_starts_after_its_generation(generation):
    history = ConnectHistory(("w0",), (("c0", 1),), changes=(ConnectChange(1),), generation=generation)
    run = run_connect(history, asking(ConnectEager))
    numbers = [step.request.generation for step in run.steps]
    assert numbers == list(range(generation + 1, generation + 1 + len(numbers)))
    document = CONNECT_HISTORY.write(history)
    assert CONNECT_HISTORY.read(document, "case") == history
    assert ("generation" in document) is (generation > 0)
