"""The hook of MkDocs that adds the pages of `docs/writers/reference.py` and the script for diagrams.

The theme would load that script from the network. Mermaid comes from npm instead, by the pin of
`tests/npm.py`, from the folder that KASSAY_NODE_MODULES names; without it diagrams stay text.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from writers.reference import pages  # the folder of writers is not an installed package

EXAMPLES: Final = Path(__file__).resolve().parent.parent.parent / "examples"
MERMAID: Final = Path(os.environ.get("KASSAY_NODE_MODULES", ""), "mermaid", "dist", "mermaid.min.js")
SCRIPT: Final = "assets/mermaid.min.js"
"""Its path in the site."""
REFERENCE: Final = "Reference"
"""The section of the navigation whose pages are generated."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation with the reference pages in it."""
    for section in config.nav or []:
        if isinstance(section, dict) and REFERENCE in section:
            section[REFERENCE] = list(pages())
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the site, the generated pages, and the examples that pages link to."""
    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    for example in sorted(path for path in EXAMPLES.rglob("*") if path.is_file()):
        name = f"examples/{example.relative_to(EXAMPLES).as_posix()}"
        files.append(File.generated(config, name, abs_src_path=str(example)))
    if MERMAID.is_file():
        files.append(File.generated(config, SCRIPT, abs_src_path=str(MERMAID)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """The page with its links to examples, which are outside `docs`, pointed at their place in the site."""
    up = "../" * page.file.src_uri.count("/")
    markdown = markdown.replace(f"]({up}../examples/", f"]({up}examples/")
    return markdown if MERMAID.is_file() else markdown.replace("```mermaid\n", "```text\n")


def on_post_page(output: str, page: Page, **_: object) -> str:
    """The page; adds the script to a page with diagrams, so that the theme does not fetch it."""
    if '<pre class="mermaid">' not in output:
        return output
    up = "../" * page.url.count("/")
    return output.replace("</head>", f'<script src="{up}{SCRIPT}"></script></head>', 1)
