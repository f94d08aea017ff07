"""The registry of formats finds those of every folder."""

from __future__ import annotations

from kassay.kinds.vectors import load_formats


def test_every_format_is_found():
    formats = load_formats()
    assert {"protocol-classic", "protocol-consumer", "protocol-migration"} <= formats.keys()
