"""Compares two targets of one kind: the smallest input on which they differ, or how many inputs agree."""
