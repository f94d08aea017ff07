"""How long a browser takes to open the page of a campaign with 1,000 findings, beside one with 10.

    python -m benchmarks.page_opens

Needs Chromium on the PATH and Playwright. Medians of alternating openings, the last board of the page opened
too. Goal: under 2 s for 1,000 findings on a quiet machine.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from pathlib import Path

from tests.report.thousand import campaign

from kassay.report.pages.campaign import render

SIZES = (10, 1_000)
RUNS = 5


def main() -> None:
    """Print a line a size, and the ratio."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = {size: Path(folder, f"{size}.html") for size in SIZES}
        for size, path in pages.items():
            path.write_text(render(*campaign(size), "results"), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        taken: dict[int, list[float]] = {size: [] for size in SIZES}
        for _ in range(RUNS):
            for size, path in pages.items():
                tab = browser.new_page()
                before = time.perf_counter()
                tab.goto(path.as_uri())
                fold = tab.locator("details.listed").last
                fold.locator("summary").click()
                fold.locator(".board .frame.shown").first.wait_for()
                taken[size].append(time.perf_counter() - before)
                tab.close()
        browser.close()
        medians = {size: statistics.median(times) for size, times in taken.items()}
        for size, seconds in medians.items():
            print(f"{size:>6,} findings  {pages[size].stat().st_size:>9,} bytes  {seconds:.2f} s")
        print(f"{medians[SIZES[-1]] / medians[SIZES[0]]:.2f} times")


if __name__ == "__main__":
    main()
