"""One file a command; its name is the command's.

A file says in the first line of its docstring what the command does, in `PLACE` where the help lists it, and
holds the `command` itself.
"""
