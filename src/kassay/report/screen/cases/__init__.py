"""What happened in a case, told on a terminal: a group by rounds, other kinds by their steps."""
