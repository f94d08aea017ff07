"""Histories played with real clients on a genuine broker, and judged by what the clients report."""
