"""One file per command, named like the command.

In each file, the first line of the docstring says what the command does, `PLACE` is its position in the help,
and `command` is the command itself.
"""
