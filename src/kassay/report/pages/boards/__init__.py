"""Boards: a counterexample drawn, who is given what as rows of tiles, frame by frame."""
