"""Plots as frozen values: where each mark stands, in per cent of the width; templates draw them."""
