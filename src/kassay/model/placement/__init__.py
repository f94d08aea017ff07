"""Replica placement: requests, answers, plans of a change, and their documents."""
