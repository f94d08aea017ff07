"""Print the shell script that completes targets, claims, files and options."""

from __future__ import annotations

import click

from kassay.cli.options import say

PLACE = 710

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog='Example: eval "$(kassay completion bash)"')
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, /, shell: str) -> int:
    """Print the completion script for SHELL: commands, options, targets, claims, models, suites and files.

    bash: eval "$(kassay completion bash)" in ~/.bashrc; zsh: eval "$(kassay completion zsh)" in ~/.zshrc,
    after compinit; fish: kassay completion fish > ~/.config/fish/completions/kassay.fish.
    """
    from kassay.cli.completing import source

    for line in source(shell, context.find_root().command).splitlines():
        say(line)
    return 0
