"""One thin command per question."""
