"""kassay's own client programs in Python, one a library; each is a process that speaks the live protocol."""
