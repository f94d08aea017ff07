"""The page of libraries that share a group is written from its results, which are those of a long run."""

from kassay.engines.live.interop import read_results
from kassay.engines.live.kits import GO, NODE
from tests.paths import DOCS
from writers.interop import RESULTS, page

RESULT = read_results(str(RESULTS))


def test_the_page_is_that_of_the_results():
    assert page(RESULT) == (DOCS / "interop.md").read_text("utf-8"), (
        "write it again: python docs/writers/interop.py > docs/interop.md"
    )


def test_nine_libraries_were_paired():
    assert len(RESULT.versions()) >= 9


def test_the_pinned_versions_are_those_that_were_played():
    pins = (GO.sources / "go.mod").read_text() + (NODE.sources / "package.json").read_text()
    versions = RESULT.versions()
    for name in ("kafkajs", "platformatic", "franz-go", "sarama", "segmentio"):
        assert versions[name] in pins
