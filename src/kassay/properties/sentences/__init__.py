"""A small language for claims: sentences about what a target answers, judged like the built-in claims."""
