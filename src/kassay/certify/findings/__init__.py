"""What a counterexample shows: where it breaks its claim, and what could have been."""
