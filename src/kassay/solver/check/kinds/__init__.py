"""The kinds of proof: a file each, with what the certificate holds and why that proves what is stated."""
