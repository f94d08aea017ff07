"""Shared by commands that start Spark: their options, and the session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from kassay.cli.options import pairs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def spark_options(otherwise: str = "all cores here") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options of a command that starts Spark; `otherwise` describes the default master."""

    def added(function: Callable[..., Any]) -> Callable[..., Any]:
        masters = f"Use Spark at local[N], spark://HOST:PORT, yarn or k8s://URL.  [default: {otherwise}]"
        ui = click.option("--ui", is_flag=True, help="Serve Spark's own pages and print their address.")
        conf = click.option(
            "--conf", "confs", multiple=True, metavar="K=V", help="Set a Spark property; repeatable."
        )
        return click.option("--master", help=masters)(conf(ui(function)))

    return added


@contextmanager
def started(chosen: Mapping[str, Any], name: str, heap: str = "1g") -> Iterator[SparkSession]:
    """The session for the options; `heap` is Java's default heap on this machine."""
    from kassay.pipeline.spark.session import session
    from kassay.report.screen.console import console

    conf = pairs(chosen["confs"], "--conf")
    with session(chosen["master"], conf, ui=chosen["ui"], name=name, heap=heap) as spark:
        if spark.sparkContext.uiWebUrl:
            console(stderr=True).say(f"Spark's pages: {spark.sparkContext.uiWebUrl}")
        yield spark
