"""The kinds of targets that place replicas and that plan their reassignment."""

from __future__ import annotations

from typing import Final

from kassay.model.kinds import Kind, Nouns, declare

_REQUEST: Final = ("request", "requests", "", "", "broker")
PLACER: Final = declare(
    Kind(
        "placer",
        "placement",
        Nouns(*_REQUEST, "new partition", worlds="requests"),
        "placer",
        "placers",
        "request",
        method="place",
        forms=("placer",),
        assumptions=("no-racks",),
        listed="placers",
        place=20,
    )
)
PLANNER: Final = declare(
    Kind(
        "planner",
        "placement",
        Nouns(*_REQUEST, "partition", worlds="requests"),
        "",
        "plans",
        "placement",
        method="plan",
        listed="placers",
        place=21,
    )
)
