"""Check golden vectors of Kafka's own outputs."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli.common import instead_option, json_option
from kassay.cli.options import FilePath, write_json

PLACE = 130

SHOWN = 5


@click.command("vectors", epilog="Example: kassay vectors tests/data/vectors")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FilePath())
@instead_option
@json_option
def command(paths: tuple[Path, ...], target: str | None, json_path: str | None) -> int:
    """Check the vectors in PATH (files or folders, .json or .json.gz) against the references.

    With --target only the sets are compared, not the order inside lists.
    """
    from contextlib import ExitStack
    from functools import partial

    from kassay.engines.targets.resolve import resolve
    from kassay.engines.vectors.check import check_files
    from kassay.report.screen.console import console

    screen = console(stderr=json_path == "-")
    results = []
    with ExitStack() as stack:
        factory, instead = None, None
        if target is not None:
            instead = resolve(target)
            factory = partial(stack.enter_context(instead.open()).new, {})
        for result in check_files(list(paths), factory, exact=target is None, target=instead):
            results.append(result)
            if result.unknown is not None:
                screen.say(f"{result.name}: unknown ({result.unknown})")
                continue
            screen.say(f"{result.name}: {result.passed} passed, {len(result.failures)} failed")
            for vector_id, message in result.failures[:SHOWN]:
                screen.say(f"  {vector_id}: {message}")
            if len(result.failures) > SHOWN:
                screen.say(f"  and {len(result.failures) - SHOWN} more")
    if json_path:
        write_json({"schema": "kassay/vectors/1", "files": [r.to_json() for r in results]}, json_path)
    if any(result.failures for result in results):
        return 1
    return 3 if any(result.unknown for result in results) else 0
