"""`kassay audit`: the documented example, its document, traces that are explained, exit codes, bad input."""

import json

import pytest

from tests.cli.runner import here, one_line, valid
from tests.offsets_log import Log, dump
from tests.paths import ROOT

CLUSTER = ROOT / "examples" / "cluster"
FILES = ("offsets-9.txt", "offsets-10.txt", "offsets-12.txt")


def test_findings_are_a_document_with_traces_that_can_be_explained(tmp_path):
    done = here("audit", *FILES, "topics.txt", "--json", "-", "--out", str(tmp_path), cwd=CLUSTER)
    assert done.returncode == 1, done.stderr
    document = valid(json.loads(done.stdout), "audit-1")
    by_name = {group["group"]: group for group in document["groups"]}
    assert by_name["billing"]["returns"] == {"app-3@10.0.0.7": 3}
    assert by_name["fraud"]["needless"] > 0
    assert "FINDINGS" not in done.stdout and (tmp_path / "audit.html").read_text().startswith(
        "<!doctype html>"
    )
    (finding,) = by_name["mailer"]["findings"]
    explained = here("explain", finding["trace"], cwd=tmp_path)
    assert explained.returncode == 0 and "breaks cooperative" in explained.stdout
    # kassay's own rule does better on the same input.
    assert here("replay", finding["trace"], cwd=tmp_path).returncode in (0, 3)


def test_one_group_is_clean():
    done = here("audit", *FILES, "--group", "billing", cwd=CLUSTER)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "clean: 7 rebalances judged in 1 group"


def test_nothing_that_could_be_judged_ends_with_3(tmp_path):
    log = Log()
    log.classic("connect", 1, "sessioned", "w", [], "connect")
    (tmp_path / "dump.txt").write_text(dump(log.records))
    assert here("audit", "dump.txt", cwd=tmp_path).returncode == 3


def test_since_leaves_out_what_was_before():
    assert here("audit", *FILES, "--since", "2025-11-22T09:00", cwd=CLUSTER).returncode == 3
    assert here("audit", *FILES, "--since", "1763799999000", cwd=CLUSTER).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nothing.txt"], "nothing.txt: no such file, expected the output of kafka-dump-log"),
        (["topics.txt"], "expected a FILE with the output of kafka-dump-log"),
        (["offsets-9.txt", "offsets-9.txt"], "offsets-9.txt: given twice"),
        (["offsets-9.txt", "--group", "nobody"], "--group 'nobody': no such group"),
        (["offsets-9.txt", "--since", "yesterday"], "--since 'yesterday': not a time"),
        (["offsets-9.txt", "racks.csv"], "racks.csv:1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments, complaint):
    assert complaint in one_line(here("audit", *arguments, cwd=CLUSTER), 2)
