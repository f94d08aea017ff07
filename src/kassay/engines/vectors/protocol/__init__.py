"""Checks of the models against traces of the genuine group coordinator, step by step."""
