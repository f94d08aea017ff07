"""The functions of the package's root, `kassay.NAME`: one file each, of the function's name.

They take values and return a `Result`; commands read options, call them, and present what they return.
"""
