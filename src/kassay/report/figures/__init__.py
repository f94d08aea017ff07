"""Plots as frozen values: the place of each mark in per cent of the width; templates draw them."""
