"""Wide input: names, sizes and numbers over their whole legal ranges, in classes that are counted."""
