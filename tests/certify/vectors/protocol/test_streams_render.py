"""What is shown of a Streams group: every value of a trace counts."""

from __future__ import annotations

import copy
import random

from kassay.certify.vectors.protocol.check import check_trace
from kassay.model.protocols.coordinator import step as coordinator
from tests.certify.vectors.protocol.test_check import leaves, other
from tests.certify.vectors.protocol.test_streams_codec import traces


def test_any_other_expectation_is_noticed():
    """Each trace with one expected value changed fails, in that very step unless an earlier one reads it."""
    source = random.Random(3)
    for trace in source.sample(traces(), 40):
        number = source.randrange(len(trace["steps"]))
        expected = trace["steps"][number]
        part = source.choice(
            [part for part in ("responses", "records", "state", "more") if expected.get(part)]
        )
        paths = [path for path in leaves(expected[part], (part,)) if path[-1] != "exception"]
        if not paths:
            continue
        changed = {**trace, "steps": [*trace["steps"][:number], copy.deepcopy(expected)]}
        *way, last = source.choice(paths)
        place = changed["steps"][number]
        for key in way:
            place = place[key]
        place[last] = other(place[last])
        message = check_trace(changed, lambda: coordinator, version="4.4")
        assert message is not None and message.startswith(f"step {number} "), (trace["id"], way, last)
