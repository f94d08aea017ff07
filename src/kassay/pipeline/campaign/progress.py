"""Progress lines of a campaign."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kassay.pipeline.campaign.watching import CampaignProgress


@dataclass
class ProgressLines:
    """Reports the progress of a campaign: a line for each batch, and in between at most one every `every_s`.

    `tell` is called with the histories done, and the line.
    """

    tell: Callable[[float, str], object]
    every_s: float = 15.0
    _last: float = field(default_factory=time.monotonic)

    def progress(self, now: CampaignProgress) -> None:
        """Print the progress after a batch."""
        self._last = time.monotonic()
        self.tell(now.done, progress_line(now))
        for target in dict.fromkeys(target for target, _ in now.broken):
            claims = ", ".join(claim for of, claim in now.broken if of == target)
            self.tell(now.done, f"  violated by {target}: {claims}")

    def tick(self, now: CampaignProgress) -> None:
        """Print the progress during a batch, unless a line was printed recently."""
        if now.tasks and time.monotonic() - self._last >= self.every_s:
            self.progress(now)


def progress_line(now: CampaignProgress) -> str:
    """The progress as a line."""
    within = f" ({now.tasks_done} of {now.tasks} tasks)" if now.tasks else ""
    about = "about " if now.tasks else ""
    left = "?" if now.eta_s is None else f"{now.eta_s:.0f} s"
    memory = f", {now.peak_kib / 1024:,.0f} MiB at most" if now.peak_kib else ""
    return (
        f"batch {now.batch}{within}: {about}{now.done:,} of {now.of:,} histories, {now.rate:,.0f}/s, "
        f"{left} left, {now.findings} findings so far{memory}"
    )
