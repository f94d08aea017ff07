"""Files that their content identifies: settings, reassignments with the cluster, and neither."""

import pytest

from kassay.engines.lint.run import lint_files
from kassay.model.errors import InputError
from tests.paths import ROOT

CLUSTER = ROOT / "examples" / "cluster"


def test_a_reassignment_has_the_findings_of_place_lint_and_settings_theirs(tmp_path):
    (tmp_path / "c.properties").write_text("group.id=g\ngroup.protocol=x\n")
    plan, topics = CLUSTER / "by-hand.json", CLUSTER / "replicas.txt"
    alone = {each.rule for each in lint_files([str(plan)]).findings}
    both = lint_files([str(plan), str(topics), str(tmp_path / "c.properties")])
    rules = {each.rule for each in both.findings}
    assert alone == {"log-dirs-length", "duplicate-replica"}
    assert {"unknown-topic", "unknown-partition", "group-protocol"} | alone <= rules
    assert both.errors == len(both.findings)
    assert [what for _, what in both.files][1] == "reassignment"
    judged = [each.command for each in both.findings if each.rule == "unknown-topic"]
    assert judged == [f"kassay place {plan} {topics} --judge"]


def test_settings_may_be_latin_1(tmp_path):
    (tmp_path / "c.properties").write_bytes("# Schlüssel\ngroup.id=g\ngroup.protocol=x\n".encode("latin-1"))
    (finding,) = lint_files([str(tmp_path / "c.properties")]).findings
    assert finding.place.line == 3


def test_a_file_of_neither_is_named(tmp_path):
    with pytest.raises(
        InputError, match=r"topics\.txt: is the output of kafka-topics\.sh --describe, neither"
    ):
        lint_files([str(CLUSTER / "topics.txt")])


@pytest.mark.parametrize(("text", "line"), [("node.id=1\ngroup.m", 2), ("node.i", 1), ("a.b=1\nsession.", 2)])
def test_settings_that_end_in_the_middle_of_a_key_are_cut(tmp_path, text, line):
    (tmp_path / "s.properties").write_text(text)
    with pytest.raises(InputError, match=rf"s\.properties:{line}: no value, .*cut off"):
        lint_files([str(tmp_path / "s.properties")])


def test_topics_to_move_are_called_so(tmp_path):
    (tmp_path / "move.json").write_text('{"version": 1, "topics": [{"topic": "a"}]}')
    assert lint_files([str(tmp_path / "move.json")]).files[0][1] == "topics for --generate"
