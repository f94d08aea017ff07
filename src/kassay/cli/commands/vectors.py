"""Check golden vectors of Kafka's own outputs."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli import completing
from kassay.cli.options import FilePath, in_process_option, json_option, quiet_option, write_json

PLACE = 130

SHOWN = 5


@click.command("vectors", epilog="Example: kassay vectors tests/data/vectors")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FilePath())
@click.option(
    "--target",
    "spec",
    shell_complete=completing.target,
    help="Check this target instead of the reference; compares sets.",
)
@click.option("--exact", is_flag=True, help="With --target: also compare the order inside lists.")
@in_process_option
@quiet_option
@json_option
def command(
    paths: tuple[Path, ...],
    spec: str | None,
    exact: bool,
    in_process: bool,
    quiet: bool,
    json_path: str | None,
) -> int:
    """Check the vectors in PATH (files or folders, .json or .json.gz) against the references."""
    from contextlib import ExitStack
    from functools import partial

    from kassay.certify.targets.resolve import resolve
    from kassay.certify.vectors.check import check_files
    from kassay.report.screen.console import console

    screen = console(stderr=json_path == "-")
    results = []
    with ExitStack() as stack:
        factory, target = None, None
        if spec is not None:
            target = resolve(spec, in_process=in_process)
            factory = partial(stack.enter_context(target.open()).new, {})
        for result in check_files(list(paths), factory, exact=exact or spec is None, target=target):
            results.append(result)
            if result.unknown is not None:
                screen.say(f"{result.name}: unknown ({result.unknown})")
                continue
            screen.say(f"{result.name}: {result.passed} passed, {len(result.failures)} failed")
            if quiet:
                continue
            for vector_id, message in result.failures[:SHOWN]:
                screen.say(f"  {vector_id}: {message}")
            if len(result.failures) > SHOWN:
                screen.say(f"  and {len(result.failures) - SHOWN} more")
    if json_path:
        write_json({"schema": "kassay/vectors/1", "files": [r.to_json() for r in results]}, json_path)
    if any(result.failures for result in results):
        return 1
    return 3 if any(result.unknown for result in results) else 0
