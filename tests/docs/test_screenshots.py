"""The pictures of the docs are those of the script that takes them, and light."""

import re
import struct

import pytest

from tests.paths import DOCS
from writers.screenshots import BYTES_MAX, FOLDER, LOOKS, SHOTS

NAMED = {f"{name}-{look}.png": look for name in SHOTS for look in LOOKS}


def test_there_is_a_picture_of_each_page_in_each_look():
    assert {file.name for file in FOLDER.iterdir()} == NAMED.keys()


@pytest.mark.parametrize("name", NAMED)
def test_a_picture_is_as_large_as_its_window_and_light(name):
    data = (FOLDER / name).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == LOOKS[NAMED[name]][:2]
    assert len(data) <= BYTES_MAX


def test_the_docs_show_pictures_that_are_there():
    shown = {
        name
        for page in DOCS.glob("*.md")
        for name in re.findall(r"\(screenshots/([^)]*)\)", page.read_text())
    }
    assert shown
    assert shown <= NAMED.keys()
