"""Replica placement: requests, answers, reassignment plans, and their documents."""
