"""The certified best of what was asked, for the claims that need it."""
