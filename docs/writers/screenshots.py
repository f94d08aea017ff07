"""Writes `docs/screenshots/*.png`: the pages in a browser, light, dark and 400 px wide.

`python docs/writers/screenshots.py [NAME...]` captures the named pages, or all. It needs Chromium on
the PATH, Playwright, Pillow and, for the campaign, minutes of Spark: `./dev tox run -e screenshots`.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

FOLDER: Final = Path(__file__).parents[1] / "screenshots"
BYTES_MAX: Final = 150_000
LOOKS: Final = {"light": (1200, 760, False), "dark": (1200, 760, True), "narrow": (400, 860, False)}
"""For each look the width and the height of the window, and whether it is dark."""


class Shot(NamedTuple):
    """A page to capture: the command that writes it, the file it writes, and which part of it is opened."""

    command: Sequence[str]
    file: str
    fragment: str = ""


_CERTIFICATE: Final = (
    *("certify", "cooperative-sticky", "--histories", "300", "--seed", "1"),
    *("--claims", "cooperative,converges,balanced-kip54,single-owner", "--report", "html"),
)
_EXPLORATION: Final = (
    *("explore", "classic", "--switch", "no_generation_fence", "--faults", "pause=1", "--network", "steps"),
    *("--records", "1", "--max-states", "20000", "--report", "html"),
)
_GAPS: Final = ("gap", "range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "--report", "html")
_CLUSTER: Final = Path(__file__).parents[2] / "examples" / "cluster"
_WHAT_IF: Final = (
    "what-if",
    *(str(_CLUSTER / name) for name in ("groups.txt", "topics.txt", "brokers.txt", "racks.csv")),
    *("--events", "leave:2,join:3", "--report", "html"),
)
_PLACE: Final = (
    "place",
    *(str(_CLUSTER / name) for name in ("replicas.txt", "brokers.txt", "log-dirs.txt")),
    *("--remove-broker", "3", "--add-broker", "7:az-c", "--per-step", "12", "-v", "--out", ".kassay"),
)
_CAMPAIGN: Final = (
    *("campaign", "run", str(Path(__file__).with_name("campaign.toml"))),
    *("--out", "results", "--config", "spark.master=local[2]"),
)
SHOTS: Final = {
    "verdict": Shot(_CERTIFICATE, ".kassay/report.html"),
    "board": Shot(_CERTIFICATE, ".kassay/report.html", "#trace-3/round-2"),
    "exploration": Shot(_EXPLORATION, ".kassay/exploration.html", "#trace-1"),
    "gap-study": Shot(_GAPS, ".kassay/gap.html"),
    "what-if": Shot(_WHAT_IF, ".kassay/what-if.html"),
    "place": Shot(_PLACE, ".kassay/place/place.html"),
    "campaign": Shot(_CAMPAIGN, "results/report.html", "#f-f67f7e7f84ed9e86"),
}
"""What is captured, by the name of its files."""


def main(names: Sequence[str]) -> int:
    """Capture the pages of these names, or all of them."""
    from playwright.sync_api import sync_playwright

    pages: dict[tuple[str, ...], Path] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, shot in SHOTS.items():
            if names and name not in names:
                continue
            command = tuple(shot.command)
            if command not in pages:
                pages[command] = _written(shot, Path(folder, str(len(pages))))
            for look in LOOKS:
                _take(browser, pages[command].as_uri() + shot.fragment, FOLDER / f"{name}-{look}.png", look)
        browser.close()
    return 0


def _written(shot: Shot, folder: Path) -> Path:
    """The page that the command writes; ignores its exit code, which says what it found."""
    folder.mkdir()
    subprocess.run([sys.executable, "-m", "kassay", *shot.command], cwd=folder, check=False, timeout=3600)
    return folder / shot.file


def _take(browser: Any, address: str, file: Path, look: str) -> None:
    """One picture, with no more colours than it needs; raises `ValueError` for one that is too heavy."""
    from PIL import Image

    width, height, dark = LOOKS[look]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        offline=True,
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_timeout(500)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(128)
    context.close()
    file.parent.mkdir(exist_ok=True)
    picture.save(file, optimize=True)
    if file.stat().st_size > BYTES_MAX:
        raise ValueError(f"{file.name}: {file.stat().st_size} bytes, expected at most {BYTES_MAX}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
