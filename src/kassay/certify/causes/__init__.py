"""Why a counterexample breaks its claim: what matters in it, in words, and as a call in Python."""
