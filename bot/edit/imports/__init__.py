"""Which files of the repository a test imports or launches, read as syntax, and whether they are the measured ones."""
