"""A folder as the place of a campaign: documents whole or not at all, one driver at a time."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.pipeline.store import Local, open_store


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    with (
        Local(tmp_path).locked(),
        pytest.raises(InputError, match="in use by process"),
        Local(tmp_path).locked(),
    ):
        pass
    with Local(tmp_path).locked():
        assert Local(tmp_path).names("batches") == []


values = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=4)


@pytest.mark.slow
@given(st.dictionaries(st.text("abé", max_size=3), values, max_size=4))
def test_a_document_is_read_as_it_was_written_last(document: dict[str, object]) -> None:
    with TemporaryDirectory() as folder:
        store = Local(Path(folder))
        store.write("batches/1.json", {"before": 1})
        store.write("batches/1.json", document)
        assert store.read("batches/1.json") == document
        assert store.names("batches") == ["1.json"]


def test_what_is_not_there_is_none_and_may_be_removed(tmp_path: Path) -> None:
    store = Local(tmp_path / "new")
    assert store.read("x.json") is None
    assert store.names("batches") == []
    store.remove("x.json")
    for number in (10, 9):
        store.write(f"batches/{number}.json", {})
    assert store.names("batches") == ["10.json", "9.json"]
    store.remove("batches/10.json")
    assert store.names("batches") == ["9.json"]


def test_a_document_cut_short_is_not_seen_and_one_that_is_none_is_named(tmp_path: Path) -> None:
    store = Local(tmp_path)
    (tmp_path / ".a.json.new").write_text('{"half"')
    assert store.names(".") == []
    for text, message in (
        ("[1]", "expected an object"),
        ("{", "not JSON, expected a document of a campaign"),
    ):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(InputError) as refused:
            store.read("a.json")
        assert str(refused.value) == f"{tmp_path / 'a.json'}: {message}"


def test_a_place_that_is_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = Local(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written"):
        store.write("a.json", {})
    with pytest.raises(InputError, match="cannot be written"), store.locked():
        pass


def test_an_address_without_a_host_is_a_folder_and_spark_is_told_where_it_is(tmp_path: Path) -> None:
    no_session: Any = None
    for place in (str(tmp_path / "a b"), f"file://{tmp_path}/a b", f"file:{'/' * 3}{tmp_path}/a b"):
        store = open_store(place, no_session)
        assert isinstance(store, Local)
        assert store.address("runs") == f"file://{tmp_path}/a b/runs"
