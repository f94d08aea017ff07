"""Two targets of one kind asked the same: the smallest input on which they differ, or how many agree."""
