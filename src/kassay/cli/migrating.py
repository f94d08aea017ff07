"""Shared by `kassay live --migrate`: the members' protocols under each migration policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kassay.cli.options import present
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.engines.live.clients import ClientPrograms
    from kassay.engines.live.run import LiveOptions
    from kassay.engines.live.script import LiveSeat


def migrate_members(
    options: LiveOptions,
    named: ClientPrograms,
    complete: Callable[[Sequence[LiveSeat]], ClientPrograms],
    json_path: str | None,
) -> int:
    """Play the migration on brokers of kassay's own; the exit code.

    `complete` gives the programs with what such members need.
    """
    from kassay.engines.rehearse.migration import migrate, require_classic
    from kassay.report.screen.console import bar
    from kassay.report.screen.migration import migration_view

    if options.bootstrap is not None:
        raise InputError("--bootstrap-server: its brokers are never stopped or configured; leave it out")
    if not options.seats:
        raise InputError("--migrate: expected --clients with it, such as java:range*3")
    require_classic(options.seats, named)
    ready = complete(options.seats)
    with bar("migrating", None) as progress:
        migration = migrate(options, ready, lambda done, words: progress(done, words))
    present(migration.to_json(), lambda: migration_view(migration), json_path)
    return migration.exit_code
