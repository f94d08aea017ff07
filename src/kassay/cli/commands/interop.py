"""Which client libraries can be in a group together, led by whom."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli.common import (
    config_option,
    fetch_option,
    histories_option,
    json_option,
    out_option,
    release_option,
)
from kassay.cli.options import FilePath, commas, pairs, present

PLACE = 341


@click.command(
    "interop", epilog="Example: kassay interop java,librdkafka,sarama --strategy roundrobin --fetch"
)
@click.argument("libraries", metavar="LIBRARY,LIBRARY,...")
@click.option("--strategy", metavar="NAME,...", help="Set the strategy of both; several one after another.")
@config_option
@release_option()
@fetch_option
@histories_option(default=1)
@out_option(None, FilePath())
@json_option
def command(
    libraries: str,
    strategy: str | None,
    configs: tuple[str, ...],
    release: str,
    fetch: bool,
    histories: int,
    out: Path | None,
    json_path: str | None,
) -> int:
    """Play every ordered pair of client libraries in one group, and show whether they agree.

    The first of a pair leads, then the second, in --histories each. --config group.protocol=consumer plays
    KIP-848. --out keeps every play in interop.json, and continues what is there. Exits with 1 if a pair does
    not agree.
    """
    from kassay.api.interop import interop
    from kassay.report.screen.console import bar
    from kassay.report.screen.interop import interop_view
    from kassay.writing.files import write_text

    with bar("playing", None) as progress:
        result = interop(
            *(commas(libraries, "LIBRARY,...") or ()),
            strategies=commas(strategy, "--strategy") or (),
            protocol=_protocol(configs),
            release=release,
            histories=histories,
            out=out,
            fetch=fetch,
            progress=progress,
        )
    if out is not None:
        write_text(result.page(), str(out / "interop.html"))
    present(result.to_json(), lambda: interop_view(result.result), json_path)
    return result.result.exit_code


def _protocol(configs: tuple[str, ...]) -> str:
    """The group protocol among the properties; raises `InputError` for another property or value."""
    from kassay.model.errors import InputError

    given = pairs(configs, "--config")
    protocol = given.pop("group.protocol", "classic")
    if given or protocol not in ("classic", "consumer"):
        raise InputError(f"--config {' '.join(configs)}: expected group.protocol=classic or =consumer")
    return protocol
