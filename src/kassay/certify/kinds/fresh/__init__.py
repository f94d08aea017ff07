"""The smallest cases of all of each kind, to begin anew where one cannot be cut further."""
