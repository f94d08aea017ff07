"""The live claims, each judged on a whole recording."""
