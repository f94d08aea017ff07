"""The kinds of targets, a folder for each family: plays, judges, shrinks, searches and shows cases."""
