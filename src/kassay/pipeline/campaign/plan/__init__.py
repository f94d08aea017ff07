"""What a campaign is asked to play, and how the work is cut."""
