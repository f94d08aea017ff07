"""Jars: the Java runtime, the shim that calls a class of a jar, and the kinds of classes in a jar."""
