"""The hook of MkDocs that puts the pages of `docs/writers/reference.py` into the site."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from writers.reference import pages  # the folder of writers is no installed package

EXAMPLES: Final = Path(__file__).resolve().parent.parent.parent / "examples"
REFERENCE: Final = "Reference"
"""The section of the navigation whose pages are made now."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation with the reference pages in it."""
    for section in config.nav or []:
        if isinstance(section, dict) and REFERENCE in section:
            section[REFERENCE] = list(pages())
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the site, the pages that are made now, and the examples that pages link to."""
    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    for example in sorted(path for path in EXAMPLES.rglob("*") if path.is_file()):
        name = f"examples/{example.relative_to(EXAMPLES).as_posix()}"
        files.append(File.generated(config, name, abs_src_path=str(example)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """The page with its links to examples, which lie beside `docs`, led to where the site has them."""
    up = "../" * page.file.src_uri.count("/")
    return markdown.replace(f"]({up}../examples/", f"]({up}examples/")
