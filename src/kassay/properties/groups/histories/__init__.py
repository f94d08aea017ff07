"""The generator of histories: the events of a group, production shapes, and assumptions."""
