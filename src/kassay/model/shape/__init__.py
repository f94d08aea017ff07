"""The shape of a value, from which its reader, writer, schema, cuts, names and enumeration derive."""
