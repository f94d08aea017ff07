# ruff: noqa
"""Has a class, but none that assigns."""


class NoAssign:
    def allocate(self):
        return {}


VALUE = 3
