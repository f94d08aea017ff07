"""The description of a value, said once: reading, writing, schema, smaller values, renaming, enumeration."""
