"""What a counterexample shows: where it violates its claim, and the answer that could have been."""
