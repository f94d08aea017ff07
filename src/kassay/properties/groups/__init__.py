"""Claims about assignors of consumer groups, and the histories to judge them on."""
