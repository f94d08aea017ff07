"""Documents in, typed values out: JSON and TOML read strictly, every error in one line."""
