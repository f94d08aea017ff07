"""How long a browser takes to open the page of a campaign with 1,000 findings, beside one with 10.

    python -m benchmarks.page_opens [REPORT.html...]

Needs Chromium on the PATH and Playwright. Medians of alternating openings, a board of the page opened too:
the last of a page that is written here, the first of a report that is named. Goal: under 2 s for 1,000
findings on a quiet machine.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.report.thousand import campaign

from benchmarks._needs import lacks
from kassay.report.pages.campaign import render

SIZES = (10, 1_000)
RUNS = 5


def main() -> None:
    """Print a line a size, and the ratio."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        lacks("there is no Playwright, expected that of PyPI (pip install playwright)")
    if shutil.which("chromium") is None:
        lacks("there is no chromium on the PATH")
    reports = [Path(name).resolve() for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = reports or [_written(size, Path(folder)) for size in SIZES]
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        taken: dict[Path, list[float]] = {path: [] for path in pages}
        for _ in range(RUNS):
            for path in pages:
                tab = browser.new_page()
                before = time.perf_counter()
                tab.goto(path.as_uri())
                folds = tab.locator("details.listed")
                fold = folds.first if reports else folds.last
                fold.locator("summary").click()
                fold.locator(".board .frame.shown").first.wait_for()
                taken[path].append(time.perf_counter() - before)
                tab.close()
        browser.close()
        medians = {path: statistics.median(times) for path, times in taken.items()}
        for path, seconds in medians.items():
            print(f"{path.stem:>12}  {path.stat().st_size:>9,} bytes  {seconds:.2f} s")
        print(f"{medians[pages[-1]] / medians[pages[0]]:.2f} times")


def _written(size: int, folder: Path) -> Path:
    """The page of so many findings."""
    path = folder / f"{size}-findings.html"
    path.write_text(render(*campaign(size), "results"), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
