"""The certified optimum of a share group: the fewest revoked copies where all is shared evenly."""
