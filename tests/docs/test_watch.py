"""The page, the dashboard and the autoscaler of `kassay watch` name metrics that there are, and all of them."""

import json
import re

import pytest

from kassay.report.files.metrics import NAMES
from tests.paths import DOCS, ROOT

METRIC = re.compile(r"\bkassay_[a-z_]+[a-z]\b")
GRAFANA = ROOT / "examples" / "grafana.json"
KEDA = ROOT / "examples" / "keda.yaml"


def test_the_page_has_every_metric():
    page = (DOCS / "watch.md").read_text()
    assert {*METRIC.findall(page)} == {*NAMES}


@pytest.mark.parametrize("path", [GRAFANA, KEDA], ids=lambda path: path.name)
def test_the_examples_name_metrics_that_exist(path):
    named = {*METRIC.findall(path.read_text())}
    assert len(named) > 2 and named <= {*NAMES}


def test_the_dashboard_is_one_that_grafana_loads():
    board = json.loads(GRAFANA.read_text())
    panels = board["panels"]
    assert len({each["id"] for each in panels}) == len(panels)
    assert all(each["gridPos"]["x"] + each["gridPos"]["w"] <= 24 for each in panels)
    assert all(target["expr"] and target["refId"] for each in panels for target in each["targets"])
    assert [each["name"] for each in board["templating"]["list"]] == ["datasource", "group"]


def test_the_formula_of_the_autoscaler_names_its_triggers():
    yaml = pytest.importorskip("yaml")
    spec = yaml.safe_load(KEDA.read_text())["spec"]
    formula = spec["advanced"]["scalingModifiers"]["formula"]
    assert {*re.findall("[a-z]+", formula)} == {each["name"] for each in spec["triggers"]}
    queries = {
        each["name"]: each["metadata"]["query"] for each in spec["triggers"] if each["type"] == "prometheus"
    }
    assert all(f"_{name}{{" in query for name, query in queries.items())
