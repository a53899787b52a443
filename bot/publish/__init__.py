"""Stage four: what a person gets to see, and where it is put."""
