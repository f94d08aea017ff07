"""The progress of a campaign, a line at a time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from kassay.pipeline.campaign.play.runner import CampaignProgress
from kassay.report.screen.console import Screen


@dataclass
class ProgressLines:
    """Tells the progress of a campaign: a line a batch, and in between at most one every `every_s`."""

    screen: Screen
    every_s: float = 15.0
    _last: float = field(default_factory=time.monotonic)

    def progress(self, now: CampaignProgress) -> None:
        """Print where the campaign is after a batch."""
        self._last = time.monotonic()
        self.screen.say(progress_line(now))
        for target in dict.fromkeys(target for target, _ in now.broken):
            claims = ", ".join(claim for of, claim in now.broken if of == target)
            self.screen.say(f"  violated by {target}: {claims}")

    def tick(self, now: CampaignProgress) -> None:
        """Print where the campaign is within a batch, if nothing was said for a while."""
        if now.tasks and time.monotonic() - self._last >= self.every_s:
            self.progress(now)


def progress_line(now: CampaignProgress) -> str:
    """Where the campaign is."""
    within = f" ({now.tasks_done} of {now.tasks} tasks)" if now.tasks else ""
    about = "about " if now.tasks else ""
    left = "?" if now.eta_s is None else f"{now.eta_s:.0f} s"
    memory = f", {now.peak_kib / 1024:,.0f} MiB at most" if now.peak_kib else ""
    return (
        f"batch {now.batch}{within}: {about}{now.done:,} of {now.of:,} histories, {now.rate:,.0f}/s, "
        f"{left} left, {now.findings} findings so far{memory}"
    )
