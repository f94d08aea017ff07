"""The lines of progress of a campaign: one a batch, and in between only after a while."""

from kassay.pipeline.campaign.progress import ProgressLines, progress_line
from kassay.pipeline.campaign.runner import CampaignProgress


def test_a_batch_is_told_when_it_ends_and_in_between_only_after_a_while() -> None:
    now = CampaignProgress(3, 50, 100, 12.34, 8.0, 2, tasks_done=5, tasks=9, peak_kib=2048)
    ended = CampaignProgress(3, 60, 100, 12.34, 7.0, 2, broken=(("range", "stable"), ("range", "total")))
    lines: list[tuple[float, str]] = []

    def tell(done: float, line: str) -> None:
        lines.append((done, line))

    silent, told = ProgressLines(tell, every_s=3600), ProgressLines(tell, every_s=0)
    silent.tick(now)
    told.tick(now)
    told.progress(ended)
    assert lines == [
        (
            50,
            "batch 3 (5 of 9 tasks): about 50 of 100 histories, 12/s, 8 s left, 2 findings so far, 2 MiB at most",
        ),
        (60, "batch 3: 60 of 100 histories, 12/s, 7 s left, 2 findings so far"),
        (60, "  violated by range: stable, total"),
    ]
    assert progress_line(CampaignProgress(0, 0, 5, 0.0, None, 0)) == (
        "batch 0: 0 of 5 histories, 0/s, ? left, 0 findings so far"
    )
