"""Rows as CSV."""

import csv
import doctest
import io

from kassay.writing import tables
from kassay.writing.tables import csv_text


def test_examples_run():
    assert doctest.testmod(tables).failed == 0


def test_a_table_reads_back():
    rows = [{"a": 'x "y"\nz', "b": 1}, {"a": "ü,", "b": 2}]
    assert list(csv.DictReader(io.StringIO(csv_text(rows), newline=""))) == [
        {name: str(value) for name, value in row.items()} for row in rows
    ]
    assert csv_text([]) == ""
