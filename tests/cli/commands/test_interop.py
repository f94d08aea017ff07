"""`kassay interop`: what it prints of results, and what is refused before anything starts."""

import json
from dataclasses import replace

import pytest

from kassay.cli.main import run
from kassay.engines.live.interop import InteropResult, LibraryPair
from kassay.writing.files import json_text
from tests.cli.runner import here, valid
from tests.engines.live.test_interop import FAILS, played


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("java", "--strategy", "range"), "expected at least two libraries"),
        (("java,jva", "--strategy", "range"), "did you mean java?"),
        (("java,sarama", "--strategy", "uniform"), "none of java, sarama has it"),
        (
            ("java,sarama", "--config", "group.protocol=consumer"),
            "--strategy uniform: java of java, sarama has it",
        ),
        (("java,sarama", "--config", "group.protocol=share"), "expected group.protocol=classic"),
        (("java,sarama", "--out", "README"), "README"),
        (("java,sarama", "--histories", "0"), "--histories"),
    ],
)
def test_wrong_options_are_refused_in_one_line(arguments, words, tmp_path):
    (tmp_path / "README").write_text("no JSON")
    done = here("interop", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not (tmp_path / ".kassay").exists()


@pytest.fixture
def results(tmp_path):
    """A file with both pairs of java and segmentio, of which one does not agree."""
    back = replace(played(), versions=("0.4.51", "4.4.0"))
    result = InteropResult("4.4.0")
    result = result.with_play(LibraryPair("range", "classic", "java", "segmentio"), played(FAILS))
    result = result.with_play(LibraryPair("range", "classic", "segmentio", "java"), back)
    path = tmp_path / "interop.json"
    path.write_text(json_text(result.to_json()))
    return path


def test_results_that_are_whole_are_shown_without_a_broker(results, capsys):
    page, out = results.with_name("interop.html"), results.with_name("out.json")
    arguments = ["--out", str(results.parent), "--json", str(out)]
    assert run(["interop", "java,segmentio", *arguments]) == 1
    printed = capsys.readouterr().out
    assert "DIFFERS  1 of 2 pairs in order agree with either leader" in printed
    assert "Kafka 4.4.0 with java 4.4.0, segmentio 0.4.51" in printed
    (row,) = [line.split() for line in printed.splitlines() if line.startswith("java  ")]
    assert row == ["java", "-", "0/0"]
    assert "java leads segmentio: 0/0; then the other way: agrees. java: SchemaException" in printed
    assert valid(json.loads(out.read_text()), "interop-1")["verdict"] == "differs"
    assert "<td" in page.read_text() and "SchemaException" in page.read_text()
