"""Claims about assignors of Streams tasks, and the histories to judge them on."""
