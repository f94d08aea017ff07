# ruff: noqa
"""Never gets imported."""

while True:
    pass
