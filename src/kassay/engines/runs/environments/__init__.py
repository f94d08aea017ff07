"""The same calls in other environments: what a process observes must not decide what a target answers."""
