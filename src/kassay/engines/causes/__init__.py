"""Why a counterexample violates its claim: what matters in it, in words and as a Python call."""
