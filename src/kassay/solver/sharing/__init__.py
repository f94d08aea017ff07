"""The certified optimum of a share group: the fewest copies taken back where all is shared evenly."""
