"""Partitioners: which partition a record goes to, and records sent through one."""
