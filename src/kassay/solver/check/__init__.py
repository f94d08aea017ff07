"""The checkers of certificates; of kassay they import only `model.errors`."""
