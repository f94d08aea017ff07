"""The registry of formats finds those of every folder."""

from __future__ import annotations

from kassay.engines.vectors.check import every_format


def test_every_format_is_found():
    formats = every_format()
    assert {"protocol-classic", "protocol-consumer", "protocol-migration"} <= formats.keys()
