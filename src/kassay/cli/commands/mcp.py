"""Serve assistants over the Model Context Protocol."""

from __future__ import annotations

import click

from kassay.model.errors import InputError

PLACE = 710


@click.command("mcp", epilog="Example: kassay mcp")
def command() -> int:
    """Serve an assistant's questions over standard input and output (Model Context Protocol).

    Read only: its tools read the files that a call names. Answers carry a proof and its digest. Needs the
    extra mcp.
    """
    from kassay.cli.serving import server

    try:
        served = server()
    except ImportError:
        raise InputError("mcp: the package mcp is not installed; pip install 'kassay[mcp]'") from None
    served.run()
    return 0
