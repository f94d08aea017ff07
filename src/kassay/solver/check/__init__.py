"""The checkers of certificates; they import nothing of kassay but `model.errors`."""
