"""Programs that answer JSON lines, as child processes under a guard."""
