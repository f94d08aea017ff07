"""The options of what starts Spark."""

import click
import pytest

from kassay.cli.spark.session import spark_options, started
from kassay.model.errors import InputError


def test_the_help_says_what_happens_without_a_master() -> None:
    @click.command()
    @spark_options("one process")
    def command(**_: object) -> None:
        """Nothing."""

    options = {option.name: option for option in command.params}
    assert {*options} == {"master", "confs", "ui"}
    assert "[default: one process]" in str(options["master"].to_info_dict()["help"])


def test_a_setting_that_is_none_is_refused_before_spark_starts() -> None:
    chosen = {"confs": ("many",), "master": "local[1]", "ui": False}
    with pytest.raises(InputError, match="--conf"), started(chosen, "kassay"):
        pass
