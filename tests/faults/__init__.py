"""Faults planted one at a time into kassay's own judges, and the tests that must notice each."""
