"""A small language for claims: sentences about a target's answers, judged like the built-in claims."""
