"""Documents in, typed values out: JSON and TOML read strictly, every complaint one line."""
