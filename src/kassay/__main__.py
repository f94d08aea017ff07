"""`python -m kassay`: the same as the `kassay` command."""

from kassay.cli.main import main

if __name__ == "__main__":
    main()
