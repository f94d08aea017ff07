"""What all protocol models share: transition tables, budgets of faults, the census."""
