"""Faulty targets on purpose: the controls that a budget must catch."""
