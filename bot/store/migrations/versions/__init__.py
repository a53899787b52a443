"""One revision a file, in order. A revision never imports the present tables."""
