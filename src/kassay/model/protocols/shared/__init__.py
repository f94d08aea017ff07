"""Common parts of all protocol models: transition tables, fault budgets, the census."""
