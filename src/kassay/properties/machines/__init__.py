"""Hypothesis machines: rules that change a world, and the claims as invariants over it."""
