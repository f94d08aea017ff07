"""The kinds of proof, one a file: what the certificate holds and why that proves the result."""
