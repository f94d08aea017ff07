"""The scripts that write pages of `docs`, each run as `python docs/writers/X.py > docs/Y.md`."""
