"""The generator of histories: what happens to a group, in which shapes, under which assumptions."""
